#pragma once

#include <cstddef>
#include <vector>

#include "sluice/schedule/program.hpp"

namespace sluice::detail {

/// For each operation, the operation at the other end of its message: the k-th send between two ranks and the k-th
/// receive there. @pre the program is sound
[[nodiscard]] std::vector<std::size_t> message_partners(const Program& program);

}  // namespace sluice::detail
