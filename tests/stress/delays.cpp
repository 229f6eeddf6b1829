// Preloaded, it makes a rank late at places where nobody waits for it: around system calls that open, map and close,
// around calls of MPI that make and free communicators and their attributes, and behind collective calls. So no luck is
// needed to see what happens when a rank comes late. From MPI_Init on:
//
//   STRESS_DELAY_US       the longest delay, 2000 unless given
//   STRESS_DELAY_PERCENT  how many of these places get one, 20 unless given
//   STRESS_DELAY_SEED     1 unless given; each rank draws others

#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

std::atomic<bool> started = false;
std::atomic<std::uint64_t> drawn = 0;
long longest_us = 2000;
long percent = 20;

long from_environment(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

void start() {
  longest_us = from_environment("STRESS_DELAY_US", longest_us);
  percent = from_environment("STRESS_DELAY_PERCENT", percent);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  drawn = static_cast<std::uint64_t>(from_environment("STRESS_DELAY_SEED", 1)) * 1000003 +
          static_cast<std::uint64_t>(rank) * 7919;
  started = true;
}

void delay() {
  if (!started.load(std::memory_order_relaxed)) return;
  // SplitMix64; errno stays as it is.
  std::uint64_t z = drawn.fetch_add(0x9e3779b97f4a7c15ULL, std::memory_order_relaxed);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  if (static_cast<long>(z % 100) >= percent) return;
  // As often short as long: below a tenth of the longest in half of the cases.
  const auto most = static_cast<std::uint64_t>((z >> 8) % 2 == 0 ? longest_us : longest_us / 10);
  const std::uint64_t us = (z >> 16) % (most + 1);
  const int kept = errno;
  const timespec time{static_cast<time_t>(us / 1000000), static_cast<long>(us % 1000000 * 1000)};
  (void)nanosleep(&time, nullptr);
  errno = kept;
}

/// The function that this one stands before.
template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The loader calls none of these by name, so MPI is not there yet only where a constructor calls them.
#define STRESS_NEXT(name) static auto* const next = next_of<decltype(name)>(#name)

extern "C" {

int open(const char* path, int flags, ...) {
  STRESS_NEXT(open);
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : mode_t{0};
  va_end(arguments);
  delay();
  return next(path, flags, mode);
}
int openat(int at, const char* path, int flags, ...) {
  STRESS_NEXT(openat);
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : mode_t{0};
  va_end(arguments);
  delay();
  return next(at, path, flags, mode);
}
void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  STRESS_NEXT(mmap);
  if ((flags & MAP_SHARED) != 0) delay();
  return next(at, bytes, protection, flags, file, offset);
}
int munmap(void* at, std::size_t bytes) noexcept {
  STRESS_NEXT(munmap);
  const int result = next(at, bytes);
  if (bytes >= 1 << 20) delay();
  return result;
}
int close(int file) {
  STRESS_NEXT(close);
  const int result = next(file);
  delay();
  return result;
}
int memfd_create(const char* name, unsigned flags) noexcept {
  STRESS_NEXT(memfd_create);
  delay();
  return next(name, flags);
}

int MPI_Init(int* argc, char*** argv) {
  STRESS_NEXT(MPI_Init);
  const int code = next(argc, argv);
  start();
  return code;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  STRESS_NEXT(MPI_Init_thread);
  const int code = next(argc, argv, required, provided);
  start();
  return code;
}

// A delay before and after. The names MPI_ are those that programs and the libraries call, PMPI_ those that a library
// calls which stands for MPI itself.
#define STRESS_AROUND(name, parameters, arguments) \
  int name parameters {                            \
    STRESS_NEXT(name);                             \
    delay();                                       \
    const int code = next arguments;               \
    delay();                                       \
    return code;                                   \
  }
#define STRESS_BOTH(name, parameters, arguments)   \
  STRESS_AROUND(MPI_##name, parameters, arguments) \
  STRESS_AROUND(PMPI_##name, parameters, arguments)

STRESS_BOTH(Comm_free, (MPI_Comm * comm), (comm))
STRESS_BOTH(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
STRESS_BOTH(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
STRESS_BOTH(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
STRESS_BOTH(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
            (comm, type, key, info, made))
STRESS_BOTH(Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
STRESS_BOTH(Comm_get_attr, (MPI_Comm comm, int key, void* value, int* found), (comm, key, value, found))
STRESS_BOTH(Comm_delete_attr, (MPI_Comm comm, int key), (comm, key))
STRESS_BOTH(Barrier, (MPI_Comm comm), (comm))
STRESS_BOTH(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
            (buffer, count, type, root, comm))
STRESS_BOTH(Reduce, (const void* own, void* result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
            (own, result, count, type, op, root, comm))
STRESS_BOTH(Allreduce, (const void* own, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (own, result, count, type, op, comm))
STRESS_BOTH(Allgather,
            (const void* own, int count, MPI_Datatype type, void* all, int each, MPI_Datatype all_type, MPI_Comm comm),
            (own, count, type, all, each, all_type, comm))
STRESS_BOTH(Alltoall,
            (const void* own, int count, MPI_Datatype type, void* all, int each, MPI_Datatype all_type, MPI_Comm comm),
            (own, count, type, all, each, all_type, comm))
STRESS_BOTH(Gather,
            (const void* own, int count, MPI_Datatype type, void* all, int each, MPI_Datatype all_type, int root,
             MPI_Comm comm),
            (own, count, type, all, each, all_type, root, comm))
STRESS_BOTH(Scatter,
            (const void* all, int count, MPI_Datatype type, void* own, int each, MPI_Datatype own_type, int root,
             MPI_Comm comm),
            (all, count, type, own, each, own_type, root, comm))
STRESS_BOTH(Reduce_scatter_block,
            (const void* own, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (own, result, count, type, op, comm))

}  // extern "C"
