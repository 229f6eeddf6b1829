#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

/// Whether `name` is one of the trees below.
[[nodiscard]] bool is_given_tree(std::string_view name);

/// In `flat`, `chain`, `binary` and `k-ary`, which have `arity`, machine i sends to (i - 1) / this.
[[nodiscard]] std::int64_t arity_of(std::string_view name, std::int64_t machines, std::int64_t arity);

/// Parents of nodes 1 to machines - 1 in the tree called so; entry 0 is -1, and every parent comes before its children.
[[nodiscard]] std::vector<std::int32_t> given_parents(std::string_view name, std::int64_t machines, std::int64_t arity);

/// The tree of these parents with its shortest times.
[[nodiscard]] ReversedTree with_shortest_times(const std::vector<std::int32_t>& parent, const ReduceCosts& costs);

}  // namespace sluice::detail
