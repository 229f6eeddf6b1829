#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/schedule/local_phases.hpp"

namespace sluice::detail {

/// The three phases of include/sluice/schedule/local_phases.hpp.
enum class Phase { kBefore, kExchange, kAfter };

/// The nodes that a piece goes from and to in a phase; nullopt: it does not move.
[[nodiscard]] inline std::optional<std::pair<std::int64_t, std::int64_t>> way_in(Phase phase, const Route& route) {
  switch (phase) {
    case Phase::kBefore:
      if (route.from == route.carrier) return std::nullopt;
      return std::pair(route.from, route.carrier);
    case Phase::kExchange:
      return std::pair(route.carrier, route.landing);
    case Phase::kAfter:
      if (route.landing == route.to) return std::nullopt;
      return std::pair(route.landing, route.to);
  }
  return std::nullopt;
}

/// The routes whose pieces make up the messages of a phase: one after the other, in the order of the routes.
class RouteIndex {
 public:
  /// O(routes log routes) time. @pre the routes' sizes add up within int64
  RouteIndex(const std::vector<Route>& routes, Phase phase) : routes_(routes) {
    for (std::size_t r = 0; r < routes.size(); ++r) {
      if (const auto way = way_in(phase, routes[r])) entries_.push_back({way->first, way->second, 0, r});
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      const Entry& before = entries_[i - 1];
      if (before.from == entries_[i].from && before.to == entries_[i].to)
        entries_[i].begin = before.begin + routes[before.route].size;
    }
  }

  /// Calls `visit(route, offset, size)` for the parts of pieces that a transfer of the phase carries, in their order.
  /// `route` is the number of the route; `offset` and `size` say which units of its piece.
  /// @pre the transfer is of one of the phase's messages, and within it
  template <class Visit>
  void visit(const Transfer& transfer, Visit&& visit) const {
    const auto after = [](const Transfer& t, const Entry& e) {
      return std::tie(t.from, t.to, t.offset) < std::tie(e.from, e.to, e.begin);
    };
    auto entry = std::upper_bound(entries_.begin(), entries_.end(), transfer, after) - 1;
    for (std::int64_t at = transfer.offset; at < transfer.offset + transfer.size; ++entry) {
      const std::int64_t offset = at - entry->begin;
      const std::int64_t size = std::min(routes_[entry->route].size - offset, transfer.offset + transfer.size - at);
      visit(entry->route, offset, size);
      at += size;
    }
  }

  /// The routes of all messages, message by message.
  template <class Visit>
  void visit_all(Visit&& visit) const {
    for (const Entry& entry : entries_) visit(entry.route);
  }

 private:
  struct Entry {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t begin = 0;  ///< of the piece, in the message
    std::size_t route = 0;
  };
  const std::vector<Route>& routes_;
  std::vector<Entry> entries_;
};

}  // namespace sluice::detail
