#pragma once

#include "sluice/input/platform.hpp"

namespace sluice::command {

/// The 88 machines of studies/grid5000/grid5000-88.json.
[[nodiscard]] Platform grid5000_platform();

}  // namespace sluice::command
