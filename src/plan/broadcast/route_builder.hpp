#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/broadcast/rank_network.hpp"
#include "plan/broadcast/routes.hpp"
#include "plan/broadcast/timed_program.hpp"

namespace sluice::detail {

/// Over how many connections side by side two groups may be joined: the most of any link between them.
[[nodiscard]] std::int64_t connections_between(const RankNetwork& network, const RankGroup& from, const RankGroup& to);

/// The messages that routes are made of: see routes.cpp.
class RouteBuilder {
 public:
  RouteBuilder(const RankNetwork& network, const std::vector<RankGroup>& groups, std::int64_t bytes,
               const Routes& routes);

  /// All of them, segment by segment.
  [[nodiscard]] std::vector<RankMessage> run();

  /// Adds to `messages` those of one segment. `turn`: where the ring of the root's group begins, for routes that the
  /// root spreads; the segment itself in a broadcast.
  void add_segment(std::int64_t segment, std::size_t turn, std::vector<RankMessage>& messages);

  /// After so many segments all entries of all groups have had one.
  [[nodiscard]] std::size_t most_entries() const;

 private:
  void add(std::int64_t from, std::int64_t to, double priority) {
    messages_->push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), begin_, end_, priority});
  }
  [[nodiscard]] std::int64_t entry(std::size_t group) const;
  void add_group(std::size_t s);

  const std::vector<RankGroup>& groups_;
  std::int64_t bytes_;
  const Routes& routes_;
  std::vector<std::size_t> entries_;  // of each group
  std::vector<std::vector<std::size_t>> children_;
  std::vector<RankMessage>* messages_ = nullptr;
  std::int64_t segment_ = 0, begin_ = 0, end_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace sluice::detail
