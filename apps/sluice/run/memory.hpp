#pragma once

#include <string>

namespace sluice::command {

/// Throws InputError on all ranks, naming `option`, if the data do not fit the memory of a node. The system would end
/// the program while it fills them. `own_bytes`: of the data on this rank.
void check_memory(double own_bytes, const std::string& option);

}  // namespace sluice::command
