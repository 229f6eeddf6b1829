/* A matrix redistributed, an exchange and a broadcast in C: mpirun -np 4 every_call_c */
#include <mpi.h>
#include <sluice/sluice_mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sluice_job *redistribution, *exchange, *broadcast;

  /* Rows of a 1000 x 700 matrix become columns. Each element is the rank that has its row. */
  const int64_t shape[] = {1000, 700};
  const sluice_layout rows = {2, {ranks, 1}, {64, 700}}, columns = {2, {1, ranks}, {1000, 64}};
  sluice_must(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, sizeof rank, NULL, &redistribution));
  int64_t here, there;
  sluice_must(sluice_redistribution_extents(redistribution, &here, &there));
  int *x = malloc((size_t)here * sizeof *x), *y = malloc((size_t)there * sizeof *y);
  for (int64_t n = 0; n < here; ++n) x[n] = rank;
  sluice_must(sluice_redistribution_execute(redistribution, x, y)); /* as often as you like */
  for (int64_t n = 0; n < there; ++n) wrong += y[n] != n / (there / 1000) / 64 % ranks;

  /* Every rank has its number for the next one. */
  int next = (rank + 1) % ranks, came = -1;
  const int64_t bytes = sizeof rank;
  sluice_must(sluice_exchange_create(MPI_COMM_WORLD, 1, &next, &bytes, NULL, &exchange));
  sluice_must(sluice_exchange_execute(exchange, &rank, bytes, &came, bytes));
  wrong += came != (rank + ranks - 1) % ranks;

  double word = rank == 0 ? 42 : 0;
  sluice_must(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &broadcast));
  sluice_must(sluice_broadcast_execute(broadcast, &word, sizeof word));
  wrong += word != 42;

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("C: %d wrong\n", wrong);
  sluice_job_free(redistribution), sluice_job_free(exchange), sluice_job_free(broadcast), free(x), free(y);
  MPI_Finalize();
}
