#pragma once

#include <string_view>

namespace sluice::command {

/// The 88 machines of studies/grid5000, as sluice.platform/1.
extern const std::string_view kGrid5000Platform;

}  // namespace sluice::command
