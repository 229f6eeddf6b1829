/* Options of jobs through the C interface, on any number of ranks: programs to carry out, and parts of a matrix.
 * options_test PLATFORM.json */
#include <mpi.h>
#include <sluice/sluice.h>
#include <stdlib.h>

#include "check.h"

enum { kNumbers = 100, kBytes = 8 * kNumbers };

static int rank, ranks;

/* One operation of a program, behind the `length` characters that are there. Its position tells what it waits for. */
static int append(char* text, int length, int at, const char* kind, int of, int peer, int offset, int bytes,
                  int after) {
  length += sprintf(text + length,
                    "%s{\"rank\": %d, \"kind\": \"%s\", \"peer\": %d, \"offset\": %d, \"bytes\": %d, \"after\": [",
                    at == 0 ? "" : ", ", of, kind, peer, offset, bytes);
  if (after >= 0) length += sprintf(text + length, "%d", after);
  return length + sprintf(text + length, "]}");
}

/* A program in which rank after rank passes the message on, elements on their way to rank 0 are combined, or rank 0
 * gives each of the others its block; `missing` operations are left out at the end. */
static sluice_program* program_of(const char* problem, int for_ranks, int bytes, int missing) {
  char* const text = malloc(1000 + 400 * (size_t)for_ranks);
  const int reduces = strcmp(problem, "reduce") == 0, scatters = strcmp(problem, "scatter") == 0;
  int length =
      sprintf(text,
              "{\"schema\": \"sluice.program/1\", \"problem\": \"%s\", \"algorithm\": \"by hand\", \"ranks\": %d,"
              " \"size_bytes\": %d, \"root\": 0, %s\"operations\": [",
              problem, for_ranks, bytes, reduces ? "\"element_bytes\": 8, \"commutative\": true, " : "");
  const int operations = 2 * (for_ranks - 1) - missing;
  for (int at = 0; at < operations; ++at) {
    const int number = at / 2, receives = at % 2;
    const int from = reduces ? for_ranks - 1 - number : scatters ? 0 : number;
    const int to = reduces ? from - 1 : scatters ? number + 1 : from + 1;
    const char* const kind = !receives ? "send" : reduces ? "combine" : "receive";
    const int waits = !receives && !scatters && at > 0;
    length = append(text, length, at, kind, receives ? to : from, receives ? from : to, scatters ? to * bytes : 0,
                    bytes, waits ? at - 1 : -1);
  }
  sprintf(text + length, "], \"length_s\": 0, \"bound_s\": 0, \"bound\": \"\"}");
  sluice_program* program = NULL;
  CHECK_OK(sluice_program_parse(text, &program));
  free(text);
  return program;
}

/* Options with that program alone, which keep a copy. */
static sluice_options* options_with(sluice_program* program) {
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_program(options, program));
  CHECK_OK(sluice_program_free(program));
  return options;
}

static void reads_programs(void) {
  sluice_program* program = program_of("broadcast", 3, kBytes, 0);
  const char* problem = NULL;
  int64_t for_ranks = 0, bytes = 0;
  CHECK_OK(sluice_program_problem(program, &problem));
  CHECK(strcmp(problem, "broadcast") == 0);
  CHECK_OK(sluice_program_size(program, &for_ranks, &bytes));
  CHECK(for_ranks == 3 && bytes == kBytes);
  CHECK_OK(sluice_program_size(program, NULL, NULL));
  CHECK_OK(sluice_program_free(program));
  CHECK_OK(sluice_program_free(NULL));
  CHECK_REFUSED(sluice_program_read("nowhere.json", &program), "nowhere.json: cannot be read");
  CHECK(program == NULL);
  CHECK_REFUSED(sluice_program_read(NULL, &program), "path: a null pointer");
  CHECK_REFUSED(sluice_program_parse("{}", &program), "text");
  CHECK_REFUSED(sluice_program_parse(NULL, &program), "text: a null pointer");
  CHECK_REFUSED(sluice_program_parse("{}", NULL), "program: a null pointer");
  CHECK_REFUSED(sluice_program_size(NULL, &for_ranks, &bytes), "program: a null pointer");
  CHECK_REFUSED(sluice_options_set_program(NULL, NULL), "options: a null pointer");
}

static void carries_out_programs(void) {
  double own[kNumbers], sum[kNumbers], block = -1, *blocks = malloc((size_t)ranks * sizeof *blocks);
  for (int i = 0; i < kNumbers; ++i) own[i] = rank + i;
  sluice_job* job = NULL;
  sluice_options* options = options_with(program_of("reduce", ranks, kBytes, 0));
  CHECK_OK(sluice_reduction_create(MPI_COMM_WORLD, kNumbers, MPI_DOUBLE, MPI_SUM, 0, options, &job));
  CHECK_OK(sluice_options_free(options));
  for (int round = 0; round < 2; ++round) {
    int native = -1;
    memset(sum, 0, sizeof sum);
    CHECK_OK(sluice_reduction_execute(job, own, sum));
    for (int i = 0; i < kNumbers && rank == 0; ++i) CHECK(sum[i] == ranks * (ranks - 1) / 2.0 + (double)ranks * i);
    CHECK_OK(sluice_job_native(job, &native));
    CHECK(native == 0);
  }
  CHECK_OK(sluice_job_free(job));

  options = options_with(program_of("broadcast", ranks, kBytes, 0));
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, options, &job));
  CHECK_OK(sluice_options_free(options));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kNumbers; ++i) own[i] = rank == 0 ? round - i : -1;
    CHECK_OK(round == 0 ? sluice_broadcast_execute(job, own, kBytes) : sluice_broadcast_start(job, own, kBytes));
    CHECK_OK(sluice_job_wait(job));
    for (int i = 0; i < kNumbers; ++i) CHECK(own[i] == round - i);
  }
  CHECK_OK(sluice_job_free(job));

  options = options_with(program_of("scatter", ranks, sizeof(double), 0));
  const int64_t size = sizeof(double);
  CHECK_OK(sluice_collective_create(MPI_COMM_WORLD, "scatter", 1, &size, 0, options, &job));
  CHECK_OK(sluice_options_free(options));
  for (int r = 0; r < ranks; ++r) blocks[r] = 0.5 * r;
  CHECK_OK(sluice_collective_execute(job, rank == 0 ? blocks : NULL, &block));
  CHECK(block == 0.5 * rank);
  CHECK_OK(sluice_job_free(job));
  free(blocks);
}

static void expect_no_reduction(sluice_options* options, int64_t count, int root, const char* about) {
  sluice_job* job = NULL;
  CHECK_REFUSED(sluice_reduction_create(MPI_COMM_WORLD, count, MPI_DOUBLE, MPI_SUM, root, options, &job), about);
  CHECK(job == NULL);
}

static void expect_no_broadcast(sluice_options* options, int root, const char* about) {
  sluice_job* job = NULL;
  CHECK_REFUSED(sluice_broadcast_create(MPI_COMM_WORLD, root, options, &job), about);
  CHECK(job == NULL);
}

static void refuses_programs_that_do_not_fit(const char* platform_file) {
  char about[100];
  double values[kNumbers] = {0};
  sluice_job* job = NULL;
  sluice_platform* platform = NULL;
  CHECK_OK(sluice_platform_read(platform_file, &platform));
  sluice_options* options = options_with(program_of("reduce", ranks, kBytes, 0));
  expect_no_broadcast(options, 0, "program: reduce, expected broadcast");
  expect_no_reduction(options, kNumbers + 1, 0, "program: size_bytes 800, expected 808");
  if (ranks > 1) expect_no_reduction(options, kNumbers, ranks - 1, "program: root 0, expected ");
  CHECK_REFUSED(sluice_exchange_create(MPI_COMM_WORLD, 0, NULL, NULL, options, &job), "'program', expected one of");
  CHECK_OK(sluice_options_set_integer(options, "segments", 2));
  expect_no_reduction(options, kNumbers, 0,
                      "program: cannot be used with an algorithm or segments, expected one of the two");
  CHECK_OK(sluice_options_free(options));

  options = options_with(program_of("broadcast", ranks, kBytes, 0));
  expect_no_reduction(options, kNumbers, 0, "program: broadcast, expected reduce");
  if (ranks > 1) expect_no_broadcast(options, ranks - 1, "program: root 0, expected ");
  /* Each rank hears of its own failure, or of that of another rank. */
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, options, &job));
  CHECK(sluice_broadcast_execute(job, values, kBytes - 8) != SLUICE_OK);
  CHECK(strstr(sluice_error_text(), "792, expected the 800 of the program") != NULL);
  CHECK_OK(sluice_job_free(job));
  CHECK_OK(sluice_options_set_platform(options, platform));
  expect_no_broadcast(options, 0, "program: cannot be used with a platform to plan over, expected one of the two");
  CHECK_OK(sluice_options_free(options));
  options = options_with(program_of("reduce", ranks, kBytes, 0));
  CHECK_OK(sluice_options_set_platform(options, platform));
  expect_no_reduction(options, kNumbers, 0,
                      "program: cannot be used with a platform to plan over, expected one of the two");
  CHECK_OK(sluice_options_free(options));
  CHECK_OK(sluice_platform_free(platform));

  /* For more ranks, on the last rank alone. */
  options = options_with(program_of("broadcast", rank == ranks - 1 ? ranks + 1 : ranks, kBytes, 0));
  sprintf(about, "ranks %d, expected %d", ranks + 1, ranks);
  expect_no_broadcast(options, 0, about);
  CHECK_OK(sluice_options_set_text(options, "program", "plan.json"));
  expect_no_broadcast(options, 0, "program: an option of another kind, expected a program");
  CHECK_OK(sluice_options_free(options));

  if (ranks == 1) return;
  options = options_with(program_of("reduce", ranks, kBytes, 1));
  expect_no_reduction(options, kNumbers, 0, "expected a sound one");
  CHECK_OK(sluice_options_free(options));
  options = options_with(program_of("broadcast", ranks, kBytes, 1));
  CHECK_OK(sluice_broadcast_create(MPI_COMM_WORLD, 0, options, &job));
  CHECK(sluice_broadcast_execute(job, values, kBytes) != SLUICE_OK);
  CHECK(strstr(sluice_error_text(), "expected a sound one") != NULL);
  CHECK_OK(sluice_job_free(job));
  CHECK_OK(sluice_options_free(options));
}

/* Of a matrix whose rows are dealt to the ranks the part on one side of the diagonal moves, and the columns are dealt;
 * alone, and in a batch. Of 7 rows and 4 columns the diagonal ends in the last element, so begins in row 3. */
static void moves_parts(void) {
  enum { kRows = 7, kColumns = 4 };
  const int64_t shape[] = {kRows, kColumns};
  const sluice_layout rows = {.dimensions = 2, .grid = {ranks, 1}, .block = {1, kColumns}},
                      columns = {.dimensions = 2, .grid = {1, ranks}, .block = {kRows, 1}};
  const struct {
    const char* part;
    int unit_diagonal, first, last; /* rows of column 0; others begin, or end, as much lower */
  } cases[] = {{"upper", 0, 0, 3}, {"upper", 1, 0, 2}, {"lower", 0, 0, kRows}, {"lower", 1, 1, kRows}};
  double x[kRows * kColumns], y[kRows * kColumns];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    const int upper = strcmp(cases[c].part, "upper") == 0;
    sluice_options* options = NULL;
    sluice_job *one = NULL, *batch = NULL;
    CHECK_OK(sluice_options_create(&options));
    CHECK_OK(sluice_options_set_text(options, "part", cases[c].part));
    CHECK_OK(sluice_options_set_integer(options, "unit_diagonal", cases[c].unit_diagonal));
    const sluice_array array = {shape, &rows, &columns, sizeof(double), options};
    CHECK_OK(sluice_redistribution_create(MPI_COMM_WORLD, shape, &rows, &columns, sizeof(double), options, &one));
    CHECK_OK(sluice_redistribution_batch_create(MPI_COMM_WORLD, 1, &array, NULL, &batch));
    CHECK_OK(sluice_options_free(options));
    int64_t from = 0, to = 0;
    CHECK_OK(sluice_redistribution_extents(one, &from, &to));
    for (int64_t n = 0; n < from; ++n) x[n] = 10.0 * (double)(n / kColumns * ranks + rank) + (double)(n % kColumns);
    const int64_t here = to / kRows;
    const void* const sources[] = {x};
    void* const targets[] = {y};
    for (int round = 0; round < 2; ++round) {
      for (int64_t n = 0; n < to; ++n) y[n] = -1;
      CHECK_OK(round == 0 ? sluice_redistribution_execute(one, x, y)
                          : sluice_redistribution_batch_execute(batch, sources, targets));
      for (int64_t n = 0; n < to; ++n) {
        const int64_t i = n / here, j = n % here * ranks + rank;
        const int moves = upper ? i <= cases[c].last + j : i >= cases[c].first + j;
        CHECK(y[n] == (moves ? 10.0 * (double)i + (double)j : -1));
      }
    }
    CHECK_OK(sluice_job_free(one));
    CHECK_OK(sluice_job_free(batch));
  }
}

static void plans_parts_and_refuses_others(void) {
  const int64_t shape[] = {8, 8}, length[] = {8};
  const sluice_layout four = {.dimensions = 2, .grid = {2, 2}, .block = {1, 1}},
                      two = {.dimensions = 2, .grid = {1, 2}, .block = {2, 2}},
                      line = {.dimensions = 1, .grid = {2}, .block = {1}};
  sluice_options* options = NULL;
  sluice_schedule* plan = NULL;
  sluice_job* job = NULL;
  int64_t violations = -1, sent = 0, steps = 0, transfers = 0;
  sluice_transfer list[64];
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_text(options, "part", "lower"));
  CHECK_OK(sluice_options_set_integer(options, "unit_diagonal", 1));
  CHECK_OK(sluice_plan_redistribution(shape, &four, &two, options, &plan));
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_steps(plan, &steps));
  for (int64_t t = 0; t < steps; ++t) {
    CHECK_OK(sluice_schedule_step(plan, t, NULL, &transfers, 64, list));
    for (int64_t i = 0; i < transfers; ++i) sent += list[i].size;
  }
  CHECK(sent == 28); /* of 64, 8 of which are on the diagonal */
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_REFUSED(sluice_plan_redistribution(length, &line, &line, options, &plan), "part: an array of 1 dimension");

  CHECK_OK(sluice_options_set_text(options, "part", "left"));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &four, &two, options, &plan),
                "part: 'left', expected upper or lower");
  CHECK_REFUSED(sluice_redistribution_create(MPI_COMM_WORLD, shape, &four, &two, 8, options, &job),
                "part: 'left', expected upper or lower");
  CHECK_OK(sluice_options_set_integer(options, "part", 1));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &four, &two, options, &plan), "part: an option of another kind");
  CHECK_OK(sluice_options_free(options));
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "unit_diagonal", 1));
  CHECK_REFUSED(sluice_redistribution_create(MPI_COMM_WORLD, shape, &four, &two, 8, options, &job),
                "unit_diagonal: no part, expected part upper or lower");
  CHECK_OK(sluice_options_free(options));
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  reads_programs();
  carries_out_programs();
  refuses_programs_that_do_not_fit(argv[1]);
  moves_parts();
  plans_parts_and_refuses_others();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
