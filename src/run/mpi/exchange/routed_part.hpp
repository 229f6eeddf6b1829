#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {

struct ExchangePart;

/// The place of some bytes of a transfer on a rank.
struct Fragment {
  int peer = 0;  ///< the rank's message to that rank, if it sends, or from it; -1: the memory it holds for others
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const Fragment&, const Fragment&) = default;
};

/// One rank's part of local phases (sluice/schedule/local_phases.hpp). The transfers of an ExchangePart beside it are
/// the transfers over the backbone.
///
/// Local transfers are a list of their own, first the transfers before the backbone and then those after it. An
/// executor of its own carries them out. So the phases overlap, and a transfer waits for nothing but the pieces that it
/// carries. If phases come one after another (mode barrier), the ExchangePart has one list of all steps, and this has
/// none.
struct RoutedPart {
  struct Local {
    int peer = 0;
    std::int64_t bytes = 0;
    std::int64_t step = 0;
    std::vector<Fragment> way = {};  ///< where its bytes lie, in their order
    std::size_t after = 0;           ///< of a send: the number of transfers over the backbone that have to be here
                                     ///< first
  };
  struct OverBackbone {
    std::vector<Fragment> way;  ///< where its bytes lie, in their order
    std::size_t after = 0;      ///< of a send: the number of local receives that have to be here first
  };

  bool is = false;              ///< whether the exchange has local phases; the same on all ranks
  bool moves_own = true;        ///< what a rank has for itself is copied; otherwise the plan sends it, too
  bool shares_memory = false;   ///< local transfers are long enough to share memory for them; the same on all ranks
  std::int64_t held_bytes = 0;  ///< data of other ranks that this rank forwards
  std::int64_t steps = 0;       ///< of local transfers
  std::vector<Local> sends;
  std::vector<Local> receives;
  std::vector<OverBackbone> exchange_sends;     ///< of ExchangePart::sends
  std::vector<OverBackbone> exchange_receives;  ///< of ExchangePart::transfers_in
};

/// As split (exchange_part.hpp), for a schedule with local phases. `in_turn`: a phase begins when the previous phase
/// has ended, and the parts have the steps of all phases. O((transfers + routes) log routes) time.
[[nodiscard]] std::vector<ExchangePart> split_phases(const StepSchedule& schedule, int ranks, std::int64_t slots,
                                                     bool in_turn);

}  // namespace sluice::mpi::detail
