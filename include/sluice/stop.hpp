#pragma once

#include <functional>

namespace sluice {

/// Ends a search: the search calls this function regularly. If it returns true, the search ends with the best plan so
/// far, as at its time limit. From then on it must return true in every call. If empty, the search is never stopped.
using StopRequest = std::function<bool()>;

}  // namespace sluice
