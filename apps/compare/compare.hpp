#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/batch_problem.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/schedule/timeline.hpp"

/// Data moved by the library's jobs and by the usual ways side by side: what the verb `run` shows.
namespace sluice::compare {

/// What one method of a comparison took; the same on all ranks.
struct MethodResult {
  std::string name;
  double median_s = 0;  ///< over the repetitions, each the time of the slowest rank
  double min_s = 0;
  double max_s = 0;
  double lower_quartile_s = 0;
  double upper_quartile_s = 0;
  std::vector<double> samples_s;  ///< as they were measured, in their order
  /// The most memory that a rank held beyond its source and target while the method was prepared and executed once,
  /// after it had decided how to go on.
  std::int64_t peak_extra_bytes = 0;
  /// What the method's plan takes by its model, and what it does, for methods that have a plan of that kind.
  std::optional<double> predicted_s;
  std::string how;
};

/// What a comparison of methods found; the same on all ranks.
struct Comparison {
  int ranks = 0;
  std::int64_t bytes_moved = 0;  ///< also those that stay on their rank
  int repetitions = 0;           ///< those that all methods have done
  int asked = 0;                 ///< how many repetitions were asked for
  int interrupted_by = 0;        ///< the signal that ended the comparison early, see stop_comparisons_at; 0: none
  bool verified = false;
  /// Methods asked for that cannot do this job, each with the reason; they are not among `methods`.
  std::vector<std::string> left_out;
  /// What was wrong where, one line each; empty if verified. A method that failed is not timed, nor are the others.
  std::vector<std::string> failures;
  /// False where the system does not tell a process its peak of memory: peak_extra_bytes is then what each method
  /// itself allocates, without MPI's part.
  bool peak_measured = false;
  std::vector<MethodResult> methods;  ///< in the order asked for
  /// With `record`, on rank 0: when the transfers of one more execution of the first method ran, without its names.
  std::optional<Timeline> timeline;
};

/// After this call, the comparisons of this process end when `signal` returns a number other than 0 on any rank. They
/// finish the present execution, and one repetition of each method. An unfinished round does not count. Each rank has
/// to call it.
void stop_comparisons_at(std::function<int()> signal);

/// Y = beta Y + alpha X, of doubles.
struct ScaleAndAdd {
  double alpha = 1;
  double beta = 0;
};

/// What a redistribution is besides its problem.
struct RedistributionVariant {
  bool replicated = false;  ///< between several copies of either array
  bool scaled = false;      ///< scales and adds
};

/// The methods that can run for a problem and elements of that size in this build, `sluice` first:
///   - whole boxes: "sluice", "caterpillar", "alltoallv", "alltoallw", "all-at-once". If the build found ScaLAPACK,
///     also "pdgemr2d", for matrices of 8-byte elements that are not transposed;
///   - a triangle or trapezoid: "sluice", "caterpillar" and "pdtrmr2d", which cannot scale and add;
///   - several copies: "alltoallw-bcast" replaces "caterpillar" and the methods of ScaLAPACK;
///   - blocks of any sizes: neither "caterpillar" nor the methods of ScaLAPACK.
///
/// These can be asked for besides:
///   - "sluice-ALGORITHM" and "sluice-MODE", and "sluice-direct" for copies;
///   - "sluice-fresh": a job is made for each execution, and its plan is not kept;
///   - "memcpy", unless the job scales: each rank copies its whole target from memory that has the right order already,
///     and waits for the others;
///   - for a whole box, "alltoallw-fresh" (types are made for each execution) and "pairwise" (in round d each rank
///     sends to the rank d further on).
[[nodiscard]] std::vector<std::string> redistribution_methods(const RedistributionProblem& problem,
                                                              std::int64_t element_size,
                                                              const RedistributionVariant& variant = {});
/// "chain" and "local"; nothing for other names.
[[nodiscard]] std::optional<mpi::ExchangeMode> redistribution_mode(const std::string& name);

/// Redistributes by several methods side by side. Collective; the arguments before `methods` are as in Redistribution.
/// Every rank allocates its parts of both arrays.
///
/// The source is filled with a function of the global index. Each method is prepared and executed once, with its memory
/// watched. Every byte of the target is compared with its expected value; bytes outside the moved box must not change.
/// Then the methods alternate for `repetitions` rounds, in another order in each (order_of_round). A time runs from a
/// barrier to the end of the slowest rank. At the end each method is executed and compared once more.
///
/// Memory is the highest resident size of the process less the size before (VmHWM and VmRSS of /proc/self/status), so
/// what MPI and ScaLAPACK allocate counts; it is at least what a method says that it holds. To measure it, glibc's
/// malloc is told to give freed memory back at once. Afterwards it is told to keep it, as it does by default in the
/// long run, and this stays so in a program that calls this.
///
/// With `scaled`, elements are doubles whose sums and products are exact as long as alpha and beta allow it; the
/// methods of MPI and ScaLAPACK move to memory of their own, and scale and add from there.
///
/// Throws InputError on every rank for bad arguments on any rank, an unknown method or one that does not apply, and
/// `repetitions` below 1. It also does if elements that are to be scaled are no doubles. MpiError, JobError.
[[nodiscard]] Comparison redistributions(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from,
                                         const Layout& to, std::int64_t element_size,
                                         const mpi::RedistributionOptions& options,
                                         const std::vector<std::string>& methods, int repetitions = 9,
                                         bool record = false, const std::optional<ScaleAndAdd>& scaled = {});

/// The methods for several arrays at once: "sluice", which is one job for all of them; and for one array after another
/// "one-by-one", a job for each, and unless a part of any moves "alltoallv", "alltoallw" and "all-at-once".
/// "sluice-ALGORITHM" and "sluice-MODE" can be asked for besides.
[[nodiscard]] std::vector<std::string> batch_methods(const BatchProblem& problem);

/// Redistributes several arrays by several methods side by side, as redistributions() does: every byte of every array
/// is verified. Collective; RedistributionBatch explains the arguments before `methods`.
[[nodiscard]] Comparison batches(MPI_Comm comm, const std::vector<mpi::RedistributionArray>& arrays,
                                 const mpi::RedistributionJobOptions& options, const std::vector<std::string>& methods,
                                 int repetitions = 9, bool record = false);

/// The methods for exchanges, `sluice` first: "sluice", "alltoallv", "all-at-once" (MPI_Isend and MPI_Irecv, all
/// posted before any is waited for) and "pairwise" (in round d each rank sends to the one d further on). "sluice-MODE",
/// such as "sluice-barrier", can be asked for besides, and "sluice-direct", which is "sluice" without local links, two
/// levels and a schedule that is given.
[[nodiscard]] std::vector<std::string> exchange_methods();

/// Exchanges by several methods side by side, as redistributions() does: bytes are a function of sender, receiver and
/// offset, and every byte of every method is verified. Collective; the arguments before `methods` are as in Exchange.
/// "sluice" is what they ask for; `tune` concerns the methods that have mode list.
///
/// Methods of MPI that cannot count the messages are left out: alltoallv beyond 2^31 - 1 bytes per rank and direction,
/// all-at-once and pairwise beyond as many per message.
///
/// Throws InputError on every rank for bad arguments on any rank, an unknown method, no method that can do the job,
/// `repetitions` below 1; MpiError, JobError.
[[nodiscard]] Comparison exchanges(MPI_Comm comm, const std::vector<mpi::MessageSize>& sends,
                                   const mpi::ExchangeOptions& options, const std::vector<std::string>& methods,
                                   int repetitions = 9, bool record = false);

/// The methods for broadcasts, `sluice` first: "sluice" and "mpi-bcast". "mpi-ibcast", which is MPI_Ibcast and a wait
/// for its end, and the algorithms of "broadcast" can be asked for besides, by their names.
[[nodiscard]] std::vector<std::string> broadcast_methods();
/// "mpi-bcast" and "mpi-ibcast".
[[nodiscard]] std::vector<std::string> broadcasts_of_mpi();

/// Broadcasts `bytes` by several methods side by side, as redistributions() does: bytes are a function of their offset,
/// and every byte of every method is verified on every rank. Collective; the arguments before `methods` are as in
/// Broadcast.
///
/// Throws InputError on every rank for bad arguments on any rank, an unknown method or one that does not apply,
/// `repetitions` below 1; MpiError, JobError.
[[nodiscard]] Comparison broadcasts(MPI_Comm comm, int root, std::int64_t bytes, const mpi::BroadcastOptions& options,
                                    const std::vector<std::string>& methods, int repetitions = 9, bool record = false);

/// A collective of known contents: bytes are a function of whose block they are of; where ranks combine, words of
/// 8 bytes are added modulo 2^64 or, in the order of the ranks, matrices of 2 x 2 such words are multiplied.
struct CollectiveContents {
  Collective problem = Collective::kAllgather;
  std::int64_t bytes = 0;                 ///< of a block, or of the array that each rank has: whole elements
  std::vector<std::int64_t> counts = {};  ///< bytes of each block or share in place of that, as set_blocks wants them
  int root = 0;
  bool in_order = false;
};
/// Bytes of an element: 8 or 32.
[[nodiscard]] std::int64_t element_bytes(const CollectiveContents& contents);

/// The methods for a collective, `sluice` first: "sluice" and MPI's own, such as "mpi-allgather". The algorithms of
/// the problem can be asked for besides, by their names.
[[nodiscard]] std::vector<std::string> collective_methods(Collective problem);

/// Carries a collective out by several methods side by side, as redistributions() does: every byte of every method is
/// verified on every rank. Collective. "sluice" is what `options` ask for; algorithms are planned over their platform.
/// The method of MPI, of blocks of different sizes the one in v, is left out beyond 2^31 - 1 bytes a block, or as many
/// elements.
///
/// Throws InputError on every rank for bad arguments on any rank, an unknown method or one that does not apply,
/// `repetitions` below 1; MpiError, JobError.
[[nodiscard]] Comparison collectives(MPI_Comm comm, const CollectiveContents& contents,
                                     const mpi::CollectiveOptions& options, const std::vector<std::string>& methods,
                                     int repetitions = 9, bool record = false);

/// What is reduced in a comparison, made of a function of rank and index; the results are exact.
struct ReductionContents {
  enum class Operation {
    kSum,     ///< `count` integers of 8 bytes, added modulo 2^64
    kMatmul,  ///< a `count` x `count` matrix of such, multiplied in the order of the ranks
    kAffine,  ///< `count` maps x -> a x + b of 8 bytes each, composed in the order of the ranks
    kMerge,   ///< a sorted set of `count` such; sets of different ranks have some in common
    kSleep,   ///< as kSum, but the operation takes `sleep_s`, in proportion for a part of the elements
    kSpin,    ///< as kSleep, but the operation occupies its processor meanwhile
  };
  Operation operation = Operation::kSum;
  std::int64_t count = 0;
  double sleep_s = 0;  ///< kSleep, for an operation that another device does, and kSpin
};

/// "sluice", "mpi-reduce", "binomial", "flat", "fibonacci", "reduce-scatter". "mpi-ireduce", which is MPI_Ireduce and a
/// wait for its end, and any name that algorithms("reduce") has can be asked for besides; the latter is the same
/// executor by another tree. Over a platform (ReductionOptions::platform), what algorithms("broadcast") has is a
/// broadcast the other way round.
[[nodiscard]] std::vector<std::string> reduction_methods();
/// "mpi-reduce" and "mpi-ireduce".
[[nodiscard]] std::vector<std::string> reductions_of_mpi();

/// What a comparison of reductions found; the same on all ranks.
struct ReductionComparison : Comparison {
  mpi::ReductionCosts costs;                   ///< those in force
  mpi::Overlap overlap = mpi::Overlap::kNone;  ///< the one in force
};

/// Reduces by several methods side by side, as redistributions() does: the result is compared bit by bit with
/// what one process computes. Collective. "sluice" is what `options` ask for; if costs are to be measured, that is done
/// once for all methods. The predictions are in the unit of the costs: seconds, if they are.
///
/// MPI's methods have the same operation. They cannot reduce what changes its size: sets are padded for them to the
/// size that the result has, which no program could know before.
///
/// Throws InputError on every rank for bad arguments on any rank, an unknown method, and `repetitions` below 1. A count
/// is bad if it is negative, 0 for matrices, or if it or a set takes more than 2^31 - 1 bytes. MpiError, JobError. A
/// method whose tree cannot be split around the root is left out.
[[nodiscard]] ReductionComparison reductions(MPI_Comm comm, const ReductionContents& contents, int root,
                                             const mpi::ReductionOptions& options,
                                             const std::vector<std::string>& methods, int repetitions = 9,
                                             bool record = false);

}  // namespace sluice::compare
