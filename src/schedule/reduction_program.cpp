#include "sluice/schedule/reduction_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace sluice {

namespace {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

class ReductionValidator {
 public:
  explicit ReductionValidator(const ReductionProgram& plan) : plan_(plan), state_(plan.machines.size()) {}

  std::vector<Violation> run() {
    check_fields();
    if (!violations_.empty()) return std::move(violations_);
    cut();
    for (std::int64_t machine = 0; machine < machines(); ++machine) waiting_.push_back(machine);
    while (!waiting_.empty() && violations_.empty()) {
      const std::int64_t machine = waiting_.back();
      waiting_.pop_back();
      while (violations_.empty() && pass_next(machine)) {
      }
    }
    if (violations_.empty()) check_end();
    return std::move(violations_);
  }

 private:
  struct State {
    std::size_t sent = 0;
    std::size_t received = 0;
    std::vector<std::int64_t> held;  ///< by piece: of how many machines it has the combination, itself included
  };

  template <class... Args>
  void report(std::int64_t machine, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({-1, machine, fmt::format(reason, std::forward<Args>(args)...)});
  }
  [[nodiscard]] std::int64_t machines() const { return static_cast<std::int64_t>(plan_.machines.size()); }
  [[nodiscard]] const PieceProgram& of(std::int64_t machine) const {
    return plan_.machines[static_cast<std::size_t>(machine)];
  }
  [[nodiscard]] State& state(std::int64_t machine) { return state_[static_cast<std::size_t>(machine)]; }

  void check_range(std::int64_t machine, const char* what, std::size_t i, std::int64_t other, const Range& range) {
    if (other < 0 || other >= machines() || other == machine)
      report(machine, "{} {}: machine {} is no other of {}", what, i, other, machines());
    if (range.begin < 0 || range.begin >= range.end || range.end > plan_.elements)
      report(machine, "{} {}: elements {} to {} of {}", what, i, range.begin, range.end, plan_.elements);
  }

  void check_fields() {
    if (machines() == 0) report(-1, "no machines, must be at least 1");
    if (plan_.root < 0 || plan_.root >= machines()) report(plan_.root, "root {} of {}", plan_.root, machines());
    if (plan_.elements < 0) report(-1, "{} elements, must be at least 0", plan_.elements);
    if (!std::isfinite(plan_.length) || plan_.length < 0)
      report(-1, "the length is {}, must be finite and at least 0", plan_.length);
    std::vector<std::pair<Range, std::int64_t>> shares;
    for (std::int64_t machine = 0; machine < machines(); ++machine) {
      const PieceProgram& program = of(machine);
      if (program.begin < 0 || program.begin > program.end || program.end > plan_.elements)
        report(machine, "a share of elements {} to {} of {}", program.begin, program.end, plan_.elements);
      if (program.begin < program.end) shares.push_back({{program.begin, program.end}, machine});
      for (std::size_t i = 0; i < program.receives.size(); ++i) {
        const PieceReceive& receive = program.receives[i];
        check_range(machine, "receive", i, receive.from, {receive.begin, receive.end});
      }
      for (std::size_t i = 0; i < program.sends.size(); ++i) {
        const PieceSend& send = program.sends[i];
        const Range range{send.begin, send.end};
        check_range(machine, "send", i, send.to, range);
        if (!(send.port_s >= 0) || !(send.connection_s >= 0))
          report(machine, "send {}: keeps its port for {} s, its connection for {} s", i, send.port_s,
                 send.connection_s);
        if (send.after > program.receives.size())
          report(machine, "send {} waits for {} receives of {}", i, send.after, program.receives.size());
        for (std::size_t r = send.after; r < program.receives.size(); ++r) {
          const PieceReceive& later = program.receives[r];
          if (later.combine && range.meets({later.begin, later.end}))
            report(machine, "send {} does not wait for receive {} of its elements", i, r);
        }
      }
    }
    if (violations_.empty()) check_shares(std::move(shares));
  }

  /// Whether every element is in one share.
  void check_shares(std::vector<std::pair<Range, std::int64_t>> shares) {
    std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    std::int64_t covered = 0;
    for (const auto& [share, machine] : shares) {
      if (share.begin > covered) report(machine, "elements {} to {} are in no share", covered, share.begin);
      if (share.begin < covered) report(machine, "elements from {} on are in two shares", share.begin);
      covered = std::max(covered, share.end);
    }
    if (covered < plan_.elements) report(-1, "elements {} to {} are in no share", covered, plan_.elements);
  }

  /// At the ends of all messages.
  void cut() {
    cuts_ = {0, plan_.elements};
    for (const PieceProgram& program : plan_.machines) {
      if (program.begin < program.end) cuts_.insert(cuts_.end(), {program.begin, program.end});
      for (const PieceSend& send : program.sends) cuts_.insert(cuts_.end(), {send.begin, send.end});
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    for (State& each : state_) each.held.assign(cuts_.size() - 1, 1);
    completed_by_.assign(cuts_.size() - 1, machines() == 1 ? 0 : kNobody);
  }

  [[nodiscard]] std::size_t piece_at(std::int64_t element) const {
    return static_cast<std::size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), element) - cuts_.begin());
  }

  /// The next send of `from`, if it can pass.
  bool pass_next(std::int64_t from) {
    State& sender = state(from);
    if (sender.sent == of(from).sends.size()) return false;
    const PieceSend& send = of(from).sends[sender.sent];
    const Range range{send.begin, send.end};
    for (std::size_t r = sender.received; r < send.after; ++r) {
      const PieceReceive& awaited = of(from).receives[r];
      if (range.meets({awaited.begin, awaited.end})) return false;
    }
    // What has come, but was not waited for, might as well have come later.
    for (std::size_t r = send.after; r < sender.received; ++r) {
      const PieceReceive& not_awaited = of(from).receives[r];
      if (!range.meets({not_awaited.begin, not_awaited.end})) continue;
      report(from, "send {} does not wait for receive {} of its elements", sender.sent, r);
      return false;
    }
    State& receiver = state(send.to);
    if (receiver.received == of(send.to).receives.size()) {
      report(send.to, "nothing receives send {} of machine {}", sender.sent, from);
      return false;
    }
    const PieceReceive& receive = of(send.to).receives[receiver.received];
    if (receive.from != from) return false;
    if (receive.begin != send.begin || receive.end != send.end) {
      report(send.to, "receive {} is of elements {} to {}, its message of {} to {}", receiver.received, receive.begin,
             receive.end, send.begin, send.end);
      return false;
    }
    for (std::size_t piece = piece_at(range.begin); piece < piece_at(range.end); ++piece) {
      std::int64_t& there = receiver.held[piece];
      std::int64_t& here = sender.held[piece];
      if (here == 0) report(from, "send {} of element {} given away before", sender.sent, cuts_[piece]);
      if (receive.combine == (there == 0))
        report(send.to, "receive {}: {}", receiver.received,
               there == 0 ? "nothing to combine it with" : "it takes the place of elements");
      if (!receive.combine && here != machines())
        report(send.to, "receive {}: element {} is the combination of {} machines, not of all", receiver.received,
               cuts_[piece], here);
      there += std::exchange(here, 0);
      if (receive.combine && there == machines()) completed_by_[piece] = send.to;
    }
    ++sender.sent;
    ++receiver.received;
    waiting_.push_back(send.to);  // may go on
    // Those whose message it takes next may as well.
    if (receiver.received < of(send.to).receives.size())
      waiting_.push_back(of(send.to).receives[receiver.received].from);
    return true;
  }

  void check_end() {
    for (std::int64_t machine = 0; machine < machines(); ++machine) {
      const State& each = state(machine);
      if (each.sent < of(machine).sends.size() || each.received < of(machine).receives.size())
        report(machine, "stands still before send {} and receive {}", each.sent, each.received);
    }
    if (!violations_.empty()) return;
    const State& root = state(plan_.root);
    for (std::size_t piece = 0; piece < root.held.size(); ++piece)
      if (root.held[piece] != machines())
        report(plan_.root, "element {} is the combination of {} machines", cuts_[piece], root.held[piece]);
    for (std::int64_t machine = 0; machine < machines(); ++machine) {
      const PieceProgram& program = of(machine);
      if (program.begin == program.end) continue;
      for (std::size_t piece = piece_at(program.begin); piece < piece_at(program.end); ++piece)
        if (completed_by_[piece] != machine)
          report(machine, "element {} of its share is not combined there", cuts_[piece]);
    }
  }

  const ReductionProgram& plan_;
  std::vector<State> state_;
  std::vector<std::int64_t> cuts_;
  static constexpr std::int64_t kNobody = -1;
  std::vector<std::int64_t> completed_by_;  ///< by piece: who has combined the last two parts of it
  std::vector<std::int64_t> waiting_;       ///< machines whose next send may pass
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> validate(const ReductionProgram& program) { return ReductionValidator(program).run(); }

}  // namespace sluice
