#include "run/mpi/redistribute/participation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "sluice/checked.hpp"
#include "sluice/input/batch_problem.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi::detail {
namespace {

/// The ranks of a grid's `processes`, of all its copies, checked.
GridRanks grid_ranks(const std::vector<int>& given, std::int64_t processes, int size, const char* grid_name,
                     const char* list_name) {
  if (processes > size) {
    throw InputError(grid_name, fmt::format("a grid of {}", count_text(processes, "process", "processes")),
                     fmt::format("at most {}, the ranks there are", size));
  }
  if (given.empty()) return {processes, {}};
  if (given.size() != static_cast<std::size_t>(processes)) {
    throw InputError(list_name, count_text(given.size(), "rank"),
                     fmt::format("{}, one per process of the grid", processes));
  }
  std::vector<bool> seen(static_cast<std::size_t>(size), false);
  for (const int rank : given) {
    if (rank < 0 || rank >= size) {
      throw InputError(list_name, fmt::format("rank {}", rank), index_text(size, "rank"));
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      throw InputError(list_name, fmt::format("rank {} twice", rank), "different ranks");
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return {processes, given};
}

/// Gives out the roles in the target grids so that most data of all arrays stays in place. Throws InputError if the
/// arrays disagree on the ranks that may have roles.
void relabel(std::vector<Participation>& parts, const std::vector<RedistributionArray>& arrays) {
  const std::vector<int>& given = arrays.front().options.to_ranks;
  for (std::size_t a = 1; a < arrays.size(); ++a) {
    if (arrays[a].options.to_ranks != given)
      throw InputError("to_ranks", fmt::format("other ranks of array {} than of array 0", a),
                       "the same ones, or none, beside relabel");
  }
  std::int64_t roles = 0;
  for (const Participation& part : parts) roles = std::max(roles, part.to_ranks.processes());
  std::vector<int> candidates = given;
  if (given.empty()) {
    candidates = GridRanks(roles, {}).list();
    std::vector<int> sources;
    for (const Participation& part : parts) {
      const std::vector<int> ranks = part.from_ranks.list();
      std::ranges::copy_if(ranks, std::back_inserter(sources), [&](int each) { return each >= roles; });
    }
    std::ranges::sort(sources);
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    candidates.insert(candidates.end(), sources.begin(), sources.end());
  }
  // Senders of the batch are ranks, its receivers roles.
  std::vector<BatchArray> batch;
  for (const Participation& part : parts) {
    const std::vector<int> ranks = part.from_ranks.list();
    batch.push_back({part.problem, part.element_size, {ranks.begin(), ranks.end()}, {}});
  }
  const BatchProblem problem(std::move(batch));
  std::vector<Rank> sources;
  for (const int rank : candidates) sources.emplace_back(rank < problem.senders() ? rank : -1);
  const TargetRoles chosen = assign_target_roles(problem, sources);
  std::vector<int> rank_of_role(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c)
    rank_of_role[static_cast<std::size_t>(chosen.role_of_process[c].value)] = candidates[c];
  for (Participation& part : parts) {
    const std::int64_t processes = part.to_ranks.processes();
    part.to_ranks = {processes, {rank_of_role.begin(), rank_of_role.begin() + processes}};
  }
}

/// The problem with what is known of ranks in both grids, if the messages are few enough for every rank to examine all
/// of them. Otherwise copies keep their places in the steps.
RedistributionProblem with_copies(const RedistributionProblem& problem, const GridRanks& from_ranks,
                                  const GridRanks& to_ranks) {
  constexpr std::int64_t kMostPairs = 1 << 10;  // some milliseconds
  if (to_ranks.processes() == 0 || from_ranks.processes() > kMostPairs / to_ranks.processes()) return problem;
  std::vector<Rank> roles;
  for (const int rank : from_ranks.list()) roles.emplace_back(to_ranks.process_of(rank));
  return problem.with_roles(roles);
}

/// Whether every rank can examine all messages of a problem that has been through with_copies.
bool every_rank_looks_at(const RedistributionProblem& problem) {
  if (problem.is_plain()) return true;
  if (!problem.has_roles()) return false;
  if (!problem.has_part()) return true;
  constexpr double kMostWork = 1e7;  // elements' worth of counting: some tenths of a second
  const AxisPattern& rows = problem.axis(0);
  const AxisPattern& columns = problem.axis(1);  // there are two: only matrices have parts
  const double pairs = static_cast<double>(rows.from().processes) * static_cast<double>(rows.to().processes);
  const auto blocks = [](const Axis& axis) {
    return static_cast<double>(axis.irregular ? axis.irregular->count() : axis.extent / axis.block);
  };
  const double runs = std::max(blocks(columns.from()), blocks(columns.to())) +
                      static_cast<double>(columns.from().processes) * static_cast<double>(columns.to().processes);
  return pairs * runs <= kMostWork;
}

/// Adds which processes of all copies are the same rank.
ReplicatedProblem with_copies(const ReplicatedProblem& problem, const GridRanks& from_ranks,
                              const GridRanks& to_ranks) {
  std::vector<Rank> roles;
  bool any = false;
  for (const int rank : from_ranks.list()) {
    roles.emplace_back(to_ranks.process_of(rank));
    any = any || roles.back().value >= 0;
  }
  return any ? problem.with_roles(roles) : problem;
}

/// How a process stores its part; -1: one without elements. `leading`: as RedistributionOptions has it, called `name`.
PartStorage storage_of(const Distribution& array, std::int64_t process, const std::vector<std::int64_t>& leading,
                       StorageOrder order, std::int64_t element_size, const char* name) {
  const std::size_t dimensions = array.dimensions();
  const std::vector<std::int64_t> shape =
      process < 0 ? std::vector<std::int64_t>(dimensions, 0) : array.local_shape(Rank(process));
  const bool row_major = order == StorageOrder::kRowMajor;
  std::vector<std::int64_t> room = shape;
  if (!leading.empty()) {
    if (leading.size() != dimensions - 1) {
      throw InputError(name, count_text(leading.size(), "entry", "entries"),
                       fmt::format("{}, one per dimension but the slowest, or none", dimensions - 1));
    }
    for (std::size_t i = 0; i < leading.size(); ++i) {
      const std::size_t d = row_major ? i + 1 : i;
      if (leading[i] < shape[d]) {
        throw InputError(name, fmt::format("{} in dimension {}", count_text(leading[i], "element"), d),
                         fmt::format("at least {}, which are there", shape[d]));
      }
      room[d] = leading[i];
    }
  }
  PartStorage storage{std::vector<std::int64_t>(dimensions, 0)};
  if (std::ranges::count(shape, 0) > 0) return storage;
  std::int64_t step = element_size;
  std::int64_t bytes = element_size;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = row_major ? dimensions - 1 - i : i;
    storage.steps[d] = step;
    bytes = checked::add(bytes, checked::multiply(shape[d] - 1, step, name), name);
    if (i + 1 < dimensions) step = checked::multiply(step, room[d], name);
  }
  storage.extent = bytes / element_size;
  storage.elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  return storage;
}

RedistributionProblem make_problem(const RedistributionArray& array) {
  const auto& [shape, from, to, element_size, options] = array;
  const Distribution source(from, shape, options.from_first, "from");
  std::vector<std::int64_t> to_shape = shape;
  if (options.transpose) std::ranges::reverse(to_shape);
  if (!options.to_shape.empty()) to_shape = options.to_shape;
  Distribution target(to, to_shape, options.to_first, "to");
  if (options.transpose) target = target.transposed();
  if (options.from_start.empty() && options.to_start.empty() && options.extent.empty()) {
    return {source, target};
  }
  const std::size_t dimensions = shape.size();
  const auto from_start = options.from_start.empty() ? std::vector<std::int64_t>(dimensions, 0) : options.from_start;
  auto to_start = options.to_start.empty() ? std::vector<std::int64_t>(dimensions, 0) : options.to_start;
  if (options.transpose) std::ranges::reverse(to_start);
  auto extent = options.extent;
  if (extent.empty() && from_start.size() == dimensions) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (from_start[d] < 0 || from_start[d] > shape[d]) {
        throw InputError("from_start", fmt::format("{} in dimension {}", from_start[d], d),
                         fmt::format("0 to {}", shape[d]));
      }
      extent.push_back(shape[d] - from_start[d]);
    }
  }
  return {source, target, from_start, to_start, extent};
}

}  // namespace

std::vector<int> GridRanks::list() const {
  if (!given_.empty()) return given_;
  std::vector<int> ranks(static_cast<std::size_t>(processes_));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::int64_t GridRanks::process_of(int rank) const {
  if (given_.empty()) return rank < processes_ ? rank : -1;
  const auto at = std::ranges::find(given_, rank);
  return at == given_.end() ? -1 : at - given_.begin();
}

std::int64_t Participation::largest_part() const {
  const std::int64_t elements = std::max(problem.from().largest_local_size(), problem.to().largest_local_size());
  return std::min(problem.size(), elements) * element_size;
}

std::vector<Rank> Participation::receivers() const {
  std::vector<Rank> result;
  if (sender < 0) return result;
  for (const Message& message : problem.sends(Rank(sender))) result.emplace_back(message.to);
  return result;
}

std::vector<Rank> Participation::senders() const {
  std::vector<Rank> result;
  if (receiver < 0) return result;
  for (const Message& message : problem.receives(Rank(receiver))) result.emplace_back(message.from);
  return result;
}

RedistributionProblem Participation::planned_problem() const {
  const RedistributionProblem all = replicated ? problem : with_copies(problem, from_ranks, to_ranks);
  return every_rank_looks_at(all) ? all : all.plain();
}

void check_how(const RedistributionJobOptions& options) {
  if (options.mode != ExchangeMode::kAuto && options.mode != ExchangeMode::kChain &&
      options.mode != ExchangeMode::kLocal) {
    throw InputError("mode", fmt::format("{}", static_cast<int>(options.mode)), "kAuto, kChain or kLocal");
  }
  if (options.chunk_bytes < 0 || options.chunk_bytes > (1 << 30)) {
    throw InputError("chunk_bytes", fmt::format("{}", options.chunk_bytes), "0 to 2^30");
  }
  if (options.window < 0 || options.window > 1024) {
    throw InputError("window", fmt::format("{}", options.window), "0 to 1024");
  }
  (void)multiple_of_default_effort(options.effort, "effort");
}

namespace {

/// What the array is, with the ranks that are given for it.
Participation placed(int size, const RedistributionArray& array, const RedistributionOptions& how) {
  const std::int64_t element_size = array.element_size;
  const ArrayOptions& options = array.options;
  if (element_size < 1) throw InputError("element_size", fmt::format("{}", element_size), "at least 1 byte");
  if (options.order != StorageOrder::kRowMajor && options.order != StorageOrder::kColumnMajor) {
    throw InputError("order", fmt::format("{}", static_cast<int>(options.order)), "kRowMajor or kColumnMajor");
  }
  Participation part{make_problem(array), element_size, options.order, {}, {}};
  checked::multiply(part.problem.from().size(), element_size, "bytes of the source array");
  checked::multiply(part.problem.to().size(), element_size, "bytes of the target array");
  if (options.part != MatrixPart::kWhole) part.problem = part.problem.with_part(options.part, options.unit_diagonal);
  if (how.has_replicas()) {
    if (how.relabel) throw InputError("relabel", "cannot be used with several copies", "one copy of each array");
    part.replicated.emplace(part.problem, how.from_replicas, how.to_replicas);
  }
  const std::int64_t senders = part.replicated ? part.replicated->senders() : part.problem.from().processes();
  const std::int64_t receivers = part.replicated ? part.replicated->receivers() : part.problem.to().processes();
  part.from_ranks = grid_ranks(options.from_ranks, senders, size, "from", "from_ranks");
  part.to_ranks = grid_ranks(options.to_ranks, receivers, size, "to", "to_ranks");
  return part;
}

/// Finds what this rank has of the array, once it is known which ranks are which processes.
void settle(Participation& part, int rank, const RedistributionArray& array) {
  const ArrayOptions& options = array.options;
  const Distribution& source = part.problem.from();
  const Distribution& target = part.problem.to();
  part.sender = part.from_ranks.process_of(rank);
  part.receiver = part.to_ranks.process_of(rank);
  if (part.replicated) {
    part.replicated = with_copies(*part.replicated, part.from_ranks, part.to_ranks);
    if (part.sender >= 0) part.sender %= source.processes();
    if (part.receiver >= 0) part.receiver %= target.processes();
  }
  part.source =
      storage_of(source, part.sender, options.source_leading, options.order, part.element_size, "source_leading");
  part.target = storage_of(options.transpose ? target.transposed() : target, part.receiver, options.target_leading,
                           options.order, part.element_size, "target_leading");
  if (options.transpose) std::ranges::reverse(part.target.steps);
}

}  // namespace

std::vector<Participation> make_participations(int rank, int size, const JobArguments& job) {
  const auto of_array = [&](std::size_t a, const auto& call) {
    try {
      call();
    } catch (const InputError& error) {
      if (job.arrays.size() == 1) throw;
      throw InputError(fmt::format("array {}: {}", a, error.where()), error.found(), error.expected());
    }
  };
  std::vector<Participation> parts;
  parts.reserve(job.arrays.size());
  for (std::size_t a = 0; a < job.arrays.size(); ++a)
    of_array(a, [&] { parts.push_back(placed(size, job.arrays[a], job.how)); });
  if (job.how.relabel) relabel(parts, job.arrays);
  for (std::size_t a = 0; a < job.arrays.size(); ++a) of_array(a, [&] { settle(parts[a], rank, job.arrays[a]); });
  return parts;
}

Arguments arguments_of(const JobArguments& job) {
  Arguments result("redistribution");
  result.add(static_cast<std::int64_t>(job.arrays.size()));
  for (const auto& [shape, from, to, element_size, options] : job.arrays) {
    for (const auto* list :
         {&shape, &from.grid, &from.block, &to.grid, &to.block, &options.from_first, &options.to_first,
          &options.from_start, &options.to_start, &options.extent, &options.to_shape}) {
      result.add(std::span(*list));
    }
    for (const Layout* layout : {&from, &to}) {
      result.add(static_cast<std::int64_t>(layout->cuts.size()));
      for (const Cuts& cuts : layout->cuts) {
        result.add(std::span(cuts.at));
        result.add(std::span(cuts.owners));
      }
    }
    result.add(std::span(options.from_ranks));
    result.add(std::span(options.to_ranks));
    result.add_all(options.part, options.unit_diagonal, options.transpose, element_size, options.order);
  }
  const RedistributionOptions& how = job.how;
  result.add(how.relabel);
  result.add_all(how.from_replicas, how.to_replicas, how.forward);
  result.add_all(how.algorithm, how.setup, how.effort, how.mode, how.chunk_bytes, how.window, how.shared_from_bytes,
                 how.try_native);
  return result;
}

}  // namespace sluice::mpi::detail
