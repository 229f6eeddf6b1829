#pragma once

#include <functional>

namespace sluice {

/// A function that a search calls now and then. If it returns true, the search ends with the best plan so far, as at
/// its time limit; from then on it must return true in every call. Empty: the search is never stopped.
using StopRequest = std::function<bool()>;

}  // namespace sluice
