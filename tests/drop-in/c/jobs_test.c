/* Jobs through the C interface, on any number of ranks. */
#include <mpi.h>
#include <sluice/sluice.h>
#include <stdlib.h>

#include "check.h"

static int rank, ranks;

/* What element (i, j) holds. */
static double value_at(int64_t i, int64_t j) { return 1000.0 * (double)i + (double)j; }

/* Rows dealt to the ranks become columns dealt to them. */
static void redistributes(void) {
  const int64_t shape[] = {37, 23};
  sluice_layout rows = {2, {ranks, 1}, {4, 23}, {0}}, columns = {2, {1, ranks}, {37, 3}, {0, ranks - 1}};
  sluice_job* job = NULL;
  CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, sizeof(double), NULL, &job));
  int64_t from = 0, to = 0, size = 0, ranks_there = 0;
  CHECK_OK(sluice_redistribution_extents(job, &from, &to));
  CHECK_OK(sluice_layout_local_size(&rows, shape, rank, &size));
  CHECK(from == size);
  int64_t columns_here = 0, local[2];
  CHECK_OK(sluice_layout_local_shape(&columns, shape, (rank + 0) % ranks, local));
  columns_here = local[1];
  CHECK(to == 37 * columns_here);
  CHECK_OK(sluice_redistribution_to_ranks(job, &ranks_there, 0, NULL));
  CHECK(ranks_there == ranks);

  double *x = calloc((size_t)from + 1, sizeof *x), *y = calloc((size_t)to + 1, sizeof *y);
  for (int64_t n = 0; n < from; ++n) {
    const int64_t row = n / 23, block = row / 4;
    x[n] = value_at((block * ranks + rank) * 4 + row % 4, n % 23);
  }
  for (int round = 0; round < 3; ++round) {
    memset(y, 0, (size_t)to * sizeof *y);
    if (round == 1) {
      int done = 0;
      CHECK_OK(sluice_redistribution_start(job, x, y));
      while (!done) CHECK_OK(sluice_job_test(job, &done));
    } else {
      CHECK_OK(sluice_redistribution_execute(job, x, y));
    }
    const int process = (rank - (ranks - 1) + ranks) % ranks; /* counted from the one with the first block */
    for (int64_t n = 0; n < to; ++n) {
      const int64_t column = n % columns_here, block = column / 3;
      CHECK(y[n] == value_at(n / columns_here, (block * ranks + process) * 3 + column % 3));
    }
  }
  int native = -1;
  int64_t extra = -1;
  CHECK_OK(sluice_job_native(job, &native));
  CHECK_OK(sluice_job_extra_bytes(job, &extra));
  CHECK((native == 0 || native == 1) && extra >= 0);
  CHECK_REFUSED(sluice_broadcast_execute(job, x, 8), "of another kind");
  CHECK_OK(sluice_job_free(job));
  free(x);
  free(y);
}

/* What an exchange is told of the network. */
enum network { LIMITED, AT_SPEEDS, LOCAL_LINKS, BY_HOST };

static void tell_network(sluice_options* options, enum network network) {
  const double times[] = {0, 1000}, slow_first[] = {0.5, 1, 1, 1, 1, 1, 1, 1};
  const int64_t most[] = {2, 1};
  switch (network) {
    case LIMITED:
      CHECK_OK(sluice_options_set_integer(options, "max_transfers", 2));
      break;
    case AT_SPEEDS:
      CHECK_OK(sluice_options_set_numbers(options, "sender_speeds", ranks, slow_first));
      CHECK_OK(sluice_options_set_numbers(options, "backbone_times", 2, times));
      CHECK_OK(sluice_options_set_integers(options, "backbone_max_transfers", 2, most));
      break;
    case LOCAL_LINKS:
      CHECK_OK(sluice_options_set_number(options, "local_unit_cost", 0.1));
      CHECK_OK(sluice_options_set_number(options, "local_setup_bytes", 10));
      break;
    case BY_HOST:
      CHECK_OK(sluice_options_set_integer(options, "by_host", 1));
      break;
  }
}

/* Rank r has 10 r + 1 bytes for the next rank, and 5 for itself. */
static void exchanges(enum network network) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const int to[] = {next, rank};
  const int64_t sizes[] = {10 * rank + 1, 5};
  const int messages = ranks == 1 ? 1 : 2;
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  tell_network(options, network);
  CHECK_OK(sluice_options_set_text(options, "mode", "chain"));
  sluice_job* job = NULL;
  CHECK_OK(sluice_exchange_create(MPI_COMM_WORLD, messages, to, sizes, options, &job));
  int64_t send = 0, receive = 0, count = 0, bytes[2];
  int peers[2];
  CHECK_OK(sluice_exchange_bytes(job, &send, &receive));
  CHECK(send == (ranks == 1 ? 1 : 10 * rank + 6) && receive == (ranks == 1 ? 1 : 10 * previous + 6));
  CHECK_OK(sluice_exchange_receives(job, &count, 2, peers, bytes));
  CHECK(count == messages);
  if (ranks > 1) CHECK_REFUSED(sluice_exchange_receives(job, &count, 1, peers, bytes), "room for 2");

  unsigned char *out = malloc((size_t)send), *in = malloc((size_t)receive);
  for (int64_t i = 0; i < sizes[0]; ++i) out[i] = (unsigned char)(rank + i);
  if (ranks > 1) memset(out + sizes[0], 200 + rank, 5);
  for (int round = 0; round < 2; ++round) {
    memset(in, 255, (size_t)receive);
    CHECK_OK(sluice_exchange_execute(job, out, send, in, receive));
    int64_t at = 0;
    for (int64_t m = 0; m < count; ++m) {
      for (int64_t i = 0; i < bytes[m]; ++i, ++at)
        CHECK(in[at] == (unsigned char)(peers[m] == rank && ranks > 1 ? 200 + rank : peers[m] + i));
    }
  }
  /* Too small a buffer on the last rank: all of them hear of it, and the job is over. */
  const int64_t room = rank == ranks - 1 ? receive - 1 : receive;
  const int code = sluice_exchange_execute(job, out, send, in, room);
  const int later = sluice_exchange_execute(job, out, send, in, receive);
  if (rank == ranks - 1) CHECK(code == SLUICE_BAD_INPUT);
  CHECK(later != SLUICE_OK);
  CHECK_OK(sluice_job_free(job));
  CHECK_OK(sluice_options_free(options));
  free(out);
  free(in);
}

static void reduces_and_broadcasts(void) {
  enum { kCount = 5000 };
  double *own = malloc(kCount * sizeof *own), *sum = calloc(kCount, sizeof *sum);
  for (int i = 0; i < kCount; ++i) own[i] = rank + i;
  const int root = ranks - 1;
  sluice_job *reduction = NULL, *broadcast = NULL;
  CHECK_OK(sluice_reduction_create(MPI_COMM_WORLD, kCount, MPI_DOUBLE, MPI_SUM, root, NULL, &reduction));
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, root, NULL, &broadcast));
  for (int round = 0; round < 2; ++round) {
    memset(sum, 0, kCount * sizeof *sum);
    CHECK_OK(sluice_reduction_execute(reduction, own, sum));
    CHECK_OK(sluice_broadcast_start(broadcast, sum, kCount * (int64_t)sizeof *sum));
    CHECK_OK(sluice_job_wait(broadcast));
    for (int i = 0; i < kCount; ++i) CHECK(sum[i] == ranks * (ranks - 1) / 2.0 + (double)ranks * i);
  }
  CHECK_OK(sluice_job_free(reduction));
  CHECK_OK(sluice_job_free(broadcast));

  /* By a tree that is asked for, through Fortran's handles, on the root in place. */
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_text(options, "algorithm", "binomial"));
  CHECK_OK(sluice_options_set_integer(options, "segments", 3));
  CHECK_OK(sluice_options_set_integer(options, "progress_thread", 0));
  CHECK_OK(sluice_reduction_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), kCount, MPI_Type_c2f(MPI_DOUBLE),
                                     MPI_Op_c2f(MPI_MAX), 0, options, &reduction));
  CHECK_OK(sluice_reduction_execute(reduction, rank == 0 ? MPI_IN_PLACE : own, rank == 0 ? own : NULL));
  if (rank == 0) {
    for (int i = 0; i < kCount; ++i) CHECK(own[i] == ranks - 1 + i);
  }
  CHECK_OK(sluice_job_free(reduction));
  CHECK_OK(sluice_options_free(options));
  free(own);
  free(sum);
}

/* Y = 2 Y + 3 X transposed, of rows dealt to the ranks. */
static void transposes_scales_and_adds(void) {
  const int64_t shape[] = {2 * ranks, 3};
  const sluice_layout rows = {2, {ranks, 1}, {2, 3}, {0}}, columns = {2, {1, ranks}, {3, 2}, {0}};
  sluice_options* options = NULL;
  sluice_job* job = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "transpose", 1));
  CHECK_OK(sluice_options_set_number(options, "alpha", 3));
  CHECK_OK(sluice_options_set_number(options, "beta", 2));
  CHECK_REFUSED(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, 4, options, &job),
                "element_type: none, expected float, double");
  CHECK_OK(sluice_options_set_text(options, "element_type", "float"));
  CHECK_REFUSED(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, 8, options, &job),
                "element_type: 'float' for elements of 8 bytes, expected elements of 4 bytes");
  CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, 4, options, &job));
  float x[6], y[6];
  for (int n = 0; n < 6; ++n) {
    x[n] = (float)value_at(2 * rank + n / 3, n % 3);
    y[n] = 1;
  }
  CHECK_OK(sluice_redistribution_execute(job, x, y));
  for (int n = 0; n < 6; ++n) CHECK(y[n] == 2 + 3 * (float)value_at(2 * rank + n % 2, n / 2));
  CHECK_OK(sluice_job_free(job));
  CHECK_OK(sluice_options_free(options));
}

/* An argument that is bad on one rank alone is an error on all. */
static void fails_on_all_ranks(void) {
  const int bad = rank == ranks / 2;
  const int64_t shape[] = {100};
  const sluice_layout layout = {1, {ranks}, {3}, {0}};
  sluice_job* job = (sluice_job*)&job;
  CHECK(sluice_redistribution_create(MPI_COMM_WORLD, bad ? NULL : shape, &layout, &layout, 8, NULL, &job) != SLUICE_OK);
  CHECK(job == NULL);
  CHECK(strstr(sluice_error_text(), "shape: ") != NULL && strstr(sluice_error_text(), "a null pointer") != NULL);
  CHECK(sluice_broadcast_create(MPI_COMM_WORLD, bad ? ranks : 0, NULL, &job) != SLUICE_OK);
  CHECK(job == NULL);
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  if (bad) CHECK_OK(sluice_options_set_integer(options, "no_such", 1));
  CHECK(sluice_reduction_create(MPI_COMM_WORLD, 1, MPI_INT, MPI_SUM, 0, options, &job) != SLUICE_OK);
  CHECK(strstr(sluice_error_text(), "no_such") != NULL);
  CHECK(sluice_exchange_create(MPI_COMM_WORLD, bad ? 1 : 0, NULL, NULL, NULL, &job) != SLUICE_OK);
  CHECK_OK(sluice_options_free(options));
  CHECK_REFUSED(sluice_broadcast_create(MPI_COMM_NULL, 0, NULL, &job), "MPI_COMM_NULL");
  int done = 0;
  CHECK_REFUSED(sluice_job_test(NULL, &done), "job: a null pointer");
  /* The communicator is as good as before. */
  int value = rank == 0 ? 7 : 0;
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job));
  CHECK_OK(sluice_broadcast_execute(job, &value, sizeof value));
  CHECK(value == 7);
  CHECK_OK(sluice_job_free(job));
}

int main(int argc, char** argv) {
  sluice_job* job = NULL;
  CHECK_REFUSED(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job), "MPI: not running");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  redistributes();
  for (int network = LIMITED; network <= BY_HOST; ++network) exchanges((enum network)network);
  reduces_and_broadcasts();
  transposes_scales_and_adds();
  fails_on_all_ranks();
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job));
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  int value = 0;
  CHECK(sluice_broadcast_execute(job, &value, sizeof value) != SLUICE_OK);
  CHECK_OK(sluice_job_free(job));
  return failures == 0 ? 0 : 1;
}
