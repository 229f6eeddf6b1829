/// `pipelined` and `parallel-entry`: broadcasts whose segments flow from rank to rank, each on a route of its own.
///
/// Problem: on long links one connection carries little, and a coordinator that waits for the whole message before it
/// sends on makes the times of all levels add up.
/// Method: a level of the platform (input/platform_levels.hpp) has groups: hosts, LANs or sites. The message is cut
/// into segments; for each there is a tree of all ranks, made of
///  - a tree of groups; segments go from group to group over one connection, between two fixed ranks (`pipelined`), or
///    over as many side by side as the links carry, K, each between two ranks of its own (`parallel-entry`): segment p
///    goes to the (p mod K)-th entry of a group, and entries are spread evenly over its ranks, or are the first ones,
///    those of its first host, if there are hosts below the groups; or segments enter a group at all of its ranks in
///    turn, and ranks leave some of their ports to messages on long links, which get little else of them;
///  - inside a group a chain, a binary tree or a binomial tree, which starts at the segment's entry and goes round the
///    ring of ranks: so all segments together load all ranks alike. Ranks stand in the order of the group's parts and
///    theirs, and the ring goes round the host of the entry first, then round its LAN, and so on: it leaves every part
///    once. So do chains and binary trees: a part has one rank whose parent is in another one. The segments of binary
///    trees start in either half of the ring in turn: who passes one on twice does not pass on the next;
///  - on to other groups from the ranks where segments come first, or, of chains, from the last host
///  (`leave_from_tail`). The
///    cards of a chain from the first to the last host carry each segment once in each direction, and a long message
///    meets no short ones, to which it would yield;
///  - one such tree for all segments, or two in turn, which share the uplinks between them: of three sites the second
///    sends to the third, and the third to the second.
///  - in the root's group either such a tree from the root itself, or (`spread`) the root sends each segment to one
///    rank, from which the tree of the others starts: not to the neighbour of the one before, where that segment is by
///    then, but far enough round the ring that few ranks have to pass on several segments at once.
/// In the root's group segments leave for others from as many ranks behind the root as there are connections. No
/// rank waits for more than the segment that it passes on. A rank sends to other groups first, then segment by segment.
/// Which routes are best is searched for in route_search.cpp. Source: segments that flow through a tree: Kielmann et
/// al. (2001), van de Geijn and others; ring inside: the allgather of Thakur, Rabenseifner, Gropp (2005), each part as
/// soon as it is there. Several connections into a cluster at once, first and last hosts, all entries: ours; two trees
/// of which each rank has another place in each: Sanders, Speck, Träff (2009).
///
/// Example: 2 groups of 2 ranks, K = 2, two segments, spread: the root 0 gives segment 0 to 1, which sends it to 2,
/// which gives it to 3; segment 1 goes to 1 as well (the only other rank), from there to 3, which gives it to 2.
#include "plan/broadcast/routes.hpp"

#include <fmt/format.h>

#include "sluice/quantity_text.hpp"

namespace sluice::detail {

std::string to_string(const Routes& routes) {
  const auto name = [](Routes::Shape shape) {
    return shape == Routes::Shape::kChain ? "chain" : shape == Routes::Shape::kBinary ? "binary tree" : "binomial tree";
  };
  const std::size_t groups = routes.trees.front().size();
  std::string text = fmt::format("segments of {}", count_text(routes.segment_bytes, "byte"));
  if (groups > 1) {
    text += fmt::format(" between {}", count_text(groups, "group"));
    if (routes.trees.size() > 1) text += fmt::format(" by {} in turn", count_text(routes.trees.size(), "tree"));
    if (routes.entries != Routes::Entries::kSpread)
      text += routes.entries == Routes::Entries::kFirst ? ", into first ranks" : ", into all ranks";
    if (routes.leave_from_tail) text += ", out of last ranks";
  }
  if (routes.spread) text += ", spread by the root";
  text += fmt::format(", {}", name(routes.root_shape));
  return groups > 1 ? text + fmt::format(" in the root's, {} in others", name(routes.shape)) : text;
}

}  // namespace sluice::detail
