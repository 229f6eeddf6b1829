#ifndef SLUICE_SLUICE_MPI_H
#define SLUICE_SLUICE_MPI_H

#include <mpi.h>
#include <sluice/sluice.h>
#include <stddef.h>
#include <stdint.h>

/**
 * @file
 * Sluice's jobs for C: planned once, executed as often as you like. They are in a libsluice that was built with an MPI,
 * for programs of that MPI.
 *
 *     sluice_job* job = NULL;
 *     sluice_must(sluice_redistribution_create(comm, shape, &from, &to, sizeof(double), NULL, &job));
 *     sluice_must(sluice_redistribution_execute(job, source, target));
 *     sluice_job_free(job);
 *
 * Creation and execution are collective over the communicator, an intracommunicator. A failure on one rank gives a
 * code other than SLUICE_OK on all of them: on that rank what failed, on the others SLUICE_BAD_INPUT or
 * SLUICE_JOB_FAILED, in the same call, or in the next one on a rank that was done with this one. The job is of no
 * further use then, and is freed like any other, unless sluice_set_agreed_arguments says so. MPI_THREAD_FUNNELED is
 * enough; calls on one communicator are made by one thread at a time.
 *
 * start begins an execution, wait ends it, and test tells whether it has ended; buffers must stay as they are in
 * between. Several jobs of a communicator may be under way, started in the same order on all ranks.
 */
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Whether all ranks agree that the arguments of an execution are good before anything of it is sent (`agreed` other
 * than 0), for all jobs of the communicator; off by default. With it an argument that is bad on some ranks is
 * SLUICE_BAD_INPUT on all of them, in the same call, and the job can be used again. It costs ceil(log2 n) short
 * messages of each of n ranks. Collective, between executions.
 */
int sluice_set_agreed_arguments(MPI_Comm comm, int agreed);

/** For programs that cannot go on without a call: where its `code` is not SLUICE_OK, prints the error text and ends all
 * ranks by MPI_Abort, or this process where MPI is not running. */
void sluice_must(int code);

/** A job of any kind. A call for another kind of job is SLUICE_BAD_INPUT. */
typedef struct sluice_job sluice_job;

/** `done` becomes 1 where the execution has ended, or none was started; 0 where it has not. */
int sluice_job_test(sluice_job* job, int* done);
/** Returns when the execution has ended; at once where none was started. */
int sluice_job_wait(sluice_job* job);
/** Bytes of buffers that this rank holds beyond the user's; 0 for a broadcast. */
int sluice_job_extra_bytes(const sluice_job* job, int64_t* bytes);
/** Whether MPI's own call is used instead of the plan, as it was found to be faster; 0 for a broadcast. */
int sluice_job_native(const sluice_job* job, int* native);
/** Local. Frees a job, also after MPI_Finalize. During an execution it makes the other ranks fail. */
int sluice_job_free(sluice_job* job);

/**
 * Moving an array from one layout to another, block-cyclic or with blocks of any sizes. `shape`: extents of the source
 * array; `element_bytes`: size of one element, at least 1.
 *
 * Options, lists with one entry per dimension: from_start, to_start, extent, to_shape (a box of the arrays);
 * source_leading, target_leading (one entry less, may differ between ranks); from_ranks, to_ranks (lists of the ranks
 * of the two grids, row-major); column_major, transpose, relabel, try_native (flags); algorithm (text); setup, effort
 * (numbers); chunk_bytes, window, shared_from_bytes (integers). As in the C++ header run/mpi/redistribution.hpp. alpha,
 * beta (numbers), conjugate (flag) for Y = beta Y + alpha op(X), with element_type (text): "float", "double", "float
 * complex" or "double complex". part (text), unit_diagonal (flag), as for sluice_plan_redistribution: what of the
 * source array's box moves; elements of the target outside of it are left alone. from_replicas, to_replicas (integers),
 * forward (flag), as for sluice_plan_redistribution: process p of copy c of a grid of n processes is then number
 * c n + p, of which from_ranks and to_ranks list the ranks; without relabel.
 */
int sluice_redistribution_create(MPI_Comm comm, const int64_t shape[], const sluice_layout* from,
                                 const sluice_layout* to, int64_t element_bytes, const sluice_options* options,
                                 sluice_job** job);
/** How many elements `source` and `target` hold: those of this rank's part of the arrays, from the first to the last
 *  one, gaps included. Either may be NULL. */
int sluice_redistribution_extents(const sluice_job* job, int64_t* source, int64_t* target);
/** The rank of each process of the target grid, copy by copy; with `relabel` the job chooses it. `ranks`
 * has room for `capacity`, at least as many as all copies have processes; `count` becomes how many. */
int sluice_redistribution_to_ranks(const sluice_job* job, int64_t* count, int64_t capacity, int ranks[]);
/** Moves the data. A pointer may be NULL where this rank has nothing to send or receive. The two must not overlap. */
int sluice_redistribution_execute(sluice_job* job, const void* source, void* target);
/** Begins an execution. The arguments are those of sluice_redistribution_execute. */
int sluice_redistribution_start(sluice_job* job, const void* source, void* target);

/** One array of several that move at once. */
typedef struct sluice_array {
  const int64_t* shape;          /**< extents of the source array, one per dimension */
  const sluice_layout* from;     /**< of the source array */
  const sluice_layout* to;       /**< of the target array, as it is stored */
  int64_t element_bytes;         /**< size of an element */
  const sluice_options* options; /**< of the array; may be NULL */
} sluice_array;

/**
 * Moving several arrays at once, with one message between two ranks: `count` of them, whose shapes, layouts, sizes of
 * elements and options may differ. What `arrays` points to is not used after the call.
 *
 * Options of an array: those of sluice_redistribution_create without copies, and without relabel, algorithm, setup,
 * effort, chunk_bytes, window, shared_from_bytes and try_native, which are the options of the job; setup is in bytes.
 * As in the C++ header run/mpi/redistribution_batch.hpp.
 */
int sluice_redistribution_batch_create(MPI_Comm comm, int64_t count, const sluice_array arrays[],
                                       const sluice_options* options, sluice_job** job);
/** `count` becomes how many arrays there are. */
int sluice_redistribution_batch_arrays(const sluice_job* job, int64_t* count);
/** As sluice_redistribution_extents, of array number `array`, counted from 0. */
int sluice_redistribution_batch_extents(const sluice_job* job, int64_t array, int64_t* source, int64_t* target);
/** As sluice_redistribution_to_ranks, of array number `array`. */
int sluice_redistribution_batch_to_ranks(const sluice_job* job, int64_t array, int64_t* count, int64_t capacity,
                                         int ranks[]);
/** Moves the data of all arrays: a pointer for each of them in either list, which may be NULL where this rank has
 * nothing of it to send or receive. None of the targets may overlap other memory here. */
int sluice_redistribution_batch_execute(sluice_job* job, const void* const sources[], void* const targets[]);
/** Begins an execution. The arguments are those of sluice_redistribution_batch_execute; the lists themselves are not
 * used after the call. */
int sluice_redistribution_batch_start(sluice_job* job, const void* const sources[], void* const targets[]);

/**
 * Sending everybody's messages to everybody else: this rank has send_bytes[i] for rank send_ranks[i], each rank once at
 * most. Ranks learn what they get from the others.
 *
 * Options: max_transfers, chunk_bytes, window, early_release_bytes (integers), mode, algorithm (texts), setup_bytes,
 * effort, time_limit_s (numbers), try_native, by_host (flags); sender_speeds, receiver_speeds (numbers, one per rank),
 * backbone_times (numbers), backbone_max_transfers (integers), as for sluice_plan_exchange; local_unit_cost,
 * local_setup_bytes (numbers): pieces may take detours through neighbours, sender_ranks, receiver_ranks (integers): the
 * two clusters. As in the C++ header run/mpi/exchange.hpp, the same on all ranks.
 */
int sluice_exchange_create(MPI_Comm comm, int64_t sends, const int send_ranks[], const int64_t send_bytes[],
                           const sluice_options* options, sluice_job** job);
/** What this rank gets, by rank of the sender, without empty messages: `count` becomes how many; where the lists are
 * not NULL, they have room for `capacity`. */
int sluice_exchange_receives(const sluice_job* job, int64_t* count, int64_t capacity, int ranks[], int64_t bytes[]);
/** Bytes of all messages that this rank sends, and gets. Either may be NULL. */
int sluice_exchange_bytes(const sluice_job* job, int64_t* send, int64_t* receive);
/** Moves the data. `send` holds the messages one after the other in the order of creation, `receive` has room for
 * those that come, in the order of sluice_exchange_receives. The two sizes are those of the buffers. */
int sluice_exchange_execute(sluice_job* job, const void* send, int64_t send_bytes, void* receive,
                            int64_t receive_bytes);
/** Begins an execution. The arguments are those of sluice_exchange_execute. */
int sluice_exchange_start(sluice_job* job, const void* send, int64_t send_bytes, void* receive, int64_t receive_bytes);

/**
 * Combining `count` elements of each rank, as MPI_Reduce. Type and operation must last as long as the job.
 *
 * Options: transfer, compute, transfer_overhead, compute_overhead (numbers: costs, in any one unit; the first two
 * together), measure, reproducible, try_native, dynamic, progress_thread (flags), algorithm (text), arity, segments
 * (integers), platform, effort (number, with a platform); program, of "reduce", in place of costs, platform, algorithm
 * and segments. As in the C++ header run/mpi/reduction.hpp.
 */
int sluice_reduction_create(MPI_Comm comm, int64_t count, MPI_Datatype type, MPI_Op op, int root,
                            const sluice_options* options, sluice_job** job);
/** Combines. `own` may be MPI_IN_PLACE on the root; `result` is written on the root only. */
int sluice_reduction_execute(sluice_job* job, const void* own, void* result);
/** Begins an execution. The arguments are those of sluice_reduction_execute. */
int sluice_reduction_start(sluice_job* job, const void* own, void* result);

/**
 * Giving all ranks what the root has, as MPI_Bcast.
 *
 * Options: platform, try_native, early_internal (flags), algorithm, lookahead, inside (texts), segments (integer),
 * effort (number); program, of "broadcast", in place of platform and plan: messages have its size. As in the C++
 * header run/mpi/broadcast.hpp.
 */
int sluice_broadcast_create(MPI_Comm comm, int root, const sluice_options* options, sluice_job** job);
/** Gives all ranks the `bytes` bytes at the root's `buffer`; the number must be the same on all ranks. */
int sluice_broadcast_execute(sluice_job* job, void* buffer, int64_t bytes);
/** Begins an execution. The arguments are those of sluice_broadcast_execute. */
int sluice_broadcast_start(sluice_job* job, void* buffer, int64_t bytes);

/**
 * Scatter, gather, allgather and alltoall (`problem`), of bytes. `sizes` is 1, and bytes[0] the size of every block; or
 * `bytes` has a size for each block (MPI's calls in v), the same list on all ranks: one for each rank, in alltoall one
 * for each pair, row by row by the sender. Blocks lie one behind the other, by ranks. `root` counts where there is one.
 *
 * Options: platform, algorithm (text), segments (integer), effort (number), try_native (flag); program, of that
 * problem, in place of the first four. As in the C++ header run/mpi/collectives.hpp.
 */
int sluice_collective_create(MPI_Comm comm, const char* problem, int64_t sizes, const int64_t bytes[], int root,
                             const sluice_options* options, sluice_job** job);
/**
 * Allreduce and reduce-scatter (`problem`), of `count` elements of each rank. Type and operation must last as long as
 * the job. Of reduce-scatter `counts` has the elements of each rank's share, in all `count`; with `shares` 0 they are
 * as equal as they can be.
 *
 * Options: those of sluice_collective_create, and reproducible (flag).
 */
int sluice_combining_create(MPI_Comm comm, const char* problem, int64_t count, MPI_Datatype type, MPI_Op op,
                            int64_t shares, const int64_t counts[], const sluice_options* options, sluice_job** job);
/** Bytes that this rank gives, and gets. Either may be NULL. */
int sluice_collective_bytes(const sluice_job* job, int64_t* own, int64_t* result);
/** Carries out one of the six. `own` is what this rank gives, and may be MPI_IN_PLACE where its data is in `result`: in
 * allgather and allreduce on all ranks, in gather on the root. Either may be NULL where it is of 0 bytes. */
int sluice_collective_execute(sluice_job* job, const void* own, void* result);
/** Begins an execution. The arguments are those of sluice_collective_execute. */
int sluice_collective_start(sluice_job* job, const void* own, void* result);

/* ---- for Fortran: the same with Fortran's handles */

/** sluice_set_agreed_arguments with a handle of Fortran. */
int sluice_set_agreed_arguments_f(MPI_Fint comm, int agreed);
/** sluice_redistribution_create with handles of Fortran. */
int sluice_redistribution_create_f(MPI_Fint comm, const int64_t shape[], const sluice_layout* from,
                                   const sluice_layout* to, int64_t element_bytes, const sluice_options* options,
                                   sluice_job** job);
/** sluice_redistribution_batch_create with handles of Fortran. */
int sluice_redistribution_batch_create_f(MPI_Fint comm, int64_t count, const sluice_array arrays[],
                                         const sluice_options* options, sluice_job** job);
/** sluice_exchange_create with handles of Fortran. */
int sluice_exchange_create_f(MPI_Fint comm, int64_t sends, const int send_ranks[], const int64_t send_bytes[],
                             const sluice_options* options, sluice_job** job);
/** sluice_reduction_create with handles of Fortran. */
int sluice_reduction_create_f(MPI_Fint comm, int64_t count, MPI_Fint type, MPI_Fint op, int root,
                              const sluice_options* options, sluice_job** job);
/** sluice_broadcast_create with handles of Fortran. */
int sluice_broadcast_create_f(MPI_Fint comm, int root, const sluice_options* options, sluice_job** job);
/** sluice_collective_create with handles of Fortran. */
int sluice_collective_create_f(MPI_Fint comm, const char* problem, int64_t sizes, const int64_t bytes[], int root,
                               const sluice_options* options, sluice_job** job);
/** sluice_combining_create with handles of Fortran. */
int sluice_combining_create_f(MPI_Fint comm, const char* problem, int64_t count, MPI_Fint type, MPI_Fint op,
                              int64_t shares, const int64_t counts[], const sluice_options* options, sluice_job** job);

#ifdef __cplusplus
}
#endif

#endif
