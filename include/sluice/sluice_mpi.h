#ifndef SLUICE_SLUICE_MPI_H
#define SLUICE_SLUICE_MPI_H

#include <mpi.h>
#include <sluice/sluice.h>
#include <stddef.h>
#include <stdint.h>

/**
 * @file
 * Sluice's jobs for C: planned once, executed any number of times. They are in a libsluice that was built with an MPI,
 * for programs of that MPI.
 *
 *     sluice_job* job = NULL;
 *     sluice_must(sluice_redistribution_create(comm, shape, &from, &to, sizeof(double), NULL, &job));
 *     sluice_must(sluice_redistribution_execute(job, source, target));
 *     sluice_job_free(job);
 *
 * Creation and execution are collective over the communicator, an intracommunicator. MPI_THREAD_FUNNELED is enough; one
 * thread at a time makes calls on a communicator.
 *
 * A failure on one rank gives all ranks a code other than SLUICE_OK. That rank gets what failed, the others get
 * SLUICE_BAD_INPUT or SLUICE_JOB_FAILED. They get it in the same call, or in the next call on a rank that was already
 * done. The job cannot be used any more, unless sluice_set_agreed_arguments says so; free it like any other.
 *
 * start begins an execution, wait ends it, and test says whether it has ended; buffers must not change in between.
 * Several jobs of a communicator may be under way, started in the same order on all ranks.
 */
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets whether all ranks check the arguments of an execution together before it sends anything, for all jobs of the
 * communicator; off by default.
 *
 * - `agreed`: 0 is off, other values are on. If on, an argument that is bad on some ranks is SLUICE_BAD_INPUT on all
 *   ranks, in the same call, and the job can be used again
 *
 * It costs ceil(log2 n) short messages of each of n ranks. Collective, between executions.
 */
int sluice_set_agreed_arguments(MPI_Comm comm, int agreed);

/**
 * Ends the program if `code` is not SLUICE_OK: prints the error text and ends all ranks by MPI_Abort, or this process
 * if MPI is not running.
 */
void sluice_must(int code);

/** Holds a job of any kind. A call for another kind of job is SLUICE_BAD_INPUT. */
typedef struct sluice_job sluice_job;

/** Advances the execution without waiting. `done` gets 1 if it has ended or none was started, otherwise 0. */
int sluice_job_test(sluice_job* job, int* done);
/** Waits until the execution has ended; returns at once if none was started. */
int sluice_job_wait(sluice_job* job);
/** Gets the bytes of buffers that this rank holds beyond the user's; 0 for a broadcast. */
int sluice_job_extra_bytes(const sluice_job* job, int64_t* bytes);
/** Gets 1 if MPI's own call replaces the plan because it is faster; 0 for a broadcast. */
int sluice_job_native(const sluice_job* job, int* native);
/**
 * Frees a job; needs no communication, and may follow MPI_Finalize. During an execution it makes the other ranks fail.
 */
int sluice_job_free(sluice_job* job);

/**
 * Makes a job that moves an array from one layout to another, block-cyclic or with blocks of any sizes.
 *
 * - `shape`: extents of the source array, one per dimension
 * - `from`, `to`: the two layouts
 * - `element_bytes`: size of one element, at least 1
 * - `options`: see below; may be NULL. The C++ header run/mpi/redistribution.hpp describes them
 * - `job`: gets the job
 *
 * Options; lists have one entry per dimension unless another length is given:
 * - from_start, to_start, extent, to_shape (lists): a box of the arrays
 * - source_leading, target_leading (lists of one entry less): gaps; may differ between ranks
 * - from_ranks, to_ranks (lists): ranks of the two grids, row-major, one per process
 * - column_major, transpose, relabel, try_native (flags)
 * - algorithm (text), setup, effort (numbers), chunk_bytes, window, shared_from_bytes (integers)
 * - alpha, beta (numbers), conjugate (flag): Y = beta Y + alpha op(X). Needs element_type (text): "float", "double",
 *   "float complex" or "double complex"
 * - part (text), unit_diagonal (flag): the part of the box that moves, as for sluice_plan_redistribution; elements of
 *   the target outside it stay unchanged
 * - from_replicas, to_replicas (integers), forward (flag): copies, as for sluice_plan_redistribution. Process p of copy
 *   c of a grid of n processes is then entry c n + p of from_ranks and to_ranks; relabel is not possible
 */
int sluice_redistribution_create(MPI_Comm comm, const int64_t shape[], const sluice_layout* from,
                                 const sluice_layout* to, int64_t element_bytes, const sluice_options* options,
                                 sluice_job** job);
/**
 * Gets the number of elements of `source` and `target`: this rank's part of each array, from the first to the last
 * element, gaps included. Either pointer may be NULL.
 */
int sluice_redistribution_extents(const sluice_job* job, int64_t* source, int64_t* target);
/**
 * Gets the rank of each process of the target grid, copy by copy; with `relabel` the job chooses it. `ranks` has room
 * for `capacity`, at least the processes of all copies; `count` gets their number.
 */
int sluice_redistribution_to_ranks(const sluice_job* job, int64_t* count, int64_t capacity, int ranks[]);
/** Moves the data. A pointer may be NULL if this rank has nothing to send or receive. The two must not overlap. */
int sluice_redistribution_execute(sluice_job* job, const void* source, void* target);
/** Begins an execution. Arguments are as for sluice_redistribution_execute. */
int sluice_redistribution_start(sluice_job* job, const void* source, void* target);

/** Describes one array of several that move at once. */
typedef struct sluice_array {
  const int64_t* shape;          /**< extents of the source array, one per dimension */
  const sluice_layout* from;     /**< layout of the source array */
  const sluice_layout* to;       /**< layout of the target array, as it is stored */
  int64_t element_bytes;         /**< size of an element */
  const sluice_options* options; /**< options of the array; may be NULL */
} sluice_array;

/**
 * Makes a job that moves several arrays at once, with one message between two ranks. Shapes, layouts, sizes of elements
 * and options may differ.
 *
 * - `count`, `arrays`: the arrays; what they point to is not used after the call
 * - `options`: options of the job; may be NULL. The C++ header run/mpi/redistribution_batch.hpp describes them
 * - `job`: gets the job
 *
 * Options of the job: relabel, algorithm, setup (in bytes), effort, chunk_bytes, window, shared_from_bytes and
 * try_native. Options of an array: all other options of sluice_redistribution_create, except copies.
 */
int sluice_redistribution_batch_create(MPI_Comm comm, int64_t count, const sluice_array arrays[],
                                       const sluice_options* options, sluice_job** job);
/** Gets the number of arrays. */
int sluice_redistribution_batch_arrays(const sluice_job* job, int64_t* count);
/** Gets the extents of array number `array`, counted from 0, as sluice_redistribution_extents. */
int sluice_redistribution_batch_extents(const sluice_job* job, int64_t array, int64_t* source, int64_t* target);
/** Gets the ranks of array number `array`, counted from 0, as sluice_redistribution_to_ranks. */
int sluice_redistribution_batch_to_ranks(const sluice_job* job, int64_t array, int64_t* count, int64_t capacity,
                                         int ranks[]);
/**
 * Moves the data of all arrays. Either list has a pointer for each array, which may be NULL if this rank has nothing of
 * it to send or receive. No target may overlap other memory here.
 */
int sluice_redistribution_batch_execute(sluice_job* job, const void* const sources[], void* const targets[]);
/**
 * Begins an execution. Arguments are as for sluice_redistribution_batch_execute; the lists themselves are not used
 * after the call.
 */
int sluice_redistribution_batch_start(sluice_job* job, const void* const sources[], void* const targets[]);

/**
 * Makes a job that sends messages between any ranks. Ranks learn what they get from the others.
 *
 * - `sends`: number of messages of this rank: send_bytes[i] for rank send_ranks[i], each rank at most once
 * - `options`: see below, equal on all ranks; may be NULL. The C++ header run/mpi/exchange.hpp describes them
 * - `job`: gets the job
 *
 * Options:
 * - max_transfers, chunk_bytes, window, early_release_bytes (integers)
 * - mode, algorithm (texts)
 * - setup_bytes, effort, time_limit_s (numbers), try_native (flag)
 * - sender_speeds, receiver_speeds (numbers, one per rank), backbone_times (numbers), backbone_max_transfers
 *   (integers): as for sluice_plan_exchange
 * - local_unit_cost, local_setup_bytes (numbers): pieces may take detours through neighbours
 * - sender_ranks, receiver_ranks (integers): the two clusters for such detours
 */
int sluice_exchange_create(MPI_Comm comm, int64_t sends, const int send_ranks[], const int64_t send_bytes[],
                           const sluice_options* options, sluice_job** job);
/**
 * Gets what this rank receives, by rank of the sender, without empty messages. `count` gets the number of messages;
 * lists that are not NULL have room for `capacity`.
 */
int sluice_exchange_receives(const sluice_job* job, int64_t* count, int64_t capacity, int ranks[], int64_t bytes[]);
/** Gets the bytes of all messages that this rank sends, and receives. Either pointer may be NULL. */
int sluice_exchange_bytes(const sluice_job* job, int64_t* send, int64_t* receive);
/**
 * Moves the data. `send` holds the messages one after another in the order of creation. `receive` has room for the
 * messages of sluice_exchange_receives, in their order. The two sizes are the sizes of the buffers.
 */
int sluice_exchange_execute(sluice_job* job, const void* send, int64_t send_bytes, void* receive,
                            int64_t receive_bytes);
/** Begins an execution. Arguments are as for sluice_exchange_execute. */
int sluice_exchange_start(sluice_job* job, const void* send, int64_t send_bytes, void* receive, int64_t receive_bytes);

/**
 * Makes a job that combines `count` elements of each rank, as MPI_Reduce. Type and operation must exist as long as the
 * job. The C++ header run/mpi/reduction.hpp describes the options:
 *
 * - transfer, compute, transfer_overhead, compute_overhead (numbers): costs, in one unit; the first two only together
 * - measure, reproducible, try_native, dynamic, progress_thread (flags)
 * - algorithm (text), arity, segments (integers)
 * - platform, and effort (number) with it
 * - program, of "reduce": replaces costs, platform, algorithm and segments
 */
int sluice_reduction_create(MPI_Comm comm, int64_t count, MPI_Datatype type, MPI_Op op, int root,
                            const sluice_options* options, sluice_job** job);
/** Combines the elements. `own` may be MPI_IN_PLACE on the root; `result` is written on the root only. */
int sluice_reduction_execute(sluice_job* job, const void* own, void* result);
/** Begins an execution. Arguments are as for sluice_reduction_execute. */
int sluice_reduction_start(sluice_job* job, const void* own, void* result);

/**
 * Makes a job that copies the root's data to all ranks, as MPI_Bcast. The C++ header run/mpi/broadcast.hpp describes
 * the options:
 *
 * - platform, try_native, early_internal (flags)
 * - algorithm, lookahead, inside (texts), segments (integer), effort (number)
 * - program, of "broadcast": replaces platform and plan; messages have its size
 */
int sluice_broadcast_create(MPI_Comm comm, int root, const sluice_options* options, sluice_job** job);
/** Copies the `bytes` bytes at the root's `buffer` to all ranks; the number must be equal on all ranks. */
int sluice_broadcast_execute(sluice_job* job, void* buffer, int64_t bytes);
/** Begins an execution. Arguments are as for sluice_broadcast_execute. */
int sluice_broadcast_start(sluice_job* job, void* buffer, int64_t bytes);

/**
 * Makes a job of scatter, gather, allgather or alltoall. The C++ header run/mpi/collectives.hpp describes the options.
 *
 * - `problem`: name of the collective
 * - `sizes`, `bytes`: `sizes` is 1, and bytes[0] is the size of every block. Or `bytes` has a size for each block
 *   (MPI's calls in v), equal on all ranks: one for each rank, for alltoall one for each pair, row by row by the sender
 * - `root`: for scatter and gather only
 * - `options`: platform, algorithm (text), segments (integer), effort (number), try_native (flag); program, of that
 *   problem, replaces the first four
 * - `job`: gets the job
 *
 * Blocks lie one after another, by ranks.
 */
int sluice_collective_create(MPI_Comm comm, const char* problem, int64_t sizes, const int64_t bytes[], int root,
                             const sluice_options* options, sluice_job** job);
/**
 * Makes a job of allreduce or reduce-scatter. Type and operation must exist as long as the job.
 *
 * - `problem`: name of the collective
 * - `count`: elements of each rank
 * - `shares`, `counts`: for reduce-scatter: elements of each rank's share, `count` in total; with `shares` 0 they are
 *   as equal as possible
 * - `options`: as for sluice_collective_create, and reproducible (flag)
 * - `job`: gets the job
 */
int sluice_combining_create(MPI_Comm comm, const char* problem, int64_t count, MPI_Datatype type, MPI_Op op,
                            int64_t shares, const int64_t counts[], const sluice_options* options, sluice_job** job);
/** Gets the bytes that this rank gives, and gets. Either pointer may be NULL. */
int sluice_collective_bytes(const sluice_job* job, int64_t* own, int64_t* result);
/**
 * Executes one of the six collectives. `own` is what this rank gives. It may be MPI_IN_PLACE if its data is in
 * `result`: in allgather and allreduce on all ranks, in gather on the root. Either may be NULL if it has 0 bytes.
 */
int sluice_collective_execute(sluice_job* job, const void* own, void* result);
/** Begins an execution. Arguments are as for sluice_collective_execute. */
int sluice_collective_start(sluice_job* job, const void* own, void* result);

/* ---- for Fortran: the same with Fortran's handles */

/** Calls sluice_set_agreed_arguments with a handle of Fortran. */
int sluice_set_agreed_arguments_f(MPI_Fint comm, int agreed);
/** Calls sluice_redistribution_create with handles of Fortran. */
int sluice_redistribution_create_f(MPI_Fint comm, const int64_t shape[], const sluice_layout* from,
                                   const sluice_layout* to, int64_t element_bytes, const sluice_options* options,
                                   sluice_job** job);
/** Calls sluice_redistribution_batch_create with handles of Fortran. */
int sluice_redistribution_batch_create_f(MPI_Fint comm, int64_t count, const sluice_array arrays[],
                                         const sluice_options* options, sluice_job** job);
/** Calls sluice_exchange_create with handles of Fortran. */
int sluice_exchange_create_f(MPI_Fint comm, int64_t sends, const int send_ranks[], const int64_t send_bytes[],
                             const sluice_options* options, sluice_job** job);
/** Calls sluice_reduction_create with handles of Fortran. */
int sluice_reduction_create_f(MPI_Fint comm, int64_t count, MPI_Fint type, MPI_Fint op, int root,
                              const sluice_options* options, sluice_job** job);
/** Calls sluice_broadcast_create with handles of Fortran. */
int sluice_broadcast_create_f(MPI_Fint comm, int root, const sluice_options* options, sluice_job** job);
/** Calls sluice_collective_create with handles of Fortran. */
int sluice_collective_create_f(MPI_Fint comm, const char* problem, int64_t sizes, const int64_t bytes[], int root,
                               const sluice_options* options, sluice_job** job);
/** Calls sluice_combining_create with handles of Fortran. */
int sluice_combining_create_f(MPI_Fint comm, const char* problem, int64_t count, MPI_Fint type, MPI_Fint op,
                              int64_t shares, const int64_t counts[], const sluice_options* options, sluice_job** job);

#ifdef __cplusplus
}
#endif

#endif
