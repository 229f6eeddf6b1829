#pragma once

#include <array>
#include <string_view>

namespace sluice::command {

/// The tables printed in Desprez et al. 1997, as studies/desprez-1997 holds them: Table n is at n - 1.
extern const std::array<std::string_view, 19> kPaperTables;

}  // namespace sluice::command
