/* A matrix redistributed, an exchange and a broadcast in C: mpirun -np 4 every_call_c */
#include <mpi.h>
#include <sluice/sluice_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int code) {
  if (code == SLUICE_OK) return;
  fprintf(stderr, "error: %s\n", sluice_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sluice_job *redistribution, *exchange, *broadcast;

  /* Rows of a 1000 x 700 matrix become columns; element (i, j) is 1000 i + j. */
  const int64_t shape[] = {1000, 700};
  const sluice_layout rows = {.dimensions = 2, .grid = {ranks, 1}, .block = {64, 700}};
  const sluice_layout columns = {.dimensions = 2, .grid = {1, ranks}, .block = {1000, 64}};
  int64_t local[2], there[2], wrong = 0;
  must(sluice_layout_local_shape(&rows, shape, rank, local));
  must(sluice_layout_local_shape(&columns, shape, rank, there));
  double *x = malloc((size_t)(local[0] * local[1] + 1) * 8), *y = malloc((size_t)(there[0] * there[1] + 1) * 8);
  for (int64_t n = 0; n < local[0] * local[1]; ++n) {
    const int64_t i = n / 700;
    x[n] = 1000.0 * (double)((i / 64 * ranks + rank) * 64 + i % 64) + (double)(n % 700);
  }
  must(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, sizeof *x, NULL, &redistribution));
  must(sluice_redistribution_execute(redistribution, x, y)); /* as often as you like */
  for (int64_t n = 0; n < there[0] * there[1]; ++n) {
    const int64_t j = n % there[1];
    wrong += y[n] != 1000.0 * (double)(n / there[1]) + (double)((j / 64 * ranks + rank) * 64 + j % 64);
  }

  /* Every rank has its number for the next one. */
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const int64_t bytes = sizeof rank;
  int came = -1;
  must(sluice_exchange_create(MPI_COMM_WORLD, 1, &next, &bytes, NULL, &exchange));
  must(sluice_exchange_execute(exchange, &rank, bytes, &came, bytes));
  wrong += came != previous;

  double word = rank == 0 ? 42 : 0;
  must(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &broadcast));
  must(sluice_broadcast_execute(broadcast, &word, sizeof word));
  wrong += word != 42;

  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("C: %lld wrong\n", (long long)wrong);
  sluice_job_free(redistribution), sluice_job_free(exchange), sluice_job_free(broadcast);
  MPI_Finalize();
}
