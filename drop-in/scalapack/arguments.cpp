#include "scalapack/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "sluice/input/block_cyclic.hpp"

extern "C" {
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void blacs_get_(const int* context, const int* what, int* value);
}

namespace sluice::scalapack {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

/// The fields of a sub-matrix that all processes of its grid know.
constexpr std::size_t kFields = 10;
std::array<std::int64_t, kFields> fields_of(const SubMatrix& m) {
  return {m.grid.rows,    m.grid.columns, m.rows,         m.columns, m.row_block,
          m.column_block, m.first_row,    m.first_column, m.row,     m.column};
}
void set_fields(SubMatrix& m, const std::int64_t* values) {
  m.grid.rows = static_cast<int>(values[0]);
  m.grid.columns = static_cast<int>(values[1]);
  m.rows = values[2];
  m.columns = values[3];
  m.row_block = values[4];
  m.column_block = values[5];
  m.first_row = values[6];
  m.first_column = values[7];
  m.row = values[8];
  m.column = values[9];
}

/// Checks in the words of ScaLAPACK's paramcheck, and in its order. Fewer than no elements are a bad sub-matrix too:
/// ScaLAPACK runs out of memory with these, if not worse.
void check_parameters(const SubMatrix& m, std::int64_t rows, std::int64_t columns) {
  const Grid& grid = m.grid;
  if (m.first_row < 0 || m.first_row >= grid.rows || m.first_column < 0 || m.first_column >= grid.columns)
    end_program("??MR2D:Bad first processor coordinates\n", 1);
  if (rows < 0 || columns < 0 || m.row < 0 || m.column < 0 || m.row + rows > m.rows || m.column + columns > m.columns) {
    end_program(fmt::format("??MR2D:Bad submatrix:i={},j={},m={},n={},M={},N={}\n", m.row, m.column, rows, columns,
                            m.rows, m.columns)
                    .c_str(),
                1);
  }
  if (m.row_block < 1 || m.column_block < 1)  // where ScaLAPACK divides by it
    end_program(fmt::format("??MR2D:Bad block sizes:nbrow={},nbcol={}\n", m.row_block, m.column_block).c_str(), 1);
  if (!grid.has_me()) return;
  const Axis axis{m.rows, grid.rows, m.row_block, m.first_row};
  if (axis.local_extent(Coordinate(grid.row)) > m.leading) {
    end_program(fmt::format("??MR2D:bad lda arg:row={},m={},p={},nbrow={},lda={},sprow={}\n", grid.row, m.rows,
                            grid.rows, m.row_block, m.leading, m.first_row)
                    .c_str(),
                1);
  }
}

/// The ranks that the processes of a grid have told, from what stands there for those that have not.
std::vector<int> ranks_told(const Grid& grid, const std::int64_t* told, std::int64_t most) {
  std::vector<int> result;
  const std::int64_t processes = static_cast<std::int64_t>(grid.rows) * grid.columns;
  for (std::int64_t p = 0; p < processes && p < most; ++p) {
    if (told[p] != kUnknown) result.push_back(static_cast<int>(told[p]));
  }
  // A grid with processes that the global context does not have.
  if (static_cast<std::int64_t>(result.size()) != processes)
    end_program("xxGEMR2D:something wrong in the parameters\n", 1);
  return result;
}

}  // namespace

void end_program(const char* text, int status) {
  std::fputs(text, stderr);
  std::exit(status);
}

Grid grid_of(int context) {
  Grid grid;
  Cblacs_gridinfo(context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  if (grid.row < 0 || grid.row >= grid.rows || grid.column < 0 || grid.column >= grid.columns) return {};
  return grid;
}

MPI_Comm communicator_of(int context) {
  // The Fortran one gives the communicator itself; the other would keep a handle of it, also when it is gone.
  constexpr int kContextsCommunicator = 10;
  int handle = 0;
  blacs_get_(&context, &kContextsCommunicator, &handle);
  return MPI_Comm_f2c(handle);
}

SubMatrix::SubMatrix(int row_from_1, int column_from_1, const int* descriptor) : grid(grid_of(descriptor[1])) {
  if (!grid.has_me()) return;
  row = row_from_1 - 1;
  column = column_from_1 - 1;
  rows = descriptor[2];
  columns = descriptor[3];
  row_block = descriptor[4];
  column_block = descriptor[5];
  first_row = descriptor[6];
  first_column = descriptor[7];
  leading = descriptor[8];
}

std::vector<std::int64_t> known_here(const Call& call) {
  std::vector<std::int64_t> result{static_cast<std::int64_t>(call.part), call.unit_diagonal, call.element_size,
                                   call.rows, call.columns};
  for (const SubMatrix* each : {&call.from, &call.to}) {
    result.push_back(each->grid.has_me());
    if (!each->grid.has_me()) continue;
    const std::array<std::int64_t, kFields> fields = fields_of(*each);
    result.insert(result.end(), fields.begin(), fields.end());
    result.insert(result.end(), {each->leading, each->grid.row, each->grid.column});
  }
  return result;
}

Shared share(const Call& call, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto ranks = static_cast<std::size_t>(size);
  // The fields of both sub-matrices, then the rank of each process of both grids.
  std::vector<std::int64_t> told(2 * kFields + 2 * ranks, kUnknown);
  const std::array<const SubMatrix*, 2> own{&call.from, &call.to};
  for (std::size_t s = 0; s < 2; ++s) {
    const Grid& grid = own[s]->grid;
    if (!grid.has_me()) continue;
    std::ranges::copy(fields_of(*own[s]), told.begin() + static_cast<std::ptrdiff_t>(s * kFields));
    const std::int64_t process = static_cast<std::int64_t>(grid.row) * grid.columns + grid.column;
    if (process < size) told[2 * kFields + s * ranks + static_cast<std::size_t>(process)] = rank;
  }
  MPI_Allreduce(MPI_IN_PLACE, told.data(), static_cast<int>(told.size()), MPI_INT64_T, MPI_MIN, comm);

  Shared result;
  const std::array<SubMatrix*, 2> all{&result.from, &result.to};
  const std::array<std::vector<int>*, 2> grid_ranks{&result.from_ranks, &result.to_ranks};
  for (std::size_t s = 0; s < 2; ++s) {
    const std::int64_t* const fields = told.data() + s * kFields;
    if (std::find(fields, fields + kFields, kUnknown) != fields + kFields)
      end_program("xxGEMR2D:something wrong in the parameters\n", 1);
    *all[s] = *own[s];
    set_fields(*all[s], fields);
    if (own[s]->grid.has_me() && fields_of(*all[s]) != fields_of(*own[s]))
      end_program("??MR2D:incoherent parameters: not the same on all processes of a grid\n", 1);
    *grid_ranks[s] = ranks_told(all[s]->grid, told.data() + 2 * kFields + s * ranks, size);
  }
  check_parameters(result.from, call.rows, call.columns);
  check_parameters(result.to, call.rows, call.columns);
  return result;
}

}  // namespace sluice::scalapack
