#include "run/mpi/runtime/notice_board.hpp"

#include <vector>

namespace sluice::mpi::detail {

template class BasicNoticeBoard<HostAtomics, NoticeSizes>;

void NoticeBoard::connect(const Arena& arena) {
  const std::vector<int> reached = arena.reached();
  if (reached.empty() || reached.size() >= kMostRanks) return;
  std::vector<OfRank> others;
  for (const int rank : reached) others.push_back({rank, arena.home_of(rank)});
  BasicNoticeBoard::connect(arena.home(), others);
}

}  // namespace sluice::mpi::detail
