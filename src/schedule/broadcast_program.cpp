#include "sluice/schedule/broadcast_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace sluice {
namespace {

class ProgramValidator {
 public:
  explicit ProgramValidator(const BroadcastProgram& program) : p_(program) {}

  std::vector<Violation> run() {
    check_fields();
    if (violations_.empty()) check_native();
    if (!violations_.empty()) return std::move(violations_);
    match_receives();
    if (violations_.empty()) check_coverage();
    if (!violations_.empty()) return std::move(violations_);
    run_in_lockstep();
    if (violations_.empty()) check_times();
    return std::move(violations_);
  }

 private:
  template <class... Args>
  void report(std::int64_t rank, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({-1, rank, fmt::format(reason, std::forward<Args>(args)...)});
  }

  [[nodiscard]] std::int64_t ranks() const { return static_cast<std::int64_t>(p_.ranks.size()); }
  [[nodiscard]] const RankProgram& of(std::int64_t rank) const { return p_.ranks[static_cast<std::size_t>(rank)]; }

  void check_range(std::int64_t rank, const char* what, std::size_t i, std::int64_t other, std::int64_t offset,
                   std::int64_t bytes) {
    if (other < 0 || other >= ranks())
      report(rank, "{} {}: rank {} is none of {}, counted from 0", what, i, other, ranks());
    if (other == rank) report(rank, "{} {}: rank {} itself", what, i, rank);
    if (offset < 0 || bytes < 1 || offset > p_.bytes || bytes > p_.bytes - offset)
      report(rank, "{} {}: {} bytes at {} of a message of {}", what, i, bytes, offset, p_.bytes);
  }

  void check_fields() {
    if (p_.ranks.empty()) report(-1, "no ranks, must be at least 1");
    if (p_.root < 0 || p_.root >= ranks()) report(p_.root, "root {} is none of {} ranks", p_.root, ranks());
    if (p_.bytes < 0) report(-1, "a message of {} bytes, must be at least 0", p_.bytes);
    if (!std::isfinite(p_.length_s) || p_.length_s < 0)
      report(-1, "the length is {}, must be finite and at least 0", p_.length_s);
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      const RankProgram& program = of(rank);
      for (std::size_t i = 0; i < program.sends.size(); ++i) {
        const ProgramSend& send = program.sends[i];
        check_range(rank, "send", i, send.to, send.offset, send.bytes);
        for (const double time : {send.port_s, send.connection_s, send.start_s, send.arrival_s})
          if (!std::isfinite(time) || time < 0) report(rank, "send {}: a time of {}", i, time);
        if (send.connection_s < send.port_s)
          report(rank, "send {}: the connection is free after {}, before the port after {}", i, send.connection_s,
                 send.port_s);
      }
      for (std::size_t i = 0; i < program.receives.size(); ++i) {
        const ProgramReceive& receive = program.receives[i];
        check_range(rank, "receive", i, receive.from, receive.offset, receive.bytes);
      }
    }
  }

  void check_native() {
    served_.assign(p_.ranks.size(), 0);
    std::vector<char> named(p_.ranks.size(), 0);
    for (std::size_t n = 0; n < p_.native.size(); ++n) {
      const NativeBroadcast& native = p_.native[n];
      if (native.ranks.size() < 2) report(-1, "native broadcast {}: {} ranks, at least 2", n, native.ranks.size());
      if (!std::isfinite(native.start_s) || !std::isfinite(native.end_s) || native.start_s < 0 ||
          native.end_s < native.start_s)
        report(-1, "native broadcast {}: from {} to {}", n, native.start_s, native.end_s);
      for (std::size_t i = 0; i < native.ranks.size(); ++i) {
        const std::int64_t rank = native.ranks[i];
        if (rank < 0 || rank >= ranks()) {
          report(rank, "native broadcast {}: rank {} is none of {}, counted from 0", n, rank, ranks());
          continue;
        }
        const auto r = static_cast<std::size_t>(rank);
        if (named[r] != 0) report(rank, "native broadcast {}: rank {} is in one already", n, rank);
        named[r] = 1;
        if (i == 0) continue;
        served_[r] = 1;
        if (rank == p_.root) report(rank, "native broadcast {}: root {} is not the first", n, rank);
        if (!of(rank).sends.empty() || !of(rank).receives.empty())
          report(rank, "native broadcast {}: rank {} has messages beside it", n, rank);
      }
    }
  }

  /// Which receive of its receiver each send is.
  void match_receives() {
    position_.resize(p_.ranks.size());
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> between;
    for (std::int64_t to = 0; to < ranks(); ++to)
      for (std::size_t i = 0; i < of(to).receives.size(); ++i) between[{of(to).receives[i].from, to}].push_back(i);
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> sent;
    for (std::int64_t from = 0; from < ranks(); ++from) {
      for (std::size_t i = 0; i < of(from).sends.size(); ++i) {
        const ProgramSend& send = of(from).sends[i];
        const auto receives = between.find({from, send.to});
        const std::size_t number = sent[{from, send.to}]++;
        position_[static_cast<std::size_t>(from)].push_back(0);
        if (receives == between.end() || number >= receives->second.size()) {
          report(from, "send {}: rank {} does not receive it", i, send.to);
          continue;
        }
        const std::size_t position = receives->second[number];
        const ProgramReceive& receive = of(send.to).receives[position];
        if (receive.offset != send.offset || receive.bytes != send.bytes)
          report(from, "send {}: {} bytes at {}, rank {} receives {} at {}", i, send.bytes, send.offset, send.to,
                 receive.bytes, receive.offset);
        position_[static_cast<std::size_t>(from)].back() = position;
      }
    }
    for (const auto& [pair, receives] : between) {
      const auto found = sent.find(pair);
      const std::size_t number = found == sent.end() ? 0 : found->second;
      if (number < receives.size())
        report(pair.second, "receive {}: rank {} does not send it", receives[number], pair.first);
    }
  }

  void check_coverage() {
    by_offset_.resize(p_.ranks.size());
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      const std::vector<ProgramReceive>& receives = of(rank).receives;
      if (rank == p_.root) {
        if (!receives.empty()) report(rank, "root {} receives", rank);
        continue;
      }
      if (served_[static_cast<std::size_t>(rank)] != 0) continue;
      std::vector<std::size_t>& order = by_offset_[static_cast<std::size_t>(rank)];
      order.resize(receives.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return receives[a].offset < receives[b].offset; });
      std::int64_t covered = 0;
      for (const std::size_t i : order) {
        if (receives[i].offset > covered)
          report(rank, "rank {} never receives bytes {} to {}", rank, covered, receives[i].offset - 1);
        if (receives[i].offset < covered)
          report(rank, "receive {}: rank {} has bytes {} to {} already", i, rank, receives[i].offset,
                 std::min(covered, receives[i].offset + receives[i].bytes) - 1);
        covered = std::max(covered, receives[i].offset + receives[i].bytes);
      }
      if (covered < p_.bytes) report(rank, "rank {} never receives bytes {} to {}", rank, covered, p_.bytes - 1);
    }
  }

  /// Calls `use` with the position of each receive of `rank` that brings bytes of `send`.
  template <class Use>
  void for_each_source(std::int64_t rank, const ProgramSend& send, Use use) const {
    const std::vector<ProgramReceive>& receives = of(rank).receives;
    const std::vector<std::size_t>& order = by_offset_[static_cast<std::size_t>(rank)];
    auto it = std::partition_point(order.begin(), order.end(), [&](std::size_t i) {
      return receives[i].offset + receives[i].bytes <= send.offset;
    });
    for (; it != order.end() && receives[*it].offset < send.offset + send.bytes; ++it) use(*it);
  }

  void run_in_lockstep() {
    std::vector<std::size_t> sent(p_.ranks.size(), 0), received(p_.ranks.size(), 0);
    const auto passes = [&](std::int64_t from) {
      const auto f = static_cast<std::size_t>(from);
      if (sent[f] == of(from).sends.size()) return false;
      const ProgramSend& send = of(from).sends[sent[f]];
      if (received[static_cast<std::size_t>(send.to)] != position_[f][sent[f]]) return false;
      bool there = true;
      for_each_source(from, send, [&](std::size_t i) { there = there && i < received[f]; });
      return there;
    };
    std::vector<std::int64_t> work(p_.ranks.size());
    std::iota(work.begin(), work.end(), std::int64_t{0});
    while (!work.empty()) {
      const std::int64_t from = work.back();
      work.pop_back();
      while (passes(from)) {
        const std::int64_t to = of(from).sends[sent[static_cast<std::size_t>(from)]++].to;
        const std::size_t next = ++received[static_cast<std::size_t>(to)];
        work.push_back(to);
        const std::vector<ProgramReceive>& receives = of(to).receives;
        if (next < receives.size() && receives[next].from != from) work.push_back(receives[next].from);
      }
    }
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      const std::size_t i = sent[static_cast<std::size_t>(rank)];
      if (i < of(rank).sends.size())
        report(rank, "send {}: never passes, in the order of the lists ranks wait for each other", i);
    }
  }

  void check_times() {
    const double tolerance = 1e-9 * p_.length_s;
    const auto before = [&](double a, double b) { return b - a > tolerance; };
    std::vector<std::vector<double>> arrival(p_.ranks.size());
    for (std::size_t r = 0; r < p_.ranks.size(); ++r) arrival[r].resize(p_.ranks[r].receives.size(), 0);
    double last = 0;
    for (std::size_t from = 0; from < p_.ranks.size(); ++from) {
      for (std::size_t i = 0; i < p_.ranks[from].sends.size(); ++i) {
        const ProgramSend& send = p_.ranks[from].sends[i];
        arrival[static_cast<std::size_t>(send.to)][position_[from][i]] = send.arrival_s;
        last = std::max(last, send.arrival_s);
      }
    }
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      double port = 0;
      std::map<std::int64_t, double> connection;
      for (std::size_t i = 0; i < of(rank).sends.size(); ++i) {
        const ProgramSend& send = of(rank).sends[i];
        double ready = 0;
        for_each_source(rank, send, [&](std::size_t source) { ready = std::max(ready, arrival[r][source]); });
        if (before(send.start_s, ready))
          report(rank, "send {}: starts at {}, its range arrives at {}", i, send.start_s, ready);
        if (before(send.start_s, port))
          report(rank, "send {}: starts at {}, its port is free at {}", i, send.start_s, port);
        double& connected = connection[send.to];
        if (before(send.start_s, connected))
          report(rank, "send {}: starts at {}, its connection is free at {}", i, send.start_s, connected);
        if (before(send.arrival_s, send.start_s + send.connection_s))
          report(rank, "send {}: arrives at {}, before it has left at {}", i, send.arrival_s,
                 send.start_s + send.connection_s);
        port = send.start_s + send.port_s;
        connected = send.start_s + send.connection_s;
      }
    }
    for (std::size_t n = 0; n < p_.native.size(); ++n) {
      const NativeBroadcast& native = p_.native[n];
      const auto first = static_cast<std::size_t>(native.ranks.front());
      double ready = 0;
      for (const double time : arrival[first]) ready = std::max(ready, time);
      for (const ProgramSend& send : p_.ranks[first].sends) ready = std::max(ready, send.start_s + send.port_s);
      if (before(native.start_s, ready))
        report(native.ranks.front(), "native broadcast {}: starts at {}, its first rank is ready at {}", n,
               native.start_s, ready);
      last = std::max(last, native.end_s);
    }
    if (before(p_.length_s, last))
      report(-1, "the length is {}, the last rank has the message at {}", p_.length_s, last);
  }

  const BroadcastProgram& p_;
  std::vector<std::vector<std::size_t>> position_;   // of each send among the receives of its receiver
  std::vector<std::vector<std::size_t>> by_offset_;  // receives of each rank
  std::vector<char> served_;                         // by the MPI, though not the first
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> validate(const BroadcastProgram& program) { return ProgramValidator(program).run(); }

}  // namespace sluice
