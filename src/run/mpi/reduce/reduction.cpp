#include "sluice/run/mpi/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/collective.hpp"
#include "run/mpi/communicator.hpp"
#include "run/mpi/crowding.hpp"
#include "run/mpi/joint_job.hpp"
#include "run/mpi/native_trial.hpp"
#include "run/mpi/reduce/element_layout.hpp"
#include "run/mpi/reduce/native_reduction.hpp"
#include "run/mpi/reduce/platform_reduction.hpp"
#include "run/mpi/reduce/reduction_costs.hpp"
#include "run/mpi/reduce/reduction_data.hpp"
#include "run/mpi/simulation.hpp"
#include "run/mpi/tree/progress_thread.hpp"
#include "run/mpi/tree/tree_executor.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/schedule/reduction_program.hpp"

namespace sluice::mpi {
namespace {

using detail::Communicator;
using detail::ReductionCosts;
using detail::ReductionPart;

/// Messages of parts posted, or there and not combined yet: enough for one to come while another is combined and a
/// third is asked for. Where ranks are simulated, messages on their way at once slow each other down, and one that
/// combines does not see that a send has ended: its receiver alone limits how many there are.
constexpr int kPartsAhead = detail::kSimulated ? 3 : 4;
constexpr int kPartsSent = detail::kSimulated ? std::numeric_limits<int>::max() : 2;
constexpr const char* kNative = "MPI_Reduce";
/// Over a platform: messages from far away take their time while others come, which wait for them to be combined. So
/// many of them, or what this takes is the price of.
constexpr int kPiecesAhead = 128;
constexpr std::int64_t kBytesAhead = 8 << 20;

/// While it lives, calls that belong to no communicator return their errors: whose handler they go to, that of
/// MPI_COMM_WORLD or of MPI_COMM_SELF, depends on the version of MPI.
class ErrorsReturned {
 public:
  ErrorsReturned() {
    for (std::size_t i = 0; i < comms_.size(); ++i) {
      SLUICE_MPI(MPI_Comm_get_errhandler(comms_[i], &handlers_[i]));
      SLUICE_MPI(MPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN));
    }
  }
  ~ErrorsReturned() {
    for (std::size_t i = 0; i < comms_.size(); ++i) {
      (void)MPI_Comm_set_errhandler(comms_[i], handlers_[i]);
      (void)MPI_Errhandler_free(&handlers_[i]);
    }
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  std::array<MPI_Comm, 2> comms_{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> handlers_{MPI_ERRHANDLER_NULL, MPI_ERRHANDLER_NULL};
};

/// All that can go wrong in MPI_Reduce_local, which would end the program there, is an operation that is not defined
/// for the type.
void check_defined(const ElementOperation& operation) {
  const ErrorsReturned returned;
  std::int64_t none = 0;
  std::int64_t nothing = 0;
  try {
    SLUICE_MPI(MPI_Reduce_local(&none, &nothing, 0, operation.type, operation.op));
  } catch (const MpiError& error) {
    throw InputError("op", error.what(), "one that is defined for the type");
  }
}

void check(const ElementOperation& operation) {
  if (operation.count < 0) throw InputError("count", fmt::format("{}", operation.count), "at least 0");
  if (operation.type == MPI_DATATYPE_NULL) throw InputError("type", "MPI_DATATYPE_NULL", "a committed type");
  if (operation.op == MPI_OP_NULL) throw InputError("op", "MPI_OP_NULL", "an operation");
  const std::int64_t extent = detail::ElementLayout(operation.type).extent;
  if (extent < 0) throw InputError("type", fmt::format("an extent of {}", extent), "at least 0");
  checked::multiply(operation.count, extent, "bytes of the elements");
  check_defined(operation);
}

/// A copy of a rank's elements, with what lies between them.
class ElementCopy {
 public:
  ElementCopy(const ElementOperation& operation, const void* from) : layout_(operation.type) {
    const auto bytes = static_cast<std::size_t>(layout_.bytes(operation.count));
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (bytes > 0) std::memcpy(bytes_.get(), static_cast<const std::byte*>(from) + layout_.true_lower, bytes);
  }
  /// The address of the first element.
  [[nodiscard]] std::byte* first() const { return bytes_.get() - layout_.true_lower; }

 private:
  detail::ElementLayout layout_;
  std::unique_ptr<std::byte[]> bytes_;
};

void check(const ObjectOperation& operation) {
  if (!operation.combine) throw InputError("combine", "no function", "one that combines two objects");
}

/// The problem of planning with these costs; parts as given.
ReduceProblem problem_of(const ReductionSpec& spec, const ReductionCosts& costs, int ranks, bool commutative,
                         std::int64_t most_segments) {
  ReduceProblem problem;
  problem.machines = ranks;
  problem.root = spec.root;
  problem.commutative = commutative;
  problem.transfer = costs.transfer;
  problem.compute = costs.compute;
  problem.transfer_overhead = costs.transfer_overhead;
  problem.compute_overhead = costs.compute_overhead;
  const bool known = spec.measure || costs.transfer_overhead > 0;
  problem.max_segments = std::min(problem.max_segments, most_segments);
  problem.segments = std::min(spec.segments.value_or(known ? 0 : 1), most_segments);
  return problem;
}

/// What rank `own` does by a plan, and with whom.
struct OwnPart {
  ReductionPart part;
  std::vector<int> children;  ///< by receive
  int parent = MPI_PROC_NULL;
};

OwnPart own_part(const TreeSchedule& schedule, int own) {
  OwnPart result;
  result.part.rank = own;
  result.part.commutative = schedule.commutative;
  result.part.segments = schedule.segments;
  // By machine: what it has combined, in the order of the transfers of the first part.
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::int64_t rank = 0; rank < schedule.machines; ++rank) runs.emplace_back(rank, rank + 1);
  for (const TimedTransfer& transfer : schedule.transfers) {
    if (transfer.segment != 0) continue;
    const auto& from = runs[static_cast<std::size_t>(transfer.from)];
    auto& to = runs[static_cast<std::size_t>(transfer.to)];
    to = {std::min(to.first, from.first), std::max(to.second, from.second)};
  }
  for (const TimedTransfer& transfer : schedule.transfers) {
    if (transfer.to == own) {
      const auto& run = runs[static_cast<std::size_t>(transfer.from)];
      result.part.receives.push_back({transfer.segment, run.first, run.second});
      result.children.push_back(static_cast<int>(transfer.from));
    } else if (transfer.from == own) {
      result.part.sends.push_back(transfer.segment);
      result.parent = static_cast<int>(transfer.to);
    }
  }
  return result;
}

}  // namespace

OperationError::OperationError(int rank, const std::string& text)
    : std::runtime_error(fmt::format("the operation failed on rank {}: {}", rank, text)), rank_(rank) {}

std::string to_string(Overlap overlap) {
  switch (overlap) {
    case Overlap::kThread:
      return "a progress thread";
    case Overlap::kParts:
      return "an operation in parts";
    case Overlap::kNone:
      break;
  }
  return "none by the library";
}

struct Reduction::State : detail::JointJob {
  State(MPI_Comm user, const ReductionSpec& user_spec, const ElementOperation* user_elements,
        ObjectOperation* user_objects);
  ~State() {
    if (unwinding()) give_up();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::uint64_t fingerprint() const;
  void use(const ReductionCosts& measured);
  [[nodiscard]] ReduceProblem problem_with(const ReductionCosts& some) const {
    return problem_of(spec, some, comm.size(), commutative, most_segments);
  }
  /// Plans, and prepares what this rank has to do.
  void prepare();
  void prepare(const ReducePlan& tree);
  /// `part`: of this rank. `crosses_links`: it is to keep the pace of its sends, and to have more of them under way.
  void prepare(PieceProgram part, std::string name, double length, bool crosses_links);
  void prepare_over_platform();
  void make_executor(std::vector<detail::TreeReceive> receives, std::vector<detail::TreeSend> sends,
                     detail::TreeExecutor::Limits limits);
  void measure(const void* own, const void* result);
  void measure(std::span<const std::byte> own);
  void execute(const void* own, void* result);
  void execute(std::span<const std::byte> own, Bytes& result);
  void run_planned(const void* own, void* result);
  void try_both(const void* own, void* result);
  /// Tells every rank whether the operation has thrown somewhere, and throws if so.
  void end(const detail::ObjectReduction::Failure& failure);

  ReductionSpec spec;
  ElementOperation elements;
  std::optional<ObjectOperation> objects;
  bool commutative = true;
  std::int64_t size_bytes = 0;  ///< of one element of the type
  std::int64_t most_segments = 1;
  ReductionCosts costs;
  double planned_length = 0;
  bool crowded = false;
  bool try_native = false;  ///< in the next execution
  std::string method;
  OwnPart own;
  std::unique_ptr<detail::ElementData> element_data;
  std::optional<detail::ObjectReduction> object_data;
  std::optional<detail::ProgressThread> thread;
  std::optional<detail::TreeExecutor> executor;  ///< after planning
};

Reduction::State::State(MPI_Comm user, const ReductionSpec& user_spec, const ElementOperation* user_elements,
                        ObjectOperation* user_objects)
    : JointJob(Communicator(user)), spec(user_spec) {
  std::exception_ptr failure;
  try {
    if (user_elements != nullptr) {
      elements = *user_elements;
      check(elements);
      int commute = 0;
      int size = 0;
      SLUICE_MPI(MPI_Op_commutative(elements.op, &commute));
      SLUICE_MPI(MPI_Type_size(elements.type, &size));
      commutative = commute != 0;
      size_bytes = size;
      most_segments = std::max<std::int64_t>(1, elements.count);
    } else {
      objects = std::move(*user_objects);
      check(*objects);
      commutative = objects->commutative;
      if (spec.segments.value_or(1) > 1)
        throw InputError("segments", fmt::format("{}", *spec.segments), "1 for objects");
    }
    if (spec.root < 0 || spec.root >= comm.size())
      throw InputError("root", fmt::format("{}", spec.root), fmt::format("0 to {}", comm.size() - 1));
    costs = {spec.transfer, spec.compute, spec.transfer_overhead, spec.compute_overhead};
    // Whatever is measured later, it is not what planning refuses.
    const ReductionCosts any = spec.measure ? ReductionCosts{1, 1, 0, 0} : costs;
    if (spec.platform) {
      detail::check_platform_for(spec, comm.size(), objects.has_value(), commutative);
    } else if (spec.algorithm == kReduceScatter) {
      if (objects) throw InputError("algorithm reduce-scatter", "objects", "elements, which can be cut");
      (void)plan_reduce_scatter(problem_with(any), elements.count);
    } else {
      (void)plan_reduce(problem_with(any), {spec.algorithm, spec.arity, false});
    }
    try_native = spec.try_native && !objects && spec.algorithm == "auto" && !spec.segments && !spec.dynamic &&
                 comm.size() > 1 && elements.count > 0;
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree(comm, fingerprint(), failure);
  open_channel("reduction");
  crowded = detail::is_crowded(comm);
  if (!spec.measure) prepare();
}

std::uint64_t Reduction::State::fingerprint() const {
  detail::Fingerprint print;
  print.add(objects ? 1 : 0);
  print.add(elements.count);
  print.add(size_bytes);
  print.add(commutative ? 1 : 0);
  print.add(spec.root);
  for (const double cost : {spec.transfer, spec.compute, spec.transfer_overhead, spec.compute_overhead}) {
    print.add(std::bit_cast<std::int64_t>(cost));
  }
  print.add(spec.measure ? 1 : 0);
  if (spec.platform) print.add(to_json(*spec.platform));
  print.add(spec.algorithm);
  print.add(spec.arity);
  print.add(spec.segments.value_or(-1));
  print.add(spec.try_native ? 1 : 0);
  print.add(spec.dynamic ? 1 : 0);
  print.add(spec.end_together ? 1 : 0);
  return print.value();
}

void Reduction::State::use(const ReductionCosts& measured) {
  costs = measured;
  // Clocks may see nothing of one short operation on one rank.
  if (costs.transfer <= 0 && costs.compute <= 0) costs.compute = 1e-9;
  spec.transfer = costs.transfer;
  spec.compute = costs.compute;
  spec.transfer_overhead = costs.transfer_overhead;
  spec.compute_overhead = costs.compute_overhead;
}

void Reduction::State::prepare() {
  if (spec.platform) {
    prepare_over_platform();
    return;
  }
  const ReduceProblem problem = problem_with(costs);
  const bool asked_for = spec.algorithm == kReduceScatter;
  const bool may_be_better =
      !objects && spec.algorithm == "auto" && problem.segments == 0 && commutative && !spec.dynamic && comm.size() > 1;
  if (asked_for || may_be_better) {
    ReductionProgram pieces = plan_reduce_scatter(problem, elements.count);
    if (asked_for || pieces.length < plan_reduce(problem, {spec.algorithm, spec.arity, false}).schedule.length) {
      prepare(std::move(pieces.machines[static_cast<std::size_t>(comm.rank())]), pieces.method, pieces.length, false);
      return;
    }
  }
  prepare(plan_reduce(problem, {spec.algorithm, spec.arity, true}));
}

void Reduction::State::prepare_over_platform() {
  detail::OwnPieces pieces = detail::pieces_over_platform(comm, spec, elements.count, size_bytes);
  prepare(std::move(pieces.part), std::move(pieces.method), pieces.length_s, true);
}

void Reduction::State::prepare(PieceProgram part, std::string name, double length, bool crosses_links) {
  planned_length = length;
  method = std::move(name);
  own.part.rank = comm.rank();
  auto data = std::make_unique<detail::PieceReduction>(elements, std::move(part), comm.rank() == spec.root);
  std::vector<detail::TreeReceive> receives;
  std::int64_t longest = 0;
  for (const PieceReceive& receive : data->program().receives) {
    longest = std::max(longest, receive.end - receive.begin);
    receives.push_back({static_cast<int>(receive.from), receive.end - receive.begin, receive.combine});
    if (std::ranges::find(own.children, receives.back().from) == own.children.end())
      own.children.push_back(receives.back().from);
  }
  std::vector<detail::TreeSend> sends;
  for (std::size_t i = 0; i < data->program().sends.size(); ++i) {
    const PieceSend& send = data->program().sends[i];
    detail::TreeSend each;
    each.to = static_cast<int>(send.to);
    each.count = send.end - send.begin;
    each.after = data->awaited(i);
    each.port_s = send.port_s;
    each.connection_s = send.connection_s;
    sends.push_back(std::move(each));
  }
  element_data = std::move(data);
  detail::TreeExecutor::Limits limits;
  limits.ahead = kPartsAhead;
  limits.sends = kPartsSent;
  if (crosses_links) {
    const std::int64_t fit = kBytesAhead / std::max<std::int64_t>(1, longest * size_bytes);
    limits.receives = limits.ahead = static_cast<int>(std::clamp<std::int64_t>(fit, 2, kPiecesAhead));
    limits.sends = 1;
    limits.overtake = true;
    limits.keep_pace = detail::kSimulated;  // queues of the network do not exist there
  }
  make_executor(std::move(receives), std::move(sends), limits);
}

void Reduction::State::prepare(const ReducePlan& tree) {
  planned_length = tree.schedule.length;
  own = own_part(tree.schedule, comm.rank());
  const ReductionPart& part = own.part;
  method = fmt::format("{} tree", spec.algorithm == "auto" ? "best" : spec.algorithm);
  if (part.segments > 1) method += fmt::format(", {} parts", part.segments);
  std::function<std::int64_t(std::int64_t)> elements_of;
  if (objects) {
    object_data.emplace(std::move(*objects), part);
    elements_of = [](std::int64_t) { return detail::kAnyCount; };
  } else {
    auto data = std::make_unique<detail::ElementReduction>(elements, part);
    elements_of = [of = data.get()](std::int64_t segment) { return of->count(segment); };
    element_data = std::move(data);
  }
  std::vector<detail::TreeReceive> receives;
  for (std::size_t i = 0; i < own.children.size(); ++i) {
    receives.push_back({own.children[i], elements_of(part.receives[i].segment), true});
  }
  std::vector<detail::TreeSend> sends;
  for (const std::int64_t segment : part.sends) {
    detail::TreeSend send;
    send.to = own.parent;
    send.count = elements_of(segment);
    send.connection_s = 0;
    for (std::size_t i = 0; i < part.receives.size(); ++i) {
      if (part.receives[i].segment == segment) send.after.push_back(i);
    }
    sends.push_back(std::move(send));
  }
  detail::TreeExecutor::Limits limits;
  if (part.segments > 1) {
    limits.ahead = kPartsAhead;
    limits.sends = kPartsSent;
  }
  limits.any_order = spec.dynamic;
  make_executor(std::move(receives), std::move(sends), limits);
}

void Reduction::State::make_executor(std::vector<detail::TreeReceive> receives, std::vector<detail::TreeSend> sends,
                                     detail::TreeExecutor::Limits limits) {
  if (!object_data) limits.type = elements.type;
  limits.may_sleep = crowded;
  if (spec.progress_thread && detail::ProgressThread::possible() && !receives.empty()) thread.emplace();
  executor.emplace(comm.get(), *channel, std::move(receives), std::move(sends), limits, thread ? &*thread : nullptr);
}

// ---- measuring

void Reduction::State::measure(const void* mine, const void* result) {
  const void* const from = mine == MPI_IN_PLACE ? result : mine;
  // Each as if the elements had just come; what combining has made of them might cost more or less.
  const ElementCopy copy(elements, from);
  const std::int64_t extent = detail::ElementLayout(elements.type).extent;
  const auto combine = [&](std::int64_t parts) {
    const std::int64_t count = (elements.count + parts - 1) / parts;
    for (std::int64_t at = 0; at < count; at += 1 << 30) {
      const auto some = static_cast<int>(std::min<std::int64_t>(1 << 30, count - at));
      SLUICE_MPI(MPI_Reduce_local(static_cast<const std::byte*>(from) + at * extent, copy.first() + at * extent, some,
                                  elements.type, elements.op));
    }
  };
  use(detail::measure_costs(comm, checked::multiply(elements.count, size_bytes, "bytes"), most_segments > 1, combine));
}

void Reduction::State::measure(std::span<const std::byte> mine) {
  // Ranks may have objects of different sizes, but the message that is timed has one.
  const std::int64_t bytes = detail::largest(static_cast<std::int64_t>(mine.size()), comm);
  // Another rank's object: an operation may be much faster on two that are equal.
  constexpr int kTag = 3;
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const int peer = detail::measuring_peer(comm);
  const auto swap = [&](const void* out, std::int64_t out_bytes, void* in, std::int64_t in_bytes) {
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    SLUICE_MPI(MPI_Irecv(in, static_cast<int>(in_bytes), MPI_BYTE, peer, kTag, comm.get(), &receive));
    SLUICE_MPI(MPI_Isend(out, static_cast<int>(out_bytes), MPI_BYTE, peer, kTag, comm.get(), &request));
    detail::wait_for(request);
    detail::wait_for(receive);
  };
  Bytes theirs;
  if (peer != MPI_PROC_NULL && bytes <= kMost) {
    const auto own_size = static_cast<std::int64_t>(mine.size());
    std::int64_t size = 0;
    swap(&own_size, sizeof own_size, &size, sizeof size);
    theirs.resize(static_cast<std::size_t>(size));
    swap(mine.data(), own_size, theirs.data(), size);
  } else {
    theirs.assign(mine.begin(), mine.end());
  }
  const bool first = comm.rank() < peer;
  Bytes result;
  use(detail::measure_costs(comm, bytes, false, [&](std::int64_t /*parts*/) {
    result.clear();
    try {
      objects->combine(first ? mine : theirs, first ? theirs : mine, result);
    } catch (...) {
      // If it matters it is thrown again when it counts, and is reported then.
      result.clear();
    }
  }));
}

// ---- executing

void Reduction::State::execute(const void* mine, void* result) {
  refuse_if_given_up("reduction");
  const bool root = comm.rank() == spec.root;
  try {
    if (objects || object_data) throw InputError("execute", "elements", "objects, which this job is for");
    if (elements.count > 0 && (mine == nullptr || (root && result == nullptr)))
      throw InputError(mine == nullptr ? "own" : "result", "a null pointer", "room for the elements");
    if (!root && mine == MPI_IN_PLACE) throw InputError("own", "MPI_IN_PLACE", "it on the root only");
    if (method.empty()) {
      measure(mine, result);
      prepare();
    }
    if (try_native) {
      try_native = false;
      try_both(mine, result);
    } else if (!executor) {
      detail::reduce_by_mpi(mine, result, elements, spec.root, comm.get());
    } else {
      run_planned(mine, result);
    }
  } catch (...) {
    give_up();
    throw;
  }
}

void Reduction::State::run_planned(const void* mine, void* result) {
  element_data->use(mine, result);
  executor->execute(*element_data);
  element_data->finish();
}

void Reduction::State::try_both(const void* mine, void* result) {
  // The first of them takes the place of what is in the result.
  std::optional<ElementCopy> copy;
  if (mine == MPI_IN_PLACE) mine = copy.emplace(elements, result).first();
  const auto native = [&] { detail::reduce_by_mpi(mine, result, elements, spec.root, comm.get()); };
  if (!detail::try_native(
           comm, [&] { run_planned(mine, result); }, native)
           .native_is_faster())
    return;
  native();
  method = kNative;
  executor.reset();
  thread.reset();
  element_data.reset();
  own = {};
}

void Reduction::State::execute(std::span<const std::byte> mine, Bytes& result) {
  refuse_if_given_up("reduction");
  try {
    if (!objects && !object_data) throw InputError("execute", "objects", "elements, which this job is for");
    if (method.empty()) {
      measure(mine);
      prepare();
    }
    object_data->use(mine);
    executor->execute(*object_data);
  } catch (...) {
    give_up();
    throw;
  }
  const detail::ObjectReduction::Failure& failure = object_data->failure();
  end(failure);
  if (comm.rank() == spec.root) object_data->take(result);
}

void Reduction::State::end(const detail::ObjectReduction::Failure& failure) {
  struct Verdict {
    std::int64_t rank = -1;
    std::array<char, 504> text{};
  };
  Verdict verdict;
  verdict.rank = failure.rank;
  failure.text.copy(verdict.text.data(), verdict.text.size() - 1);
  if (spec.end_together && comm.size() > 1) {
    try {
      MPI_Request request = MPI_REQUEST_NULL;
      SLUICE_MPI(MPI_Ibcast(&verdict, sizeof verdict, MPI_BYTE, spec.root, comm.get(), &request));
      int done = 0;
      for (detail::Patience patience(crowded); done == 0; patience.look_again()) {
        SLUICE_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
#ifndef SMPI_H
        if (done == 0) (void)channel->poll();
#endif
      }
    } catch (...) {
      give_up();
      throw;
    }
  }
  if (verdict.rank < 0 && failure.rank < 0) return;
  if (failure.own) std::rethrow_exception(failure.own);
  throw OperationError(static_cast<int>(verdict.rank), verdict.text.data());
}

// ---- Reduction

Reduction::Reduction(MPI_Comm comm, const ReductionSpec& spec, const ElementOperation& operation)
    : state_(std::make_unique<State>(comm, spec, &operation, nullptr)) {}

Reduction::Reduction(MPI_Comm comm, const ReductionSpec& spec, ObjectOperation operation)
    : state_(std::make_unique<State>(comm, spec, nullptr, &operation)) {}

Reduction::~Reduction() = default;
Reduction::Reduction(Reduction&&) noexcept = default;
Reduction& Reduction::operator=(Reduction&&) noexcept = default;

void Reduction::execute(const void* own, void* result) { state_->execute(own, result); }

void Reduction::execute(std::span<const std::byte> own, Bytes& result) { state_->execute(own, result); }

const ReductionSpec& Reduction::spec() const { return state_->spec; }

double Reduction::planned_length() const { return state_->planned_length; }

std::int64_t Reduction::segments() const { return state_->method.empty() ? 0 : state_->own.part.segments; }

const std::string& Reduction::method() const { return state_->method; }

bool Reduction::native() const { return state_->method == kNative; }

std::int64_t Reduction::children() const {
  return static_cast<std::int64_t>(state_->own.children.size()) / state_->own.part.segments;
}

Overlap Reduction::overlap() const {
  if (state_->spec.progress_thread && detail::ProgressThread::possible()) return Overlap::kThread;
  return state_->most_segments > 1 ? Overlap::kParts : Overlap::kNone;
}

std::int64_t Reduction::peak_extra_bytes() const {
  if (state_->element_data) return state_->element_data->held_bytes();
  return state_->object_data ? state_->object_data->held_bytes() : 0;
}

}  // namespace sluice::mpi
