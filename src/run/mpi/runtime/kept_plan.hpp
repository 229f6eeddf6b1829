#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

struct TrialState;

/// What jobs with these arguments have left for the next one, on all ranks alike.
struct KeptPlan {
  std::shared_ptr<const void> plan;   ///< null unless all ranks keep the same one
  std::shared_ptr<TrialState> trial;  ///< of the ways to carry it out; null if nothing was tried
  std::int64_t progress = 0;          ///< of the trial, common to all ranks
  std::vector<std::uint64_t> blocks;  ///< AlongWithPlan::block of each rank; empty unless Context::shares_memory
  bool doubt = false;                 ///< any rank's
  std::string key;                    ///< what it is kept by
  std::int64_t number = 0;            ///< for the plan that is put in its place

  /// The plan; if there is none, what `make()` returns, which is put in its place. On all ranks.
  template <class Plan, class Make>
  [[nodiscard]] std::shared_ptr<const Plan> plan_or(Channel& channel, Make&& make) {
    if (!plan) put(channel, std::make_shared<const Plan>(make()));
    return std::static_pointer_cast<const Plan>(plan);
  }
  /// Replaces the plan that not all ranks kept, with a trial that has not begun. On all ranks.
  void put(Channel& channel, std::shared_ptr<const void> own);
};

/// What ranks tell each other besides, in find_kept().
struct AlongWithPlan {
  std::uint64_t block = 0;  ///< the memory that this rank shares with the others (Arena::Place::word)
  bool doubt = false;       ///< whether there is more to agree on
};

/// As `agree`, for the fingerprint and `failure`. Also finds what is kept by `key`; each rank may have its own key. It
/// takes no more messages than `agree`.
[[nodiscard]] KeptPlan find_kept(Channel& channel, const std::string& key, std::uint64_t fingerprint,
                                 const std::exception_ptr& failure, const AlongWithPlan& along = {});

}  // namespace sluice::mpi::detail
