#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Digests of plans, for tests that compare them with digests written down from a run.
namespace sluice::testing {

class Hash {
 public:
  void add(std::int64_t value) { hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 1099511628211U; }
  void add(double value) {
    std::int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    add(bits);
  }
  void add(std::string_view text) {
    for (const char each : text) add(static_cast<std::int64_t>(each));
    add(static_cast<std::int64_t>(text.size()));
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

/// The hash of durations, ends and sizes in their order.
inline std::uint64_t hash_of(const StepSchedule& schedule) {
  Hash hash;
  for (const Step& step : schedule.steps) {
    hash.add(step.duration);
    if (schedule.switches > 1) hash.add(step.on_switch);
    for (const Transfer& transfer : step.transfers) {
      hash.add(transfer.from);
      hash.add(transfer.to);
      hash.add(transfer.offset);
      hash.add(transfer.size);
    }
  }
  return hash.value();
}

/// Adds the times and ends of its transfers in their order.
inline void add(Hash& hash, const TreeSchedule& schedule) {
  hash.add(schedule.length);
  for (const TimedTransfer& transfer : schedule.transfers) {
    hash.add(transfer.from);
    hash.add(transfer.to);
    hash.add(transfer.start);
    hash.add(transfer.end);
    hash.add(transfer.segment);
  }
}

/// Adds its operations in their order, their pace, its length and its bound.
inline void add(Hash& hash, const Program& program) {
  hash.add(program.algorithm);
  for (const ProgramOperation& op : program.operations) {
    hash.add(op.rank);
    hash.add(static_cast<std::int64_t>(op.kind));
    hash.add(op.peer);
    op.for_ranges([&](const ByteRange& range) {
      hash.add(range.offset);
      hash.add(range.bytes);
    });
    for (const std::int64_t before : op.after) hash.add(before);
  }
  for (const SendPace& pace : program.pace) {
    hash.add(pace.port_s);
    hash.add(pace.connection_s);
  }
  hash.add(program.length_s);
  hash.add(program.bound_s);
  hash.add(program.bound);
}

/// Adds all times of its transfers in their order.
inline void add(Hash& hash, const Timeline& timeline) {
  hash.add(timeline.length);
  for (const TimelineTransfer& each : timeline.transfers) {
    for (const std::int64_t value : {each.from, each.to, each.size, each.step, each.offset}) hash.add(value);
    for (const double time : {each.start, each.sender_free, each.receive_start, each.end}) hash.add(time);
  }
}

/// What stands here of each algorithm: every algorithm of the problem has to, but those with no plan to store.
using StoredHashes = std::map<std::string, std::uint64_t, std::less<>>;

inline void expect_stored(const StoredHashes& planned, const StoredHashes& stored) {
  for (const auto& [algorithm, hash] : planned) {
    const auto found = stored.find(algorithm);
    if (found == stored.end())
      ADD_FAILURE() << algorithm << ": nothing stored, planned " << hash << 'U';
    else
      EXPECT_EQ(hash, found->second) << algorithm;
  }
  EXPECT_EQ(planned.size(), stored.size());
}

}  // namespace sluice::testing
