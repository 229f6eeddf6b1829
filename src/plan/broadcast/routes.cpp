/// `pipelined` and `parallel-entry`: broadcasts whose segments flow from rank to rank, each on a route of its own.
///
/// Problem: on long links one connection carries little, and a coordinator that waits for the whole message before it
/// sends on makes the times of all levels add up.
/// Method: a level of the platform (input/platform_levels.hpp) has groups: hosts, LANs or sites. The message is cut
/// into segments; for each there is a tree of all ranks, made of
///  - a tree of groups. `pipelined`: segments go from group to group over one connection, between two fixed ranks.
///    `parallel-entry`: they go over as many connections side by side as the links carry, K, each between two ranks of
///    its own; segment p goes to the (p mod K)-th entry of a group. Entries are spread evenly over the ranks of a
///    group, or are the first ranks, of its first host if there are hosts below the groups. Or segments enter a group
///    at all of its ranks, one after another; ranks then leave a share of their ports to messages on long links, which
///    otherwise get little of them;
///  - inside a group a chain, a binary tree or a binomial tree. It starts at the segment's entry and goes round the
///    ring of ranks, so all segments together load all ranks alike. Ranks stand in the order of the group's parts and
///    the parts of these. The ring goes round the host of the entry first, then round its LAN, and so on: it leaves
///    every part once. So do chains and binary trees: a part has one rank whose parent is in another one. Segments of
///    binary trees start alternately in the two halves of the ring: a rank that forwards one segment twice does not
///    forward the next;
///  - the ranks that send to other groups: the ranks where segments come first or, for chains, the last host
///    (`leave_from_tail`). The cards of a chain from the first to the last host carry each segment once in each
///    direction. A long message does not have to yield to short messages;
///  - one such tree for all segments, or two alternating trees, which share the uplinks between them: of three sites
///    the second sends to the third, and the third to the second.
///  - in the root's group either such a tree from the root itself, or (`spread`) trees of the other ranks: the root
///    sends each segment to one rank, the root of such a tree. It is not the neighbour of the previous segment's rank,
///    which has that segment by then. It is far enough round the ring that few ranks have to forward several segments
///    at once.
/// In the root's group segments leave for others from as many ranks behind the root as there are connections. No rank
/// waits for more than the segment that it forwards. A rank sends to other groups first, then segment by segment. The
/// search for the best routes is in route_search.cpp. Source: segments that flow through a tree: Kielmann et al.
/// (2001), van de Geijn and others; ring inside: the allgather of Thakur, Rabenseifner, Gropp (2005), each part as soon
/// as it is there. Several connections into a cluster at once, first and last hosts, all entries: ours; two trees that
/// give each rank different places: Sanders, Speck, Träff (2009).
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
