#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::pmpi {

/// What is known of calls with the same arguments on a communicator.
struct Pattern {
  std::int64_t seen = 0;    ///< calls so far
  std::int64_t asked = 0;   ///< how often the job was asked what serves it
  bool forwarded = false;   ///< for good: MPI is faster, or there can be no job
  std::int64_t memory = 0;  ///< bytes that the job shares with other ranks on a rank, at most
  std::variant<std::monostate, std::unique_ptr<mpi::Broadcast>, std::unique_ptr<mpi::ElementReduction>,
               std::unique_ptr<mpi::Exchange>, std::unique_ptr<mpi::CollectiveJob>>
      job;
};

/// The patterns of a communicator that were used last. Keys are made of what is the same on all ranks, and calls come
/// in the same order everywhere, so all ranks hold the same patterns: whether a job is there needs no message.
///
/// The jobs together hold at most kMostMemory of shared memory on a rank, not counting the most recently used one. The
/// least recently used jobs are given up, and made again when their arguments come back.
class JobCache {
 public:
  using Key = std::array<std::int64_t, 5>;
  static constexpr std::size_t kKept = 64;
  static constexpr std::int64_t kMostMemory = 96 << 20;

  /// The pattern of a key, which is new if it is not there. It stays until kKept others were asked for.
  Pattern& at(const Key& key) {
    const auto found = places_.find(key);
    if (found != places_.end()) {
      patterns_.splice(patterns_.begin(), patterns_, found->second);
      return found->second->second;
    }
    patterns_.emplace_front(key, Pattern{});
    places_[key] = patterns_.begin();
    if (patterns_.size() > kKept) {
      places_.erase(patterns_.back().first);
      patterns_.pop_back();
    }
    return patterns_.front().second;
  }
  /// Called before a job of `pattern` is made, or made to hold more. `pattern` was asked for last; `memory`: its
  /// Pattern::memory.
  void make_room(Pattern& pattern, std::int64_t memory) {
    pattern.memory = std::max(pattern.memory, memory);
    std::int64_t held = 0;
    for (auto& [key, each] : patterns_) {
      const bool has_job = &each == &pattern || each.job.index() != 0;
      if (has_job) held += each.memory;
      if (has_job && &each != &pattern && held > kMostMemory) {
        held -= each.memory;
        each.job = std::monostate();
      }
    }
  }
  void clear() {
    places_.clear();
    patterns_.clear();
  }
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

 private:
  std::list<std::pair<Key, Pattern>> patterns_;  ///< most recently used first
  std::map<Key, std::list<std::pair<Key, Pattern>>::iterator> places_;
};

}  // namespace sluice::pmpi
