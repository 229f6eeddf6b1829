#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/run/mpi/compare.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {

/// What is reduced in a comparison, made of a function of rank and index; the results are exact.
struct ReductionContents {
  enum class Operation {
    kSum,     ///< `count` integers of 8 bytes, added modulo 2^64
    kMatmul,  ///< a `count` x `count` matrix of such, multiplied in the order of the ranks
    kMerge,   ///< a sorted set of `count` such; sets of different ranks have some in common
    kSleep,   ///< as kSum, but the operation takes `sleep_s`, in proportion for a part of the elements
  };
  Operation operation = Operation::kSum;
  std::int64_t count = 0;
  double sleep_s = 0;  ///< kSleep; for an operation that another device does
};

/// "sluice", "mpi-reduce", "binomial", "flat", "fibonacci", "reduce-scatter". Any name that algorithms("reduce") has
/// can be asked for besides: the same executor by another tree. Over a platform (ReductionSpec::platform), what
/// algorithms("broadcast") has is a broadcast the other way round.
[[nodiscard]] std::vector<std::string> reduction_methods();

/// What a comparison of reductions found; the same on all ranks.
struct ReductionComparison : Comparison {
  ReductionSpec spec;                ///< with the costs in force
  Overlap overlap = Overlap::kNone;  ///< likewise
};

/// Reduces by several methods side by side, as compare_redistributions does: the result is compared bit by bit with
/// what one process computes. Collective. "sluice" is what `spec` asks for; if costs are to be measured, that is done
/// once for all methods. The predictions are in the unit of the costs: seconds, if they are.
///
/// "mpi-reduce" is MPI_Reduce with the same operation. It cannot reduce what changes its size: sets are padded for it
/// to the size that the result has, which no program could know before.
///
/// Throws InputError on every rank for bad arguments on any rank, an unknown method, `repetitions` below 1, a negative
/// count, one that is 0 for matrices, or one or a set beyond 2^31 - 1 bytes; MpiError. A method
/// whose tree cannot be split around the root is left out.
[[nodiscard]] ReductionComparison compare_reductions(MPI_Comm comm, const ReductionContents& contents,
                                                     const ReductionSpec& spec, const std::vector<std::string>& methods,
                                                     int repetitions = 9);

}  // namespace sluice::mpi
