/* A program of ScaLAPACK's, which knows nothing of Sluice: moves a matrix from blocks of 64 x 64 on one grid to blocks
 * of 100 x 100 on another, a hundred times.
 *
 *     mpicc -o move_matrix move_matrix.c -lscalapack-openmpi
 *     mpirun -np 4 ./move_matrix
 *     mpirun -np 4 env LD_PRELOAD=libsluice_scalapack.so ./move_matrix
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
int numroc_(const int* n, const int* block, const int* process, const int* first, const int* processes);
void Cpdgemr2d(int m, int n, double* a, int ia, int ja, int* desc_a, double* b, int ib, int jb, int* desc_b,
               int context);

enum { kRows = 1000, kColumns = 700, kTimes = 100 };

/* The value of an element: a function of its place in the whole matrix. */
static double value(int i, int j) { return i + 10000.0 * j; }

struct Matrix {
  int desc[9];
  int rows, columns, row, column, local_rows, local_columns;
  double* data;
};

static struct Matrix make_matrix(int rows, int columns, int block) {
  struct Matrix m;
  int context = Csys2blacs_handle(MPI_COMM_WORLD), zero = 0, all_rows = kRows, all_columns = kColumns;
  Cblacs_gridinit(&context, "R", rows, columns);
  Cblacs_gridinfo(context, &m.rows, &m.columns, &m.row, &m.column);
  m.local_rows = numroc_(&all_rows, &block, &m.row, &zero, &m.rows);
  m.local_columns = numroc_(&all_columns, &block, &m.column, &zero, &m.columns);
  int desc[9] = {1, context, kRows, kColumns, block, block, 0, 0, m.local_rows > 0 ? m.local_rows : 1};
  for (int k = 0; k < 9; ++k) m.desc[k] = desc[k];
  m.data = malloc(sizeof(double) * (size_t)desc[8] * (size_t)(m.local_columns + 1));
  return m;
}

/* Writes the values, or counts those that are wrong. */
static int visit(struct Matrix* m, int write) {
  int wrong = 0, block = m->desc[4];
  for (int j = 0; j < m->local_columns; ++j) {
    for (int i = 0; i < m->local_rows; ++i) {
      double expected = value((i / block * m->rows + m->row) * block + i % block,
                              (j / block * m->columns + m->column) * block + j % block);
      double* element = &m->data[(size_t)j * (size_t)m->desc[8] + (size_t)i];
      if (write) *element = expected;
      wrong += *element != expected;
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, wrong;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct Matrix a = make_matrix(1, size, 64), b = make_matrix(size, 1, 100);
  int everyone = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&everyone, "R", 1, size);
  visit(&a, 1);
  double start = MPI_Wtime();
  for (int time = 0; time < kTimes; ++time)
    Cpdgemr2d(kRows, kColumns, a.data, 1, 1, a.desc, b.data, 1, 1, b.desc, everyone);
  double seconds = MPI_Wtime() - start;
  wrong = visit(&b, 0);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d elements wrong\n%.2f ms per call\n", wrong, 1e3 * seconds / kTimes);
  MPI_Finalize();
  return wrong != 0;
}
