#pragma once

#include <cstddef>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/notices.hpp"

namespace sluice::mpi::detail {

/// A few numbers that each rank of a node writes where the others can read them. Ranks that share memory agree on
/// numbers in this way without messages, once each of them has had a time slice on a core. Ranks also tell each other
/// of failures here.
///
/// A rank writes its numbers for one agreement after the other into a ring. Every rank of an agreement reads the
/// numbers of all. So no rank is more than one agreement ahead of another, unless agreements in between were given up.
/// A notice that a rank still needs is overwritten only after a whole ring of such agreements (Notice::kLost).
class NoticeBoard : public BasicNoticeBoard<HostAtomics, NoticeSizes> {
 public:
  /// With more ranks, reading all notices takes longer than a few rounds of messages.
  static constexpr std::size_t kMostRanks = 64;

  /// Local; in the arena's homes, at the beginning, after the arena is connected with homes of kMemory or more. On all
  /// ranks of the node.
  void connect(const Arena& arena);
};

extern template class BasicNoticeBoard<HostAtomics, NoticeSizes>;

}  // namespace sluice::mpi::detail
