/* Between Fortran's assumed-rank buffers and the C interface: where they lie and how long they are. What is not
 * contiguous is refused, in a way that the other ranks hear of. */
#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <sluice/sluice_mpi.h>
#include <stdio.h>

/* Of the last call in this thread that was refused here, and whether its text is still to be told. */
static _Thread_local char refused[128] = "";
static _Thread_local int is_refused = 0;

/* What sluice_error_text() is to C; asked for once after each call that failed. */
const char* sluice_fortran_error_text(void) {
  const char* const text = is_refused ? refused : sluice_error_text();
  is_refused = 0;
  return text;
}

typedef struct {
  void* start;
  int64_t bytes;
  int contiguous;
} Memory;

static Memory memory_of(const CFI_cdesc_t* buffer) {
  Memory memory = {buffer->base_addr, (int64_t)buffer->elem_len, 1};
  for (int d = 0; d < buffer->rank; ++d) memory.bytes *= buffer->dim[d].extent;
  if (buffer->rank > 0 && memory.bytes > 0) memory.contiguous = CFI_is_contiguous(buffer);
  /* The job takes it for missing, and says so to all ranks. */
  if (!memory.contiguous) memory.start = NULL, memory.bytes = 0;
  return memory;
}

/* `code` of a call that had these two buffers. */
static int told(int code, const Memory* first, const char* first_name, const Memory* second, const char* second_name) {
  is_refused = 0;
  if (code != SLUICE_BAD_INPUT) return code;
  const char* name = !first->contiguous ? first_name : second != NULL && !second->contiguous ? second_name : NULL;
  is_refused = name != NULL;
  if (is_refused) snprintf(refused, sizeof refused, "%s: memory with gaps, expected a contiguous array", name);
  return code;
}

int sluice_fortran_redistribution(sluice_job* job, const CFI_cdesc_t* source, CFI_cdesc_t* target, int start) {
  const Memory from = memory_of(source), to = memory_of(target);
  const int code = start ? sluice_redistribution_start(job, from.start, to.start)
                         : sluice_redistribution_execute(job, from.start, to.start);
  return told(code, &from, "source", &to, "target");
}

int sluice_fortran_redistribution_batch(sluice_job* job, int64_t sources_given, const void* const sources[],
                                        int64_t targets_given, void* const targets[], int start) {
  int64_t arrays = 0;
  is_refused = 0;
  const int code = sluice_redistribution_batch_arrays(job, &arrays);
  if (code != SLUICE_OK) return code;
  /* A list of another length is refused as one that is missing, so that all ranks hear of it. */
  const void* const* const from = sources_given == arrays ? sources : NULL;
  void* const* const to = targets_given == arrays ? targets : NULL;
  return start ? sluice_redistribution_batch_start(job, from, to) : sluice_redistribution_batch_execute(job, from, to);
}

int sluice_fortran_exchange(sluice_job* job, const CFI_cdesc_t* send, CFI_cdesc_t* receive, int start) {
  const Memory from = memory_of(send), to = memory_of(receive);
  const int code = start ? sluice_exchange_start(job, from.start, from.bytes, to.start, to.bytes)
                         : sluice_exchange_execute(job, from.start, from.bytes, to.start, to.bytes);
  return told(code, &from, "send", &to, "receive");
}

int sluice_fortran_reduction(sluice_job* job, const CFI_cdesc_t* own, CFI_cdesc_t* result, int start) {
  const Memory from = memory_of(own), to = memory_of(result);
  const int code =
      start ? sluice_reduction_start(job, from.start, to.start) : sluice_reduction_execute(job, from.start, to.start);
  return told(code, &from, "own", &to, "result");
}

int sluice_fortran_reduction_in_place(sluice_job* job, CFI_cdesc_t* result, int start) {
  const Memory to = memory_of(result);
  const int code = start ? sluice_reduction_start(job, MPI_IN_PLACE, to.start)
                         : sluice_reduction_execute(job, MPI_IN_PLACE, to.start);
  return told(code, &to, "result", NULL, NULL);
}

int sluice_fortran_collective(sluice_job* job, const CFI_cdesc_t* own, CFI_cdesc_t* result, int start) {
  const Memory from = memory_of(own), to = memory_of(result);
  const int code =
      start ? sluice_collective_start(job, from.start, to.start) : sluice_collective_execute(job, from.start, to.start);
  return told(code, &from, "own", &to, "result");
}

int sluice_fortran_collective_in_place(sluice_job* job, CFI_cdesc_t* result) {
  const Memory to = memory_of(result);
  return told(sluice_collective_execute(job, MPI_IN_PLACE, to.start), &to, "result", NULL, NULL);
}

int sluice_fortran_broadcast(sluice_job* job, CFI_cdesc_t* buffer, int start) {
  const Memory memory = memory_of(buffer);
  /* Without its memory, a length that is none: 0 bytes from nowhere would be a message. */
  const int64_t bytes = memory.contiguous ? memory.bytes : -1;
  const int code =
      start ? sluice_broadcast_start(job, memory.start, bytes) : sluice_broadcast_execute(job, memory.start, bytes);
  return told(code, &memory, "buffer", NULL, NULL);
}
