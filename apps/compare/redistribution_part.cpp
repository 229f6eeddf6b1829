#include "apps/compare/redistribution_part.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sluice::compare {
namespace {

/// The default filled in.
std::vector<int> grid_ranks(std::vector<int> given, std::int64_t processes) {
  if (given.empty()) {
    given.resize(static_cast<std::size_t>(processes));
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

struct RedistributionPart::Checked {
  /// Sees that the arguments are good on all ranks, by a plan that takes no time.
  Checked(const Communicator& comm, RedistributionJob job) : Checked(planned(comm, job), job.options) {}
  Checked(const mpi::Redistribution& planned, const mpi::RedistributionOptions& options)
      // A plan for many processes is a plan of the whole box.
      : problem(planned.plan().problem().with_part(options.part, options.unit_diagonal)),
        to_ranks(planned.to_ranks()) {}

  static mpi::Redistribution planned(const Communicator& comm, RedistributionJob& job) {
    const bool irregular = job.from.has_cuts() || job.to.has_cuts();
    job.options.algorithm = job.options.has_replicas() ? "greedy" : irregular ? "coloring" : "caterpillar";
    job.options.shared_from_bytes = -1;
    return planned_redistribution(comm, job);
  }

  RedistributionProblem problem;
  std::vector<int> to_ranks;
};

RedistributionPart::RedistributionPart(const Communicator& own, const RedistributionJob& arguments)
    : RedistributionPart(own, arguments, Checked(own, arguments)) {}

RedistributionPart::RedistributionPart(const Communicator& own, RedistributionJob arguments, Checked checked)
    : comm(own),
      job(std::move(arguments)),
      problem(std::move(checked.problem)),
      from_ranks(grid_ranks(job.options.from_ranks, job.options.from_replicas * problem.from().processes())),
      to_ranks(std::move(checked.to_ranks)),
      sender(process_of(own.rank(), from_ranks)),
      receiver(process_of(own.rank(), to_ranks)) {
  const std::int64_t sources = problem.from().processes(), targets = problem.to().processes();
  const bool sends = sender && sender->value < sources;
  if (sender) sender = Rank(sender->value % sources);
  if (receiver) {
    target_copy = receiver->value / targets;
    receiver = Rank(receiver->value % targets);
  }
  if (sends) {
    for (const Message& message : problem.sends(*sender)) {
      for (std::int64_t t = 0; t < job.options.to_replicas; ++t) {
        receivers.push_back({Rank(message.to), to_ranks[static_cast<std::size_t>(t * targets + message.to)],
                             message.size * job.element_size});
      }
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
