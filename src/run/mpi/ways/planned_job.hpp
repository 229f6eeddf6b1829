#pragma once

#include <memory>

#include "run/mpi/runtime/job.hpp"
#include "run/mpi/ways/ways.hpp"

namespace sluice::mpi::detail {

/// A job that goes by a plan or another way. Its constructor
///
///  1. makes of its arguments what all ranks compare, and the key that plans are kept by,
///  2. compares them and finds the plan that is kept (find_kept),
///  3. otherwise makes one, alone or with all ranks, and keeps it (KeptPlan::plan_or),
///  4. tells `ways` how to carry it out, and what they are to use (Ways::choose).
///
/// Its start() ends with Ways::begin.
template <class Plan>
class PlannedJob : public Job {
 public:
  using Job::Job;

  std::shared_ptr<const Plan> planned;  ///< null if only the other way serves
  Ways ways{channel};

 protected:
  Advance advance() override { return ways.advance(); }
  void abandon() noexcept override { ways.abandon(); }
  [[nodiscard]] bool in_native_collective() const override { return ways.in_native_collective(); }
};

}  // namespace sluice::mpi::detail
