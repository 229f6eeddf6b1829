#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {

/// Flows that share what they pass, and when each of them ends: see flow_rates.cpp. Flows and things have numbers from
/// 0.
class FlowRates {
 public:
  /// A thing that a flow passes: if alone, the flow would keep it for so many seconds.
  struct Passed {
    std::size_t thing = 0;
    double seconds = 0;
  };
  struct End {
    double time = 0;
    std::uint64_t number = 0;  ///< ends at one time come in the order in which they were found
    std::size_t flow = 0;

    bool operator<(const End& other) const {  // for a heap whose top is the earliest
      return std::pair(other.time, other.number) < std::pair(time, number);
    }
  };

  /// The next flow, of which none has begun yet. Alone, it takes `least_s` seconds; its share goes with `weight`.
  void add(std::span<const Passed> passes, double least_s, double weight);
  void begin(std::size_t flow, double now);
  /// Of the flow whose end came first.
  [[nodiscard]] End take_end();
  /// What it passed is free for others.
  void leave(std::size_t flow, double now);

  [[nodiscard]] bool no_ends() const { return ends_.empty(); }
  [[nodiscard]] double first_end() const { return ends_.front().time; }
  /// So many rates have been found: the work so far.
  [[nodiscard]] double found() const { return found_; }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;
  struct Flow {
    std::size_t passed = 0, passes = 0;  // where what it passes begins, in passed_; and how much
    double least = 0;
    double weight = 0;
    std::size_t kind = 0;  // see kinds_
    double left = 1;       // of it
    double rate = 0;       // parts of it a second
    double since = 0;
    std::size_t place = kNowhere;      // in ends_
    std::size_t mark = 0, fixed = 0;   // of the last change that reached it, and gave it a rate
    std::size_t way = 0, way_end = 0;  // then, in ways_
  };
  struct Thing {
    std::vector<std::size_t> flows;  // under way
    std::size_t mark = 0;            // of the last change that met it
    double free = 1;                 // while rates are found
    double weights = 0;              // of those whose rate is open
    std::size_t open = 0;            // so many
  };

  void list_kinds();
  [[nodiscard]] std::span<const Passed> passed_by(const Flow& flow) const {
    return {passed_.data() + flow.passed, flow.passes};
  }
  [[nodiscard]] bool may_be_used_up(std::size_t thing) const;
  void begin_change(const Flow& flow);
  void meet(std::size_t thing);
  void affect(std::size_t f);
  void share(double now);
  std::size_t fix(std::size_t f, double level, double now);
  void set_rate(std::size_t f, double rate, double now);
  void set_end(std::size_t f, double time);
  void sink(std::size_t at, const End& end);
  void place(std::size_t at, const End& end);

  std::vector<Flow> flows_;
  std::vector<Passed> passed_;  // by all flows
  std::vector<Thing> things_;
  std::vector<double> wanted_;  // of each by all, if each had all else for itself; above 1, it may be used up
  std::vector<End> ends_;       // a heap: the earliest first
  std::uint64_t number_ = 0;
  double found_ = 0;
  // Of the change at hand:
  std::size_t mark_ = 0;
  std::vector<std::size_t> affected_, met_;
  std::vector<Passed> ways_;  // of the flows affected, what may be used up
  // Levels from which flows need no more, all different; their flows, while levels are found; and the levels to come,
  // of a kind of flows or, with numbers behind them, of things.
  std::vector<double> kinds_;
  std::vector<std::vector<std::size_t>> of_kind_;
  std::vector<std::pair<double, std::size_t>> levels_;
};

}  // namespace sluice::detail
