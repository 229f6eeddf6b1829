/* A program that knows nothing of Sluice: it broadcasts, reduces and exchanges, and prints what each takes.
 *
 *     mpicc collectives.c -o collectives
 *     mpirun -np 8 ./collectives [REPETITIONS]
 *     mpirun -np 8 env LD_PRELOAD=/usr/local/lib/libsluice_pmpi.so SLUICE_LOG=1 ./collectives
 *     mpirun -np 8 env LD_PRELOAD=/usr/local/lib/libsluice_pmpi.so SLUICE_RECORD=record ./collectives
 *     sluice plan exchange record/world-alltoallv.mtx --summary
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kElements = 32768 }; /* 256 KiB */

static double* make(long elements, double value) {
  double* const result = malloc((size_t)elements * sizeof *result);
  for (long i = 0; i < elements; ++i) result[i] = value;
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 30;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  /* Rank i has ever more for the ranks behind it: some links are busy long after the others. */
  int* const counts = calloc(4 * (size_t)size, sizeof *counts);
  int *const offsets = counts + size, *const receive_counts = counts + 2 * size,
             *const receive_offsets = counts + 3 * size;
  long sent = 0, received = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = kElements / 8 * ((i - rank + size) % size);
    receive_counts[i] = kElements / 8 * ((rank - i + size) % size);
    offsets[i] = (int)sent;
    receive_offsets[i] = (int)received;
    sent += counts[i];
    received += receive_counts[i];
  }
  double* const message = make(kElements, rank == 0 ? 42 : 0);
  double* const own = make(kElements, rank + 1);
  double* const total = make(kElements, 0);
  double* const out = make(sent + 1, rank);
  double* const in = make(received + 1, -1);

  double seconds[3] = {0, 0, 0}, slowest[3];
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Bcast(message, kElements, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double broadcast = MPI_Wtime();
    MPI_Reduce(own, total, kElements, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const double reduced = MPI_Wtime();
    MPI_Alltoallv(out, counts, offsets, MPI_DOUBLE, in, receive_counts, receive_offsets, MPI_DOUBLE, MPI_COMM_WORLD);
    seconds[0] += broadcast - start;
    seconds[1] += reduced - broadcast;
    seconds[2] += MPI_Wtime() - reduced;
  }
  MPI_Reduce(seconds, slowest, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

  long wrong = 0, all_wrong = 0;
  for (int i = 0; i < kElements; ++i) wrong += message[i] != 42;
  for (int i = 0; rank == 0 && i < kElements; ++i) wrong += total[i] != size * (size + 1) / 2;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < receive_counts[i]; ++j) wrong += in[receive_offsets[i] + j] != i;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("broadcast %.3f ms, reduce %.3f ms, exchange %.3f ms; %ld wrong elements\n", slowest[0] / repetitions * 1e3,
           slowest[1] / repetitions * 1e3, slowest[2] / repetitions * 1e3, all_wrong);
  free(counts), free(message), free(own), free(total), free(out), free(in);
  MPI_Finalize();
  return 0;
}
