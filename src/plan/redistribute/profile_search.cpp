#include "plan/redistribute/profile_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "sluice/checked.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMostDepth = 10'000;  // of the recursion: a call for each class and duration

/// At position i the number of steps of at least the i-th shortest duration; falling.
using LengthProfile = std::vector<std::int64_t>;

/// Whether the messages of classes fit into the steps of a profile.
class Fitting {
 public:
  Fitting(const MessageClasses& messages, const std::vector<std::int64_t>& durations, const LengthProfile& profile,
          Effort& effort)
      : messages_(messages), effort_(effort) {
    const std::size_t lengths = durations.size();
    found_.durations = durations;
    for (std::size_t t = 0; t < lengths; ++t)
      found_.steps.push_back(profile[t] - (t + 1 < lengths ? profile[t + 1] : 0));
    found_.messages.assign(messages.classes.size(), std::vector<std::int64_t>(lengths, 0));
    const auto rooms = [&](std::int32_t groups, std::int64_t copies) {
      std::vector<std::int64_t> room;
      for (const std::int64_t steps : found_.steps) room.push_back(checked::multiply(steps, copies, "messages"));
      return std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(groups), room);
    };
    left_room_ = rooms(messages.lefts, messages.left_copies);
    right_room_ = rooms(messages.rights, messages.right_copies);
    left_demand_.assign(left_room_.size(), 0);
    right_demand_.assign(right_room_.size(), 0);
    for (std::size_t c = 0; c < messages.classes.size(); ++c) {
      const MessageClass& each = messages.classes[c];
      falling_.push_back(c);
      left_demand_[static_cast<std::size_t>(each.left)] += messages.copies();
      right_demand_[static_cast<std::size_t>(each.right)] += messages.copies();
    }
    std::ranges::stable_sort(falling_, std::ranges::greater{},
                             [&](std::size_t c) { return messages.classes[c].length; });
  }

  bool search() { return place(0); }
  [[nodiscard]] const ClassAssignment& found() const { return found_; }

 private:
  /// Places the classes from position `at` on.
  bool place(std::size_t at) {
    if (at == falling_.size()) return true;
    const MessageClass& each = messages_.classes[falling_[at]];
    const auto shortest =
        static_cast<std::size_t>(std::ranges::lower_bound(found_.durations, each.length) - found_.durations.begin());
    return divide(at, shortest, messages_.copies());
  }

  /// Puts `rest` messages of the class at position `at` into durations from `t` on, then places the others.
  bool divide(std::size_t at, std::size_t t, std::int64_t rest) {
    if (effort_.left() == 0) return false;
    effort_.take(1);
    const std::size_t number = falling_[at];
    const auto a = static_cast<std::size_t>(messages_.classes[number].left);
    const auto b = static_cast<std::size_t>(messages_.classes[number].right);
    if (rest == 0) {
      if (!has_room(left_room_[a], left_demand_[a] - messages_.copies()) ||
          !has_room(right_room_[b], right_demand_[b] - messages_.copies()))
        return false;
      left_demand_[a] -= messages_.copies();
      right_demand_[b] -= messages_.copies();
      if (place(at + 1)) return true;
      left_demand_[a] += messages_.copies();
      right_demand_[b] += messages_.copies();
      return false;
    }
    if (t == found_.durations.size()) return false;
    for (std::int64_t count = std::min({rest, left_room_[a][t], right_room_[b][t]}); count >= 0; --count) {
      take(number, a, b, t, count);
      if (divide(at, t + 1, rest - count)) return true;
      take(number, a, b, t, -count);
    }
    return false;
  }

  void take(std::size_t number, std::size_t a, std::size_t b, std::size_t t, std::int64_t count) {
    left_room_[a][t] -= count;
    right_room_[b][t] -= count;
    found_.messages[number][t] += count;
  }

  static bool has_room(const std::vector<std::int64_t>& room, std::int64_t demand) {
    return std::accumulate(room.begin(), room.end(), std::int64_t{0}) >= demand;
  }

  const MessageClasses& messages_;
  Effort& effort_;
  ClassAssignment found_;
  std::vector<std::size_t> falling_;
  std::vector<std::vector<std::int64_t>> left_room_, right_room_;  ///< [group][duration]
  std::vector<std::int64_t> left_demand_, right_demand_;           ///< messages of a group still to place
};

}  // namespace

ProgramOutcome search_profiles(const MessageClasses& messages, const ProgramLimits& limits, Effort& effort) {
  std::set<std::int64_t> lengths;
  for (const MessageClass& each : messages.classes) lengths.insert(each.length);
  const std::vector<std::int64_t> durations(lengths.begin(), lengths.end());
  if (messages.classes.size() * (durations.size() + 1) > kMostDepth) return {std::nullopt, limits.least};
  const auto transmission = [&](const LengthProfile& profile) {
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < durations.size(); ++t) {
      const std::int64_t more = durations[t] - (t > 0 ? durations[t - 1] : 0);
      sum = checked::add(sum, checked::multiply(more, profile[t], "transmission"), "transmission");
    }
    return sum;
  };
  LengthProfile first;
  for (const std::int64_t duration : durations) {
    MessageClasses long_ones = messages;
    std::erase_if(long_ones.classes, [&](const MessageClass& each) { return each.length < duration; });
    first.push_back(bound_of(long_ones).steps);
  }
  if (first.empty()) return {ClassAssignment{}, 0};
  ProgramOutcome outcome{std::nullopt, limits.below};
  if (first.front() > limits.most_steps) return outcome;

  using Entry = std::pair<std::int64_t, LengthProfile>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::set<LengthProfile> met{first};
  open.emplace(transmission(first), first);
  while (!open.empty() && open.top().first < limits.below) {
    const auto [cost, profile] = open.top();
    open.pop();
    if (cost >= limits.least) {
      Fitting fitting(messages, durations, profile, effort);
      if (fitting.search()) {
        ClassAssignment found = fitting.found();
        found.drop_idle_steps(messages);
        return {std::move(found), cost};
      }
      if (effort.left() == 0) {
        outcome.at_least = std::max(cost, limits.least);
        return outcome;
      }
    }
    for (std::size_t t = 0; t < durations.size(); ++t) {
      if (profile[t] == (t == 0 ? limits.most_steps : profile[t - 1])) continue;
      LengthProfile next = profile;
      ++next[t];
      effort.take(1);
      if (met.insert(next).second) open.emplace(transmission(next), std::move(next));
    }
    if (effort.left() == 0) break;
  }
  // Profiles that are still open may cost `below` and more, because what lies beyond the limits does not matter, or
  // less than what is known of all.
  if (effort.left() == 0 && !open.empty()) outcome.at_least = std::clamp(open.top().first, limits.least, limits.below);
  return outcome;
}

}  // namespace sluice::detail
