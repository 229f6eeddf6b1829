#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "sluice/input/matrix_part.hpp"

namespace sluice::scalapack {

/// A context's grid as this process sees it.
struct Grid {
  int rows = -1;
  int columns = -1;
  int row = -1;  ///< of this process; -1: it is not in the grid
  int column = -1;

  [[nodiscard]] bool has_me() const { return row >= 0; }
};
[[nodiscard]] Grid grid_of(int context);

/// The communicator of a context's processes, in row-major order of the grid. A context that this process is not in
/// ends the program with BLACS' own error.
[[nodiscard]] MPI_Comm communicator_of(int context);

/// A sub-matrix, as both descriptor types (array descriptors of type 1, and REDIST's MDESC) describe it: nine integers.
/// As in ScaLAPACK, nobody reads the type. Counted from 0.
struct SubMatrix {
  std::int64_t row = 0;  ///< IA - 1
  std::int64_t column = 0;
  std::int64_t rows = 0;  ///< of the whole matrix
  std::int64_t columns = 0;
  std::int64_t row_block = 1;
  std::int64_t column_block = 1;
  std::int64_t first_row = 0;  ///< process row with the first block
  std::int64_t first_column = 0;
  std::int64_t leading = 0;  ///< of this process
  Grid grid;

  SubMatrix() = default;
  SubMatrix(int row_from_1, int column_from_1, const int* descriptor);
};

/// A call of one of the forty names. What is not valid on this process, because it is not in that grid, is not read.
struct Call {
  MatrixPart part = MatrixPart::kWhole;
  bool unit_diagonal = false;
  std::int64_t element_size = 0;
  std::int64_t rows = 0;  ///< M
  std::int64_t columns = 0;
  const void* a = nullptr;
  SubMatrix from;
  void* b = nullptr;
  SubMatrix to;
};

/// What this process knows of a call: equal for two calls on every process only if both move equal parts.
[[nodiscard]] std::vector<std::int64_t> known_here(const Call& call);

/// What all processes know together: the two sub-matrices, and the rank of each process of the two grids in row-major
/// order.
struct Shared {
  SubMatrix from;
  SubMatrix to;
  std::vector<int> from_ranks;
  std::vector<int> to_ranks;
};

/// Tells every process what it does not know of the call. Collective over `comm`; ranks of the grids are ranks of it.
/// Ends the program, as ScaLAPACK does, if parameters are missing, do not agree or are wrong.
[[nodiscard]] Shared share(const Call& call, MPI_Comm comm);

/// Prints "text" and ends the program as ScaLAPACK's REDIST does where it finds bad arguments: exit(status).
[[noreturn]] void end_program(const char* text, int status);

}  // namespace sluice::scalapack
