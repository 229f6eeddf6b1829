#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/compare.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::compare {

/// The arguments of a Redistribution.
struct RedistributionJob {
  std::vector<std::int64_t> shape;
  Layout from;
  Layout to;
  std::int64_t element_size = 8;
  mpi::RedistributionOptions options;
  /// If given, Y = beta Y + alpha X of doubles; `options.combine` is then what scale_and_add makes of it.
  std::optional<ScaleAndAdd> scaled = {};
};

/// The library's own way. Collective; throws InputError on every rank if the arguments are bad on any.
[[nodiscard]] mpi::Redistribution planned_redistribution(const Communicator& comm, const RedistributionJob& job);

/// A redistribution as one rank sees it: the problem, the processes of the two grids that this rank is, and its
/// messages.
struct RedistributionPart {
  /// The process of the other grid at the other end of a message.
  struct Peer {
    Rank process;
    int rank = 0;
    std::int64_t bytes = 0;
  };

  /// Collective. Throws InputError as planned_redistribution, except for `algorithm`. `comm` must outlive this.
  RedistributionPart(const Communicator& comm, const RedistributionJob& job);

  const Communicator& comm;
  RedistributionJob job;
  RedistributionProblem problem;
  std::vector<int> from_ranks;  ///< of all processes, copy by copy where there are several
  std::vector<int> to_ranks;
  std::optional<Rank> sender;  ///< process of the source grid, if this rank is one
  std::optional<Rank> receiver;
  std::int64_t target_copy = 0;  ///< this rank is `receiver` in this copy of the target
  /// In increasing order of process, this rank itself included. If the source has several copies, the first one sends
  /// everything, which is the plain way.
  std::vector<Peer> receivers;
  std::vector<Peer> senders;

  /// Number of elements that this rank holds.
  [[nodiscard]] std::int64_t source_elements() const;
  [[nodiscard]] std::int64_t target_elements() const;

 private:
  struct Checked;
  RedistributionPart(const Communicator& comm, RedistributionJob job, Checked checked);
};

/// Where a message is in one dimension of this rank's part of the array, in elements.
struct MessageLevel {
  IndexRuns runs;           ///< `from` of a run, and `from_stride`, are of this rank's part
  std::int64_t extent = 0;  ///< of this rank's part
  std::int64_t step = 0;    ///< from an index to the next
};
/// The levels of a message: of the message to receiver `peer` if `outgoing`, otherwise of the message from sender
/// `peer`. The dimension that is contiguous in the source comes first.
[[nodiscard]] std::vector<MessageLevel> message_levels(const RedistributionPart& part, bool outgoing, Rank peer);

}  // namespace sluice::compare
