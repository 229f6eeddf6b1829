#pragma once

#include <cstdint>
#include <functional>

namespace sluice::command {

/// Calls work(i) for i = 0 .. count - 1, each once, begun in this order, on as many threads as the machine runs at
/// once. This thread is one of them: it calls shows(i) before those that it takes itself. If one of them throws, no
/// more are begun, and the first exception is thrown here.
void for_each_in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& shows,
                          const std::function<void(std::int64_t)>& work);

}  // namespace sluice::command
