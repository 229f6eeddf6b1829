#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/matrix_part.hpp"
#include "sluice/run/mpi/element_combine.hpp"
#include "sluice/run/mpi/exchange_mode.hpp"

namespace sluice::mpi {

/// How each process stores its part of an array.
enum class StorageOrder {
  kRowMajor,     ///< the last dimension is contiguous, as in C
  kColumnMajor,  ///< the first dimension is contiguous, as in Fortran and ScaLAPACK
};

/// What a redistribution can be told of an array besides its shape and the two layouts. All vectors with one entry per
/// dimension may be empty. Every rank must give the same options, except `source_leading`, `target_leading` and
/// `combine`.
struct ArrayOptions {
  std::vector<std::int64_t> from_first;  ///< coordinate of the process with the first block; empty: 0 everywhere
  std::vector<std::int64_t> to_first;    ///< likewise, of the target grid
  std::vector<std::int64_t> from_start;  ///< where the sub-array begins in the source array; empty: 0 everywhere
  std::vector<std::int64_t> to_start;    ///< where it goes in the target array
  std::vector<std::int64_t> extent;      ///< its extents; empty: up to the end of the source array
  std::vector<std::int64_t> to_shape;    ///< shape of the target array; empty: that of the source array
  /// Transposes while moving: Y[to_start + (j, i)] = X[from_start + (i, j)]; of more dimensions, all in reverse order.
  /// The layout `to`, and all of these options that are of the target, are those of the target array as it is stored;
  /// `extent` and `part` are those of the source array's box.
  bool transpose = false;
  /// The rank of each process of the source grid, in row-major order of the grid, whatever `order` is (process (i, j)
  /// of a P x Q grid is entry i Q + j). All different; empty: 0, 1, 2, ...
  std::vector<int> from_ranks;
  std::vector<int> to_ranks;  ///< of the target grid; may have any ranks, or none, in common with `from_ranks`
  /// Which elements of the box move; those of the target outside of the part are left alone. Two dimensions, unless
  /// kWhole. `unit_diagonal`: without the diagonal.
  MatrixPart part = MatrixPart::kWhole;
  bool unit_diagonal = false;                    ///< see `part`
  StorageOrder order = StorageOrder::kRowMajor;  ///< of both arrays
  /// This rank's part of the source array, if there are gaps in it: the elements of each dimension that there is room
  /// for, at least the local extent, in the order of the dimensions, without the slowest one (the first of row-major
  /// order, the last of column-major). A column-major matrix takes {LLD}, ScaLAPACK's local leading dimension; a
  /// row-major one the elements from one row to the next. Empty: no gaps. What is in gaps is left alone.
  std::vector<std::int64_t> source_leading;
  std::vector<std::int64_t> target_leading;
  /// How an element that arrives is combined with the one in its place in the target; empty: it replaces that one. Each
  /// element that moves is combined once in each execution, on the thread that calls the job; where it throws, the job
  /// fails on all ranks. Y = beta Y + alpha op(X): scale_and_add. Needs elements of at most `chunk_bytes`.
  ElementCombine combine = {};
};

/// How a redistribution is planned and carried out. Every rank must give the same options.
struct RedistributionJobOptions {
  /// As for plan_redistribution; or one of exchange that is not among those, which may cut messages.
  std::string algorithm = "auto";
  /// Price of a step, by which "auto" chooses: in elements, or where several arrays are redistributed at once, in
  /// bytes.
  double setup = 1;

  // How the steps are carried out; the defaults suit messages of any size.
  ExchangeMode mode = ExchangeMode::kAuto;  ///< kAuto, kChain or kLocal
  /// Longer messages travel in pieces of at most this many bytes, 1 to 2^30; 0: 32 KiB for kChain, else 64 KiB.
  std::int64_t chunk_bytes = 0;
  int window = 0;  ///< pieces under way at once in each direction, 1 to 1024; 0: 2 for kChain, else 4

  /// Within a node, pieces are handed over in memory that both ranks see, if the messages have at least this many bytes
  /// on average. Shorter ones go by MPI, which is fast for them; with -1 all messages go by MPI.
  std::int64_t shared_from_bytes = 4096;

  /// Where mode and algorithm are left to the library, and the messages of no rank are more than 8 MiB together: carry
  /// out some of the first nine executions by MPI_Ialltoallw, from and to buffers for all that does not lie in a row,
  /// and all later ones if that was faster on the slowest rank. Beyond 64 ranks only where every rank has messages for
  /// at least half of them. These executions begin when all ranks have started them. Between nodes
  /// the decision is taken back where executions of 1 ms or more change by a factor of 1.3 (docs/explanation/run.md).
  bool try_native = true;

  /// Lets the job choose who plays which role in the target grid, so that as much as possible stays where it is (see
  /// assign_target_roles); to_ranks() of the job tells the choice. The roles go round among `to_ranks`; if that is
  /// empty, among ranks 0, 1, ... as many as the target grid has processes, and those of the source grid. Of several
  /// arrays a rank plays the role of one number in all target grids that have it, and all of their data counts; they
  /// have the same `to_ranks`, or none.
  bool relabel = false;
};

/// All that a redistribution of one array can be told.
struct RedistributionOptions : ArrayOptions, RedistributionJobOptions {
  /// Copies of the source array, R: process p of copy a is number a P + p of the processes that `from_ranks` lists. All
  /// copies hold the same. Where R or `to_replicas` is above 1, `algorithm` is one of exchange, there is no `relabel`,
  /// and the plan is that of plan_replicated, worked out by every rank (docs/explanation/replicas.md).
  std::int64_t from_replicas = 1;
  std::int64_t to_replicas = 1;  ///< copies of the target array that are wanted, S, likewise
  /// Whether there are several copies of either array.
  [[nodiscard]] bool has_replicas() const { return from_replicas != 1 || to_replicas != 1; }
  /// With several copies of the target: whether they may get from one another what they do not have. A rank that
  /// has a part of the source, too, passes nothing on. Must be false where there is `combine`.
  bool forward = true;
};

}  // namespace sluice::mpi
