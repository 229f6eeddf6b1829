/* Planning, judging and files through the C interface: plan_test PLATFORM.json FOLDER */
#include <sluice/sluice.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

/* Sender 1 is half as fast; the backbone carries one transfer from time 10 on. */
static void plans_at_speeds(void) {
  const int64_t from[] = {0, 1}, to[] = {0, 1}, size[] = {10, 10};
  const double speeds[] = {1, 0.5}, times[] = {0, 10}, bad[] = {1, 0};
  const int64_t two_then_one[] = {2, 1};
  sluice_options* options = NULL;
  sluice_schedule* plan = NULL;
  sluice_cost cost, bound;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "setup", 0));
  CHECK_OK(sluice_options_set_numbers(options, "sender_speeds", 2, speeds));
  CHECK_OK(sluice_plan_exchange(2, 2, 2, from, to, size, options, &plan));
  CHECK_OK(sluice_schedule_cost(plan, &cost, &bound));
  CHECK(cost.steps == 1 && cost.transmission == 20);
  sluice_schedule_free(plan);
  plan = NULL;

  CHECK_OK(sluice_options_set_numbers(options, "backbone_times", 2, times));
  CHECK_REFUSED(sluice_plan_exchange(2, 2, 2, from, to, size, options, &plan), "as many of both");
  CHECK_OK(sluice_options_set_integers(options, "backbone_max_transfers", 2, two_then_one));
  CHECK_OK(sluice_plan_exchange(2, 2, 2, from, to, size, options, &plan));
  CHECK_OK(sluice_schedule_cost(plan, &cost, &bound));
  CHECK(cost.transmission == 20);
  sluice_schedule_free(plan);
  plan = NULL;

  CHECK_OK(sluice_options_set_integer(options, "max_transfers", 2));
  CHECK_REFUSED(sluice_plan_exchange(2, 2, 2, from, to, size, options, &plan), "both tell k");
  sluice_options_free(options);
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_numbers(options, "receiver_speeds", 2, bad));
  CHECK_REFUSED(sluice_plan_exchange(2, 2, 2, from, to, size, options, &plan), "0 of receiver 1");
  CHECK_OK(sluice_options_set_numbers(options, "receiver_speeds", 1, speeds));
  CHECK_REFUSED(sluice_plan_exchange(2, 2, 2, from, to, size, options, &plan), "speeds of 1 receiver");
  sluice_options_free(options);
}

static void plans_exchanges(const char* folder) {
  const int64_t from[] = {0, 0, 1, 1, 2}, to[] = {0, 1, 0, 1, 2}, size[] = {7, 2, 4, 5, 9};
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "max_transfers", 2));
  CHECK_OK(sluice_options_set_integer(options, "setup", 3)); /* a number may be an integer */
  sluice_schedule* plan = NULL;
  CHECK_OK(sluice_plan_exchange(3, 3, 5, from, to, size, options, &plan));

  sluice_cost cost, bound;
  CHECK_OK(sluice_schedule_cost(plan, &cost, &bound));
  CHECK(cost.steps == 3 && cost.transmission == 16 && cost.total == 25);
  CHECK(bound.total == 24);
  int kind = 0, decimals = -1;
  CHECK_OK(sluice_schedule_kind(plan, &kind));
  CHECK(kind == SLUICE_STEPS);
  CHECK_OK(sluice_schedule_decimals(plan, &decimals));
  CHECK(decimals == 0);
  const char* text = NULL;
  CHECK_OK(sluice_schedule_problem(plan, &text));
  CHECK(strcmp(text, "exchange") == 0);

  int64_t steps = 0, sent = 0, durations = 0;
  CHECK_OK(sluice_schedule_steps(plan, &steps));
  for (int64_t t = 0; t < steps; ++t) {
    sluice_transfer list[2];
    int64_t duration = 0, count = 0;
    CHECK_OK(sluice_schedule_step(plan, t, &duration, &count, 2, list));
    CHECK(count >= 1 && count <= 2);
    durations += duration;
    for (int64_t i = 0; i < count; ++i) sent += list[i].size;
    if (count == 2) CHECK_REFUSED(sluice_schedule_step(plan, t, NULL, &count, 1, list), "room for 2 transfers");
  }
  CHECK(sent == 27 && durations == 16);
  CHECK_REFUSED(sluice_schedule_step(plan, steps, NULL, &sent, 0, NULL), "step");

  int64_t violations = -1;
  CHECK_OK(sluice_schedule_check_traffic(plan, 3, 3, 5, from, to, size, &violations));
  CHECK(violations == 0);
  const int64_t more[] = {7, 2, 4, 5, 10};
  CHECK_OK(sluice_schedule_check_traffic(plan, 3, 3, 5, from, to, more, &violations));
  CHECK(violations > 0);
  CHECK_OK(sluice_schedule_violation(plan, 0, &text));
  CHECK(strstr(text, "2") != NULL);
  CHECK_REFUSED(sluice_schedule_violation(plan, violations, &text), "violation");

  char path[4096];
  snprintf(path, sizeof path, "%s/plan.json", folder);
  CHECK_OK(sluice_schedule_write(plan, path));
  sluice_schedule* again = NULL;
  CHECK_OK(sluice_schedule_read(path, &again));
  const char *written = NULL, *read = NULL;
  CHECK_OK(sluice_schedule_json(plan, &written));
  CHECK_OK(sluice_schedule_json(again, &read));
  CHECK(strcmp(written, read) == 0);
  CHECK_OK(sluice_schedule_check(again, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_free(again));

  /* A file that states another cost than its steps have is read, and found broken. */
  char* broken = malloc(strlen(written) + 1);
  strcpy(broken, written);
  char* cost_at = strstr(broken, "\"cost\": {\"steps\": 3");
  CHECK(cost_at != NULL);
  if (cost_at != NULL) cost_at[strlen("\"cost\": {\"steps\": ")] = '4';
  FILE* file = fopen(path, "w");
  CHECK(file != NULL && fputs(broken, file) >= 0 && fclose(file) == 0);
  CHECK_OK(sluice_schedule_read(path, &again));
  CHECK_OK(sluice_schedule_check(again, &violations));
  CHECK(violations == 1);
  CHECK_OK(sluice_schedule_free(again));
  free(broken);

  snprintf(path, sizeof path, "%s/traffic.csv", folder);
  file = fopen(path, "w");
  CHECK(file != NULL && fputs("7,2,0\n4,5,0\n0,0,9\n", file) >= 0 && fclose(file) == 0);
  CHECK_OK(sluice_schedule_check_file(plan, path, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_plan_exchange_file(path, options, &again));
  CHECK_OK(sluice_schedule_json(again, &read));
  CHECK(strcmp(written, read) == 0);
  CHECK_OK(sluice_schedule_free(again));
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_OK(sluice_options_free(options));
}

/* Two ranks allgather 8 bytes each; `last` is what rank 1 keeps of rank 0. */
static void program_text(char* text, size_t room, const char* last) {
  const int length = snprintf(
      text, room,
      "{\"schema\": \"sluice.program/1\", \"problem\": \"allgather\", \"algorithm\": \"by hand\", \"ranks\": 2, "
      "\"size_bytes\": 8, \"root\": 0, \"operations\": ["
      "{\"rank\": 0, \"kind\": \"send\", \"peer\": 1, \"offset\": 0, \"bytes\": 8, \"after\": []}, "
      "{\"rank\": 1, \"kind\": \"send\", \"peer\": 0, \"offset\": 8, \"bytes\": 8, \"after\": []}, "
      "{\"rank\": 0, \"kind\": \"receive\", \"peer\": 1, \"offset\": 8, \"bytes\": 8, \"after\": []}, "
      "{\"rank\": 1, \"kind\": \"receive\", \"peer\": 0, %s, \"after\": []}], "
      "\"length_s\": 0.5, \"bound_s\": 0.25, \"bound\": \"paths\"}",
      last);
  CHECK(length > 0 && (size_t)length < room);
}

static void judges_programs(const char* folder) {
  char text[2048], path[4096];
  int kind = 0;
  int64_t violations = -1, ranks = 0, bytes = 0, steps = 0;
  double length = 0;
  const char *name = NULL, *written = NULL, *read = NULL;
  sluice_schedule *schedule = NULL, *again = NULL;
  sluice_program* program = NULL;
  program_text(text, sizeof text, "\"offset\": 0, \"bytes\": 8");
  CHECK_OK(sluice_schedule_parse(text, &schedule));
  CHECK_OK(sluice_schedule_kind(schedule, &kind));
  CHECK(kind == SLUICE_PROGRAM);
  CHECK_OK(sluice_schedule_problem(schedule, &name));
  CHECK(strcmp(name, "allgather") == 0);
  CHECK_OK(sluice_schedule_algorithm(schedule, &name));
  CHECK(strcmp(name, "by hand") == 0);
  CHECK_OK(sluice_schedule_check(schedule, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_program(schedule, &program));
  CHECK_OK(sluice_program_problem(program, &name));
  CHECK_OK(sluice_program_size(program, &ranks, &bytes));
  CHECK(strcmp(name, "allgather") == 0 && ranks == 2 && bytes == 8);
  CHECK_OK(sluice_program_free(program));

  snprintf(path, sizeof path, "%s/program.json", folder);
  CHECK_OK(sluice_schedule_write(schedule, path));
  CHECK_OK(sluice_schedule_read(path, &again));
  CHECK_OK(sluice_schedule_json(schedule, &written));
  CHECK_OK(sluice_schedule_json(again, &read));
  CHECK(strcmp(written, read) == 0);
  CHECK_OK(sluice_schedule_check(again, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_free(again));

  /* What only schedules of another kind have, and what a program is not judged by. */
  CHECK_REFUSED(sluice_schedule_steps(schedule, &steps), "schedule: a program, expected one of steps");
  CHECK_REFUSED(sluice_schedule_tree(schedule, NULL, NULL, &length), "schedule: a program, expected one of a tree");
  CHECK_REFUSED(sluice_schedule_check_traffic(schedule, 0, 0, 0, NULL, NULL, NULL, &violations), "a program");
  CHECK_REFUSED(sluice_schedule_check_file(schedule, path, &violations), "a program");
  CHECK_OK(sluice_schedule_free(schedule));

  /* Rank 1 keeps half of what it is sent. */
  program_text(text, sizeof text, "\"offset\": 0, \"bytes\": 4");
  CHECK_OK(sluice_schedule_parse(text, &schedule));
  CHECK_OK(sluice_schedule_check(schedule, &violations));
  CHECK(violations > 0);
  CHECK_OK(sluice_schedule_violation(schedule, 0, &name));
  CHECK(strstr(name, "4") != NULL);
  CHECK_OK(sluice_schedule_free(schedule));

  const int64_t one[] = {0}, size[] = {1};
  CHECK_OK(sluice_plan_exchange(1, 1, 1, one, one, size, NULL, &schedule));
  CHECK_REFUSED(sluice_schedule_program(schedule, &program), "schedule: one of steps, expected a program");
  CHECK(program == NULL);
  CHECK_OK(sluice_schedule_free(schedule));
  CHECK_REFUSED(sluice_schedule_program(NULL, &program), "schedule: a null pointer");
  CHECK_REFUSED(sluice_schedule_parse("{}", &schedule), "text");
  CHECK(schedule == NULL);
  CHECK_REFUSED(sluice_schedule_parse(NULL, &schedule), "text: a null pointer");
}

static void plans_redistributions(void) {
  sluice_layout from, to;
  CHECK_OK(sluice_layout_parse("16:3", &from));
  CHECK_OK(sluice_layout_parse("16:5", &to));
  CHECK(sluice_layout_parse("16:0,10,20", &from) != 0); /* it has no place for cuts */
  CHECK(from.dimensions == 1 && from.grid[0] == 16 && from.block[0] == 3 && from.first[0] == 0);
  sluice_schedule* plan = NULL;
  CHECK_OK(sluice_plan_redistribution(NULL, &from, &to, NULL, &plan));
  sluice_cost cost, bound;
  CHECK_OK(sluice_schedule_cost(plan, &cost, &bound));
  CHECK(cost.steps == 7 && cost.transmission == 15 && bound.steps == 7 && bound.transmission == 15);
  const char* text = NULL;
  CHECK_OK(sluice_schedule_algorithm(plan, &text));
  CHECK(strcmp(text, "classes") == 0);
  int64_t violations = -1, senders = 0, receivers = 0;
  CHECK_OK(sluice_schedule_check(plan, &violations)); /* against the layouts */
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_senders(plan, &senders, &receivers));
  CHECK(senders == 16 && receivers == 16);
  CHECK_OK(sluice_schedule_free(plan));

  const int64_t shape[] = {1000, 700};
  CHECK_OK(sluice_layout_parse("2x2:64x64", &from));
  CHECK_OK(sluice_layout_parse("4x1:100x100", &to));
  CHECK_OK(sluice_plan_redistribution(shape, &from, &to, NULL, &plan));
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_free(plan));
  int64_t size = 0, extents[2] = {0, 0};
  CHECK_OK(sluice_layout_local_size(&from, shape, 3, &size));
  CHECK_OK(sluice_layout_local_shape(&from, shape, 3, extents));
  CHECK(extents[0] == 488 && extents[1] == 320 && size == 488 * 320); /* 1000 = 7 * 128 + 104: 7 * 64 + 40 */

  CHECK_REFUSED(sluice_layout_parse("2x:3", &from), "layout");
  CHECK_REFUSED(sluice_layout_local_size(&to, shape, 4, &size), "process");
  to.dimensions = 8;
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, NULL, &plan), "to: 8 dimensions");
  CHECK(plan == NULL);
  to.dimensions = 1;
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, NULL, &plan), "1 dimension");
  to.dimensions = 2;
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "setup", -1));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, options, &plan), "setup: -1");
  CHECK_OK(sluice_options_free(options));
  to.first[1] = 1;
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, NULL, &plan), "first process");
}

/* Blocks of any sizes. */
static void plans_between_cuts(const char* folder) {
  const int64_t at[] = {0, 10, 35, 100}, owners[] = {2, 0, 0}, shape[] = {100}, other_shape[] = {101};
  const sluice_layout to = {.dimensions = 1, .grid = {4}, .block = {8}};
  sluice_layout from = {.dimensions = 1, .grid = {3}, .cuts = {{4, at, owners}}};
  int64_t size = 0, violations = -1;
  CHECK_OK(sluice_layout_local_size(&from, shape, 0, &size));
  CHECK(size == 90);
  CHECK_REFUSED(sluice_layout_local_size(&from, other_shape, 0, &size), "cuts that end at 100, expected 101");
  sluice_schedule *plan = NULL, *again = NULL;
  CHECK_OK(sluice_plan_redistribution(NULL, &from, &to, NULL, &plan)); /* cuts say the shape */
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  char path[4096];
  snprintf(path, sizeof path, "%s/cuts.json", folder);
  CHECK_OK(sluice_schedule_write(plan, path));
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_OK(sluice_schedule_read(path, &again));
  CHECK_OK(sluice_schedule_check(again, &violations)); /* against the cuts in the file */
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_free(again));

  /* Whole messages are what algorithms of redistribute plan, pieces what those of exchange do. */
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  sluice_cost whole, cut;
  CHECK_OK(sluice_options_set_text(options, "algorithm", "stepwise"));
  CHECK_OK(sluice_plan_redistribution(shape, &from, &to, options, &plan));
  CHECK_OK(sluice_schedule_cost(plan, &whole, NULL));
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_OK(sluice_options_set_text(options, "algorithm", "oggp"));
  CHECK_OK(sluice_options_set_integer(options, "setup", 0));
  CHECK_OK(sluice_plan_redistribution(shape, &from, &to, options, &plan));
  CHECK_OK(sluice_schedule_cost(plan, &cut, NULL));
  CHECK(cut.transmission == 90 && whole.transmission >= 90); /* process 0 has 90 */
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_OK(sluice_options_set_text(options, "algorithm", "classes"));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, options, &plan), "classes");
  CHECK_OK(sluice_options_free(options));

  /* As text. */
  sluice_layout read = {.dimensions = 9}, none = {.dimensions = 9};
  int64_t numbers[7], count = 0;
  CHECK_OK(sluice_layout_parse_cuts("3:0,10,35,100@2,0,0", NULL, &count, 0, NULL));
  CHECK(count == 7);
  CHECK_REFUSED(sluice_layout_parse_cuts("3:0,10,35,100@2,0,0", &read, &count, 6, numbers), "room for 7");
  CHECK(read.dimensions == 9);
  CHECK_OK(sluice_layout_parse_cuts("3:0,10,35,100@2,0,0", &read, &count, 7, numbers));
  CHECK(read.dimensions == 1 && read.grid[0] == 3 && read.cuts[0].count == 4);
  CHECK(memcmp(read.cuts[0].at, at, sizeof at) == 0 && memcmp(read.cuts[0].owners, owners, sizeof owners) == 0);
  CHECK_OK(sluice_layout_parse_cuts("2x3:4x0,9", &read, &count, 7, numbers));
  CHECK(count == 2 && read.cuts[0].count == 0 && read.cuts[1].count == 2 && read.cuts[1].owners == NULL);
  CHECK_OK(sluice_layout_parse_cuts("16:3", &read, &count, 7, numbers));
  CHECK(count == 0 && read.block[0] == 3 && read.cuts[0].count == 0);
  snprintf(path, sizeof path, "@%s/layout.txt", folder);
  FILE* file = fopen(path + 1, "w");
  CHECK(file != NULL && fputs("3 : 0, 10,\n35, 100\n", file) >= 0 && fclose(file) == 0);
  CHECK_OK(sluice_layout_parse_cuts(path, &read, &count, 7, numbers));
  CHECK(count == 4 && numbers[2] == 35);
  CHECK_REFUSED(sluice_layout_parse_cuts("@/nowhere/layout", &read, &count, 7, numbers), "/nowhere/layout");
  CHECK_REFUSED(sluice_layout_parse_cuts("3:0,10,5", &none, &count, 7, numbers), "a cut at 5 behind one at 10");
  CHECK(none.dimensions == 9);
  CHECK_REFUSED(sluice_layout_parse_cuts(NULL, &read, &count, 7, numbers), "text: a null pointer");
  CHECK_REFUSED(sluice_layout_parse_cuts("16:3", NULL, &count, 7, numbers), "layout: a null pointer");
  CHECK_REFUSED(sluice_layout_parse_cuts("16:3", &read, NULL, 7, numbers), "count: a null pointer");
  CHECK_REFUSED(sluice_layout_parse("16:0,10,20", &read), "sluice_layout_parse_cuts");

  /* What is wrong with cuts. */
  const int64_t falling[] = {0, 10, 10, 100}, late[] = {1, 10, 35, 100}, stranger[] = {0, 3, 0};
  const struct {
    sluice_cuts cuts;
    const char* about;
  } bad[] = {{{4, falling, NULL}, "a cut at 10 behind one at 10"},
             {{4, late, NULL}, "a first cut at 1"},
             {{4, at, stranger}, "process 3 as the owner"},
             {{4, NULL, NULL}, "from: a null pointer"},
             {{-1, at, NULL}, "-1 cuts"},
             {{1, at, NULL}, "1 cut"},
             {{INT64_MAX, at, NULL}, "9223372036854775807 cuts"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    from.cuts[0] = bad[i].cuts;
    CHECK_REFUSED(sluice_plan_redistribution(NULL, &from, &to, NULL, &plan), bad[i].about);
    CHECK(plan == NULL);
  }
  from.cuts[0] = (sluice_cuts){4, at, NULL};
  from.first[0] = 1;
  CHECK_REFUSED(sluice_layout_local_size(&from, shape, 0, &size), "first process");
}

/* Two copies of four processes become three copies of two. */
static void plans_copies(const char* folder) {
  const sluice_layout from = {.dimensions = 1, .grid = {4}, .block = {8}},
                      to = {.dimensions = 1, .grid = {2}, .block = {10}};
  const int64_t shape[] = {4000};
  int64_t sources = 0, targets = 0, passing = 0, senders = 0, receivers = 0, violations = -1;
  sluice_options* options = NULL;
  sluice_schedule *plan = NULL, *again = NULL;
  CHECK_OK(sluice_plan_redistribution(shape, &from, &to, NULL, &plan));
  CHECK_OK(sluice_schedule_replicas(plan, &sources, &targets, &passing));
  CHECK(sources == 1 && targets == 1 && passing == 4);
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_OK(sluice_options_create(&options));
  CHECK_OK(sluice_options_set_integer(options, "from_replicas", 2));
  CHECK_OK(sluice_options_set_integer(options, "to_replicas", 3));
  CHECK_OK(sluice_plan_redistribution(shape, &from, &to, options, &plan));
  CHECK_OK(sluice_schedule_replicas(plan, &sources, &targets, &passing));
  CHECK_OK(sluice_schedule_senders(plan, &senders, &receivers));
  CHECK(sources == 2 && targets == 3 && passing == 8 && senders == 14 && receivers == 6);
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  char path[4096];
  snprintf(path, sizeof path, "%s/copies.json", folder);
  CHECK_OK(sluice_schedule_write(plan, path));
  CHECK_OK(sluice_schedule_read(path, &again));
  CHECK_OK(sluice_schedule_check(again, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_replicas(again, NULL, &targets, NULL));
  CHECK(targets == 3);
  CHECK_OK(sluice_schedule_free(again));
  CHECK_OK(sluice_schedule_free(plan));

  /* One source, many targets: where nothing is passed on, the source is what is short. */
  const sluice_layout one = {.dimensions = 1, .grid = {1}, .block = {4000}};
  int64_t passed_on[2] = {0, 0};
  CHECK_OK(sluice_options_set_integer(options, "from_replicas", 1));
  CHECK_OK(sluice_options_set_integer(options, "to_replicas", 4));
  for (int forward = 0; forward < 2; ++forward) {
    CHECK_OK(sluice_options_set_integer(options, "forward", forward));
    CHECK_OK(sluice_plan_redistribution(shape, &one, &one, options, &plan));
    CHECK_OK(sluice_schedule_check(plan, &violations));
    CHECK(violations == 0);
    int64_t steps = 0;
    CHECK_OK(sluice_schedule_replicas(plan, NULL, NULL, &passing));
    CHECK_OK(sluice_schedule_steps(plan, &steps));
    for (int64_t t = 0; t < steps; ++t) {
      sluice_transfer list[5];
      int64_t count = 0;
      CHECK_OK(sluice_schedule_step(plan, t, NULL, &count, 5, list));
      for (int64_t i = 0; i < count; ++i) passed_on[forward] += list[i].from >= passing;
    }
    CHECK_OK(sluice_schedule_free(plan));
  }
  CHECK(passed_on[0] == 0 && passed_on[1] > 0);

  CHECK_OK(sluice_options_set_integer(options, "to_replicas", 0));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, options, &plan), "to_replicas: 0");
  CHECK_OK(sluice_options_set_integer(options, "to_replicas", INT64_MAX));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, options, &plan), "to_replicas: 9223372036854775807");
  CHECK_OK(sluice_options_set_text(options, "to_replicas", "2"));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, options, &plan), "expected an integer");
  CHECK_OK(sluice_options_set_integer(options, "to_replicas", 2));
  CHECK_OK(sluice_options_set_text(options, "algorithm", "classes"));
  CHECK_REFUSED(sluice_plan_redistribution(shape, &from, &to, options, &plan), "classes");
  CHECK_OK(sluice_options_free(options));
  CHECK_REFUSED(sluice_schedule_replicas(NULL, &sources, NULL, NULL), "schedule: a null pointer");
  CHECK_OK(sluice_plan_reduce(4, 1, 1, NULL, &plan));
  CHECK_REFUSED(sluice_schedule_replicas(plan, &sources, NULL, NULL), "one of a tree, expected one of steps");
  CHECK_OK(sluice_schedule_free(plan));
}

/* Grids of which planning would ask every process for ever. */
static void refuses_huge_grids(void) {
  const sluice_layout huge = {.dimensions = 1, .grid = {1000000000000}, .block = {1}},
                      small = {.dimensions = 1, .grid = {3}, .block = {8}};
  const int64_t shape[] = {35};
  const char* const algorithms[] = {"auto", "stepwise", "coloring", "exact", "oggp"};
  sluice_options* options = NULL;
  sluice_schedule* plan = NULL;
  CHECK_OK(sluice_options_create(&options));
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; ++i) {
    CHECK_OK(sluice_options_set_text(options, "algorithm", algorithms[i]));
    CHECK_REFUSED(sluice_plan_redistribution(shape, &huge, &small, options, &plan),
                  "from: 1000000000000 processes, of which 35 have elements");
    CHECK_REFUSED(sluice_plan_redistribution(shape, &small, &huge, options, &plan), "to: 1000000000000 processes");
    CHECK_REFUSED(sluice_plan_redistribution(NULL, &huge, &small, options, &plan), "more than 16777216");
    CHECK_REFUSED(sluice_plan_redistribution(NULL, &huge, &huge, options, &plan), "more than 16777216");
    CHECK(plan == NULL);
  }
  CHECK_OK(sluice_options_free(options));
}

static void plans_trees(const char* platform_file) {
  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  sluice_schedule* plan = NULL;
  CHECK_OK(sluice_plan_reduce(4, 1, 1, NULL, &plan));
  int64_t machines = 0, root = -1, count = 0, violations = -1;
  double length = 0, lower = 0;
  CHECK_OK(sluice_schedule_tree(plan, &machines, &root, &length));
  CHECK_OK(sluice_schedule_tree_bound(plan, &lower, NULL));
  CHECK(machines == 4 && root == 0 && length == 4 && lower == 2); /* N(4) = N(3) + N(2) = 3 + 2 >= 4, N(3) = 3 */
  sluice_timed_transfer list[3];
  CHECK_OK(sluice_schedule_tree_transfers(plan, &count, 3, list));
  CHECK(count == 3 && list[0].start == 0 && list[0].end == 1);
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  CHECK_REFUSED(sluice_schedule_steps(plan, &count), "one of a tree, expected one of steps");
  CHECK_OK(sluice_schedule_free(plan));

  const double arrivals[] = {0, 0, 5};
  CHECK_OK(sluice_options_set_numbers(options, "arrivals", 3, arrivals));
  CHECK_OK(sluice_plan_reduce(3, 1, 1, options, &plan));
  CHECK_OK(sluice_schedule_tree(plan, NULL, NULL, &length));
  CHECK(length == 7);
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_REFUSED(sluice_plan_reduce(2, 1, 1, options, &plan), "arrivals");

  /* Machine 2 sends from 5 to 7, then the root combines until 11. */
  const double transfer_costs[] = {0, 9, 9, 1, 0, 9, 2, 9, 0}, compute_costs[] = {4, 9, 9};
  CHECK_OK(sluice_options_set_numbers(options, "transfer_costs", 9, transfer_costs));
  CHECK_OK(sluice_options_set_numbers(options, "compute_costs", 3, compute_costs));
  CHECK_OK(sluice_options_set_integer(options, "max_transfers", 1));
  CHECK_OK(sluice_options_set_number(options, "effort", 2));
  CHECK_OK(sluice_plan_reduce(3, 0, 0, options, &plan));
  CHECK_OK(sluice_schedule_tree(plan, NULL, NULL, &length));
  CHECK(length == 11);
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  sluice_program* program = NULL;
  int64_t ranks_of_program = 0, bytes = 0;
  CHECK_OK(sluice_schedule_reduction_program(plan, 800, 8, &program));
  CHECK_OK(sluice_program_size(program, &ranks_of_program, &bytes));
  CHECK(ranks_of_program == 3 && bytes == 800);
  CHECK_OK(sluice_program_free(program));
  CHECK_REFUSED(sluice_schedule_reduction_program(plan, 801, 8, &program), "multiple of 8");
  CHECK_REFUSED(sluice_schedule_reduction_program(plan, 800, 8, NULL), "program: a null pointer");
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_REFUSED(sluice_plan_reduce(3, 1, 0, options, &plan), "transfer");
  CHECK_OK(sluice_options_set_numbers(options, "compute_costs", 2, compute_costs));
  CHECK_REFUSED(sluice_plan_reduce(3, 0, 0, options, &plan), "compute_costs");
  CHECK_OK(sluice_options_free(options));

  sluice_platform* platform = NULL;
  CHECK_OK(sluice_platform_read(platform_file, &platform));
  int64_t ranks = 0, clusters = 0;
  CHECK_OK(sluice_platform_ranks(platform, &ranks));
  CHECK_OK(sluice_platform_clusters(platform, &clusters));
  CHECK(ranks == 4 && clusters == 2);
  CHECK_OK(sluice_plan_broadcast(platform, 0, 65536, NULL, &plan));
  CHECK_OK(sluice_schedule_check(plan, &violations));
  CHECK(violations == 0);
  CHECK_OK(sluice_schedule_tree(plan, NULL, NULL, &length));
  CHECK(length > 0);
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_REFUSED(sluice_plan_broadcast(platform, 4, 65536, NULL, &plan), "4");
  CHECK_OK(sluice_platform_free(platform));
  CHECK_REFUSED(sluice_platform_read("nowhere.json", &platform), "nowhere.json");
  CHECK(platform == NULL);
}

static void refuses_bad_arguments(void) {
  const int64_t zero[] = {0}, three[] = {3}, minus[] = {-1};
  sluice_schedule* plan = (sluice_schedule*)&plan;
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, zero, minus, NULL, &plan), "-1");
  CHECK(plan == NULL);
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, three, three, NULL, &plan), "3");
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, NULL, three, NULL, &plan), "to: a null pointer");
  CHECK_REFUSED(sluice_plan_exchange(1, 1, -1, zero, zero, three, NULL, &plan), "-1 entries");
  CHECK_REFUSED(sluice_plan_exchange(-1, 1, 0, zero, zero, three, NULL, &plan), "senders: -1");
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, zero, three, NULL, NULL), "schedule: a null pointer");
  CHECK_REFUSED(sluice_schedule_read(NULL, &plan), "path");
  CHECK_REFUSED(sluice_schedule_read("/nowhere/plan.json", &plan), "/nowhere/plan.json");
  CHECK_REFUSED(sluice_schedule_steps(NULL, NULL), "null pointer");

  sluice_options* options = NULL;
  CHECK_OK(sluice_options_create(&options));
  CHECK_REFUSED(sluice_options_set_text(options, "algorithm", NULL), "algorithm");
  CHECK_REFUSED(sluice_options_set_text(NULL, "algorithm", "oggp"), "options");
  CHECK_OK(sluice_options_set_text(options, "algorithm", "no-such"));
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, zero, three, options, &plan), "no-such");
  CHECK_OK(sluice_options_set_integer(options, "algorithm", 1));
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, zero, three, options, &plan), "expected a text");
  CHECK_OK(sluice_options_set_text(options, "algorithm", "oggp"));
  CHECK_OK(sluice_plan_exchange(1, 1, 1, zero, zero, three, options, &plan));
  CHECK_OK(sluice_schedule_write(plan, "/dev/null"));
  CHECK_REFUSED(sluice_schedule_write(plan, "/nowhere/plan.json"), "/nowhere/plan.json");
  CHECK_OK(sluice_schedule_free(plan));
  CHECK_OK(sluice_options_set_integer(options, "max_transfer", 1));
  CHECK_REFUSED(sluice_plan_exchange(1, 1, 1, zero, zero, three, options, &plan), "'max_transfer', expected one of");
  CHECK_OK(sluice_options_free(options));
  CHECK_OK(sluice_options_free(NULL));
  CHECK_OK(sluice_schedule_free(NULL));
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  CHECK(strcmp(sluice_error_text(), "") == 0);
  CHECK(strcmp(sluice_version(), SLUICE_VERSION) == 0);
  plans_exchanges(argv[2]);
  judges_programs(argv[2]);
  plans_at_speeds();
  plans_redistributions();
  plans_between_cuts(argv[2]);
  plans_copies(argv[2]);
  refuses_huge_grids();
  plans_trees(argv[1]);
  refuses_bad_arguments();
  return failures == 0 ? 0 : 1;
}
