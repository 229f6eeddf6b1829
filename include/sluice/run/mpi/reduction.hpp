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
#include "sluice/run/mpi/element_operation.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi {

namespace detail {

/// Constructs new elements without a value. A vector would set them to 0, although they are about to be written.
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

/// Holds an object as the bytes that travel, aligned for any type. resize() does not clear what it adds.
using Bytes = std::vector<std::byte, detail::UninitializedAllocator<std::byte>>;

/// Describes an operation on objects of any size, such as sets, sketches or numbers of many digits.
struct ObjectOperation {
  /// Combines `left` with `right` and writes to `result`, which is empty at the call. If the operation does not
  /// commute, `left` is of lower ranks than `right`. If it throws, execute throws the same exception on that rank, and
  /// JobError on the others.
  std::function<void(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result)> combine;
  bool commutative = true;  ///< if false, objects are combined in the order of the ranks
};

/// Gives the costs of a reduction, all in one unit of time. If elements are cut into parts, each part costs the
/// overhead, however short it is.
struct ReductionCosts {
  double transfer = 1;           ///< d: cost of sending all elements from one rank to another
  double compute = 1;            ///< c: cost of combining the elements of two ranks; d and c must not both be 0
  double transfer_overhead = 0;  ///< of each part of a transfer, 0 to `transfer`
  double compute_overhead = 0;   ///< of each part that is combined, 0 to `compute`

  bool operator==(const ReductionCosts&) const = default;
};

/// Sets how a reduction is planned and executed. Every rank must give the same options.
struct ReductionOptions {
  /// Gives the costs to plan with. If left out, the plan uses usual costs for the number of bytes, or measured ones.
  /// Between hosts, without `costs`, two kinds of reductions are planned over a network:
  ///
  ///  - Reductions of 32 KiB and more by an operation of MPI's own, if `reproducible` is false. They use the measured
  ///    network (sluice/run/mpi/network.hpp) as if it were given as `platform`.
  ///  - Other reductions by operations that commute use a typical network: 1 Gbit/s, and each message costs as much as
  ///    4 KiB. So measurements do not decide the order of combining.
  ///
  /// Both are limited to 1000 ranks, and to 8 hosts if some hosts have several ranks.
  std::optional<ReductionCosts> costs = std::nullopt;
  /// Measures the costs, in seconds, in the first execution, on its elements, and then plans.
  bool measure = false;

  /// Gives a network of clusters with as many ranks as the communicator. For elements, the plan is the shortest of a
  /// reversed broadcast over it and other programs (plan_costly_reduction in sluice/plan/broadcast.hpp).
  ///
  ///  - Algorithm and segments have the meaning that they have for broadcasts. Either of them asks for a reversed
  ///    broadcast. The algorithm may also be the name of another program (kReductionPrograms in
  ///    sluice/plan/registry.hpp).
  ///  - If the operation does not commute, the algorithm must be "auto" or a program that keeps the order of the ranks.
  ///  - The platform replaces the costs of transfers: `costs` may hold `compute` alone, in seconds, and `measure`
  ///    measures that. Without either, combining is planned as if it were free.
  ///
  /// Objects stay whole. The first execution measures the time to combine two objects, and their bytes. The tree is
  /// then the shorter of two in the replay over the platform. One is of plan_reduce, by the transfer costs for objects
  /// of this size (transfer_costs_over in sluice/plan/reduce.hpp). The other is of plan_costly_reduction. An algorithm
  /// is one of plan_reduce.
  std::optional<Platform> platform = std::nullopt;
  /// Limits the search over a platform or the measured network, as in BroadcastOptions, or in ReduceOptions for
  /// objects.
  double effort = 1;
  /// Executes this program of problem "reduce" (see read_program) instead of planning one. Needs the same number of
  /// elements of the same size. For elements only, without a platform, costs and options of plans; MPI_Ireduce is not
  /// tried.
  std::optional<Program> program = std::nullopt;
  /// Names an algorithm that plan_reduce knows, or, for elements and a commutative operation, "reduce-scatter"
  /// (sluice/plan/reduce_scatter.hpp). "auto" takes the fastest by the costs.
  std::string algorithm = "auto";
  std::int64_t arity = 4;  ///< children of each rank for "k-ary"
  /// Number of parts that each rank's elements are cut into, 0 to `count`; they go through the tree one after another.
  /// 0 takes the best number by the costs, at most 256, or reduce-scatter if that is faster. Objects are not cut. If
  /// left out: 0 if the cost of a part is known, otherwise 1.
  std::optional<std::int64_t> segments = std::nullopt;

  /// Makes results equal to the last bit in every job with the same arguments on ranks that are placed alike; for
  /// elements. Neither measured costs nor a trial of MPI_Ireduce then decide the order of combining. If left out: false
  /// with `measure` or `dynamic`, and for integers with an operation of MPI's own, because their order does not matter;
  /// otherwise true.
  std::optional<bool> reproducible = std::nullopt;
  /// Compares the plan with MPI_Ireduce, for elements with "auto" and no number of parts. The two alternate in the
  /// first executions. From the ninth execution on, the job uses whichever was faster on the slowest rank. Between
  /// hosts it chooses again when executions of 1 ms or more change by a factor of 1.3 (docs/explanation/run.md). No
  /// effect if `reproducible`.
  bool try_native = true;

  /// Combines in trees what has arrived first instead of what the plan has first.
  bool dynamic = false;
  bool progress_thread = true;  ///< uses a progress thread if MPI allows it
  /// Lets no rank return before the root has the result; for objects. An exception of the operation then reaches every
  /// rank in the same execution. If false, a rank returns when it has sent its part, and learns of the exception in its
  /// next call.
  bool end_together = true;
};

/// Says what moves messages while an operation is running.
enum class Overlap {
  kThread,  ///< uses a thread that drives MPI; needs MPI_THREAD_MULTIPLE
  kParts,   ///< applies the operation to 256 KiB at a time, and drives MPI in between
  kNone,    ///< moves messages by the network alone
};
/// Returns the text for people: "a progress thread", "an operation in parts", "none by the library".
[[nodiscard]] std::string to_string(Overlap overlap);

/// Says which method executes a reduction, and how long it takes.
struct ReductionSummary {
  /// Names the method: "best tree", "flat tree, 12 parts", "reduce-scatter", "MPI_Ireduce". It is "" before the first
  /// execution has measured.
  std::string method;
  /// Gives the time that the model predicts, in the unit of the costs, or in seconds over a platform or the measured
  /// network. It is 0 for MPI_Ireduce, which has no model, over a network of assumed speeds, and before costs are
  /// known.
  double length = 0;
  ReductionCosts costs;       ///< given, usual or measured costs
  std::int64_t segments = 1;  ///< number of parts
  std::int64_t children = 0;  ///< number of ranks that send to this one
  bool native = false;        ///< says that MPI_Ireduce executes the reduction
  double predicted_s = 0;     ///< predicted seconds over a platform or the measured network; 0 if the plan uses neither
  double planned_s = 0;       ///< measured time of the plan on the slowest rank, if MPI_Ireduce was tried
  double native_s = 0;        ///< measured time of MPI_Ireduce
  /// Gives the rule that chose the method: "less than 32 KiB between hosts: by a tree for usual costs". It is "" if the
  /// user chose, or if measured times decided.
  std::string rule = {};
};

/// Returns the summary as one line of text: "chain, 32 parts; the plan took 98.2 ms, MPI_Ireduce 265 ms".
[[nodiscard]] std::string to_text(const ReductionSummary& summary);

/// Combines the elements of all ranks on the root, planned once and executed any number of times, in place of
/// MPI_Reduce. It uses the tree that is best if transfers overlap with combining (sluice/plan/reduce.hpp):
///
///     sluice::mpi::ElementReduction job(comm, {count, MPI_DOUBLE, MPI_SUM}, root);
///     job.execute(mine, result);
///
/// Construction and execution are collective. Each rank makes the whole plan by itself, and all get equal plans; over a
/// platform rank 0 plans for all. MPI_THREAD_FUNNELED is enough. With MPI_THREAD_MULTIPLE a progress thread moves
/// messages while a long operation is running.
///
/// Memory beyond the user's, in sizes of a rank's elements:
///
///  - A rank that only sends holds nothing.
///  - A rank that combines holds 2. With parts, it holds up to four parts that are on their way to it, and those that
///    it has not yet sent.
///  - The root holds 1, because it receives into the result.
///  - Reduce-scatter needs up to 1.5, or 2.5 on the root if its elements are in the result.
///  - Over a platform, a rank other than the root holds what it has combined so far. Every rank holds up to 8 MiB, or
///    two messages, that wait for their turn.
///
/// Failure: docs/explanation/failure.md, as for all jobs.
class ElementReduction {
 public:
  /// Makes the job. Collective over `comm`.
  ///
  ///  - `comm`: an intracommunicator
  ///  - `operation`: number, type and operation of the elements
  ///  - `root`: the rank that gets the result, 0 to ranks - 1
  ///  - `options`: equal on all ranks
  ///
  /// Throws InputError on every rank if an argument is bad on any rank, or differs between ranks.
  ElementReduction(MPI_Comm comm, const ElementOperation& operation, int root = 0,
                   const ReductionOptions& options = {});
  /// Destroys the job; needs no communication. During an execution, or while an exception passes, it makes the other
  /// ranks throw JobError.
  ~ElementReduction();
  ElementReduction(ElementReduction&&) noexcept;
  ElementReduction& operator=(ElementReduction&&) noexcept;
  ElementReduction(const ElementReduction&) = delete;
  ElementReduction& operator=(const ElementReduction&) = delete;

  /// Combines the elements. Collective; a rank returns when it has sent its part.
  ///
  ///  - `own`: this rank's elements; on the root it may be MPI_IN_PLACE, and `result` then holds them
  ///  - `result`: room for the result, written on the root only; must not overlap `own`
  ///
  /// Throws InputError for a null pointer; MpiError; JobError.
  void execute(const void* own, void* result);
  /// Starts an execution and returns; wait() or test() ends it. Arguments are as for execute(); the memory must stay
  /// until wait() returns or test() returns true. If costs are measured, start() waits for the other ranks in the first
  /// execution.
  void start(const void* own, void* result);
  /// Advances the execution without waiting. Returns true if it has ended, or if none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Waits until the execution has ended; returns at once if none was started. Throws MpiError, JobError.
  void wait();

  /// Makes the other ranks throw JobError in this execution instead of waiting for this rank. Call it if this rank
  /// cannot prepare the arguments, because of `why`. The job cannot be used afterwards.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Returns true if the job has chosen between the plan and MPI_Ireduce. See ReductionOptions::try_native.
  [[nodiscard]] bool settled() const;
  /// Returns what executes the reduction. The reference is valid as long as the job; an execution may change the
  /// summary.
  [[nodiscard]] const ReductionSummary& summary() const;
  /// Returns summary() as one line of text.
  [[nodiscard]] std::string explanation() const { return to_text(summary()); }
  /// Returns what moves messages while ranks combine.
  [[nodiscard]] Overlap overlap() const;
  /// Returns the most bytes of buffers that this rank has held beyond the user's so far.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Combines one object of each rank on the root. Objects have any size, such as sets, sketches or numbers of many
/// digits:
///
///     sluice::mpi::ObjectReduction job(comm, {merge_sets}, root, {.measure = true});
///     job.execute(mine, result);
///
/// It is used like ElementReduction. Memory: the object combined so far, the next object, and the result of the two.
class ObjectReduction {
 public:
  /// Makes the job. Collective over `comm`, as the constructor of ElementReduction.
  ObjectReduction(MPI_Comm comm, const ObjectOperation& operation, int root = 0, const ReductionOptions& options = {});
  ~ObjectReduction();
  ObjectReduction(ObjectReduction&&) noexcept;
  ObjectReduction& operator=(ObjectReduction&&) noexcept;
  ObjectReduction(const ObjectReduction&) = delete;
  ObjectReduction& operator=(const ObjectReduction&) = delete;

  /// Combines the objects. Collective.
  ///
  ///  - `own`: this rank's object
  ///  - `result`: written on the root only; may have any size before
  ///
  /// Throws the exception of the operation on the rank where it was thrown, and JobError on the others; MpiError.
  void execute(std::span<const std::byte> own, Bytes& result);
  /// Starts an execution, as ElementReduction::start().
  void start(std::span<const std::byte> own, Bytes& result);
  /// Advances the execution without waiting, as ElementReduction::test().
  [[nodiscard]] bool test();
  /// Waits until the execution has ended, as ElementReduction::wait().
  void wait();

  /// Returns what executes the reduction, as ElementReduction::summary().
  [[nodiscard]] const ReductionSummary& summary() const;
  /// Returns summary() as one line of text.
  [[nodiscard]] std::string explanation() const { return to_text(summary()); }
  /// Returns what moves messages while ranks combine.
  [[nodiscard]] Overlap overlap() const;
  /// Returns the most bytes of buffers that this rank has held beyond the user's so far.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
