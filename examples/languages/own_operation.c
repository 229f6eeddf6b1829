/* A reduction by an operation of the program's own in C: mpirun -np 4 own_operation_c */
#include <math.h>
#include <mpi.h>
#include <sluice/sluice_mpi.h>
#include <stdio.h>

/* log(exp(a) + exp(b)) for each pair of elements: sums of probabilities that are kept as logarithms. */
static void add_logs(void* left, void* right_and_result, int* count, MPI_Datatype* type) {
  const double* a = left;
  double* b = right_and_result;
  (void)type;
  for (int i = 0; i < *count; ++i) b[i] = fmax(a[i], b[i]) + log1p(exp(-fabs(a[i] - b[i])));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  MPI_Op op;
  MPI_Op_create(add_logs, 1, &op); /* 1: it commutes; with 0 elements are combined in the order of the ranks */
  double own[1000], result[1000];
  for (int i = 0; i < 1000; ++i) own[i] = log(rank + 1);

  sluice_job* job = NULL;
  sluice_must(sluice_reduction_create(MPI_COMM_WORLD, 1000, MPI_DOUBLE, op, 0, NULL, &job));
  sluice_must(sluice_reduction_execute(job, own, result)); /* as often as you like */

  const double sum = ranks * (ranks + 1) / 2.0;
  for (int i = 0; i < 1000 && rank == 0; ++i) wrong += fabs(exp(result[i]) - sum) > 1e-9;
  if (rank == 0) printf("C: %d wrong\n", wrong);
  sluice_job_free(job);
  MPI_Op_free(&op); /* after the job */
  MPI_Finalize();
}
