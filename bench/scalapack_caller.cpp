// A program of ScaLAPACK's, which knows nothing of Sluice: pdgemr2d or pdtrmr2d of an N x N matrix of doubles again and
// again, and what a call took on the slowest rank. bench/scalapack_drop_in.sh runs it with and without the library.
//
//     scalapack_caller gemr2d|trmr2d N P0xQ0 BLOCK0 P1xQ1 BLOCK1 CALLS
//
// Prints one line: the first call, and the median of the others, in milliseconds.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* first, const int* processes);
void pdgemr2d_(const int* m, const int* n, const double* a, const int* ia, const int* ja, const int* desc_a, double* b,
               const int* ib, const int* jb, const int* desc_b, const int* context);
void pdtrmr2d_(const char* uplo, const char* diag, const int* m, const int* n, const double* a, const int* ia,
               const int* ja, const int* desc_a, double* b, const int* ib, const int* jb, const int* desc_b,
               const int* context, std::size_t, std::size_t);
}

namespace {

struct Matrix {
  std::array<int, 9> descriptor{};
  std::vector<double> values;

  Matrix(int n, const char* grid, int block) {
    int rows = 1, columns = 1, row = -1, column = -1;
    if (std::sscanf(grid, "%dx%d", &rows, &columns) != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    int context = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridinit(&context, "R", rows, columns);
    descriptor = {1, context, n, n, block, block, 0, 0, 1};
    if (context < 0) return;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    const int zero = 0;
    const int local = numroc_(&n, &block, &row, &zero, &rows);
    descriptor[8] = std::max(1, local);
    values.assign(
        static_cast<std::size_t>(local) * static_cast<std::size_t>(numroc_(&n, &block, &column, &zero, &columns)),
        row + 100.0 * column);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 8) {
    if (rank == 0) std::fprintf(stderr, "usage: %s gemr2d|trmr2d N P0xQ0 BLOCK0 P1xQ1 BLOCK1 CALLS\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const bool trapezoid = std::string(argv[1]) == "trmr2d";
  const int n = std::atoi(argv[2]);
  Matrix a(n, argv[3], std::atoi(argv[4]));
  Matrix b(n, argv[5], std::atoi(argv[6]));
  int everyone = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&everyone, "R", 1, size);
  const int one = 1;
  std::vector<double> times;
  for (int call = 0; call < std::atoi(argv[7]); ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (trapezoid) {
      pdtrmr2d_("L", "N", &n, &n, a.values.data(), &one, &one, a.descriptor.data(), b.values.data(), &one, &one,
                b.descriptor.data(), &everyone, 1, 1);
    } else {
      pdgemr2d_(&n, &n, a.values.data(), &one, &one, a.descriptor.data(), b.values.data(), &one, &one,
                b.descriptor.data(), &everyone);
    }
    double time = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times.push_back(time * 1e3);
  }
  if (rank == 0) {
    const double first = times.front();
    if (times.size() > 1) times.erase(times.begin());
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    std::printf("%.3f %.3f\n", first, times[times.size() / 2]);
  }
  MPI_Finalize();
  return 0;
}
