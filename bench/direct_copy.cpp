// What it takes to move blocks of a block-cyclic array between two processes of one host, beside memcpy of the same
// bytes. One way, as jobs do it: packed into memory that both map, and unpacked from there. The other way: read
// straight out of the other's array into the own one (process_vm_readv). Both processes send and receive at once, as
// ranks do.
//
//     cmake --preset release -DSLUICE_BENCH=ON && scripts/build.sh release direct_copy
//     build/release/bin/direct_copy [REPETITIONS [MIB]]      31 repetitions, 16 MiB each way unless given
//
// Every second run of the array moves, to every second one of the target. Packed pieces have 64 KiB and there is room
// for four, as in jobs by default; a read takes up to 1024 runs (IOV_MAX). Both processes start together, and a time is
// the later end of the two. Medians; the ways alternate. Every byte of the target is compared afterwards. Exit status 1
// if one is wrong, 2 for bad arguments, 3 if the system refuses to read from the other process.

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <vector>

namespace {

constexpr std::size_t kPiece = 64 << 10;
constexpr std::uint64_t kRoom = 4;  // pieces
constexpr int kRefused = 3;

/// What one process tells the other, in memory that both map.
struct Side {
  pid_t process = 0;
  std::uintptr_t array = 0;
  double seconds = 0;
  bool wrong = false;
  int refused = 0;  ///< why the system does not let it read from the other one: errno
  alignas(64) std::atomic<std::uint64_t> arrived = 0;   ///< at how many meetings
  alignas(64) std::atomic<std::uint64_t> packed = 0;    ///< pieces, ever
  alignas(64) std::atomic<std::uint64_t> unpacked = 0;  ///< by this process, of the other's
  alignas(64) std::array<std::byte, kRoom * kPiece> pieces{};
};

template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) sched_yield();
}

/// Each side's view of the two, and its arrays.
class Process {
 public:
  Process(Side& own, Side& other, std::size_t bytes)
      : own_(own), other_(other), bytes_(bytes), array_(2 * bytes), target_(2 * bytes), straight_(bytes) {
    own_.process = getpid();
    own_.array = reinterpret_cast<std::uintptr_t>(array_.data());
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // otherwise only ancestors may read
    for (std::size_t i = 0; i < array_.size(); ++i) array_[i] = byte_at(i);
  }

  void meet() {
    const std::uint64_t number = own_.arrived.fetch_add(1) + 1;
    wait_until([&] { return other_.arrived.load() >= number; });
  }

  /// Whether both may read from each other; each knows why not from `refused`.
  [[nodiscard]] bool may_read() {
    meet();
    std::byte first{};
    const iovec here{&first, 1};
    const iovec there{reinterpret_cast<void*>(other_.array), 1};
    if (process_vm_readv(other_.process, &here, 1, &there, 1, 0) != 1) own_.refused = errno;
    meet();
    return own_.refused == 0 && other_.refused == 0;
  }

  /// Copies own runs into shared pieces, and runs of the other side out of its pieces.
  void by_shared_memory(std::size_t run) {
    const std::size_t pieces = bytes_ / kPiece;
    const std::uint64_t first = own_.packed.load();
    std::size_t out = 0, in = 0;
    while (out < pieces || in < pieces) {
      bool moved = false;
      if (out < pieces && first + out - other_.unpacked.load(std::memory_order_acquire) < kRoom) {
        copy(own_.pieces.data() + (first + out) % kRoom * kPiece, run, array_.data() + 2 * out * kPiece, 2 * run, run);
        own_.packed.store(first + ++out, std::memory_order_release);
        moved = true;
      }
      if (in < pieces && other_.packed.load(std::memory_order_acquire) > first + in) {
        copy(target_.data() + 2 * in * kPiece, 2 * run, other_.pieces.data() + (first + in) % kRoom * kPiece, run, run);
        own_.unpacked.store(first + ++in, std::memory_order_release);
        moved = true;
      }
      if (!moved) sched_yield();
    }
  }

  /// Reads the runs out of the other side's array, to where they belong. Ends the program if the system stops that.
  void directly(std::size_t run) {
    std::vector<iovec> here, there;
    for (std::size_t at = 0; at < bytes_;) {
      here.clear();
      there.clear();
      std::size_t asked = 0;
      for (; at < bytes_ && here.size() < IOV_MAX; at += run, asked += run) {
        here.push_back({target_.data() + 2 * at, run});
        there.push_back({reinterpret_cast<void*>(other_.array + 2 * at), run});
      }
      const ssize_t got = process_vm_readv(other_.process, here.data(), here.size(), there.data(), there.size(), 0);
      if (got < 0 || static_cast<std::size_t>(got) != asked) give_up(got < 0 ? errno : EIO);
    }
  }

  void straight() { std::memcpy(straight_.data(), array_.data(), bytes_); }

  void clear() { std::ranges::fill(target_, std::byte{0}); }
  void check(std::size_t run) {
    for (std::size_t i = 0; i < target_.size(); ++i) {
      const bool moves = i / run % 2 == 0;
      if (target_[i] != (moves ? byte_at(i) : std::byte{0})) own_.wrong = true;
    }
  }

  /// Seconds of the later one.
  template <class Way>
  double time(Way way) {
    meet();
    const auto start = std::chrono::steady_clock::now();
    way();
    own_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    meet();
    const double later = std::max(own_.seconds, other_.seconds);
    meet();
    return later;
  }

 private:
  /// Ends both processes, as the other one would wait for ever.
  [[noreturn]] void give_up(int why) const {
    fmt::print(stderr, "error: process_vm_readv: {}\n", std::generic_category().message(why));
    (void)kill(other_.process, SIGTERM);
    std::exit(kRefused);
  }
  /// The byte that both sides hold at `i`.
  static std::byte byte_at(std::size_t i) { return static_cast<std::byte>(i * 2654435761U >> 13U | 1U); }

  /// A piece in runs.
  static void copy(std::byte* to, std::size_t to_stride, const std::byte* from, std::size_t from_stride,
                   std::size_t run) {
    const std::size_t runs = kPiece / run;
    if (run == sizeof(std::uint64_t)) {  // a call for each would take longer than the copy
      for (std::size_t i = 0; i < runs; ++i)
        std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(std::uint64_t));
      return;
    }
    for (std::size_t i = 0; i < runs; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, run);
  }

  Side& own_;
  Side& other_;
  std::size_t bytes_;
  std::vector<std::byte> array_;
  std::vector<std::byte> target_;
  std::vector<std::byte> straight_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// All of it, as one of the two processes; the first one prints.
int measure(Process process, const Side& own, const Side& other, bool speaks, int repetitions, std::size_t bytes) {
  if (!process.may_read()) {
    const int why = own.refused != 0 ? own.refused : other.refused;
    if (speaks) fmt::print(stderr, "error: process_vm_readv: {}\n", std::generic_category().message(why));
    return kRefused;
  }
  if (speaks)
    fmt::print("{} MiB each way, {} repetitions, ms\n\n{:>7} {:>9} {:>9} {:>9} {:>14} {:>15}\n", bytes >> 20,
               repetitions, "run", "memcpy", "packed", "direct", "direct/packed", "direct/memcpy");
  for (const std::size_t run : {8, 16, 32, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10}) {
    process.clear();
    std::array<std::vector<double>, 3> seconds;
    for (int i = 0; i < repetitions; ++i) {
      seconds[0].push_back(process.time([&] { process.straight(); }));
      seconds[1].push_back(process.time([&] { process.by_shared_memory(run); }));
      if (i == 0) {
        process.check(run);
        process.clear();
      }
      seconds[2].push_back(process.time([&] { process.directly(run); }));
      if (i == 0) process.check(run);
    }
    process.check(run);
    process.meet();
    if (own.wrong || other.wrong) {
      if (speaks) fmt::print(stderr, "runs of {} bytes: the target is wrong\n", run);
      return 1;
    }
    const std::array<double, 3> ms{median(seconds[0]) * 1e3, median(seconds[1]) * 1e3, median(seconds[2]) * 1e3};
    if (speaks)
      fmt::print("{:>7} {:>9.2f} {:>9.2f} {:>9.2f} {:>14.2f} {:>15.2f}\n", run, ms[0], ms[1], ms[2], ms[2] / ms[1],
                 ms[2] / ms[0]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 31;
  const int mebibytes = argc > 2 ? std::atoi(argv[2]) : 16;
  if (repetitions < 1 || mebibytes < 1 || mebibytes > 1024) {
    fmt::print(stderr, "usage: direct_copy [REPETITIONS [MIB]]\n");
    return 2;
  }
  const std::size_t bytes = static_cast<std::size_t>(mebibytes) << 20U;
  void* const shared = mmap(nullptr, 2 * sizeof(Side), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    fmt::print(stderr, "error: no memory to share\n");
    return kRefused;
  }
  auto* const sides = static_cast<Side*>(shared);
  new (&sides[0]) Side;
  new (&sides[1]) Side;
  const pid_t child = fork();
  if (child < 0) {
    fmt::print(stderr, "error: fork: {}\n", std::generic_category().message(errno));
    return kRefused;
  }
  const int own = child == 0 ? 1 : 0;
  const int status =
      measure(Process(sides[own], sides[1 - own], bytes), sides[own], sides[1 - own], own == 0, repetitions, bytes);
  if (child == 0) return status;
  (void)waitpid(child, nullptr, 0);
  return status;
}
