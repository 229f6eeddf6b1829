#include "apps/sluice/study/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace sluice::command {

void for_each_in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& shows,
                          const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
  const auto take = [&](bool here) {
    try {
      for (std::int64_t i = next++; i < count && !failed; i = next++) {
        if (here) shows(i);
        work(i);
      }
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < std::max(1U, std::thread::hardware_concurrency()); ++t) others.emplace_back(take, false);
  take(true);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sluice::command
