#include "run/mpi/runtime/kept_plan.hpp"

#include <utility>

#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/trial_state.hpp"

namespace sluice::mpi::detail {

void KeptPlan::put(Channel& channel, std::shared_ptr<const void> own) {
  plan = std::move(own);
  trial = std::make_shared<TrialState>();
  channel.context().plans().put(key, number, plan, trial);
}

KeptPlan find_kept(Channel& channel, const std::string& key, std::uint64_t fingerprint,
                   const std::exception_ptr& failure, const AlongWithPlan& along) {
  PlanCache& plans = channel.context().plans();
  const PlanCache::Entry* const entry = plans.find(key);
  KeptPlan kept;
  kept.key = key;
  if (entry != nullptr) {
    kept.plan = entry->plan;
    kept.trial = entry->trial;
  }
  Comparison own;
  own.number = entry != nullptr ? entry->number : 0;
  own.last = plans.last_number();
  own.progress = kept.trial ? progress_of(*kept.trial) : 0;
  own.doubt = along.doubt ? 1 : 0;
  own.block = along.block;
  own.blocks = &kept.blocks;
  const bool same = agree(channel, fingerprint, failure, own);
  kept.number = own.last + 1;
  kept.doubt = own.doubt != 0;
  if (same) {
    kept.progress = own.progress;
  } else {
    kept.plan = nullptr;
    kept.trial = nullptr;
  }
  return kept;
}

}  // namespace sluice::mpi::detail
