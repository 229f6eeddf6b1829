#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sluice/input/platform.hpp"

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
/// Type and operation must last as long as the job.
struct ElementOperation {
  std::int64_t count = 0;                 ///< at least 0; may be beyond 2^31
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< committed
  MPI_Op op = MPI_OP_NULL;                ///< must not throw
};

/// An operation on objects of any size, such as sets, sketches or numbers of many digits.
struct ObjectOperation {
  /// Writes `left` combined with `right` to `result`, which comes empty. `left` is of lower ranks than `right`. What it
  /// throws reaches all ranks.
  std::function<void(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result)> combine;
  bool commutative = true;  ///< else objects are combined in the order of the ranks
};

/// How to plan a reduction and carry it out. Every rank must give the same.
struct ReductionSpec {
  int root = 0;  ///< who gets the result

  double transfer = 1;  ///< d: of a whole element, in any unit
  double compute = 1;   ///< c: of a combination, in the same unit; not both 0
  /// What of `transfer` and `compute` does not shrink with the part, if elements are cut into parts.
  double transfer_overhead = 0;
  double compute_overhead = 0;
  /// The first execution measures all four, in seconds, with what it is given, and plans then.
  bool measure = false;

  /// A network of clusters, of as many ranks: the plan is a broadcast over it the other way round
  /// (plan_reversed_broadcast in sluice/plan/broadcast.hpp), whose algorithms and segments are asked for then, and the
  /// costs, which are not looked at, must not be measured. For elements and a commutative operation.
  std::optional<Platform> platform = std::nullopt;
  /// As for plan_reduce, or "reduce-scatter" (sluice/plan/reduce_scatter.hpp), for elements and a commutative operation
  /// only. "auto": what takes least by the costs.
  std::string algorithm = "auto";
  std::int64_t arity = 4;  ///< of "k-ary"
  /// Parts that each rank's elements are cut into, which go through the tree one behind the other, at most `count`; 0:
  /// as many as are best by the four costs, 256 at most, or reduce-scatter if that is better yet. Objects are not cut.
  /// Unless given: 0 where it is known what a part costs, as with `measure` or a `transfer_overhead`, else 1.
  std::optional<std::int64_t> segments;
  /// Elements, "auto" and no number of parts asked for: the first execution is also tried by MPI_Reduce, and whichever
  /// was faster serves from then on. A model cannot know what an MPI has in store.
  bool try_native = true;

  /// Trees: combine what has come first, not what the plan has first. Without effect on the result, but for rounding.
  bool dynamic = false;
  bool progress_thread = true;  ///< have one where MPI allows it
  /// Objects only: no rank returns before the root has the result, so that an operation that throws does so in the same
  /// execution on every rank. Else ranks that have sent their part return, and may never know.
  bool end_together = true;
};

/// An operation threw on another rank; `what()` says which and what.
class OperationError : public std::runtime_error {
 public:
  OperationError(int rank, const std::string& text);
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

/// What moves messages while an operation is running.
enum class Overlap {
  kThread,  ///< a thread that drives MPI; it needs MPI_THREAD_MULTIPLE
  kParts,   ///< the operation is applied to 256 KiB at a time, and MPI is driven between
  kNone,    ///< nothing but the network itself
};
/// "a progress thread", "an operation in parts", "none by the library".
[[nodiscard]] std::string to_string(Overlap overlap);

/// The job of combining what all ranks have, planned once and executed as often as you like, by the tree that is best
/// where transfers overlap with combining (sluice/plan/reduce.hpp):
///
///     sluice::mpi::Reduction job(comm, {.transfer = 0.002, .compute = 0.005}, {count, MPI_DOUBLE, MPI_SUM});
///     job.execute(mine, result);
///
/// in place of MPI_Reduce, or, for objects of any size,
///
///     sluice::mpi::Reduction job(comm, {.measure = true}, {merge_sets});
///     job.execute(mine, result);
///
/// Construction, execution and destruction are collective. All ranks plan alone and find the same; over a platform rank
/// 0 plans for all. MPI_THREAD_FUNNELED is enough; with MPI_THREAD_MULTIPLE a progress thread moves messages while a
/// long operation is running.
///
/// The order in which a rank combines is that of the plan, so that results are reproducible to the last bit, unless
/// `dynamic`, or `try_native` has found MPI_Reduce faster; all executions of one job go the same way.
///
/// Memory beyond the user's: a rank that only sends holds nothing. One that combines holds two elements (with parts: of
/// which up to four are on their way here, and those not yet passed on); the root one, as it receives into the result.
/// Reduce-scatter: up to one and a half, on the root two and a half if its elements are in the result. Over a platform:
/// what was combined so far, but for the root, and up to 8 MiB, or two messages, of what waits for its turn.
/// Objects: what was combined so far, the next object and the result of the two.
class Reduction {
 public:
  /// Collective over `comm`, an intracommunicator, of which the object keeps duplicates only.
  ///
  /// Throws InputError on every rank if an argument is bad on any rank, or differs between ranks; MpiError.
  Reduction(MPI_Comm comm, const ReductionSpec& spec, const ElementOperation& operation);
  Reduction(MPI_Comm comm, const ReductionSpec& spec, ObjectOperation operation);
  /// Collective. While an exception passes, it tells the other ranks instead: those that are in execute, or come to it,
  /// throw MpiError and wait no longer.
  ~Reduction();
  Reduction(Reduction&&) noexcept;
  Reduction& operator=(Reduction&&) noexcept;
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  /// Elements: `own` is this rank's, which on the root may be MPI_IN_PLACE: they are in `result` then. `result` is
  /// written on the root only; the two must not overlap.
  ///
  /// Collective; a rank is done when it has sent its part. Throws InputError for a job of objects or a null pointer,
  /// MpiError on all ranks if a call to MPI fails on any; the object is of no further use then.
  void execute(const void* own, void* result);
  /// Objects. `result` is written on the root only, and may be of any size before.
  ///
  /// Throws what the operation threw on the rank where it did, and OperationError on the others: on all ranks if
  /// spec.end_together, else on those between that rank and the root. The object stays good. Else as above.
  void execute(std::span<const std::byte> own, Bytes& result);

  /// As given; once costs were measured, with these.
  [[nodiscard]] const ReductionSpec& spec() const;
  /// How long the plan takes in its model, in the unit of the costs, over a platform in seconds; 0 before they are
  /// known. Of MPI_Reduce there is no model: what it was preferred to.
  [[nodiscard]] double planned_length() const;
  [[nodiscard]] std::int64_t segments() const;
  /// What carries it out: "best tree", "flat tree, 12 parts", "reduce-scatter", "MPI_Reduce"; "" before the first
  /// execution has measured.
  [[nodiscard]] const std::string& method() const;
  /// Whether MPI_Reduce was tried and found faster.
  [[nodiscard]] bool native() const;
  /// Ranks that send to this one.
  [[nodiscard]] std::int64_t children() const;
  /// What is in force on ranks that combine.
  [[nodiscard]] Overlap overlap() const;
  /// Bytes of buffers that this rank holds beyond the user's: the most so far.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
