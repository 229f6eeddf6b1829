#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi {

namespace detail {

/// Leaves new elements as they are where a vector would set them to 0: they are about to be written.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
  }
};

}  // namespace detail

/// An object in the form in which it travels, aligned for any type. resize() does not clear what it adds.
using Bytes = std::vector<std::byte, detail::UninitializedAllocator<std::byte>>;

/// What MPI_Reduce takes: every rank has `count` elements of `type`, and the i-th ones of all are combined by `op`.
/// Type and operation must last as long as the job. Ranks compare those of MPI's own; of others they cannot tell
/// whether they are the same.
struct ElementOperation {
  std::int64_t count = 0;                 ///< at least 0; may be beyond 2^31
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< committed
  MPI_Op op = MPI_OP_NULL;                ///< must not throw; one of MPI's own must be defined for the type
};

/// An operation on objects of any size, such as sets, sketches or numbers of many digits.
struct ObjectOperation {
  /// Writes `left` combined with `right` to `result`, which comes empty. `left` is of lower ranks than `right` if the
  /// operation does not commute. What it throws, execute throws on that rank, and JobError on the others.
  std::function<void(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result)> combine;
  bool commutative = true;  ///< else objects are combined in the order of the ranks
};

/// What a reduction costs, all in the same unit of time. Where elements are cut into parts, an overhead is what each
/// part costs however short it is.
struct ReductionCosts {
  double transfer = 1;           ///< d: to send all elements from one rank to another
  double compute = 1;            ///< c: to combine the elements of two ranks; d and c must not both be 0
  double transfer_overhead = 0;  ///< at least 0, at most `transfer`
  double compute_overhead = 0;   ///< at least 0, at most `compute`

  bool operator==(const ReductionCosts&) const = default;
};

/// How to plan a reduction and carry it out. Every rank must give the same options.
struct ReductionOptions {
  /// If left out, the plan uses usual costs for that number of bytes, or measured ones. Between hosts, reductions of 32
  /// KiB and more by an operation of MPI's own, whose result need not be `reproducible`, are planned over the measured
  /// network (sluice/run/mpi/network.hpp) as if it were given as `platform`, and others by operations that commute over
  /// a network as it usually is (1 Gbit/s, a message taking as long as 4 KiB do), so that measurements do not decide
  /// the order of combining: for at most 1000 ranks, and for at most 8 nodes if some nodes have several ranks.
  std::optional<ReductionCosts> costs = std::nullopt;
  /// The first execution measures the costs, in seconds, on the elements that it is given, and then plans.
  bool measure = false;

  /// A network of clusters with as many ranks as the communicator. The plan is the shortest of a broadcast over it the
  /// other way round and other programs (plan_costly_reduction in sluice/plan/broadcast.hpp).
  /// Algorithm and segments are those of broadcasts then, and either of them asks for a broadcast the other way round;
  /// or the algorithm is one of such programs (kReductionPrograms in sluice/plan/registry.hpp). For an operation that
  /// does not commute it is "auto" or a program that keeps the order of the ranks. It takes the place of the costs of
  /// transfers: `costs` may hold `compute` alone, in seconds, and `measure` measures that; without either, combining is
  /// planned as if it were free.
  ///
  /// Objects stay whole: the first execution measures what combining two takes and how many bytes they have, and the
  /// tree is the shorter, by the replay over the platform, of two: one of plan_reduce by the transfer costs that
  /// objects of so many bytes have (transfer_costs_over in sluice/plan/reduce.hpp), and one of plan_costly_reduction.
  /// An algorithm is one of plan_reduce.
  std::optional<Platform> platform = std::nullopt;
  double effort = 1;  ///< over a platform or the measured network, as in BroadcastOptions, or ReduceOptions for objects
  /// A program of "reduce" to carry out instead of planning one, such as read_program gives it, of as many elements of
  /// the same size. For elements, without a platform, costs and options of plans; MPI_Ireduce is not tried.
  std::optional<Program> program = std::nullopt;
  /// A name that plan_reduce knows, or, for elements and a commutative operation, "reduce-scatter"
  /// (sluice/plan/reduce_scatter.hpp). "auto" takes the fastest by the costs.
  std::string algorithm = "auto";
  std::int64_t arity = 4;  ///< of "k-ary"
  /// Number of parts that each rank's elements are cut into, at most `count`; they go through the tree one after the
  /// other. 0: the best number by the costs, at most 256, or reduce-scatter if that is faster. Objects are not cut. If
  /// left out: 0 where the cost of a part is known, else 1.
  std::optional<std::int64_t> segments = std::nullopt;

  /// Elements: results are the same to the last bit in every job with the same arguments on ranks that are placed
  /// alike, because neither measured costs nor a trial of MPI_Ireduce decide the order of combining. Unless given:
  /// false with `measure` or `dynamic`, and for integers with an operation of MPI's own, whose order does not matter;
  /// else true.
  std::optional<bool> reproducible = std::nullopt;
  /// For elements with "auto" and no number of parts: MPI_Ireduce may carry out executions instead. The two take turns
  /// in the first executions, and from the ninth on the one is used that was faster on the slowest rank. Between nodes
  /// the choice is made again when executions of 1 ms or more change by a factor of 1.3 (docs/explanation/run.md).
  /// Without effect if `reproducible`.
  bool try_native = true;

  /// In trees, combine what has arrived first instead of what the plan has first.
  bool dynamic = false;
  bool progress_thread = true;  ///< use a progress thread where MPI allows it
  /// For objects: no rank returns before the root has the result, so that an exception of the operation reaches every
  /// rank in the same execution. If false, a rank returns when it has sent its part, and learns of the exception in its
  /// next call.
  bool end_together = true;
};

/// What moves messages while an operation is running.
enum class Overlap {
  kThread,  ///< a thread that drives MPI; it needs MPI_THREAD_MULTIPLE
  kParts,   ///< the operation is applied to 256 KiB at a time, and MPI is driven in between
  kNone,    ///< nothing but the network itself
};
/// "a progress thread", "an operation in parts", "none by the library".
[[nodiscard]] std::string to_string(Overlap overlap);

/// What a reduction does.
struct ReductionSummary {
  /// What carries it out: "best tree", "flat tree, 12 parts", "reduce-scatter", "MPI_Ireduce"; "" before the first
  /// execution has measured.
  std::string method;
  /// The time that its model predicts, in the unit of the costs, or in seconds over a platform or the measured network.
  /// 0 for MPI_Ireduce, which has no model, over a network whose speeds are assumed, and before costs are known.
  double length = 0;
  ReductionCosts costs;       ///< as given, usual or measured
  std::int64_t segments = 1;  ///< parts
  std::int64_t children = 0;  ///< ranks that send to this one
  bool native = false;        ///< MPI_Ireduce carries it out
  double predicted_s = 0;     ///< by a platform or the measured network; 0 where the plan is by neither
  double planned_s = 0;       ///< measured, if MPI_Ireduce was tried: on the slowest rank
  double native_s = 0;        ///< the same, by MPI_Ireduce
};

/// The summary in one line of text: "chain, 32 parts; the plan took 98.2 ms, MPI_Ireduce 265 ms".
[[nodiscard]] std::string to_text(const ReductionSummary& summary);

/// The job of combining the elements of all ranks, planned once and executed as often as you like, by the tree that is
/// best where transfers overlap with combining (sluice/plan/reduce.hpp):
///
///     sluice::mpi::ElementReduction job(comm, {count, MPI_DOUBLE, MPI_SUM}, root);
///     job.execute(mine, result);
///
/// in place of MPI_Reduce. Construction and execution are collective. Each rank makes the plan by itself, and all make
/// the same one; over a platform rank 0 plans for all. MPI_THREAD_FUNNELED is enough; with MPI_THREAD_MULTIPLE a
/// progress thread moves messages while a long operation is running.
///
/// Memory beyond the user's, in sizes of a rank's elements: a rank that only sends holds nothing. A rank that combines
/// holds 2; with parts, up to four parts that are on their way to it, and those that it has not yet passed on. The root
/// holds 1, as it receives into the result. Reduce-scatter needs up to 1.5, on the root 2.5 if its elements are in the
/// result. Over a platform, a rank other than the root holds what it has combined so far, and every rank up to 8 MiB,
/// or two messages, that wait for their turn.
///
/// Failure: docs/explanation/failure.md, the same for all jobs.
class ElementReduction {
 public:
  /// Collective over `comm`, an intracommunicator. Throws InputError on every rank if an argument is bad on any rank,
  /// or differs between ranks.
  ElementReduction(MPI_Comm comm, const ElementOperation& operation, int root = 0,
                   const ReductionOptions& options = {});
  /// Local. While an exception passes, or during an execution, it makes the other ranks throw.
  ~ElementReduction();
  ElementReduction(ElementReduction&&) noexcept;
  ElementReduction& operator=(ElementReduction&&) noexcept;
  ElementReduction(const ElementReduction&) = delete;
  ElementReduction& operator=(const ElementReduction&) = delete;

  /// `own` is this rank's elements, which on the root may be MPI_IN_PLACE: they are in `result` then. `result` is
  /// written on the root only; the two must not overlap. Collective; a rank is done when it has sent its part.
  ///
  /// Throws InputError for a null pointer, MpiError, JobError.
  void execute(const void* own, void* result);
  /// The same in parts: the memory must stay until wait() returns or test() says true. Where costs are measured,
  /// start() waits for the others in the first execution.
  void start(const void* own, void* result);
  /// Goes on with the execution without waiting. True where it has ended, or none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Returns when the execution has ended; at once where none was started. Throws MpiError, JobError.
  void wait();

  /// For a caller that cannot prepare the arguments of an execution, because of `why`: the other ranks throw in this
  /// execution instead of waiting for this rank. The job is of no further use.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Whether the choice between the plan and MPI_Ireduce has been made: see ReductionOptions::try_native.
  [[nodiscard]] bool settled() const;
  /// What carries it out. Lasts as long as the job; an execution may change it.
  [[nodiscard]] const ReductionSummary& summary() const;
  /// The same in one line of text.
  [[nodiscard]] std::string explanation() const { return to_text(summary()); }
  /// What moves messages while ranks combine.
  [[nodiscard]] Overlap overlap() const;
  /// Bytes of buffers that this rank holds beyond the user's: the most so far.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for objects of any size, such as sets, sketches or numbers of many digits:
///
///     sluice::mpi::ObjectReduction job(comm, {merge_sets}, root, {.measure = true});
///     job.execute(mine, result);
///
/// Memory: what was combined so far, the next object and the result of the two.
class ObjectReduction {
 public:
  /// Collective over `comm`, as the constructor of ElementReduction.
  ObjectReduction(MPI_Comm comm, const ObjectOperation& operation, int root = 0, const ReductionOptions& options = {});
  ~ObjectReduction();
  ObjectReduction(ObjectReduction&&) noexcept;
  ObjectReduction& operator=(ObjectReduction&&) noexcept;
  ObjectReduction(const ObjectReduction&) = delete;
  ObjectReduction& operator=(const ObjectReduction&) = delete;

  /// `result` is written on the root only, and may be of any size before. Throws what the operation throws, on that
  /// rank, JobError on the others, MpiError.
  void execute(std::span<const std::byte> own, Bytes& result);
  /// As ElementReduction::start().
  void start(std::span<const std::byte> own, Bytes& result);
  /// As ElementReduction::test().
  [[nodiscard]] bool test();
  /// As ElementReduction::wait().
  void wait();

  /// As ElementReduction::summary().
  [[nodiscard]] const ReductionSummary& summary() const;
  /// As ElementReduction::explanation().
  [[nodiscard]] std::string explanation() const { return to_text(summary()); }
  /// As ElementReduction::overlap().
  [[nodiscard]] Overlap overlap() const;
  /// As ElementReduction::peak_extra_bytes().
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
