#pragma once

#include <string_view>

namespace sluice::detail {

/// Papers that the registries of more than one problem name as the source of an algorithm.
inline constexpr std::string_view kDesprez = "Desprez et al. 1997";

}  // namespace sluice::detail
