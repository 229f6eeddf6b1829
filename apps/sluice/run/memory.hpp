#pragma once

#include <string>

namespace sluice::command {

/// Throws InputError, on all ranks, naming `option`, if the data, `own_bytes` on this rank, do not fit the memory
/// of a node, where the system would otherwise end the program while they are filled.
void check_memory(double own_bytes, const std::string& option);

}  // namespace sluice::command
