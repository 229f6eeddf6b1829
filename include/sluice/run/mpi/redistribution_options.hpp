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
  std::vector<std::int64_t> to_first;    ///< the same of the target grid
  std::vector<std::int64_t> from_start;  ///< where the sub-array begins in the source array; empty: 0 everywhere
  std::vector<std::int64_t> to_start;    ///< where it goes in the target array
  std::vector<std::int64_t> extent;      ///< its extents; empty: up to the end of the source array
  std::vector<std::int64_t> to_shape;    ///< shape of the target array; empty: that of the source array
  /// Transposes while moving: Y[to_start + (j, i)] = X[from_start + (i, j)]; with more dimensions, their order is
  /// reversed. The layout `to` and all options of the target describe the target array as it is stored; `extent` and
  /// `part` describe the box in the source array.
  bool transpose = false;
  /// The rank of each process of the source grid, in row-major order of the grid, whatever `order` is (process (i, j)
  /// of a P x Q grid is entry i Q + j). All different; empty: 0, 1, 2, ...
  std::vector<int> from_ranks;
  std::vector<int> to_ranks;  ///< of the target grid; may have any ranks, or none, in common with `from_ranks`
  /// Which elements of the box move; elements of the target outside of the part are not written. All but kWhole need
  /// two dimensions. `unit_diagonal` leaves out the diagonal.
  MatrixPart part = MatrixPart::kWhole;
  bool unit_diagonal = false;                    ///< see `part`
  StorageOrder order = StorageOrder::kRowMajor;  ///< of both arrays
  /// For gaps in this rank's part of the source array: how many elements of each dimension there is room for, at least
  /// the local extent, in the order of the dimensions, without the slowest one (the first in row-major order, the last
  /// in column-major order). A column-major matrix takes {LLD}, ScaLAPACK's local leading dimension; a row-major one
  /// the number of elements from one row to the next. Empty: no gaps. Gaps are neither read nor written.
  std::vector<std::int64_t> source_leading;
  std::vector<std::int64_t> target_leading;
  /// How an element that arrives is combined with the one in its place in the target; empty: it replaces that one. Each
  /// element that moves is combined once in each execution, on the thread that calls the job; if the function throws,
  /// the job fails on all ranks. scale_and_add gives Y = beta Y + alpha op(X). Needs elements of at most `chunk_bytes`.
  ElementCombine combine = {};
};

/// How a redistribution is planned and carried out. Every rank must give the same options.
struct RedistributionJobOptions {
  /// A name that plan_redistribution knows, or the name of another algorithm of exchange, which may cut messages.
  std::string algorithm = "auto";
  /// Set-up cost of a step, by which "auto" chooses: in elements, or in bytes where several arrays are redistributed at
  /// once.
  double setup = 1;
  /// Above 0: how much "auto", "exact" and algorithms of exchange may search, as a multiple of kDefaultEffort of
  /// plan_redistribution, as --effort of the command. The plan is then carried out, as where an algorithm is asked for.
  /// 0: as little as is worth while where every rank plans; "auto" does not search, and exchange a tenth of an effort
  /// of 1.
  double effort = 0;

  // How the steps are carried out; the defaults suit messages of any size.
  ExchangeMode mode = ExchangeMode::kAuto;  ///< kAuto, kChain or kLocal
  /// Longer messages travel in pieces of at most this many bytes, 1 to 2^30; 0: 32 KiB for kChain, else 64 KiB.
  std::int64_t chunk_bytes = 0;
  int window = 0;  ///< pieces under way at once in each direction, 1 to 1024; 0: 2 for kChain, else 4

  /// Within a node, pieces are handed over in memory that both ranks see, if the messages have at least this many bytes
  /// on average. Shorter ones go by MPI, which is fast for them. Where mode and algorithm are left to the library and
  /// all ranks are on one node, at most 64, all messages go through such memory, of which each rank has 2 MiB for them,
  /// and nothing by MPI; chunk_bytes and window have no effect then. With -1 all messages go by MPI.
  std::int64_t shared_from_bytes = 4096;

  /// Where mode and algorithm are left to the library, and no rank has more than 8 MiB of messages: carry out some of
  /// the first nine executions by MPI_Ialltoallw, packing data that is not contiguous, and all later ones if that was
  /// faster on the slowest rank. Beyond 64 ranks only where every rank has messages for at least half of them. These
  /// executions begin when all ranks have started them. Between nodes the choice is made again when executions of 1 ms
  /// or more change by a factor of 1.3 (docs/explanation/run.md).
  bool try_native = true;

  /// Lets the job choose which rank is which process of the target grid, so that as much data as possible stays where
  /// it is (see assign_target_roles); to_ranks() of the job tells the choice. It is made among `to_ranks`; if that is
  /// empty, among the ranks of the source grid and as many ranks 0, 1, ... as the target grid has processes. With
  /// several arrays a rank is the process of the same number in all target grids that have it, and the data of all
  /// arrays counts; they must have the same `to_ranks`, or none.
  bool relabel = false;
};

/// All options of the redistribution of one array.
struct RedistributionOptions : ArrayOptions, RedistributionJobOptions {
  /// Number of copies of the source array, R, which all hold the same data: process p of copy a is number a P + p of
  /// the processes that `from_ranks` lists. Where R or `to_replicas` is above 1, `algorithm` must be one of exchange,
  /// `relabel` must be false, and every rank makes the plan by plan_replicated (docs/explanation/replicas.md).
  std::int64_t from_replicas = 1;
  std::int64_t to_replicas = 1;  ///< number of copies of the target array, S, in ranks of `to_ranks` in the same way
  /// Whether there are several copies of either array.
  [[nodiscard]] bool has_replicas() const { return from_replicas != 1 || to_replicas != 1; }
  /// With several copies of the target: whether its processes may pass data on to one another. A rank that also has a
  /// part of the source passes nothing on. Must be false with `combine`.
  bool forward = true;
};

}  // namespace sluice::mpi
