/* Between Fortran's assumed-rank buffers and the C interface: where they lie and how long they are. What is not
 * contiguous, or too short, is refused, in a way that the other ranks hear of. */
#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <sluice/sluice_mpi.h>
#include <stdio.h>

/* The text of the last call in this thread that was refused here, and whether it is still to be told. */
static _Thread_local char refused[128] = "";
static _Thread_local int is_refused = 0;

/* What sluice_error_text() is to C; asked for once after each call that failed. */
const char* sluice_fortran_error_text(void) {
  const char* const text = is_refused ? refused : sluice_error_text();
  is_refused = 0;
  return text;
}

/* Refuses a call that is of this rank alone: `text` for sluice_fortran_error_text. */
static int refuse(const char* text) {
  snprintf(refused, sizeof refused, "%s", text);
  is_refused = 1;
  return SLUICE_BAD_INPUT;
}

/* Checks that a shape has as many extents as the array has dimensions: SLUICE_OK, or SLUICE_BAD_INPUT. */
int sluice_fortran_check_shape(int64_t extents, int64_t dimensions) {
  if (extents == dimensions || dimensions < 1 || dimensions > SLUICE_MAX_DIMENSIONS) return SLUICE_OK;
  char text[sizeof refused];
  snprintf(text, sizeof text, "shape: %lld %s, expected %lld, as the layout has dimensions", (long long)extents,
           extents == 1 ? "extent" : "extents", (long long)dimensions);
  return refuse(text);
}

typedef struct {
  void* start;
  int64_t bytes;   /* -1: not known, as of x(*) */
  int64_t too_few; /* 0, or how many bytes there must be, where there are less */
  int contiguous;
} Memory;

static Memory memory_of(const CFI_cdesc_t* buffer) {
  Memory memory = {buffer->base_addr, (int64_t)buffer->elem_len, 0, 1};
  const int unknown = buffer->rank > 0 && buffer->dim[buffer->rank - 1].extent == -1;
  for (int d = 0; d < buffer->rank; ++d) memory.bytes *= buffer->dim[d].extent;
  if (unknown) memory.bytes = -1;
  if (buffer->rank > 0 && memory.bytes > 0) memory.contiguous = CFI_is_contiguous(buffer);
  /* The job takes it for missing, and says so to all ranks. */
  if (!memory.contiguous) memory.start = NULL, memory.bytes = 0;
  return memory;
}

/* The memory of an array of known size. Programs may name all of it by its first element. */
static Memory memory_of_at_least(const CFI_cdesc_t* buffer, int64_t bytes) {
  Memory memory = memory_of(buffer);
  if (memory.contiguous && buffer->rank > 0 && memory.bytes >= 0 && memory.bytes < bytes)
    memory.start = NULL, memory.too_few = bytes;
  return memory;
}

static int is_good(const Memory* memory) { return memory == NULL || (memory->contiguous && memory->too_few == 0); }

/* `code` of a call that had these two buffers. */
static int told(int code, const Memory* first, const char* first_name, const Memory* second, const char* second_name) {
  is_refused = 0;
  if (code != SLUICE_BAD_INPUT || (is_good(first) && is_good(second))) return code;
  const Memory* const bad = is_good(first) ? second : first;
  const char* const name = is_good(first) ? second_name : first_name;
  char text[sizeof refused];
  if (bad->contiguous)
    snprintf(text, sizeof text, "%s: %lld bytes, expected at least %lld", name, (long long)bad->bytes,
             (long long)bad->too_few);
  else
    snprintf(text, sizeof text, "%s: memory with gaps, expected a contiguous array", name);
  return refuse(text);
}

/* `element_bytes`: of the array; the job knows how many elements there are. */
int sluice_fortran_redistribution(sluice_job* job, const CFI_cdesc_t* source, CFI_cdesc_t* target,
                                  int64_t element_bytes, int start) {
  int64_t here = 0, there = 0;
  if (sluice_redistribution_extents(job, &here, &there) != SLUICE_OK) here = there = 0; /* which is told below */
  const Memory from = memory_of_at_least(source, here * element_bytes);
  const Memory to = memory_of_at_least(target, there * element_bytes);
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
  Memory from = memory_of(send), to = memory_of(receive);
  int64_t sent = 0, received = 0;
  if ((from.bytes < 0 || to.bytes < 0) && sluice_exchange_bytes(job, &sent, &received) == SLUICE_OK) {
    if (from.bytes < 0) from.bytes = sent;
    if (to.bytes < 0) to.bytes = received;
  }
  const int code = start ? sluice_exchange_start(job, from.start, from.bytes, to.start, to.bytes)
                         : sluice_exchange_execute(job, from.start, from.bytes, to.start, to.bytes);
  return told(code, &from, "send", &to, "receive");
}

/* How many bytes `count` elements of a type span from where a buffer begins; 0 where that is not for a buffer's length
 * to tell. */
int64_t sluice_fortran_span(int64_t count, MPI_Fint type) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  if (count < 1 || MPI_Type_get_extent(MPI_Type_f2c(type), &lower, &extent) != MPI_SUCCESS ||
      MPI_Type_get_true_extent(MPI_Type_f2c(type), &true_lower, &true_extent) != MPI_SUCCESS)
    return 0;
  return true_lower < 0 || extent < 0 ? 0 : (count - 1) * (int64_t)extent + (int64_t)true_lower + (int64_t)true_extent;
}

/* `own_bytes`, `result_bytes`: what they must have at least. */
int sluice_fortran_reduction(sluice_job* job, const CFI_cdesc_t* own, CFI_cdesc_t* result, int64_t own_bytes,
                             int64_t result_bytes, int start) {
  const Memory from = memory_of_at_least(own, own_bytes), to = memory_of_at_least(result, result_bytes);
  const int code =
      start ? sluice_reduction_start(job, from.start, to.start) : sluice_reduction_execute(job, from.start, to.start);
  return told(code, &from, "own", &to, "result");
}

int sluice_fortran_reduction_in_place(sluice_job* job, CFI_cdesc_t* result, int64_t bytes, int start) {
  const Memory to = memory_of_at_least(result, bytes);
  const int code = start ? sluice_reduction_start(job, MPI_IN_PLACE, to.start)
                         : sluice_reduction_execute(job, MPI_IN_PLACE, to.start);
  return told(code, &to, "result", NULL, NULL);
}

int sluice_fortran_collective(sluice_job* job, const CFI_cdesc_t* own, CFI_cdesc_t* result, int start) {
  int64_t given = 0, got = 0;
  if (sluice_collective_bytes(job, &given, &got) != SLUICE_OK) given = got = 0;
  const Memory from = memory_of_at_least(own, given), to = memory_of_at_least(result, got);
  const int code =
      start ? sluice_collective_start(job, from.start, to.start) : sluice_collective_execute(job, from.start, to.start);
  return told(code, &from, "own", &to, "result");
}

int sluice_fortran_collective_in_place(sluice_job* job, CFI_cdesc_t* result) {
  int64_t got = 0;
  if (sluice_collective_bytes(job, NULL, &got) != SLUICE_OK) got = 0;
  const Memory to = memory_of_at_least(result, got);
  return told(sluice_collective_execute(job, MPI_IN_PLACE, to.start), &to, "result", NULL, NULL);
}

int sluice_fortran_broadcast(sluice_job* job, CFI_cdesc_t* buffer, int start) {
  const Memory memory = memory_of(buffer);
  /* Without its memory, a length that is none: 0 bytes from nowhere would be a message. */
  const int64_t bytes = memory.contiguous ? memory.bytes : -1;
  const int code =
      start ? sluice_broadcast_start(job, memory.start, bytes) : sluice_broadcast_execute(job, memory.start, bytes);
  if (code == SLUICE_BAD_INPUT && memory.bytes < 0)
    return refuse("buffer: an array whose size is not known, as x(*), expected one whose size is, as x(1:n)");
  return told(code, &memory, "buffer", NULL, NULL);
}
