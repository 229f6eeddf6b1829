#include "apps/compare/redistribution_part.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sluice::compare {
namespace {

/// Sees that the arguments are good on all ranks, by a plan that takes no time.
RedistributionProblem checked_problem(const Communicator& comm, RedistributionJob job) {
  job.options.algorithm = "caterpillar";
  job.options.shared_from_bytes = -1;
  // A plan for many processes is that of the whole box.
  return planned_redistribution(comm, job).plan().problem().with_part(job.options.part, job.options.unit_diagonal);
}

/// The default filled in.
std::vector<int> grid_ranks(std::vector<int> given, const Distribution& grid) {
  if (given.empty()) {
    given.resize(static_cast<std::size_t>(grid.processes()));
    std::iota(given.begin(), given.end(), 0);
  }
  return given;
}

std::optional<Rank> process_of(int rank, const std::vector<int>& ranks) {
  const auto at = std::find(ranks.begin(), ranks.end(), rank);
  return at == ranks.end() ? std::nullopt : std::optional(Rank(at - ranks.begin()));
}

}  // namespace

mpi::Redistribution planned_redistribution(const Communicator& comm, const RedistributionJob& job) {
  return {comm.get(), job.shape, job.from, job.to, job.element_size, job.options};
}

RedistributionPart::RedistributionPart(const Communicator& own, RedistributionJob arguments)
    : comm(own),
      job(std::move(arguments)),
      problem(checked_problem(own, job)),
      from_ranks(grid_ranks(job.options.from_ranks, problem.from())),
      to_ranks(grid_ranks(job.options.to_ranks, problem.to())),
      sender(process_of(own.rank(), from_ranks)),
      receiver(process_of(own.rank(), to_ranks)) {
  if (sender) {
    for (const Message& message : problem.sends(*sender)) {
      receivers.push_back(
          {Rank(message.to), to_ranks[static_cast<std::size_t>(message.to)], message.size * job.element_size});
    }
  }
  if (receiver) {
    for (const Message& message : problem.receives(*receiver)) {
      senders.push_back(
          {Rank(message.from), from_ranks[static_cast<std::size_t>(message.from)], message.size * job.element_size});
    }
  }
}

std::int64_t RedistributionPart::source_elements() const { return sender ? problem.from().local_size(*sender) : 0; }

std::int64_t RedistributionPart::target_elements() const { return receiver ? problem.to().local_size(*receiver) : 0; }

std::vector<MessageLevel> message_levels(const RedistributionPart& part, bool outgoing, Rank peer) {
  const Distribution& from = part.problem.from();
  const Distribution& to = part.problem.to();
  const std::vector<Coordinate> p = from.coordinates(outgoing ? *part.sender : peer);
  const std::vector<Coordinate> q = to.coordinates(outgoing ? peer : *part.receiver);
  const std::vector<std::int64_t> shape = outgoing ? from.local_shape(*part.sender) : to.local_shape(*part.receiver);
  std::vector<MessageLevel> levels;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    MessageLevel level{part.problem.axis(d).runs(p[d], q[d]), shape[d], 1};
    if (!outgoing) {
      for (IndexRun& run : level.runs.runs) run.from = run.to;
      level.runs.from_stride = level.runs.to_stride;
    }
    levels.push_back(std::move(level));
  }
  const bool row_major = part.job.options.order == mpi::StorageOrder::kRowMajor;
  const bool last_is_contiguous = row_major != (!outgoing && part.job.options.transpose);
  std::int64_t step = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    MessageLevel& level = levels[last_is_contiguous ? levels.size() - 1 - i : i];
    level.step = step;
    step *= level.extent;
  }
  if (row_major) std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace sluice::compare
