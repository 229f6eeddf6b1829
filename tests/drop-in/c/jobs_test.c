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
  sluice_layout rows = {.dimensions = 2, .grid = {ranks, 1}, .block = {4, 23}},
                columns = {.dimensions = 2, .grid = {1, ranks}, .block = {37, 3}, .first = {0, ranks - 1}};
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

/* The same matrix, and a vector of floats whose blocks of 5 become blocks of 2, in one job. */
static void redistributes_several(void) {
  const int64_t shape[] = {37, 23}, length[] = {101};
  const sluice_layout rows = {.dimensions = 2, .grid = {ranks, 1}, .block = {4, 23}},
                      columns = {.dimensions = 2, .grid = {1, ranks}, .block = {37, 3}};
  const sluice_layout fives = {.dimensions = 1, .grid = {ranks}, .block = {5}},
                      twos = {.dimensions = 1, .grid = {ranks}, .block = {2}};
  const sluice_array arrays[] = {{shape, &rows, &columns, sizeof(double), NULL},
                                 {length, &fives, &twos, sizeof(float), NULL}};
  sluice_job* job = NULL;
  CHECK_OK(sluice_redistribution_batch_create(MPI_COMM_WORLD, 2, arrays, NULL, &job));
  int64_t from[2], to[2];
  for (int a = 0; a < 2; ++a) CHECK_OK(sluice_redistribution_batch_extents(job, a, &from[a], &to[a]));
  CHECK_REFUSED(sluice_redistribution_batch_extents(job, 2, from, to), "array: 2, expected 0 to 1");
  CHECK_REFUSED(sluice_redistribution_batch_extents(job, -1, from, to), "array: -1");
  double *x = calloc((size_t)from[0] + 1, sizeof *x), *y = calloc((size_t)to[0] + 1, sizeof *y);
  float *v = calloc((size_t)from[1] + 1, sizeof *v), *w = calloc((size_t)to[1] + 1, sizeof *w);
  for (int64_t n = 0; n < from[0]; ++n) {
    const int64_t row = n / 23;
    x[n] = value_at((row / 4 * ranks + rank) * 4 + row % 4, n % 23);
  }
  for (int64_t n = 0; n < from[1]; ++n) v[n] = (float)((n / 5 * ranks + rank) * 5 + n % 5);
  const void* const sources[] = {x, v};
  void* const targets[] = {y, w};
  const int64_t columns_here = to[0] / 37;
  for (int round = 0; round < 3; ++round) {
    memset(y, 0, (size_t)to[0] * sizeof *y);
    memset(w, 0, (size_t)to[1] * sizeof *w);
    if (round == 1) {
      CHECK_OK(sluice_redistribution_batch_start(job, sources, targets));
      CHECK_OK(sluice_job_wait(job));
    } else {
      CHECK_OK(sluice_redistribution_batch_execute(job, sources, targets));
    }
    for (int64_t n = 0; n < to[0]; ++n) {
      const int64_t column = n % columns_here;
      CHECK(y[n] == value_at(n / columns_here, (column / 3 * ranks + rank) * 3 + column % 3));
    }
    for (int64_t n = 0; n < to[1]; ++n) CHECK(w[n] == (float)((n / 2 * ranks + rank) * 2 + n % 2));
  }
  CHECK_REFUSED(sluice_redistribution_execute(job, x, y), "of another kind");
  CHECK_REFUSED(sluice_redistribution_batch_execute(job, NULL, targets), "0 pointers, expected 2");
  CHECK_OK(sluice_job_free(job));
  CHECK_REFUSED(sluice_redistribution_batch_create(MPI_COMM_WORLD, 0, arrays, NULL, &job), "at least one array");
  CHECK_REFUSED(sluice_redistribution_batch_create(MPI_COMM_WORLD, 2, NULL, NULL, &job), "arrays");
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "no_such", 1));
  CHECK_REFUSED(sluice_redistribution_batch_create(MPI_COMM_WORLD, 2, arrays, options, &job), "no_such");
  CHECK_OK(sluice_options_free(options));
  /* A shift of both arrays, which roles that are given out take back: nothing moves. */
  const sluice_layout shifted = {.dimensions = 1, .grid = {ranks}, .block = {5}, .first = {ranks / 2}};
  const sluice_array shift[] = {{length, &fives, &shifted, sizeof(float), NULL},
                                {length, &fives, &shifted, sizeof(double), NULL}};
  int64_t count = 0;
  int at[64], also[64];
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "relabel", 1));
  CHECK_OK(sluice_redistribution_batch_create(MPI_COMM_WORLD, 2, shift, options, &job));
  CHECK_OK(sluice_redistribution_batch_to_ranks(job, 0, &count, 64, at));
  CHECK(count == ranks);
  CHECK_OK(sluice_redistribution_batch_to_ranks(job, 1, &count, 64, also));
  for (int r = 0; r < ranks; ++r) CHECK(at[(r + ranks / 2) % ranks] == r && also[r] == at[r]);
  CHECK_REFUSED(sluice_redistribution_batch_to_ranks(job, 2, &count, 64, at), "array: 2");
  CHECK_REFUSED(sluice_redistribution_batch_to_ranks(job, -1, &count, 64, at), "array: -1");
  CHECK_REFUSED(sluice_redistribution_batch_to_ranks(job, 0, &count, ranks - 1, at), "room for");
  CHECK_REFUSED(sluice_redistribution_batch_to_ranks(job, 0, NULL, 64, at), "count: a null pointer");
  CHECK_OK(sluice_job_free(job));
  CHECK_OK(sluice_options_free(options));
  free(x);
  free(y);
  free(v);
  free(w);
}

/* Rank r has r + 1 numbers of a vector given by cuts, which move to blocks of 2; alone and in a batch. */
static void redistributes_cuts(void) {
  int64_t at[65] = {0}, owners[64], size = 0, from = 0, to = 0;
  CHECK(ranks <= 64);
  for (int r = 0; r < ranks; ++r) {
    at[r + 1] = at[r] + r + 1;
    owners[r] = ranks - 1 - r; /* the last rank has the first block */
  }
  const int64_t shape[] = {at[ranks]};
  const sluice_layout cut = {.dimensions = 1, .grid = {ranks}, .cuts = {{ranks + 1, at, owners}}},
                      twos = {.dimensions = 1, .grid = {ranks}, .block = {2}};
  const int64_t block = ranks - 1 - rank;
  CHECK_OK(sluice_layout_local_size(&cut, shape, rank, &size));
  CHECK(size == block + 1);
  sluice_job *one = NULL, *batch = NULL;
  const sluice_array array = {shape, &cut, &twos, sizeof(int), NULL};
  CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &cut, &twos, sizeof(int), NULL, &one));
  CHECK_OK(sluice_redistribution_batch_create(MPI_COMM_WORLD, 1, &array, NULL, &batch));
  CHECK_OK(sluice_redistribution_extents(one, &from, &to));
  CHECK(from == block + 1);
  int *x = calloc((size_t)from + 1, sizeof *x), *y = calloc((size_t)to + 1, sizeof *y);
  for (int64_t n = 0; n < from; ++n) x[n] = (int)(at[block] + n);
  for (int round = 0; round < 2; ++round) {
    memset(y, 255, (size_t)to * sizeof *y);
    if (round == 0) {
      CHECK_OK(sluice_redistribution_execute(one, x, y));
    } else {
      const void* const sources[] = {x};
      void* const targets[] = {y};
      CHECK_OK(sluice_redistribution_batch_execute(batch, sources, targets));
    }
    for (int64_t n = 0; n < to; ++n) CHECK(y[n] == (int)((n / 2 * ranks + rank) * 2 + n % 2));
  }
  CHECK_OK(sluice_job_free(one));
  CHECK_OK(sluice_job_free(batch));
  /* Cuts that are wrong, or others, on one rank alone are an error on all. */
  sluice_layout bad = cut;
  if (rank == ranks - 1) bad.cuts[0].at = NULL;
  CHECK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &bad, &twos, sizeof(int), NULL, &one) != SLUICE_OK);
  CHECK(one == NULL && strstr(sluice_error_text(), "null pointer") != NULL);
  bad = cut;
  if (rank == ranks - 1) at[1] = at[0];
  CHECK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &bad, &twos, sizeof(int), NULL, &one) != SLUICE_OK);
  CHECK(one == NULL);
  free(x);
  free(y);
}

/* One vector that lies on all ranks becomes a copy on each, and back. */
static void redistributes_copies(void) {
  enum { kLength = 100 };
  const int64_t shape[] = {kLength};
  const sluice_layout spread = {.dimensions = 1, .grid = {ranks}, .block = {3}},
                      whole = {.dimensions = 1, .grid = {1}, .block = {kLength}};
  sluice_options* options = NULL;
  sluice_job* job = NULL;
  int64_t from = 0, to = 0, count = 0;
  int every[kLength], part[kLength + 1], copies[64];
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "to_replicas", ranks));
  CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &spread, &whole, sizeof(int), options, &job));
  CHECK_OK(sluice_redistribution_extents(job, &from, &to));
  CHECK(to == kLength);
  CHECK_OK(sluice_redistribution_to_ranks(job, &count, 64, copies));
  CHECK(count == ranks && copies[rank] == rank);
  for (int64_t n = 0; n < from; ++n) part[n] = (int)((n / 3 * ranks + rank) * 3 + n % 3);
  memset(every, 255, sizeof every);
  CHECK_OK(sluice_redistribution_execute(job, part, every));
  for (int n = 0; n < kLength; ++n) CHECK(every[n] == n);
  CHECK_OK(sluice_job_free(job));

  CHECK_OK(sluice_options_set_integer(options, "to_replicas", 1));
  CHECK_OK(sluice_options_set_integer(options, "from_replicas", ranks));
  CHECK_OK(sluice_options_set_integer(options, "forward", 0));
  CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &whole, &spread, sizeof(int), options, &job));
  CHECK_OK(sluice_redistribution_extents(job, &from, &to));
  CHECK(from == kLength);
  memset(part, 255, sizeof part);
  CHECK_OK(sluice_redistribution_execute(job, every, part));
  for (int64_t n = 0; n < to; ++n) CHECK(part[n] == (int)((n / 3 * ranks + rank) * 3 + n % 3));
  CHECK_OK(sluice_job_free(job));

  CHECK_OK(sluice_options_set_integer(options, "from_replicas", ranks + 1));
  CHECK_REFUSED(sluice_redistribution_create(MPI_COMM_WORLD, shape, &whole, &spread, sizeof(int), options, &job), "");
  CHECK(job == NULL);
  CHECK_OK(sluice_options_set_integer(options, "from_replicas", -1));
  CHECK_REFUSED(sluice_redistribution_create(MPI_COMM_WORLD, shape, &whole, &spread, sizeof(int), options, &job), "-1");
  const sluice_array array = {shape, &whole, &spread, sizeof(int), options};
  CHECK_REFUSED(sluice_redistribution_batch_create(MPI_COMM_WORLD, 1, &array, NULL, &job),
                "'forward', expected one of");
  CHECK_OK(sluice_options_free(options));
}

/* What an exchange is told of the network. */
enum network { LIMITED, AT_SPEEDS, LOCAL_LINKS };

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
  /* From and into one memory. */
  sluice_job* other = NULL;
  CHECK_OK(sluice_exchange_create(MPI_COMM_WORLD, messages, to, sizes, options, &other));
  unsigned char* both = calloc((size_t)(send + receive), 1);
  CHECK_REFUSED(sluice_exchange_execute(other, both, send, both + send - 1, receive), "overlaps");
  CHECK_OK(sluice_job_free(other));
  CHECK_OK(sluice_exchange_create(MPI_COMM_WORLD, messages, to, sizes, options, &other));
  CHECK_OK(sluice_exchange_execute(other, both, send, both + send, receive));
  CHECK_OK(sluice_job_free(other));
  free(both);
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

  sluice_options* options = NULL;
  const int64_t bytes = 8;
  sluice_job* moving = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_number(options, "effort", -1));
  CHECK_REFUSED(sluice_collective_create(MPI_COMM_WORLD, "allgather", 1, &bytes, 0, options, &moving), "effort: -1");
  CHECK_OK(sluice_options_free(options));

  /* By a tree that is asked for, through Fortran's handles, on the root in place. */
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
  const sluice_layout rows = {.dimensions = 2, .grid = {ranks, 1}, .block = {2, 3}},
                      columns = {.dimensions = 2, .grid = {1, ranks}, .block = {3, 2}};
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
  const sluice_layout layout = {.dimensions = 1, .grid = {ranks}, .block = {3}};
  sluice_job* job = (sluice_job*)&job;
  CHECK(sluice_redistribution_create(MPI_COMM_WORLD, bad ? NULL : shape, &layout, &layout, 8, NULL, &job) != SLUICE_OK);
  CHECK(job == NULL);
  CHECK(strstr(sluice_error_text(), "shape: ") != NULL && strstr(sluice_error_text(), "a null pointer") != NULL);
  CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &layout, &layout, 8, NULL, &job));
  double both[100] = {0};
  CHECK_REFUSED(sluice_redistribution_execute(job, both, both), "overlaps");
  CHECK_OK(sluice_job_free(job));
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

/* Rank r's block is of r + 1 bytes, each of them r. */
static void moves_and_combines(void) {
  sluice_job* job = NULL;
  int64_t sizes[64], all = 0;
  for (int r = 0; r < ranks; ++r) all += sizes[r] = r + 1;
  CHECK(ranks <= 64);
  unsigned char own[64], every[64 * 65];
  memset(own, rank, sizeof own);
  CHECK_OK(sluice_collective_create(MPI_COMM_WORLD, "allgather", ranks, sizes, 0, NULL, &job));
  int64_t gives = 0, gets = 0;
  CHECK_OK(sluice_collective_bytes(job, &gives, &gets));
  CHECK(gives == rank + 1 && gets == all);
  for (int round = 0; round < 3; ++round) {
    memset(every, 255, sizeof every);
    CHECK_OK(round == 1 ? sluice_collective_start(job, own, every) : sluice_collective_execute(job, own, every));
    if (round == 1) CHECK_OK(sluice_job_wait(job));
    int64_t at = 0;
    for (int r = 0; r < ranks; ++r)
      for (int64_t i = 0; i < sizes[r]; ++i) CHECK(every[at++] == r);
    CHECK(every[at] == 255);
  }
  CHECK_OK(sluice_job_free(job));

  const int64_t block = 8;
  const int root = ranks - 1;
  CHECK_OK(sluice_collective_create(MPI_COMM_WORLD, "scatter", 1, &block, root, NULL, &job));
  double parts[64], part = -1;
  for (int r = 0; r < ranks; ++r) parts[r] = 0.5 * r;
  CHECK_OK(sluice_collective_execute(job, rank == root ? parts : NULL, &part));
  CHECK(part == 0.5 * rank);
  CHECK_OK(sluice_job_free(job));

  CHECK_OK(sluice_combining_create(MPI_COMM_WORLD, "allreduce", 5, MPI_INT, MPI_SUM, 0, NULL, NULL, &job));
  int sums[5] = {rank, 1, 2, 3, 4};
  CHECK_OK(sluice_collective_execute(job, MPI_IN_PLACE, sums));
  CHECK(sums[0] == ranks * (ranks - 1) / 2 && sums[4] == 4 * ranks);
  CHECK_OK(sluice_job_free(job));

  int terms[64 * 65], share[64];
  for (int64_t i = 0; i < all; ++i) terms[i] = (int)i;
  CHECK_OK(sluice_combining_create(MPI_COMM_WORLD, "reduce-scatter", all, MPI_INT, MPI_SUM, ranks, sizes, NULL, &job));
  CHECK_OK(sluice_collective_execute(job, terms, share));
  for (int i = 0; i <= rank; ++i) CHECK(share[i] == ranks * (rank * (rank + 1) / 2 + i));
  CHECK_OK(sluice_job_free(job));

  CHECK_REFUSED(sluice_collective_create(MPI_COMM_WORLD, "gossip", 1, &block, 0, NULL, &job), "gossip");
  CHECK_REFUSED(sluice_collective_create(MPI_COMM_WORLD, "allreduce", 1, &block, 0, NULL, &job), "problem");
  CHECK_REFUSED(sluice_collective_create(MPI_COMM_WORLD, NULL, 1, &block, 0, NULL, &job), "problem");
  CHECK_REFUSED(sluice_collective_create(MPI_COMM_WORLD, "alltoall", ranks * ranks + 1, NULL, 0, NULL, &job), "bytes");
  CHECK_REFUSED(sluice_collective_create(MPI_COMM_WORLD, "allgather", ranks + 2, sizes, 0, NULL, &job), "counts");
  CHECK_REFUSED(sluice_combining_create(MPI_COMM_WORLD, "scatter", 1, MPI_INT, MPI_SUM, 0, NULL, NULL, &job),
                "problem");
  CHECK(job == NULL);
}

/* Where all agree, the job can be used again. */
static void agrees_on_arguments(void) {
  const int bad = rank == ranks - 1;
  sluice_job* job = NULL;
  CHECK_REFUSED(sluice_set_agreed_arguments(MPI_COMM_NULL, 1), "MPI_COMM_NULL");
  CHECK_OK(sluice_set_agreed_arguments(MPI_COMM_WORLD, 1));
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job));
  double values[3] = {rank, rank, rank};
  for (int round = 0; round < 3; ++round) {
    CHECK_REFUSED(sluice_broadcast_execute(job, bad ? NULL : values, sizeof values), "null pointer");
    CHECK(values[0] == (round == 0 ? rank : 0));
    CHECK_OK(sluice_broadcast_execute(job, values, sizeof values));
    CHECK(values[0] == 0 && values[2] == 0);
  }
  CHECK_OK(sluice_job_free(job));
  CHECK_OK(sluice_set_agreed_arguments(MPI_COMM_WORLD, 0));
}

/* With "must" the only call is one that ends all ranks, though the others wait. */
static void ends_all_ranks(void) {
  sluice_job* job = NULL;
  sluice_must(SLUICE_OK);
  if (rank == ranks - 1) sluice_must(sluice_broadcast_create(MPI_COMM_NULL, 0, NULL, &job));
  MPI_Barrier(MPI_COMM_WORLD);
  printf("not ended\n");
}

int main(int argc, char** argv) {
  sluice_job* job = NULL;
  if (argc > 1 && strcmp(argv[1], "must-without-mpi") == 0)
    sluice_must(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job));
  CHECK_REFUSED(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job), "MPI: not running");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1) {
    ends_all_ranks();
    MPI_Finalize();
    return 0;
  }
  redistributes();
  redistributes_several();
  redistributes_cuts();
  redistributes_copies();
  for (int network = LIMITED; network <= LOCAL_LINKS; ++network) exchanges((enum network)network);
  reduces_and_broadcasts();
  transposes_scales_and_adds();
  fails_on_all_ranks();
  moves_and_combines();
  agrees_on_arguments();
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, NULL, &job));
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  int value = 0;
  CHECK(sluice_broadcast_execute(job, &value, sizeof value) != SLUICE_OK);
  CHECK_OK(sluice_job_free(job));
  return failures == 0 ? 0 : 1;
}
