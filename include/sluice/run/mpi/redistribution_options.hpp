#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/matrix_part.hpp"
#include "sluice/run/mpi/element_combine.hpp"
#include "sluice/run/mpi/exchange_mode.hpp"

namespace sluice::mpi {

/// Says how each process stores its part of an array.
enum class StorageOrder {
  kRowMajor,     ///< the last dimension is contiguous, as in C
  kColumnMajor,  ///< the first dimension is contiguous, as in Fortran and ScaLAPACK
};

/// Sets the options of one array of a redistribution, besides its shape and layouts. Vectors have one entry per
/// dimension, and may be empty. Every rank must give the same options, except `source_leading`, `target_leading` and
/// `combine`.
struct ArrayOptions {
  /// Coordinate of the process with the first block in the source grid; empty: 0 everywhere.
  std::vector<std::int64_t> from_first;
  /// Coordinate of the process with the first block in the target grid; empty: 0 everywhere.
  std::vector<std::int64_t> to_first;
  std::vector<std::int64_t> from_start;  ///< start of the sub-array in the source array; empty: 0 everywhere
  std::vector<std::int64_t> to_start;    ///< start of the sub-array in the target array; empty: 0 everywhere
  std::vector<std::int64_t> extent;      ///< extents of the sub-array; empty: up to the end of the source array
  std::vector<std::int64_t> to_shape;    ///< shape of the target array; empty: the shape of the source array
  /// Transposes while moving: Y[to_start + (j, i)] = X[from_start + (i, j)]. With more dimensions, their order is
  /// reversed. The layout `to` and all options of the target describe the target array as it is stored. `extent` and
  /// `part` describe the box in the source array.
  bool transpose = false;
  /// Gives the rank of each process of the source grid, in row-major order of the grid, whatever `order` is. Process
  /// (i, j) of a P x Q grid is entry i Q + j. All entries differ; empty: 0, 1, 2, ...
  std::vector<int> from_ranks;
  std::vector<int> to_ranks;  ///< ranks of the target grid; may share any ranks with `from_ranks`
  /// Selects the elements of the box that move. Elements of the target outside the part are not written. All parts
  /// except kWhole need two dimensions.
  MatrixPart part = MatrixPart::kWhole;
  bool unit_diagonal = false;                    ///< leaves out the diagonal of `part`
  StorageOrder order = StorageOrder::kRowMajor;  ///< storage order of both arrays
  /// Describes gaps in this rank's part of the source array: the number of elements that fit in each dimension. Each
  /// entry is at least the local extent. Dimensions are in order, without the slowest one (the first in row-major
  /// order, the last in column-major order). A column-major matrix takes {LLD}, ScaLAPACK's local leading dimension. A
  /// row-major matrix takes the number of elements from one row to the next. Empty: no gaps. Gaps are neither read nor
  /// written.
  std::vector<std::int64_t> source_leading;
  std::vector<std::int64_t> target_leading;
  /// Combines an element that arrives with the one in its place in the target; empty: it replaces that one. Each
  /// element that moves is combined once in each execution, on the thread that calls the job. If the function throws,
  /// the job fails on all ranks. scale_and_add gives Y = beta Y + alpha op(X). Needs elements of at most `chunk_bytes`.
  ElementCombine combine = {};
};

/// Sets how a redistribution is planned and executed. Every rank must give the same options.
struct RedistributionJobOptions {
  /// Names an algorithm that plan_redistribution knows, or another algorithm of exchange, which may cut messages.
  std::string algorithm = "auto";
  /// Set-up cost of a step, which "auto" uses to choose: in elements, or in bytes for several arrays at once.
  double setup = 1;
  /// Limits the search of "auto", "exact" and algorithms of exchange, as a multiple of kDefaultEffort of
  /// plan_redistribution, like --effort of the command. Above 0, the job executes the plan, as if an algorithm were
  /// named. With 0, each rank plans with little work: "auto" does not search, and exchange uses a tenth of an effort of
  /// 1.
  double effort = 0;

  // Options of the execution; the defaults suit messages of any size.
  ExchangeMode mode = ExchangeMode::kAuto;  ///< one of kAuto, kChain, kLocal
  /// Most bytes of a piece; longer messages travel in several. 1 to 2^30; 0: 32 KiB for kChain, otherwise 64 KiB.
  std::int64_t chunk_bytes = 0;
  int window = 0;  ///< most pieces under way at once in each direction, 1 to 1024; 0: 2 for kChain, otherwise 4

  /// Sends pieces inside a host through memory that both ranks share, if messages have at least this number of bytes on
  /// average. Shorter messages go by MPI, which is fast for them. If all ranks are on one host, at most 64, and the
  /// library may choose mode and algorithm, all messages use shared memory. Each rank then has 2 MiB for them, and
  /// chunk_bytes and window have no effect. With -1 all messages go by MPI.
  std::int64_t shared_from_bytes = 4096;

  /// Compares the plan with MPI_Ialltoallw, if the library may choose mode and algorithm and no rank has more than 8
  /// MiB of messages. Some of the first nine executions use MPI_Ialltoallw and pack data that is not contiguous. All
  /// later ones do if that was faster on the slowest rank. Beyond 64 ranks this needs messages from every rank for at
  /// least half of the ranks. A compared execution begins when all ranks have started it. Between hosts the job chooses
  /// again when executions of 1 ms or more change by a factor of 1.3 (docs/explanation/run.md).
  bool try_native = true;

  /// Lets the job choose the rank of each process of the target grid, so that as much data as possible stays in place
  /// (see assign_target_roles). to_ranks() of the job returns the choice. It is made among `to_ranks`. If that is
  /// empty, it is made among the ranks of the source grid and ranks 0, 1, ..., one for each process of the target grid.
  /// With several arrays, a rank has one process number in all target grids that have this number, and the data of all
  /// arrays counts. The arrays must have equal `to_ranks`, or none.
  bool relabel = false;
};

/// Sets all options of the redistribution of one array.
struct RedistributionOptions : ArrayOptions, RedistributionJobOptions {
  /// R: number of copies of the source array, which all hold the same data. Process p of copy a, of P processes each,
  /// is entry a P + p of `from_ranks`. If R or `to_replicas` is above 1, `algorithm` must be one of exchange, `relabel`
  /// must be false, and every rank plans by plan_replicated (docs/explanation/replicas.md).
  std::int64_t from_replicas = 1;
  /// S: number of copies of the target array; `to_ranks` lists their processes in the same way.
  std::int64_t to_replicas = 1;
  /// Returns true if there are several copies of either array.
  [[nodiscard]] bool has_replicas() const { return from_replicas != 1 || to_replicas != 1; }
  /// Lets processes of the target forward data to one another, if the target has several copies. A rank that also has a
  /// part of the source forwards nothing. Must be false with `combine`.
  bool forward = true;
};

}  // namespace sluice::mpi
