#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {

/// Flows that share what they pass, and when each of them ends: see flow_rates.cpp. Flows, ways and things have numbers
/// from 0.
class FlowRates {
 public:
  /// A thing that a flow passes: if alone, the flow would keep it for `seconds`.
  struct Passed {
    std::size_t thing = 0;
    double seconds = 0;
  };
  struct End {
    double time = 0;
    std::uint64_t number = 0;  ///< ends at one time come in the order of their discovery
    std::size_t flow = 0;
  };

  /// Adds a way, which many flows have in common. Returns its number. A flow alone takes `least_s` seconds; its share
  /// is proportional to `weight`.
  std::size_t add_way(std::span<const Passed> passes, double least_s, double weight);
  /// Makes room for `flows` flows.
  void reserve(std::size_t flows) { slots_.reserve(flows); }
  /// Sets how long a moment lasts if `many` or more flows are under way: this part of the shortest flow that begins or
  /// leaves in it.
  void let_moments_last(std::size_t many, double part) {
    many_ = many;
    part_ = part;
  }
  /// `flow` has not begun before. Flows that begin and leave in a moment get new rates when the moment is closed, as of
  /// the last time in it. Until then rates and ends stay as they were.
  void begin(std::size_t flow, std::size_t way, double now);
  /// Frees what a flow passed for others, after its end was taken; as begin().
  void leave(std::size_t flow, double now);
  /// Whether something has begun or left since a moment was closed; moment(): until when others may join the moment.
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] double moment() const { return ends_.size() < many_ ? moment_ : std::max(moment_, lasts_until_); }
  /// New rates for all that need them. @pre open()
  void close_moment();

  [[nodiscard]] bool no_ends() const { return ends_.empty(); }
  [[nodiscard]] double first_end() const { return ends_.front().time; }
  /// The first end, which is taken out.
  [[nodiscard]] End take_end();
  /// The number of rates found so far.
  [[nodiscard]] double found() const { return found_; }
  /// The work of finding them: for each port, link and the like whose rates were found anew, the flows that pass it.
  [[nodiscard]] double work() const { return work_; }
  /// What all flows under way pass, summed.
  [[nodiscard]] double passages() const { return passages_; }
  [[nodiscard]] std::span<const Passed> passed_on(std::size_t way) const {
    return {passed_.data() + ways_[way].passed, ways_[way].passes};
  }
  /// Calls use(flow, how much of it is left) for flows under way, except flows that have begun since a moment was
  /// closed.
  template <class Use>
  void for_flows(double now, Use use) const {
    for (const SlotEnd& end : ends_) {
      const Flow& flow = flows_[end.slot];
      use(flow.flow, std::max(0.0, flow.left - flow.rate * (now - flow.since)));
    }
  }

 private:
  static constexpr double kRateRounding = 1e-9, kMostUsed = 1 + kRateRounding;
  struct SlotEnd {
    double time = 0;
    std::uint64_t number = 0;
    std::uint32_t slot = 0;

    bool operator<(const SlotEnd& other) const {  // for a heap whose top is the earliest
      return std::pair(other.time, other.number) < std::pair(time, number);
    }
  };
  struct Way {
    std::size_t passed = 0, passes = 0;  // where what it passes begins, in passed_; and how much
    double least = 0;
    double weight = 0;
    double enough = 0;  // the level that gives its flows all they need
  };
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;
  /// A flow under way. It has a slot, one line of the cache; when the flow is over, another flow gets the slot.
  struct alignas(64) Flow {
    double left = 1;  // the part of the flow that is left
    double rate = 0;  // parts of the flow a second
    double since = 0;
    double level = 0;  // rate over weight
    double next = 0;   // the rate that the last filling gave it
    std::uint32_t flow = 0;
    std::uint32_t way = 0;
    std::uint32_t place = kNoSlot;    // in ends_
    std::uint32_t held_by = kNoSlot;  // the thing that is used up and keeps it from more
    std::uint32_t mark = 0;           // of the last moment that reached it
    bool fixed = false;               // whether the filling at hand has given it a rate
    bool over = false;
  };
  /// A flow that passes a thing.
  struct Passing {
    std::uint32_t slot = 0;
    double seconds = 0;  // for so long it would keep the thing
    double weight = 0;   // that many times its weight
  };
  struct Thing {
    std::vector<Passing> flows;   // under way
    std::uint32_t held_mark = 0;  // of the last moment that reached all that it held
    // Used while rates are found. `free` is the capacity that is left. `open` is the number of flows without a rate
    // yet, `weights` the sum of their weights. `used_up` is the level of the thing's exhaustion. `top` is the highest
    // level of flows that got a rate.
    std::uint32_t open = 0;
    double free = 1, weights = 0;
    double used_up = 0, top = 0;
  };
  /// The demand for things that mostly do not matter, such as connections; kept apart from them.
  struct Use {
    double wanted = 0;       // by all its flows, if each had everything for itself; above 1, it may be used up
    std::uint32_t mark = 0;  // of the last moment that met it
  };

  [[nodiscard]] std::span<const Passed> passed_by(const Flow& flow) const { return passed_on(flow.way); }
  [[nodiscard]] bool may_be_used_up(std::size_t thing) const { return uses_[thing].wanted > kMostUsed; }
  void open_moment(double now);
  void moment_lasts(double now, double flow_s);
  void meet(std::size_t thing);
  void reach(std::uint32_t slot);
  void reach_held(std::size_t thing);
  void settle(double now);
  void fill();
  [[nodiscard]] bool reach_more();
  void reach_all();
  void fix(std::uint32_t slot, double level, std::uint32_t held_by);
  [[nodiscard]] double weights_left(const Thing& thing) const;
  [[nodiscard]] static double level_of(const Thing& thing);
  void set_rate(std::uint32_t slot, double now);
  void set_end(std::uint32_t slot, double time);
  void sink(std::size_t at, const SlotEnd& end);
  void place(std::size_t at, const SlotEnd& end);

  std::vector<Way> ways_;
  std::vector<Passed> passed_;             // by all ways
  std::vector<Flow> flows_;                // by slot
  std::vector<std::uint32_t> free_slots_;  // the last one is taken first
  std::vector<std::uint32_t> over_;        // slots whose flows have left in the moment at hand
  std::vector<std::uint32_t> slots_;       // by flow
  std::vector<double> began_;              // by slot
  std::vector<Thing> things_;
  std::vector<Use> uses_;      // by thing
  std::vector<SlotEnd> ends_;  // a heap: the earliest first
  std::size_t many_ = SIZE_MAX;
  double part_ = 0;
  std::uint64_t number_ = 0;
  double found_ = 0;
  double work_ = 0;
  double passages_ = 0;  // the number of things that flows under way pass, summed
  // About the present moment:
  bool open_ = false;
  double moment_ = 0;  // its last time so far
  double lasts_until_ = 0;
  std::uint32_t mark_ = 0;
  std::vector<std::uint32_t> reached_, met_;            // slots, and things
  std::vector<std::pair<double, std::size_t>> levels_;  // to come: of flows reached, and behind them of things met
};

}  // namespace sluice::detail
