#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "run/mpi/network/learn.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/ways.hpp"
#include "schedule/own_part.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/schedule/program.hpp"

/// How collectives are planned, and the choice between the plan and MPI's own collective.
namespace sluice::mpi::detail {

/// Bytes of each block: one size for all, or a list as set_blocks takes it.
struct BlockSizes {
  std::int64_t each = 0;
  std::optional<std::span<const std::int64_t>> listed = std::nullopt;
};

/// The collective that the user asks for.
struct CollectiveTask {
  Program shape;  ///< all but operations
  CollectiveOptions options;
  ElementOperation elements;  ///< bytes, if nothing is combined
  bool reproducible = false;
  bool is_built_in = false;  ///< the operation is one of MPI's own
};

/// A rank's part of the plan.
struct PlannedCollective {
  sluice::detail::OwnPart part;
  std::string method;
  double predicted_s = 0;
  std::int32_t rule = kNoRule;  ///< that led to the plan
};

/// Makes a task of the arguments: fills the shape, and what follows from the operation. Throws InputError for bad
/// arguments, except errors that planning finds. Local.
[[nodiscard]] CollectiveTask collective_task(Collective problem, const BlockSizes& bytes, int root, int ranks,
                                             const CollectiveOptions& options);
/// `shares`: elements of each rank; if left out they are as equal as possible.
[[nodiscard]] CollectiveTask collective_task(Collective problem, const ElementOperation& operation,
                                             std::optional<std::span<const std::int64_t>> shares, int ranks,
                                             const CollectiveOptions& options);

/// All that a plan depends on.
[[nodiscard]] Arguments arguments_of(const CollectiveTask& task);

/// The ways that the job uses, and the rule that says so; null if none does.
struct ChosenUse {
  Use use = Use::kPlan;
  const Rule* rule = nullptr;
};
[[nodiscard]] ChosenUse use_of(const CollectiveTask& task, const Context& context);

/// If all ranks share memory, each rank plans its own part. Otherwise rank 0 plans, or checks the given program, and
/// tells each rank its part. Collective; what rank 0 throws, all ranks throw.
[[nodiscard]] PlannedCollective plan_collective(Channel& channel, const CollectiveTask& task);

/// Unless the program states a pace, a rank's sends alternate at its port, each for as long as it needs the port. If
/// all began at once, a switch would have to drop what it cannot queue, and the last messages of a connection would be
/// sent again 0.2 s later. No send waits for longer, because a message that its receiver does not yet ask for must not
/// hold up others.
///
/// SMPI makes each message a flow of its own. Flows at a port share it without loss. But messages of one connection
/// that begin at once arrive together, too late to be forwarded one by one, so they go one after another.
void take_turns(Program& program, const JobPlatform& known);

}  // namespace sluice::mpi::detail
