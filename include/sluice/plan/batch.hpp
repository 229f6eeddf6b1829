#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/batch_problem.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// How to plan a batch of arrays.
struct BatchOptions {
  std::string algorithm = "auto";  ///< a planner of redistribute where arrays are alike; or one of exchange; or "auto"
  double setup = 1;                ///< set-up cost of a step, in bytes
  std::int64_t effort = kDefaultEffort;  ///< as plan_redistribution has it; of exchange, exchange_effort of it
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< for planners of exchange
  StopRequest stop;                                               ///< ends a search
  bool whole_messages = false;  ///< whether "auto" keeps messages whole also where arrays are not alike
};

/// A schedule for all arrays of a batch.
struct BatchPlan {
  StepSchedule schedule;  ///< of the merged messages, sizes in bytes; its `input` is left to the caller
  bool as_one = false;    ///< whether it is the plan of one array, as all are alike; its bound is for whole messages
  std::optional<BoundCertificate> certificate;  ///< of the bound, where a planner of exchange found it
  bool stopped = false;                         ///< whether the time limit, or `stop`, ended a search
};

/// A schedule of the front of a batch, in bytes.
struct BatchFrontPoint {
  std::string algorithm;                   ///< what planned it
  Cost cost;                               ///< its NS and TC
  std::int64_t transmission_at_least = 0;  ///< as FrontPoint has it
  std::function<StepSchedule()> schedule;  ///< writes out its steps, as those of BatchPlan; throws as plan_batch does
};

/// The front of a batch, as RedistributionFront, in bytes.
struct BatchFront {
  std::vector<BatchFrontPoint> points;  ///< by rising NS
  Cost bound;                           ///< steps and transmission alone, for any schedule of whole messages
  bool complete = false;                ///< whether every point is proven, and that there are no others
};

/// All that nothing beats in NS and TC at once, of whole messages. Where arrays are alike (BatchProblem::pattern) and
/// none numbers its processes anew, the messages of the batch are the same multiple of those of one array, for every
/// pair, so that its front is that of the batch. Else the merged messages are searched one by one, with the same proofs
/// as far as `effort` goes. Of the options `setup`, `effort` and `stop` count. Throws InputError for more than 2^20
/// merged messages of arrays that are not alike.
[[nodiscard]] BatchFront batch_front(const BatchProblem& problem, const BatchOptions& options = {});

/// Plans `problem`. Where all arrays are alike (BatchProblem::pattern) and none numbers its processes anew, the plan of
/// one serves, with the sizes of all: plan_redistribution with a set-up that is as large compared with the data of one
/// array as `setup` is compared with that of all, so that an optimal plan of one array is optimal for the batch. Else
/// the merged messages are planned by plan_exchange, of which "auto" may cut messages; with `whole_messages` it is the
/// cheaper of "stepwise" and "greedy".
///
/// Deterministic, unless stopped. Throws InputError for an algorithm that is unknown, or is not for arrays that are not
/// alike, and for more than 2^24 messages.
[[nodiscard]] BatchPlan plan_batch(const BatchProblem& problem, const BatchOptions& options = {});

}  // namespace sluice
