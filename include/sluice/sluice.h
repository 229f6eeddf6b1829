#ifndef SLUICE_SLUICE_H
#define SLUICE_SLUICE_H

#include <stdint.h>

/**
 * @file
 * Sluice for C, and for what calls C: planning, judging, reading and writing of schedules. Needs no MPI.
 *
 *     sluice_schedule* plan = NULL;
 *     if (sluice_plan_exchange(2, 2, 2, from, to, size, NULL, &plan) != SLUICE_OK) fputs(sluice_error_text(), stderr);
 *
 * Jobs that run under MPI are in <sluice/sluice_mpi.h>, which this header includes where <mpi.h> came before it.
 *
 * Every function returns a code, SLUICE_OK or what failed. A function that fails changes nothing but the error text,
 * and leaves NULL where it would have put a handle. Handles belong to the caller: each kind has a function that frees
 * it and allows NULL. Text that a handle returns belongs to the handle and lasts as long. One handle is for one
 * thread at a time; different handles may be used by different threads.
 *
 * Sizes are in the unit of the problem: bytes or elements, whatever was given. Times are in the unit of the costs
 * given; those of platforms are seconds. Indices count from 0.
 */
#ifdef __cplusplus
extern "C" {
#endif

/** What functions return. */
enum sluice_code {
  SLUICE_OK = 0,            /**< it was done */
  SLUICE_BAD_INPUT = 1,     /**< an argument or a file is bad; nothing was sent or written */
  SLUICE_OUT_OF_MEMORY = 2, /**< this process has no more memory */
  SLUICE_MPI_FAILED = 3,    /**< a call to MPI failed; the job is of no further use */
  SLUICE_JOB_FAILED = 4,    /**< another rank cannot go on with the job, which is of no further use */
  SLUICE_FAILED = 5         /**< anything else */
};

/** One line on what went wrong in the last call of this thread that failed: "WHERE: FOUND, expected EXPECTED". Empty
 *  before the first failure. Lasts until the next call that fails. */
const char* sluice_error_text(void);
/** "0.1.0" */
const char* sluice_version(void);

/* ---- options */

/**
 * Named values for planners and jobs. The functions that take options list the names they know; NULL stands for none.
 * A name or a kind of value that a function does not know is SLUICE_BAD_INPUT there. Flags are integers, 0 or 1; a
 * number may be given as an integer. Setting a name again replaces its value.
 */
typedef struct sluice_options sluice_options;
/** A network of clusters. */
typedef struct sluice_platform sluice_platform;
/** What each rank sends, receives and combines in a collective: for jobs that carry it out in place of a plan. */
typedef struct sluice_program sluice_program;

/** Makes options without any values. */
int sluice_options_create(sluice_options** options);
/** Copies `value`. As for all of these functions, `name` is copied, too. */
int sluice_options_set_text(sluice_options* options, const char* name, const char* value);
/** An integer or a flag. */
int sluice_options_set_integer(sluice_options* options, const char* name, int64_t value);
/** A number. The function that takes the options checks its range. */
int sluice_options_set_number(sluice_options* options, const char* name, double value);
/** A list of `count` integers, which is copied; `values` may be NULL where there are none. */
int sluice_options_set_integers(sluice_options* options, const char* name, int64_t count, const int64_t values[]);
/** The same of numbers. */
int sluice_options_set_numbers(sluice_options* options, const char* name, int64_t count, const double values[]);
/** Keeps a copy. The name is "platform". */
int sluice_options_set_platform(sluice_options* options, const sluice_platform* platform);
/** Keeps a copy. The name is "program". */
int sluice_options_set_program(sluice_options* options, const sluice_program* program);
/** Frees options; planners and jobs that were given them need them no more. */
int sluice_options_free(sluice_options* options);

/* ---- platforms */

/** Reads a platform file (sluice.platform/2 or /1), as `sluice probe` writes it. */
int sluice_platform_read(const char* path, sluice_platform** platform);
/** Number of ranks of all clusters together. */
int sluice_platform_ranks(const sluice_platform* platform, int64_t* ranks);
/** Number of clusters. */
int sluice_platform_clusters(const sluice_platform* platform, int64_t* clusters);
/** Frees a platform; options that were given it have a copy. */
int sluice_platform_free(sluice_platform* platform);

/* ---- programs */

/** Reads a program file (sluice.program/1), as `sluice plan broadcast --program` or `sluice plan allgather --json`
 * writes it. The job that is given the program checks that it is valid and fits the job. sluice_schedule_read reads the
 * same files, and sluice_schedule_check checks them. */
int sluice_program_read(const char* path, sluice_program** program);
/** The same from text. */
int sluice_program_parse(const char* text, sluice_program** program);
/** "broadcast", "reduce" or another collective. */
int sluice_program_problem(const sluice_program* program, const char** text);
/** For how many ranks it is, and for which size: bytes of the message, of the elements of a rank, or of what else
 *  "size_bytes" is of that problem. Either may be NULL. */
int sluice_program_size(const sluice_program* program, int64_t* ranks, int64_t* bytes);
/** Frees a program, and the text that it gave out; options that were given it have a copy. */
int sluice_program_free(sluice_program* program);

/* ---- layouts */

/** Arrays of more dimensions are refused. */
#define SLUICE_MAX_DIMENSIONS 7

/** Blocks of any sizes in one dimension. The lists are the caller's; a call that is given them uses them no more once
 *  it has returned. */
typedef struct sluice_cuts {
  int64_t count;     /**< entries of `at`, at least 2, one more than blocks; 0: the dimension is block-cyclic */
  const int64_t* at; /**< where blocks begin: 0 first, rising, the extent of the array last */
  const int64_t*
      owners; /**< the process of each block, `count` - 1 entries; NULL: block i is on process i modulo grid */
} sluice_cuts;

/** A layout: in each dimension blocks of `block` elements dealt to `grid` processes in turn, the first block to process
 *  `first`; or with cuts blocks of any sizes, where `block` is not read and `first` must be 0. Processes are numbered
 * in row-major order of the grid. Entries beyond `dimensions` are not read; all others are, so that a layout without
 * cuts must have zeros there, as what is left out of an initializer has. */
typedef struct sluice_layout {
  int64_t dimensions; /**< 1 to SLUICE_MAX_DIMENSIONS */
  int64_t grid[SLUICE_MAX_DIMENSIONS];
  int64_t block[SLUICE_MAX_DIMENSIONS];
  int64_t first[SLUICE_MAX_DIMENSIONS];
  sluice_cuts cuts[SLUICE_MAX_DIMENSIONS];
} sluice_layout;

/** Reads "GRID:BLOCK", as "16:3" or "4x4:64x64"; `first` becomes 0. Cuts in place of a block are refused. */
int sluice_layout_parse(const char* text, sluice_layout* layout);
/** The same, also with cuts, as "4:0,10,35,100" or "2x2:0,10,35@1,0x64", and of "@FILE" what that file holds. `count`
 *  becomes how many integers the cuts and owners take. Where `numbers` is not NULL it has room for `capacity`, and the
 *  cuts of `layout` are there; where it is NULL, `layout` is left alone and may be NULL. */
int sluice_layout_parse_cuts(const char* text, sluice_layout* layout, int64_t* count, int64_t capacity,
                             int64_t numbers[]);
/** Number of elements that `process` of the grid holds of an array of `shape`, one extent per dimension. */
int sluice_layout_local_size(const sluice_layout* layout, const int64_t shape[], int64_t process, int64_t* elements);
/** The same by dimension: `extents` has room for one number per dimension. */
int sluice_layout_local_shape(const sluice_layout* layout, const int64_t shape[], int64_t process, int64_t extents[]);

/* ---- planning */

/** A schedule of steps (redistribute, exchange) or of a tree (reduce, broadcast), or a program that was read. */
typedef struct sluice_schedule sluice_schedule;

/** Plans how an array of `shape` (NULL: one slice, after which the pattern repeats, or what cuts say) moves from one
 *  layout to another. Processes of the two grids are apart, and blocks start at process 0. Sizes are elements.
 *  Options: algorithm (text: one of redistribute, or of exchange, which may cut messages; the latter is what "auto" is
 *  between blocks of any sizes), setup (number, of elements), effort (number; 1); from_replicas, to_replicas (integers:
 *  copies of the source array that there are, of the target array that are wanted; the algorithm is one of exchange
 *  then), forward (flag, 1 unless set: whether copies of the target may get from one another what they do not have);
 *  part (text: "upper" or "lower", of a matrix: the triangle, or trapezoid, on that side of the diagonal),
 * unit_diagonal (flag: without the diagonal). */
int sluice_plan_redistribution(const int64_t shape[], const sluice_layout* from, const sluice_layout* to,
                               const sluice_options* options, sluice_schedule** schedule);
/** Plans who sends when, for `messages` messages: from[i] has size[i] for to[i]; several of one pair add up.
 *  Options: algorithm (text), max_transfers (integer; unless given, as many as senders or receivers, whichever is
 *  less), setup (number, in the unit of the sizes; 1), effort (number), time_limit_s (number), seed (integer);
 *  sender_speeds, receiver_speeds (numbers, one per node): where nodes differ in speed, 1 being that at which a unit of
 *  the sizes takes a unit of time; backbone_times (numbers, in the unit of the sizes), backbone_max_transfers
 *  (integers): in place of max_transfers, from which time on so many transfers fit the backbone, the first time 0. */
int sluice_plan_exchange(int64_t senders, int64_t receivers, int64_t messages, const int64_t from[], const int64_t to[],
                         const int64_t size[], const sluice_options* options, sluice_schedule** schedule);
/** The same for the traffic in a file, Matrix Market (.mtx) or dense CSV (.csv). */
int sluice_plan_exchange_file(const char* path, const sluice_options* options, sluice_schedule** schedule);
/** Plans the reduction of one element of each machine where a transfer takes `transfer` and a combination `compute`.
 *  Options: algorithm (text), arity, root, segments, max_segments, max_transfers, max_reducers (integers),
 *  commutative (flag), transfer_overhead, compute_overhead (numbers), arrivals (numbers, one per machine), effort
 *  (number). Where machines or links differ: transfer_costs in place of `transfer`, which is 0 then (numbers: one per
 *  sender, or for each sender as many as there are machines, one per receiver), compute_costs in place of `compute`
 *  (numbers, one per machine). Limits, dates, parts, an order and such costs may come together. */
int sluice_plan_reduce(int64_t machines, double transfer, double compute, const sluice_options* options,
                       sluice_schedule** schedule);
/** Plans the broadcast of `bytes` from rank `root`. The schedule's machines are clusters, or ranks (see the C++ header
 *  plan/broadcast.hpp). Options: algorithm, lookahead, inside (texts), segments (integer), early_internal (flag),
 *  effort (number). */
int sluice_plan_broadcast(const sluice_platform* platform, int64_t root, int64_t bytes, const sluice_options* options,
                          sluice_schedule** schedule);

/* ---- schedules */

/** What a schedule consists of. */
enum sluice_schedule_kind {
  SLUICE_STEPS = 1,  /**< steps of transfers */
  SLUICE_TREE = 2,   /**< timed transfers along a tree */
  SLUICE_PROGRAM = 3 /**< what each rank of a collective sends, receives and combines: see sluice_schedule_program */
};

/** A piece of the message from `from` to `to`: `size` units, starting `offset` units into the message. */
typedef struct sluice_transfer {
  int64_t from;
  int64_t to;
  int64_t offset;
  int64_t size;
} sluice_transfer;

/** A transfer of a tree, from machine `from` to machine `to`, that takes from `start` to `end`. */
typedef struct sluice_timed_transfer {
  int64_t from;
  int64_t to;
  int64_t segment; /**< which part of the element */
  double start;
  double end; /**< the receiver has all of it */
} sluice_timed_transfer;

/** total = transmission + setup * steps */
typedef struct sluice_cost {
  int64_t steps;
  int64_t transmission;
  double total;
} sluice_cost;

/** Reads a file that `sluice plan --json` writes, of any kind: sluice.schedule/1 or sluice.program/1. Whether it is
 * valid is told by sluice_schedule_check. */
int sluice_schedule_read(const char* path, sluice_schedule** schedule);
/** The same from text. */
int sluice_schedule_parse(const char* text, sluice_schedule** schedule);
/** Replaces the file `path`, whole or not at all. */
int sluice_schedule_write(const sluice_schedule* schedule, const char* path);
/** The same as text. */
int sluice_schedule_json(sluice_schedule* schedule, const char** text);

/** `kind` becomes SLUICE_STEPS, SLUICE_TREE or SLUICE_PROGRAM. */
int sluice_schedule_kind(const sluice_schedule* schedule, int* kind);
/** "redistribute", "exchange", "reduce", "broadcast" or, of a program, any collective. */
int sluice_schedule_problem(const sluice_schedule* schedule, const char** text);
/** The name of the algorithm that planned it. */
int sluice_schedule_algorithm(const sluice_schedule* schedule, const char** text);
/** Of steps: how many there are on each side. Either may be NULL. */
int sluice_schedule_senders(const sluice_schedule* schedule, int64_t* senders, int64_t* receivers);
/** Of steps: copies of the source array and of the target array, 1 unless there are several. `first_passing`: where
 *  copies of the target may pass on what they have, sender `first_passing` + i is receiver i; else the number of
 *  senders. With several copies, process p of copy c of a grid of n processes is number c n + p, and the offsets of
 *  transfers are places in what the receiver gets. Any may be NULL. */
int sluice_schedule_replicas(const sluice_schedule* schedule, int64_t* from, int64_t* to, int64_t* first_passing);
/** Of steps: sizes are in units of 10^-decimals of what the user wrote; 0 where they are whole. */
int sluice_schedule_decimals(const sluice_schedule* schedule, int* decimals);
/** Of steps: what the schedule costs, and what none costs less than. Either may be NULL. */
int sluice_schedule_cost(const sluice_schedule* schedule, sluice_cost* cost, sluice_cost* bound);
/** Of steps: how many. */
int sluice_schedule_steps(const sluice_schedule* schedule, int64_t* steps);
/** Of steps: one step. `transfers` becomes how many there are; where `list` is not NULL, it has room for `capacity`,
 *  which must be enough. `duration` may be NULL. */
int sluice_schedule_step(const sluice_schedule* schedule, int64_t step, int64_t* duration, int64_t* transfers,
                         int64_t capacity, sluice_transfer list[]);
/** Of a tree: machines, root, and when the last transfer has had its effect; any may be NULL. */
int sluice_schedule_tree(const sluice_schedule* schedule, int64_t* machines, int64_t* root, double* length);
/** Of a tree: between which lengths the shortest lies; either may be NULL. */
int sluice_schedule_tree_bound(const sluice_schedule* schedule, double* lower, double* upper);
/** Of a tree, in order of their start; as sluice_schedule_step. */
int sluice_schedule_tree_transfers(const sluice_schedule* schedule, int64_t* transfers, int64_t capacity,
                                   sluice_timed_transfer list[]);

/** Of a program: makes a copy of it, which jobs take as an option and sluice_program_size tells the size of. */
int sluice_schedule_program(const sluice_schedule* schedule, sluice_program** program);
/** Of a tree of sluice_plan_reduce: makes a program of it, which jobs of reductions take as an option, for elements of
 *  `size_bytes` in all on each rank, in pieces of `element_bytes` that are never cut. */
int sluice_schedule_reduction_program(const sluice_schedule* schedule, int64_t size_bytes, int64_t element_bytes,
                                      sluice_program** program);

/** Judges the schedule by itself, one read from a file with the cost and the layouts that the file states. `violations`
 *  becomes the number of ways in which it is broken, 0 if it is sound. */
int sluice_schedule_check(sluice_schedule* schedule, int64_t* violations);
/** The same of steps, and whether they send exactly what there is to send; the arguments are those of
 *  sluice_plan_exchange. */
int sluice_schedule_check_traffic(sluice_schedule* schedule, int64_t senders, int64_t receivers, int64_t messages,
                                  const int64_t from[], const int64_t to[], const int64_t size[], int64_t* violations);
/** The same for the traffic in a file. */
int sluice_schedule_check_file(sluice_schedule* schedule, const char* path, int64_t* violations);
/** One line on what the last check of this schedule found; `violation` counts from 0. */
int sluice_schedule_violation(const sluice_schedule* schedule, int64_t violation, const char** text);

/** Frees a schedule, and the text that it gave out. */
int sluice_schedule_free(sluice_schedule* schedule);

#ifdef __cplusplus
}
#endif

#endif

/* Not within the guard: <mpi.h> may have come since this header was included first. */
#if defined(MPI_VERSION) && !defined(SLUICE_SLUICE_MPI_H)
#include <sluice/sluice_mpi.h>
#endif
