#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>

namespace sluice::mpi::detail {

struct TrialState;

/// The plans that jobs of a communicator used last, by their arguments: a second job with the same arguments does not
/// plan again. Least recently used plans go first. All ranks keep the same plans, because jobs are made in the same
/// order. Ranks may differ nevertheless, if one failed or has arguments of its own; so they compare the numbers of
/// their entries.
class PlanCache {
 public:
  struct Entry {
    std::string key;          ///< the kind of the job and all its arguments, so that different ones never meet
    std::int64_t number = 0;  ///< the same on two ranks only if they keep the same plan
    std::shared_ptr<const void> plan;
    std::shared_ptr<TrialState> trial;  ///< of ways to carry it out; null if there is none
  };

  /// Null if there is none. What it returns is valid until the next call.
  [[nodiscard]] const Entry* find(const std::string& key) {
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front();
  }
  /// In place of one with the same key, if there is one.
  void put(std::string key, std::int64_t number, std::shared_ptr<const void> plan,
           std::shared_ptr<TrialState> trial = nullptr) {
    std::list<Entry> fresh;
    fresh.push_back({std::move(key), number, std::move(plan), std::move(trial)});
    entries_.remove_if([&](const Entry& entry) { return entry.key == fresh.front().key; });
    entries_.splice(entries_.begin(), fresh);
    reserve(number);
    trim();
  }
  /// The largest number that was given to an entry, or is reserved for one.
  [[nodiscard]] std::int64_t last_number() const { return last_number_; }
  void reserve(std::int64_t number) { last_number_ = std::max(last_number_, number); }

  void set_capacity(std::size_t plans) {
    capacity_ = plans;
    trim();
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// The entries, the most recently used first.
  [[nodiscard]] const std::list<Entry>& entries() const { return entries_; }

 private:
  void trim() {
    while (entries_.size() > capacity_) entries_.pop_back();
  }

  std::list<Entry> entries_;
  std::size_t capacity_ = 0;
  std::int64_t last_number_ = 0;
};

}  // namespace sluice::mpi::detail
