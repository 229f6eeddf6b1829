#pragma once

#include <cstdint>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/ways/choice.hpp"
#include "schedule/own_part.hpp"
#include "schedule/pieces.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// One rank's part of an exchange: the messages that it gets, and its transfers in the order of the steps.
struct ExchangePart {
  /// What there is to know of local phases (sluice/schedule/local_phases.hpp).
  struct Routed {
    bool is = false;              ///< whether the exchange has local phases; the same on all ranks
    bool moves_own = true;        ///< what a rank has for itself is copied; otherwise the plan sends it, too
    bool shares_memory = false;   ///< local transfers are long enough to share memory; the same on all ranks
    std::int64_t held_bytes = 0;  ///< data of other ranks that this rank forwards
    std::int64_t steps = 0;       ///< of local transfers
  };
  /// The lane of local transfers, first those before the backbone, then those after it, with steps of their own. The
  /// other ends are of lane 0. If phases come one after another (mode barrier), lane 0 has all transfers.
  static constexpr std::uint8_t kLocal = 1;
  /// The store of bytes that a rank holds for others. The other stores are peers: the message to or from that rank.
  static constexpr std::int32_t kHeld = -1;

  ExchangeMode mode = ExchangeMode::kAuto;  ///< as asked for, or chosen
  std::int64_t steps = 0;                   ///< of the whole plan
  std::int64_t max_transfers = 0;           ///< k, cut to what ports allow, at least 1
  bool by_links = false;                    ///< planned for links that some of the messages share
  std::int32_t rule = kNoRule;              ///< that led to the mode, unless the user asked for it
  std::int64_t planning_bytes = 0;          ///< what this rank held of all ranks' messages to plan them
  std::vector<MessageSize> receives;        ///< from others, by rank, none empty
  OwnPart own;
  Routed routed;
};

/// Whether messages go at once without anybody planning: where that is asked for, and on one host where nothing is
/// asked for.
[[nodiscard]] bool goes_at_once(const Channel& channel, const ExchangeOptions& options);

/// Messages that go all at once, whole: to the next rank first, then to the one after that. What is empty or for the
/// rank itself is left out.
[[nodiscard]] OwnPart part_at_once(const Channel& channel, const std::vector<MessageSize>& sends,
                                   const std::vector<MessageSize>& receives);

/// `packed`: pieces are packed into buffers.
[[nodiscard]] sluice::detail::UsualPieces usual_pieces(ExchangeMode mode, bool packed);

/// The ranks agree what to do; each gets its part. On all ranks. `receives`: what this rank gets; null on all ranks if
/// that is not known.
///
/// Modes without a plan: every rank learns what it gets from the ranks that send it. Otherwise rank 0 gathers rows,
/// plans, and sends every rank its part: no other rank holds more than its own part. Throws InputError on every rank if
/// rank 0 cannot plan.
[[nodiscard]] ExchangePart plan_together(Channel& channel, const std::vector<MessageSize>& sends,
                                         const std::vector<MessageSize>* receives, const ExchangeOptions& options);

}  // namespace sluice::mpi::detail
