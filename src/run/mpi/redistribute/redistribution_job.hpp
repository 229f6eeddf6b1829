#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/mpi/engine/carrier.hpp"
#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/engine/ordered_carrier.hpp"
#include "run/mpi/redistribute/own_messages.hpp"
#include "run/mpi/redistribute/participation.hpp"
#include "run/mpi/redistribute/transport.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/planned_job.hpp"
#include "sluice/plan/redistribute.hpp"

namespace sluice::mpi::detail {

/// What a redistribution has to know before its first execution: the same in every job with the same arguments.
struct PlannedRedistribution {
  /// `links`: what the network has that messages share, or null.
  PlannedRedistribution(const Channel& channel, const JobArguments& arguments, JobArrays arrays,
                        const SharedLinks* links);

  JobArrays arrays;
  const Rule* rule;   ///< that led to the mode; null if the user asked for it
  ExchangeMode mode;  ///< never kAuto
  bool at_once;       ///< on one host, unless the user asks for an order: nothing is planned
  std::optional<RedistributionPlan> plan;
  OwnSteps own;
  std::vector<ArrayCopies> copies;  ///< of each array
};

/// The job of a redistribution of one array or of several: messages of all arrays between two ranks are one. A single
/// array is a batch of one.
class RedistributionJob final : public PlannedJob<PlannedRedistribution> {
 public:
  /// `batch`: whether the user gave a list of arrays, for the names of arguments in messages.
  RedistributionJob(std::shared_ptr<Context> context, std::int64_t number, const JobArguments& arguments, bool batch);
  ~RedistributionJob() override { close(); }

  void begin(std::span<const void* const> sources, std::span<void* const> targets);

  [[nodiscard]] const std::vector<Participation>& parts() const { return planned->arrays.parts; }
  /// Throws InputError for one that is not there.
  [[nodiscard]] const Participation& part(std::size_t array) const;
  /// The plan of the array whose plan serves for all; made at the first call if messages go at once.
  /// @pre there is one, as for a single array
  [[nodiscard]] const RedistributionPlan& plan();
  [[nodiscard]] std::string explanation() const;

 private:
  /// Makes the data of `planned`, and what carries them: if that is memory, returns it for set_carrier().
  [[nodiscard]] std::unique_ptr<MemoryCarrier> prepare();
  void set_carrier(std::unique_ptr<Carrier> carrier);
  [[nodiscard]] OrderedCarrier::Limits limits() const;
  void check_combine() const;
  void check_pointers(std::span<const void* const> sources, std::span<void* const> targets) const;
  /// What carries the messages in pieces, by MPI and by memory.
  [[nodiscard]] std::unique_ptr<Carrier> make_ordered_carrier(bool share);

  bool batch_;
  RedistributionOptions how_;
  std::optional<RedistributionPlan> plan_;  ///< made when plan() is asked for it, if `planned` has none
  std::vector<ElementCombine> combines_;    ///< of each array
  std::optional<Transport> transport_;
  std::shared_ptr<Transfers> transfers_;  ///< of `transport_`
};

/// Makes the job of what `arguments()` returns; all ranks hear of what that throws.
template <class MakeArguments>
[[nodiscard]] std::unique_ptr<RedistributionJob> make_redistribution(MPI_Comm comm, MakeArguments&& arguments,
                                                                     bool batch) {
  return in_new_channel(comm, [&](const std::shared_ptr<Context>& context, std::int64_t number) {
    const JobArguments made = arguments();
    return std::make_unique<RedistributionJob>(context, number, made, batch);
  });
}

}  // namespace sluice::mpi::detail
