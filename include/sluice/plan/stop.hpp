#pragma once

#include <functional>

namespace sluice {

/// Asked now and then by what searches; once it says true it has to go on saying so. The search then ends as at its
/// time limit, with the best plan so far. Empty: never.
using StopRequest = std::function<bool()>;

}  // namespace sluice
