#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/batch_problem.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/stop.hpp"

namespace sluice {

/// Sets how to plan a batch of arrays.
struct BatchOptions {
  std::string algorithm = "auto";  ///< a planner of redistribute if arrays are alike; a planner of exchange; or "auto"
  double setup = 1;                ///< set-up cost of a step, in bytes
  /// Limits the search, as in plan_redistribution; for exchange, exchange_effort of it.
  std::int64_t effort = kDefaultEffort;
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< limits planners of exchange, in seconds
  StopRequest stop;                                               ///< ends a search
  /// Lets "auto" keep messages whole even if arrays are not alike.
  bool whole_messages = false;
};

/// Holds a schedule for all arrays of a batch.
struct BatchPlan {
  StepSchedule schedule;  ///< schedule of the merged messages, sizes in bytes; the caller fills in `input`
  /// Says that all arrays are alike, and this is the plan of one; its bound is for whole messages.
  bool as_one = false;
  std::optional<BoundCertificate> certificate;  ///< certificate of the bound, if a planner of exchange found it
  bool stopped = false;                         ///< says that the time limit, or `stop`, ended a search
};

/// Holds a schedule of the front of a batch, in bytes.
struct BatchFrontPoint {
  std::string algorithm;                   ///< name of the algorithm that planned it
  Cost cost;                               ///< its NS and TC
  std::int64_t transmission_at_least = 0;  ///< as FrontPoint::transmission_at_least
  std::function<StepSchedule()> schedule;  ///< writes out its steps, as BatchPlan::schedule; throws as plan_batch does
};

/// Holds the front of a batch, as RedistributionFront, in bytes.
struct BatchFront {
  std::vector<BatchFrontPoint> points;  ///< by rising NS
  Cost bound;                           ///< of steps and of transmission alone, for any schedule of whole messages
  bool complete = false;                ///< says that every point is proven, and that there are no others
};

/// Finds all schedules of whole messages that no other beats in both NS and TC.
///
///  - `problem`: the batch
///  - `options`: only `setup`, `effort` and `stop` have an effect
///
/// If arrays are alike (BatchProblem::pattern) and none renumbers its processes, the messages of the batch are a fixed
/// multiple of the messages of one array. Then the front of one array is the front of the batch. Otherwise the merged
/// messages are searched one by one, with the same proofs as far as `effort` goes. Throws InputError for more than 2^20
/// merged messages of arrays that are not alike.
[[nodiscard]] BatchFront batch_front(const BatchProblem& problem, const BatchOptions& options = {});

/// Plans a batch of arrays.
///
///  - `problem`: the batch
///  - `options`: algorithm and limits of the search
///
/// If all arrays are alike (BatchProblem::pattern) and none renumbers its processes, the plan of one array serves, with
/// the sizes of all. plan_redistribution makes it with a set-up cost in proportion to the data of one array. So an
/// optimal plan of one array is optimal for the batch. Otherwise plan_exchange plans the merged messages, and "auto"
/// may cut them. With `whole_messages` it takes the cheaper of "stepwise" and "greedy".
///
/// Deterministic, unless stopped. Throws InputError for an unknown algorithm, for one that does not apply to arrays
/// that are not alike, and for more than 2^24 messages.
[[nodiscard]] BatchPlan plan_batch(const BatchProblem& problem, const BatchOptions& options = {});

}  // namespace sluice
