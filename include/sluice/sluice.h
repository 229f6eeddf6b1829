#ifndef SLUICE_SLUICE_H
#define SLUICE_SLUICE_H

#include <stdint.h>

/**
 * @file
 * Sluice for C, and for languages that call C: plans, judges, reads and writes schedules. Needs no MPI.
 *
 *     sluice_schedule* plan = NULL;
 *     if (sluice_plan_exchange(2, 2, 2, from, to, size, NULL, &plan) != SLUICE_OK) fputs(sluice_error_text(), stderr);
 *
 * Jobs that run under MPI are in <sluice/sluice_mpi.h>. This header includes it if <mpi.h> was included earlier.
 *
 * Every function returns a code: SLUICE_OK or what failed. A function that fails changes only the error text, and
 * returns NULL instead of a handle. Handles belong to the caller: each kind has a function that frees it and allows
 * NULL. Text that a handle returns belongs to the handle and is valid as long. One thread at a time may use a handle;
 * different threads may use different handles.
 *
 * Sizes are in the unit of the problem: bytes or elements, as given. Times are in the unit of the given costs; for
 * platforms they are seconds. Indices count from 0.
 */
#ifdef __cplusplus
extern "C" {
#endif

/** Codes that functions return. */
enum sluice_code {
  SLUICE_OK = 0,            /**< success */
  SLUICE_BAD_INPUT = 1,     /**< an argument or a file is bad; outside executions nothing was sent or written */
  SLUICE_OUT_OF_MEMORY = 2, /**< this process has no more memory */
  SLUICE_MPI_FAILED = 3,    /**< a call to MPI failed; the job cannot be used any more */
  SLUICE_JOB_FAILED = 4,    /**< another rank cannot go on with the job, which cannot be used any more */
  SLUICE_FAILED = 5         /**< any other failure */
};

/**
 * Returns one line on the last call of this thread that failed: "WHERE: FOUND, expected EXPECTED". Empty if no call
 * failed. Valid until the next call that fails.
 */
const char* sluice_error_text(void);
/** Returns the version: "0.1.0". */
const char* sluice_version(void);

/* ---- options */

/**
 * Holds named values for planners and jobs. Functions that take options list the names that they know; NULL means no
 * options. An unknown name or a wrong kind of value is SLUICE_BAD_INPUT in such a function. Flags are integers, 0 or 1;
 * an integer may stand for a number. Setting a name again replaces its value.
 *
 *     sluice_options* options = NULL;
 *     sluice_options_create(&options);
 *     sluice_options_set_text(options, "algorithm", "oggp");
 *     sluice_options_set_integer(options, "max_transfers", 3);
 */
typedef struct sluice_options sluice_options;
/** Holds a network of clusters. */
typedef struct sluice_platform sluice_platform;
/**
 * Holds a program: what each rank sends, receives and combines in a collective. Jobs can execute it instead of a plan.
 */
typedef struct sluice_program sluice_program;

/** Makes options without values. */
int sluice_options_create(sluice_options** options);
/** Sets a text. This function and the ones below copy `name` and the value. */
int sluice_options_set_text(sluice_options* options, const char* name, const char* value);
/** Sets an integer or a flag. */
int sluice_options_set_integer(sluice_options* options, const char* name, int64_t value);
/** Sets a number. The function that takes the options checks its range. */
int sluice_options_set_number(sluice_options* options, const char* name, double value);
/** Sets a list of `count` integers; `values` may be NULL if `count` is 0. */
int sluice_options_set_integers(sluice_options* options, const char* name, int64_t count, const int64_t values[]);
/** Sets a list of `count` numbers; `values` may be NULL if `count` is 0. */
int sluice_options_set_numbers(sluice_options* options, const char* name, int64_t count, const double values[]);
/** Sets a platform; the name is "platform". */
int sluice_options_set_platform(sluice_options* options, const sluice_platform* platform);
/** Sets a program; the name is "program". */
int sluice_options_set_program(sluice_options* options, const sluice_program* program);
/** Frees options. Planners and jobs that were given them do not need them any more. */
int sluice_options_free(sluice_options* options);

/* ---- platforms */

/** Reads a platform file (sluice.platform/2 or /1), as `sluice probe` writes it. */
int sluice_platform_read(const char* path, sluice_platform** platform);
/** Gets the number of ranks of all clusters together. */
int sluice_platform_ranks(const sluice_platform* platform, int64_t* ranks);
/** Gets the number of clusters. */
int sluice_platform_clusters(const sluice_platform* platform, int64_t* clusters);
/** Frees a platform. Options that were given it have a copy. */
int sluice_platform_free(sluice_platform* platform);

/* ---- programs */

/**
 * Reads a program file (sluice.program/1), as `sluice plan broadcast --program` or `sluice plan allgather --json`
 * writes it. A job that is given the program checks that it is valid and fits. sluice_schedule_read reads the same
 * files, and sluice_schedule_check checks them.
 */
int sluice_program_read(const char* path, sluice_program** program);
/** Reads a program from text. */
int sluice_program_parse(const char* text, sluice_program** program);
/** Gets the problem: "broadcast", "reduce" or another collective. */
int sluice_program_problem(const sluice_program* program, const char** text);
/**
 * Gets the number of ranks of a program, and its size in bytes: "size_bytes" of the file, such as the message, or the
 * elements of a rank. Either pointer may be NULL.
 */
int sluice_program_size(const sluice_program* program, int64_t* ranks, int64_t* bytes);
/** Frees a program, and the text that it returned. Options that were given it have a copy. */
int sluice_program_free(sluice_program* program);

/* ---- layouts */

/** Limits the dimensions of an array; more are refused. */
#define SLUICE_MAX_DIMENSIONS 7

/**
 * Describes blocks of any sizes in one dimension. The lists belong to the caller; calls do not use them after they
 * return.
 */
typedef struct sluice_cuts {
  int64_t count;     /**< entries of `at`, at least 2, one more than blocks; 0: the dimension is block-cyclic */
  const int64_t* at; /**< block boundaries, rising, from 0 to the extent of the array */
  /** Process of each block, `count` - 1 entries; NULL: block i is on process i modulo grid. */
  const int64_t* owners;
} sluice_cuts;

/**
 * Describes a layout. In each dimension blocks of `block` elements go to `grid` processes in turn, the first block to
 * process `first`. With cuts a dimension has blocks of any sizes instead; then `block` is not read and `first` must be
 * 0. Processes are numbered in row-major order of the grid. Entries beyond `dimensions` are not read. All others are
 * read, so set `cuts` of a layout without cuts to zeros, as an initializer does.
 */
typedef struct sluice_layout {
  int64_t dimensions; /**< 1 to SLUICE_MAX_DIMENSIONS */
  int64_t grid[SLUICE_MAX_DIMENSIONS];
  int64_t block[SLUICE_MAX_DIMENSIONS];
  int64_t first[SLUICE_MAX_DIMENSIONS];
  sluice_cuts cuts[SLUICE_MAX_DIMENSIONS];
} sluice_layout;

/** Reads "GRID:BLOCK", such as "16:3" or "4x4:64x64"; `first` becomes 0. Cuts instead of a block are refused. */
int sluice_layout_parse(const char* text, sluice_layout* layout);
/**
 * Reads a layout that may have cuts, such as "4:0,10,35,100" or "2x2:0,10,35@1,0x64", or, for "@FILE", the text in that
 * file.
 *
 * - `layout`: gets the layout if `numbers` is not NULL; otherwise unchanged, and may be NULL
 * - `count`: gets the number of integers of the cuts and owners
 * - `capacity`, `numbers`: room for these integers; the cuts of `layout` point into it. NULL: only `count` is set
 */
int sluice_layout_parse_cuts(const char* text, sluice_layout* layout, int64_t* count, int64_t capacity,
                             int64_t numbers[]);
/** Gets the number of elements that `process` of the grid holds of an array. `shape`: one extent per dimension. */
int sluice_layout_local_size(const sluice_layout* layout, const int64_t shape[], int64_t process, int64_t* elements);
/** Gets the extents of the part of an array that `process` holds. `shape`, `extents`: one number per dimension. */
int sluice_layout_local_shape(const sluice_layout* layout, const int64_t shape[], int64_t process, int64_t extents[]);

/* ---- planning */

/** Holds a schedule of steps (redistribute, exchange) or of a tree (reduce, broadcast), or a program that was read. */
typedef struct sluice_schedule sluice_schedule;

/**
 * Plans how an array moves from one layout to another. Sizes are elements. The two grids have different processes, and
 * blocks start at process 0.
 *
 * - `shape`: one extent per dimension. NULL: the shape of the cuts, or one slice, the period of the layouts
 * - `from`, `to`: the two layouts
 * - `options`: see below; may be NULL
 * - `schedule`: gets the plan
 *
 * Options:
 * - algorithm (text): an algorithm of redistribute, or of exchange, which may cut messages. "auto" is one of exchange
 *   between blocks of any sizes
 * - setup (number): set-up cost of a step, in elements
 * - effort (number; 1): limits the search
 * - from_replicas, to_replicas (integers): existing copies of the source array, wanted copies of the target array; they
 *   need an algorithm of exchange
 * - forward (flag; 1): lets copies of the target get data from one another
 * - part (text): "upper" or "lower", for a matrix: the triangle, or trapezoid, on that side of the diagonal
 * - unit_diagonal (flag): leaves out the diagonal
 */
int sluice_plan_redistribution(const int64_t shape[], const sluice_layout* from, const sluice_layout* to,
                               const sluice_options* options, sluice_schedule** schedule);
/**
 * Plans who sends when.
 *
 * - `senders`, `receivers`: their numbers
 * - `messages`: number of messages: from[i] has size[i] for to[i]; several messages of one pair add up
 * - `options`: see below; may be NULL
 * - `schedule`: gets the plan
 *
 * Options:
 * - algorithm (text)
 * - max_transfers (integer): most transfers at once; default: the smaller number of senders and receivers
 * - setup (number; 1): set-up cost of a step, in the unit of the sizes
 * - effort (number), time_limit_s (number), seed (integer): limits and seed of the search
 * - sender_speeds, receiver_speeds (numbers, one per node): speeds if nodes differ; at speed 1 a unit of size takes a
 *   unit of time
 * - backbone_times (numbers, in the unit of the sizes), backbone_max_transfers (integers): replace max_transfers if it
 *   changes; from each time on, that number of transfers fits the backbone. The first time is 0
 */
int sluice_plan_exchange(int64_t senders, int64_t receivers, int64_t messages, const int64_t from[], const int64_t to[],
                         const int64_t size[], const sluice_options* options, sluice_schedule** schedule);
/** Plans who sends when for the traffic in a file, Matrix Market (.mtx) or dense CSV (.csv). */
int sluice_plan_exchange_file(const char* path, const sluice_options* options, sluice_schedule** schedule);
/**
 * Plans the reduction of one element of each machine.
 *
 * - `machines`: number of machines
 * - `transfer`, `compute`: cost of a transfer and of a combination
 * - `options`: see below; may be NULL. Limits, dates, parts, an order and different costs may be combined
 * - `schedule`: gets the plan
 *
 * Options:
 * - algorithm (text), effort (number)
 * - arity, root, segments, max_segments, max_transfers, max_reducers (integers)
 * - commutative (flag)
 * - transfer_overhead, compute_overhead (numbers)
 * - arrivals (numbers, one per machine)
 * - transfer_costs (numbers): replace `transfer`, which is then 0. One per sender, or for each sender one per receiver
 * - compute_costs (numbers, one per machine): replace `compute`, which is then 0
 */
int sluice_plan_reduce(int64_t machines, double transfer, double compute, const sluice_options* options,
                       sluice_schedule** schedule);
/**
 * Plans the broadcast of `bytes` from rank `root`. The schedule's machines are clusters, or ranks (see the C++ header
 * plan/broadcast.hpp).
 *
 * Options: algorithm, lookahead, inside (texts), segments (integer), early_internal (flag), effort (number).
 */
int sluice_plan_broadcast(const sluice_platform* platform, int64_t root, int64_t bytes, const sluice_options* options,
                          sluice_schedule** schedule);

/* ---- schedules */

/** Names the kinds of schedules. */
enum sluice_schedule_kind {
  SLUICE_STEPS = 1,  /**< steps of transfers */
  SLUICE_TREE = 2,   /**< timed transfers along a tree */
  SLUICE_PROGRAM = 3 /**< operations of each rank of a collective: see sluice_schedule_program */
};

/** Describes a piece of the message from `from` to `to`: `size` units, starting `offset` units into the message. */
typedef struct sluice_transfer {
  int64_t from;
  int64_t to;
  int64_t offset;
  int64_t size;
} sluice_transfer;

/** Describes a transfer of a tree, from machine `from` to machine `to`, from time `start` to time `end`. */
typedef struct sluice_timed_transfer {
  int64_t from;
  int64_t to;
  int64_t segment; /**< part of the element */
  double start;
  double end; /**< time when the receiver has all of it */
} sluice_timed_transfer;

/** Holds a cost: total = transmission + setup * steps. */
typedef struct sluice_cost {
  int64_t steps;
  int64_t transmission;
  double total;
} sluice_cost;

/**
 * Reads a file of `sluice plan --json`, of any kind: sluice.schedule/1 or sluice.program/1. sluice_schedule_check says
 * whether it is valid.
 */
int sluice_schedule_read(const char* path, sluice_schedule** schedule);
/** Reads a schedule from text. */
int sluice_schedule_parse(const char* text, sluice_schedule** schedule);
/** Writes a schedule to the file `path`, which is replaced as a whole or not at all. */
int sluice_schedule_write(const sluice_schedule* schedule, const char* path);
/** Gets the text of the file that sluice_schedule_write writes. */
int sluice_schedule_json(sluice_schedule* schedule, const char** text);

/** Gets the kind: SLUICE_STEPS, SLUICE_TREE or SLUICE_PROGRAM. */
int sluice_schedule_kind(const sluice_schedule* schedule, int* kind);
/** Gets the problem: "redistribute", "exchange", "reduce", "broadcast" or, for a program, any collective. */
int sluice_schedule_problem(const sluice_schedule* schedule, const char** text);
/** Gets the name of the algorithm that planned the schedule. */
int sluice_schedule_algorithm(const sluice_schedule* schedule, const char** text);
/** Gets the numbers of senders and receivers of a schedule of steps. Either pointer may be NULL. */
int sluice_schedule_senders(const sluice_schedule* schedule, int64_t* senders, int64_t* receivers);
/**
 * Gets the copies of the arrays of a schedule of steps; any pointer may be NULL.
 *
 * - `from`, `to`: copies of the source array and of the target array, usually 1
 * - `first_passing`: if copies of the target may forward data, sender `first_passing` + i is receiver i; otherwise the
 *   number of senders
 *
 * With several copies, process p of copy c of a grid of n processes is number c n + p. The offsets of transfers are
 * then places in the data of the receiver.
 */
int sluice_schedule_replicas(const sluice_schedule* schedule, int64_t* from, int64_t* to, int64_t* first_passing);
/**
 * Gets the decimals of a schedule of steps: sizes are in units of 10^-decimals of what the user wrote; 0 if they are
 * whole.
 */
int sluice_schedule_decimals(const sluice_schedule* schedule, int* decimals);
/** Gets the cost of a schedule of steps, and a lower bound for all schedules. Either pointer may be NULL. */
int sluice_schedule_cost(const sluice_schedule* schedule, sluice_cost* cost, sluice_cost* bound);
/** Gets the number of steps of a schedule of steps. */
int sluice_schedule_steps(const sluice_schedule* schedule, int64_t* steps);
/**
 * Gets one step of a schedule of steps.
 *
 * - `step`: 0 to steps - 1
 * - `duration`: gets the duration; may be NULL
 * - `transfers`: gets the number of transfers
 * - `capacity`, `list`: room for the transfers, which must be enough; `list` may be NULL
 */
int sluice_schedule_step(const sluice_schedule* schedule, int64_t step, int64_t* duration, int64_t* transfers,
                         int64_t capacity, sluice_transfer list[]);
/**
 * Gets the number of machines of a tree, its root, and the time when the last transfer has had its effect. Any pointer
 * may be NULL.
 */
int sluice_schedule_tree(const sluice_schedule* schedule, int64_t* machines, int64_t* root, double* length);
/** Gets bounds on the length of the shortest tree. Either pointer may be NULL. */
int sluice_schedule_tree_bound(const sluice_schedule* schedule, double* lower, double* upper);
/** Gets the transfers of a tree in the order of their start; arguments are as for sluice_schedule_step. */
int sluice_schedule_tree_transfers(const sluice_schedule* schedule, int64_t* transfers, int64_t capacity,
                                   sluice_timed_transfer list[]);

/** Copies the program out of a schedule. Jobs take it as an option, and sluice_program_size gives its size. */
int sluice_schedule_program(const sluice_schedule* schedule, sluice_program** program);
/**
 * Makes a program from a tree of sluice_plan_reduce. Jobs of reductions take it as an option.
 *
 * - `size_bytes`: bytes of all elements of each rank
 * - `element_bytes`: bytes of pieces that are never cut
 */
int sluice_schedule_reduction_program(const sluice_schedule* schedule, int64_t size_bytes, int64_t element_bytes,
                                      sluice_program** program);

/**
 * Checks a schedule alone. A schedule from a file is checked with the cost and the layouts in the file. `violations`
 * gets the number of faults, 0 if the schedule is valid.
 */
int sluice_schedule_check(sluice_schedule* schedule, int64_t* violations);
/**
 * Checks a schedule of steps as sluice_schedule_check, and whether it sends exactly the given traffic. The arguments
 * are as for sluice_plan_exchange.
 */
int sluice_schedule_check_traffic(sluice_schedule* schedule, int64_t senders, int64_t receivers, int64_t messages,
                                  const int64_t from[], const int64_t to[], const int64_t size[], int64_t* violations);
/** Checks a schedule of steps with the traffic in a file. */
int sluice_schedule_check_file(sluice_schedule* schedule, const char* path, int64_t* violations);
/** Gets one line on a fault that the last check of this schedule found; `violation` counts from 0. */
int sluice_schedule_violation(const sluice_schedule* schedule, int64_t violation, const char** text);

/** Frees a schedule, and the text that it returned. */
int sluice_schedule_free(sluice_schedule* schedule);

#ifdef __cplusplus
}
#endif

#endif

/* Not within the guard: <mpi.h> may have come since this header was included first. */
#if defined(MPI_VERSION) && !defined(SLUICE_SLUICE_MPI_H)
#include <sluice/sluice_mpi.h>
#endif
