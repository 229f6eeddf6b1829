#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "run/mpi/native/way_trial.hpp"
#include "run/mpi/program/program_part.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/collectives.hpp"

/// What collectives are planned by, and who serves them.
namespace sluice::mpi::detail {

/// Bytes of each block: alike, or listed as set_blocks wants them.
struct BlockSizes {
  std::int64_t each = 0;
  std::optional<std::span<const std::int64_t>> listed = std::nullopt;
};

/// What is asked for.
struct CollectiveTask {
  Program shape;  ///< all but operations
  CollectiveOptions options;
  ElementOperation elements;  ///< bytes, where nothing is combined
  bool reproducible = false;
  bool is_built_in = false;  ///< the operation is one of MPI's own
};

/// A rank's part of what was planned.
struct PlannedCollective {
  ProgramPart part;
  std::string method;
  double predicted_s = 0;
};

/// Throws InputError for what is bad in the arguments, apart from what planning finds. Local. Fills the shape and what
/// follows from the operation.
[[nodiscard]] CollectiveTask collective_task(Collective problem, const BlockSizes& bytes, int root, int ranks,
                                             const CollectiveOptions& options);
/// `shares`: elements of each rank, unless as equal as possible.
[[nodiscard]] CollectiveTask collective_task(Collective problem, const ElementOperation& operation,
                                             std::optional<std::span<const std::int64_t>> shares, int ranks,
                                             const CollectiveOptions& options);

/// All that a plan depends on.
[[nodiscard]] Arguments arguments_of(const CollectiveTask& task);

[[nodiscard]] Way way_of(const CollectiveTask& task, const Context& context);

/// Rank 0 plans, or judges the program given, and tells each rank its part. Collective; throws on all ranks what that
/// throws.
[[nodiscard]] PlannedCollective plan_collective(Channel& channel, const CollectiveTask& task);

}  // namespace sluice::mpi::detail
