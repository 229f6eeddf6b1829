#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plan/broadcast/routes.hpp"
#include "schedule/message_graph.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// Over how many connections side by side two groups may be joined: the most of any link between them.
[[nodiscard]] std::int64_t connections_between(const RankNetwork& network, const RankGroup& from, const RankGroup& to);

/// The parts that the ranks of groups of one level are in: of each rank its cluster, and every group of a lower level.
class GroupParts {
 public:
  struct Part {
    std::size_t begin = 0, end = 0;  // positions in the group
    bool narrow = false;             // its uplink carries less than a port inside
  };

  GroupParts(const RankNetwork& network, const std::vector<RankGroup>& groups, std::size_t level);

  /// The number of parts of a rank, equal for all ranks. The last part is the group.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// The parts of the rank at `position` of `group`; each part is inside the next.
  [[nodiscard]] const Part* of(std::size_t group, std::size_t position) const {
    return &parts_[group][position * depth_];
  }

 private:
  std::size_t depth_;
  std::vector<std::vector<Part>> parts_;
};

/// The messages that routes are made of: see routes.cpp.
class RouteBuilder {
 public:
  RouteBuilder(const RankNetwork& network, const std::vector<RankGroup>& groups, std::int64_t bytes,
               const Routes& routes)
      : RouteBuilder(network, groups, std::make_shared<GroupParts>(network, groups, routes.level), bytes, routes) {}
  /// As above; also takes the parts of these groups at the level of the routes.
  RouteBuilder(const RankNetwork& network, const std::vector<RankGroup>& groups,
               std::shared_ptr<const GroupParts> parts, std::int64_t bytes, const Routes& routes);

  /// All messages, segment by segment.
  [[nodiscard]] MessageGraph run();

  /// Adds the messages of one segment to `messages`, without their ranges: searches need only their lengths. `turn`:
  /// where the ring of the root's group begins, if the root spreads segments; the segment itself in a broadcast.
  void add_segment(std::int64_t segment, std::size_t turn, MessageGraph& messages);
  /// Adds only the segment's messages between groups.
  void add_between(std::int64_t segment, std::size_t turn, MessageGraph& messages) {
    begin_segment(segment, turn, messages);
    for (std::size_t s = 0; s < groups_.size(); ++s) add_between(s);
  }
  /// Adds only the segment's messages inside one group.
  void add_inside(std::size_t group, std::int64_t segment, std::size_t turn, MessageGraph& messages) {
    begin_segment(segment, turn, messages);
    add_inside(group);
  }
  /// What determines these messages, besides the shape of the group and the length of a segment: where the group's ring
  /// begins, and how many ranks come first in it.
  [[nodiscard]] std::pair<std::size_t, std::size_t> ring_of(std::size_t group, std::int64_t segment, std::size_t turn);

  /// After this number of segments, every entry of every group has had a segment in each tree.
  [[nodiscard]] std::size_t most_entries() const;

 private:
  void add(std::int64_t from, std::int64_t to, double priority, float pace = 1) {
    messages_->messages.push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), range_.bytes});
    messages_->sending.push_back({priority, pace});
  }
  using Part = GroupParts::Part;
  void set_segment(std::int64_t segment, std::size_t turn);
  void begin_segment(std::int64_t segment, std::size_t turn, MessageGraph& messages);
  struct Ring {
    std::vector<std::int64_t> ranks;  // none if it is not known yet
    std::size_t last = 0;             // position in the group of the last one
    // For each place in the ring but the first: its parent's place in the tree, and its turn among the parent's
    // children. The parent sends to the least turn first.
    std::vector<std::uint32_t> parents, turns;
  };
  struct Tree {
    // For each group: the number of entries, and how much further round it the next segment enters if it enters at all
    // ranks.
    std::vector<std::size_t> entries, steps;
    std::vector<std::vector<std::size_t>> children;
    std::vector<std::vector<Ring>> rings;  // for each group, by the positions where they begin
  };
  [[nodiscard]] Tree tree_of(const RankNetwork& network, const std::vector<std::int32_t>& parent) const;
  [[nodiscard]] std::int64_t entry(std::size_t group) const;
  /// The innermost group below the level of `group` that holds the rank; the rank alone if there is no such group.
  [[nodiscard]] Part unit(std::size_t group, std::size_t position) const;
  [[nodiscard]] Routes::Shape shape_of(std::size_t s) const { return s == 0 ? routes_.root_shape : routes_.shape; }
  [[nodiscard]] bool spreads(std::size_t s) const;
  [[nodiscard]] std::size_t ring_start(std::size_t s) const;
  [[nodiscard]] bool entries_first(std::size_t s) const;
  void add_inside(std::size_t s);
  void add_between(std::size_t s);
  [[nodiscard]] const Ring& ring(std::size_t s);
  void join(std::size_t s, std::span<const std::size_t> positions, Ring& ring) const;

  const RankNetwork& network_;
  const std::vector<RankGroup>& groups_;
  std::int64_t bytes_;
  const Routes& routes_;
  std::shared_ptr<const GroupParts> parts_;
  std::vector<Tree> trees_;
  Tree* tree_ = nullptr;  // of the segment
  MessageGraph* messages_ = nullptr;
  std::int64_t segment_ = 0;
  ByteRange range_;        // of the segment
  std::size_t turn_ = 0;   // the turn where the ring of the root's group begins, if the root spreads
  std::size_t step_ = 1;   // how far each turn moves that beginning
  std::size_t round_ = 0;  // how many segments have already taken the tree
};

/// All messages of a broadcast from `root`, with `sending`.
[[nodiscard]] MessageGraph route_messages(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                          const Routes& routes);

}  // namespace sluice::detail
