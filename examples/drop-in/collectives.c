/* A program that knows nothing of Sluice: it broadcasts, reduces and exchanges, and prints what each takes: the median
 * over the repetitions of the slowest rank's time. A message has 256 KiB unless told.
 *
 *     mpicc collectives.c -o collectives
 *     mpirun -np 8 ./collectives [REPETITIONS [KIB]]
 *     mpirun -np 8 env LD_PRELOAD=/usr/local/lib/libsluice_pmpi.so SLUICE_LOG=1 ./collectives
 *     mpirun -np 8 env LD_PRELOAD=/usr/local/lib/libsluice_pmpi.so SLUICE_RECORD=record ./collectives
 *     sluice plan exchange record/world-alltoallv.mtx --summary
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double* make(long elements, double value) {
  double* const result = malloc((size_t)elements * sizeof *result);
  for (long i = 0; i < elements; ++i) result[i] = value;
  return result;
}

static int compare(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return (difference > 0) - (difference < 0);
}

/* The median over all calls of the slowest rank's time: `seconds` of this rank; in milliseconds, on rank 0. */
static double median_of_slowest(double* seconds, int n, int rank) {
  double* const slowest = make(n, 0);
  MPI_Reduce(seconds, slowest, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) qsort(slowest, (size_t)n, sizeof *slowest, compare);
  const double result = slowest[n / 2] * 1e3;
  free(slowest);
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 30;
  const int elements = (argc > 2 ? atoi(argv[2]) : 256) * 1024 / (int)sizeof(double);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  /* Rank i has ever more for the ranks behind it: some links are busy long after the others. */
  int* const counts = calloc(4 * (size_t)size, sizeof *counts);
  int *const offsets = counts + size, *const receive_counts = counts + 2 * size,
             *const receive_offsets = counts + 3 * size;
  long sent = 0, received = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = elements / 8 * ((i - rank + size) % size);
    receive_counts[i] = elements / 8 * ((rank - i + size) % size);
    offsets[i] = (int)sent;
    receive_offsets[i] = (int)received;
    sent += counts[i];
    received += receive_counts[i];
  }
  double* const message = make(elements, rank == 0 ? 42 : 0);
  double* const own = make(elements, rank + 1);
  double* const total = make(elements, 0);
  double* const out = make(sent + 1, rank);
  double* const in = make(received + 1, -1);

  double* const seconds = make(3L * repetitions, 0);
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Bcast(message, elements, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double broadcast = MPI_Wtime();
    MPI_Reduce(own, total, elements, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const double reduced = MPI_Wtime();
    MPI_Alltoallv(out, counts, offsets, MPI_DOUBLE, in, receive_counts, receive_offsets, MPI_DOUBLE, MPI_COMM_WORLD);
    seconds[i] = broadcast - start;
    seconds[repetitions + i] = reduced - broadcast;
    seconds[2 * repetitions + i] = MPI_Wtime() - reduced;
  }
  double medians[3];
  for (int i = 0; i < 3; ++i) medians[i] = median_of_slowest(seconds + i * repetitions, repetitions, rank);

  long wrong = 0, all_wrong = 0;
  for (int i = 0; i < elements; ++i) wrong += message[i] != 42;
  for (int i = 0; rank == 0 && i < elements; ++i) wrong += total[i] != size * (size + 1) / 2;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < receive_counts[i]; ++j) wrong += in[receive_offsets[i] + j] != i;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("broadcast %.3f ms, reduce %.3f ms, exchange %.3f ms; %ld wrong elements\n", medians[0], medians[1],
           medians[2], all_wrong);
  free(counts), free(message), free(own), free(total), free(out), free(in), free(seconds);
  MPI_Finalize();
  return 0;
}
