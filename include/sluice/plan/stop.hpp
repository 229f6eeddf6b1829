#pragma once

#include <functional>

namespace sluice {

/// Called now and then during a search; once it has returned true it must go on doing so. The search then ends as at
/// its time limit, with the best plan so far. Empty: the search is never stopped.
using StopRequest = std::function<bool()>;

}  // namespace sluice
