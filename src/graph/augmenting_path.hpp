#pragma once

// Kuhn's search for an augmenting path over any view of a bipartite graph and a matching in it: for few and small
// searches. For these the phases of Hopcroft-Karp (hopcroft_karp.hpp) take longer than they save.
//
// A View keeps the matching and what the searches have seen:
//   Cursor: where in the edges of a source its search stands, at first Cursor{};
//   int32 next(s, cursor): the next edge of s whose target is free, or matched to a source not seen, which is noted as
//     seen then; -1: none;
//   int32 source_of(e): the source that the target of e is matched to, -1: it is free;
//   void match(s, e): s has e now, whatever it or the target had before.

#include <cstdint>

namespace sluice::detail {

/// Depth-first from free source `root`; flips the first path to a free target. False if there is none.
template <class View>
bool augment(View& view, std::int32_t root) {
  typename View::Cursor cursor{};
  for (std::int32_t edge = view.next(root, cursor); edge >= 0; edge = view.next(root, cursor)) {
    const std::int32_t owner = view.source_of(edge);
    if (owner >= 0 && !augment(view, owner)) continue;
    view.match(root, edge);
    return true;
  }
  return false;
}

}  // namespace sluice::detail
