/* Solves -u'' = f on a grid of 80 x 80 points by MUMPS, with a matrix that each rank has a part of and the dense end of
 * the factorization by ScaLAPACK, and prints the error. */
#include <dmumps_c.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 80
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = SIDE * SIDE;

  DMUMPS_STRUC_C id;
  memset(&id, 0, sizeof id);
  id.comm_fortran = MPI_Comm_c2f(MPI_COMM_WORLD);
  id.par = 1;
  id.sym = 0;
  id.job = -1;
  dmumps_c(&id);
  id.ICNTL(1) = id.ICNTL(2) = id.ICNTL(3) = -1;
  id.ICNTL(4) = 0;
  id.ICNTL(7) = 0;  /* AMD */
  id.ICNTL(11) = 1; /* error analysis */
  id.ICNTL(13) = 0; /* ScaLAPACK at the root */
  id.ICNTL(18) = 3; /* the matrix is distributed */
  id.ICNTL(28) = 1; /* sequential analysis: the same order on any number of ranks */

  id.irn_loc = malloc(sizeof(MUMPS_INT) * 5 * n);
  id.jcn_loc = malloc(sizeof(MUMPS_INT) * 5 * n);
  id.a_loc = malloc(sizeof(double) * 5 * n);
  id.n = n;
  int count = 0;
  for (int i = rank; i < n; i += ranks) {
    const int x = i % SIDE, y = i / SIDE;
    const int neighbours[5][2] = {{x, y}, {x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}};
    for (int j = 0; j < 5; ++j) {
      const int px = neighbours[j][0], py = neighbours[j][1];
      if (px < 0 || py < 0 || px >= SIDE || py >= SIDE) continue;
      id.irn_loc[count] = i + 1;
      id.jcn_loc[count] = py * SIDE + px + 1;
      id.a_loc[count++] = j == 0 ? 4.0 + 0.001 * x : -1.0;
    }
  }
  id.nnz_loc = count;
  double *rhs = NULL, *exact = NULL;
  if (rank == 0) { /* the right side of a known solution */
    rhs = malloc(sizeof(double) * n);
    exact = malloc(sizeof(double) * n);
    for (int i = 0; i < n; ++i) exact[i] = sin(0.01 * i) + 2.0;
    for (int i = 0; i < n; ++i) {
      const int x = i % SIDE, y = i / SIDE;
      rhs[i] = (4.0 + 0.001 * x) * exact[i];
      if (x > 0) rhs[i] -= exact[i - 1];
      if (x < SIDE - 1) rhs[i] -= exact[i + 1];
      if (y > 0) rhs[i] -= exact[i - SIDE];
      if (y < SIDE - 1) rhs[i] -= exact[i + SIDE];
    }
    id.rhs = rhs;
  }
  id.job = 6;
  dmumps_c(&id);
  if (rank == 0) {
    double worst = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
      const double error = fabs(rhs[i] - exact[i]);
      if (!(error <= worst)) worst = error;
      sum += rhs[i];
    }
    printf("status %d\n", (int)id.INFOG(1));
    printf("norm of the matrix %.12g\n", id.RINFOG(4));
    printf("norm of the solution %.12g\n", id.RINFOG(5));
    printf("sum of the solution %.12g\n", sum);
    printf("right %s\n", worst < 1e-9 ? "yes" : "no");
  }
  id.job = -2;
  dmumps_c(&id);
  MPI_Finalize();
  return 0;
}
