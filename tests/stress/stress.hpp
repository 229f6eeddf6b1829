#pragma once

#include <execinfo.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// What the programs of this folder share: options, the step that a rank is in, a watchdog, bytes that tell who wrote
/// them, and the line of counts at the end.
///
/// A round counts as failed if any rank finds wrong bytes in it or gets an error that is not allowed there. A signal or
/// a step that takes longer than `--hang` seconds ends the program; the line then names rank, round and step.
namespace sluice::stress {

struct Options {
  std::string mode;
  std::int64_t rounds = 0;  ///< 0: no limit but the time
  double seconds = 0;       ///< 0: no limit but the rounds
  unsigned seed = 1;        ///< the same on all ranks
  int hang_s = 60;
  std::int64_t most_mib = 0;  ///< of shared memory, or of its growth; 0: no limit
  std::int64_t most_bytes = 8 << 20;
  std::string trouble;  ///< what happens between rounds: see Trouble
  std::string pids;     ///< in this folder each rank leaves a file with its process number as the name
};

/// Reads `MODE [--rounds N] [--seconds S] [--seed N] [--hang S] [--most-mib N] [--most-bytes N] [--trouble NAME]
/// [--pids DIR]`. Exits with 2 for anything else.
inline Options read_options(int argc, char** argv) {
  Options options;
  const auto usage = [&] {
    std::fprintf(stderr,
                 "usage: %s MODE [--rounds N] [--seconds S] [--seed N] [--hang S] [--most-mib N] [--most-bytes N] "
                 "[--trouble NAME] [--pids DIR]\n",
                 argv[0]);
    std::exit(2);
  };
  if (argc < 2 || argc % 2 != 0) usage();
  options.mode = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    const char* const value = argv[i + 1];
    if (name == "--rounds") {
      options.rounds = std::atoll(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else if (name == "--seed") {
      options.seed = static_cast<unsigned>(std::atoll(value));
    } else if (name == "--hang") {
      options.hang_s = std::atoi(value);
    } else if (name == "--most-mib") {
      options.most_mib = std::atoll(value);
    } else if (name == "--most-bytes") {
      options.most_bytes = std::atoll(value);
    } else if (name == "--trouble") {
      options.trouble = value;
    } else if (name == "--pids") {
      options.pids = value;
    } else {
      usage();
    }
  }
  if (options.rounds == 0 && options.seconds == 0) options.rounds = 100;
  return options;
}

/// Where a rank is. A handler of signals reads them, so they are not strings.
inline std::array<char, 200> step_text{};
inline std::atomic<std::int64_t> round_now = 0;
inline std::atomic<int> rank_now = -1;

/// Names the step that begins now, for the watchdog. With several threads the last one that says something is named.
[[gnu::format(printf, 1, 2)]] inline void step(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(step_text.data(), step_text.size(), format, arguments);
  va_end(arguments);
}

inline void end_by_signal(int signal) {
  std::array<char, 400> text{};
  const char* const what = signal == SIGALRM ? "hangs" : "is ended by a signal";
  const int length =
      std::snprintf(text.data(), text.size(), "stress: rank %d %s (%d) in round %lld: %s\n", rank_now.load(), what,
                    signal, static_cast<long long>(round_now.load()), step_text.data());
  if (write(STDERR_FILENO, text.data(), static_cast<std::size_t>(std::max(0, length))) < 0) _exit(5);
  std::array<void*, 40> frames{};
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  if (signal == SIGALRM) sleep(1);  // the others say where they are too
  _exit(signal == SIGALRM ? 3 : 4);
}

inline void start_watchdog(const Options& options) {
  for (const int signal : {SIGALRM, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE})
    (void)std::signal(signal, end_by_signal);
  (void)alarm(static_cast<unsigned>(options.hang_s));
}

/// Bytes that follow from a number: word i of them is base + i * factor. So the sum of several is such a pattern too.
struct Pattern {
  std::uint64_t base = 0;
  std::uint64_t factor = 0;

  static Pattern of(std::uint64_t what, std::int64_t owner) {
    const auto mixed = [](std::uint64_t z) {
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      return z ^ (z >> 31);
    };
    const std::uint64_t base = mixed(what * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(owner + 1));
    return {base, mixed(base) | 1};
  }
  Pattern& operator+=(const Pattern& other) {
    base += other.base;
    factor += other.factor;
    return *this;
  }
  [[nodiscard]] std::uint64_t word(std::int64_t i) const { return base + static_cast<std::uint64_t>(i) * factor; }

  void write(std::byte* at, std::int64_t bytes) const {
    for (std::int64_t i = 0; i < bytes / 8; ++i) {
      const std::uint64_t next = word(i);
      std::memcpy(at + 8 * i, &next, 8);
    }
    const std::uint64_t last = word(bytes / 8);
    std::memcpy(at + bytes / 8 * 8, &last, static_cast<std::size_t>(bytes % 8));
  }
  /// The first byte that is not as write() makes it; -1: all are.
  [[nodiscard]] std::int64_t first_wrong(const std::byte* at, std::int64_t bytes) const {
    std::uint64_t differences = 0;
    for (std::int64_t i = 0; i < bytes / 8; ++i) {
      std::uint64_t is = 0;
      std::memcpy(&is, at + 8 * i, 8);
      differences |= is ^ word(i);
    }
    for (std::int64_t i = differences == 0 ? bytes / 8 : 0; i < (bytes + 7) / 8; ++i) {
      const std::uint64_t expected = word(i);
      std::array<std::byte, 8> should{};
      std::memcpy(should.data(), &expected, 8);
      const std::int64_t here = std::min<std::int64_t>(8, bytes - 8 * i);
      if (std::memcmp(at + 8 * i, should.data(), static_cast<std::size_t>(here)) == 0) continue;
      for (std::int64_t b = 0; b < here; ++b) {
        if (at[8 * i + b] != should[static_cast<std::size_t>(b)]) return 8 * i + b;
      }
    }
    return -1;
  }
};

/// Memory with bytes behind its end that nobody may write.
class Buffer {
 public:
  void resize(std::int64_t bytes) {
    bytes_ = bytes;
    const auto count = static_cast<std::size_t>(bytes);
    if (memory_.size() < count + kGuard) memory_.resize(count + kGuard);
    std::memset(memory_.data(), 0xaa, count);
    std::memset(memory_.data() + count, 0x5b, kGuard);
  }
  [[nodiscard]] std::byte* data() { return memory_.data(); }
  [[nodiscard]] const std::byte* data() const { return memory_.data(); }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool guarded() const {
    const auto end = memory_.begin() + bytes_;
    return std::all_of(end, end + kGuard, [](std::byte b) { return b == std::byte{0x5b}; });
  }

 private:
  static constexpr std::size_t kGuard = 64;
  std::int64_t bytes_ = 0;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kGuard, std::byte{0x5b});
};

/// From 1 to `most`, as often between 1 and 2 as between most / 2 and most.
inline std::int64_t log_uniform(std::mt19937& random, std::int64_t most) {
  const double exponent = std::uniform_real_distribution<>(0, std::log2(static_cast<double>(most)))(random);
  return std::clamp<std::int64_t>(std::llround(std::exp2(exponent)), 1, most);
}

/// A field of /proc/self/status in KiB; 0 where there is none.
inline std::int64_t kib_of_process(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    std::int64_t value = 0;
    if (name == field + ":" && status >> value) return value;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

/// What other software of a process does meanwhile, by name:
///  - "descriptors": in every second round no descriptor is free, on some ranks or on all;
///  - "close": all descriptors that have come after MPI_Init are closed, and files of the program get their numbers:
///  they
///    must stay open, and stay as they are;
///  - "fork": a child ends by exec, by _exit or by exit.
class Trouble {
 public:
  explicit Trouble(std::string name) : name_(std::move(name)) {
    if (name_ == "close") known_ = open_descriptors();
  }
  Trouble(const Trouble&) = delete;
  Trouble& operator=(const Trouble&) = delete;
  ~Trouble() { relieve(); }

  [[nodiscard]] bool any() const { return !name_.empty(); }
  /// Errors are no failures in this round, on no rank.
  [[nodiscard]] bool errors_allowed(std::int64_t round) const { return name_ == "descriptors" && round % 2 == 1; }

  /// What was found wrong so far.
  [[nodiscard]] int found() const { return found_; }
  /// Between two rounds, or during one.
  void strike(std::int64_t round, int rank) {
    if (name_ == "descriptors") {
      relieve();
      const bool here = round % 8 == 1 || (round + rank) % 3 == 0;
      if (round % 2 == 1 && here) exhaust();
    } else if (name_ == "close") {
      check_files(round);
      close_and_take_numbers();
    } else if (name_ == "fork") {
      fork_a_child(round);
    } else if (!name_.empty()) {
      std::fprintf(stderr, "error: --trouble %s: expected descriptors, close or fork\n", name_.c_str());
      std::exit(2);
    }
  }

 private:
  static std::vector<int> open_descriptors() {
    std::vector<int> open;
    for (int each = 0; each < 4096; ++each) {
      if (fcntl(each, F_GETFD) >= 0) open.push_back(each);
    }
    return open;
  }
  // System calls as such, as these are not to be delayed.
  void exhaust() {
    rlimit limit{};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    before_ = limit.rlim_cur;
    limit.rlim_cur = static_cast<rlim_t>(open_descriptors().back() + 1);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    for (long file = 0; (file = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY)) >= 0;) {
      taken_.push_back(static_cast<int>(file));
    }
  }
  void relieve() {
    for (const int each : taken_) (void)syscall(SYS_close, each);
    taken_.clear();
    if (before_ == 0) return;
    rlimit limit{};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::exchange(before_, 0);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
  }
  void close_and_take_numbers() {
    relieve();
    int closed = 0;
    for (const int each : open_descriptors()) {
      if (std::binary_search(known_.begin(), known_.end(), each)) continue;
      (void)syscall(SYS_close, each);
      ++closed;
    }
    for (int i = 0; i < closed + 4; ++i) {
      const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
      if (file < 0) break;
      if (write(file, kContents, sizeof kContents) == sizeof kContents) taken_.push_back(file);
    }
  }
  void check_files(std::int64_t round) {
    for (const int each : taken_) {
      char contents[sizeof kContents + 1] = "";
      if (pread(each, contents, sizeof contents, 0) == sizeof kContents && std::strcmp(contents, kContents) == 0)
        continue;
      std::fprintf(stderr, "stress: rank %d, round %lld: descriptor %d of the program was closed or its file changed\n",
                   rank_now.load(), static_cast<long long>(round), each);
      ++found_;
      std::erase(taken_, each);
      return;
    }
  }
  void fork_a_child(std::int64_t round) {
    const pid_t child = fork();
    if (child == 0) {
      (void)alarm(20);
      (void)std::signal(SIGALRM, SIG_DFL);
      if (round % 3 == 0) execl("/bin/true", "true", static_cast<char*>(nullptr));
      if (round % 3 == 1) std::exit(0);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      std::fprintf(stderr, "stress: rank %d, round %lld: a child of kind %lld ends with status %x\n", rank_now.load(),
                   static_cast<long long>(round), static_cast<long long>(round % 3), static_cast<unsigned>(status));
      ++found_;
    }
  }

  static constexpr char kContents[] = "a file of the program";
  std::string name_;
  std::vector<int> known_;
  std::vector<int> taken_;
  rlim_t before_ = 0;  ///< the limit, if it is another one meanwhile
  int found_ = 0;
};

/// The rounds of a program, and what came of them.
class Run {
 public:
  explicit Run(Options options)
      : options_(std::move(options)), common(options_.seed), trouble_(options_.trouble), start_s_(MPI_Wtime()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    rank_now = rank_;
    if (!options_.pids.empty()) std::ofstream(options_.pids + "/" + std::to_string(getpid()));
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::int64_t round() const { return round_; }
  [[nodiscard]] const Options& options() const { return options_; }
  /// What the words of a round are made of: the same on all ranks.
  [[nodiscard]] std::uint64_t what() const { return (std::uint64_t{options_.seed} << 40) + (calls_ << 4); }
  void count_call() { ++calls_; }

  /// Begins the next round, if there is one: rank 0 says so to all, every 16 rounds.
  bool next() {
    (void)alarm(static_cast<unsigned>(options_.hang_s));
    if (round_ % kTogether == 0) {
      step("looking at the time");
      add_up();
      int goes_on = options_.seconds == 0 || MPI_Wtime() - start_s_ < options_.seconds ? 1 : 0;
      PMPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (goes_on == 0) return false;
    }
    if (options_.rounds != 0 && round_ == options_.rounds) return false;
    ++round_;
    round_now = round_;
    if (trouble_.any()) strike();
    return true;
  }
  void strike() {
    step("trouble %s", options_.trouble.c_str());
    const int before = trouble_.found();
    trouble_.strike(round_, rank_);
    if (trouble_.found() != before) failed("trouble %s", options_.trouble.c_str());
  }
  [[nodiscard]] bool errors_allowed() const { return trouble_.errors_allowed(round_); }
  /// What was made in a round with errors may be of no use from now on.
  [[nodiscard]] bool begins_anew() const { return round_ > 1 && trouble_.errors_allowed(round_ - 1); }

  /// Something is wrong in this round. Says so the first times.
  [[gnu::format(printf, 2, 3)]] void failed(const char* format, ...) {
    bad_rounds_ |= std::uint64_t{1} << (round_ % kTogether);
    if (++said_ > 3) return;
    std::array<char, 600> text{};
    std::va_list arguments;
    va_start(arguments, format);
    (void)std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "stress: %s, rank %d, round %lld: %s\n", options_.mode.c_str(), rank_,
                 static_cast<long long>(round_), text.data());
  }
  /// An error that the library has told of.
  void refused(const char* what, const char* why) {
    if (errors_allowed()) {
      ++refusals_;
    } else {
      failed("%s: %s", what, why);
    }
  }
  void check(const char* what, const std::byte* at, std::int64_t bytes, const Pattern& pattern) {
    const std::int64_t wrong = pattern.first_wrong(at, bytes);
    if (wrong >= 0) {
      failed("%s: byte %lld of %lld is wrong", what, static_cast<long long>(wrong), static_cast<long long>(bytes));
    }
  }
  void check_guard(const char* what, const Buffer& buffer) {
    if (!buffer.guarded()) failed("%s: bytes behind the buffer are overwritten", what);
  }

  /// Whether this rank has found something wrong since all last added up.
  [[nodiscard]] bool bad() const { return bad_rounds_ != 0; }

  /// The most shared memory that any rank has mapped, in MiB.
  static double shared_mib() {
    double mib = static_cast<double>(kib_of_process("RssShmem")) / 1024;
    PMPI_Allreduce(MPI_IN_PLACE, &mib, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return mib;
  }
  void expect_at_most(const char* what, double mib) {
    if (rank_ == 0) std::printf("stress: %s: %.1f MiB in the rank with the most\n", what, mib);
    if (options_.most_mib > 0 && mib > static_cast<double>(options_.most_mib)) {
      failed("%s: %.1f MiB, expected at most %lld", what, mib, static_cast<long long>(options_.most_mib));
    }
  }

  /// Prints the line of counts. The exit status of the program.
  int end() {
    step("adding up");
    add_up();
    std::int64_t refusals = 0;
    PMPI_Allreduce(&refusals_, &refusals, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank_ == 0) {
      std::printf("stress: %s ranks %d seed %u rounds %lld calls %llu refused %lld failures %lld seconds %.1f\n",
                  options_.mode.c_str(), size_, options_.seed, static_cast<long long>(round_),
                  static_cast<unsigned long long>(calls_), static_cast<long long>(refusals),
                  static_cast<long long>(failures_), MPI_Wtime() - start_s_);
      (void)std::fflush(stdout);
    }
    step("MPI_Finalize");
    return failures_ == 0 ? 0 : 1;
  }

 private:
  static constexpr std::int64_t kTogether = 16;
  void add_up() {
    std::uint64_t bad = 0;
    PMPI_Allreduce(&bad_rounds_, &bad, 1, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD);
    bad_rounds_ = 0;
    for (; bad != 0; bad &= bad - 1) ++failures_;
  }

  Options options_;
  int rank_ = 0;
  int size_ = 1;
  std::int64_t round_ = 0;
  std::uint64_t calls_ = 0;
  std::int64_t refusals_ = 0;
  std::int64_t failures_ = 0;  ///< rounds
  std::uint64_t bad_rounds_ = 0;
  int said_ = 0;

 public:
  std::mt19937 common;  ///< draws the same on all ranks

 private:
  Trouble trouble_;
  double start_s_;
};

/// A communicator, or what a rank has that is none of its ranks: MPI_COMM_NULL.
struct Comm {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  bool ring = false;  ///< a graph: each rank sends to the next one

  explicit Comm(MPI_Comm of, bool is_ring = false) : comm(of), ring(is_ring) {
    if (comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
};

/// Communicators that are alive. All ranks make and free the same ones, in an order that is drawn.
class Comms {
 public:
  explicit Comms(Run& run) : run_(run) {
    // MPI may load files for the first graph; there may be no descriptor for them later.
    make(Comm(MPI_COMM_WORLD), 3, 0);
    free_all();
  }
  ~Comms() { free_all(); }
  Comms(const Comms&) = delete;
  Comms& operator=(const Comms&) = delete;

  [[nodiscard]] std::size_t count() const { return alive_.size(); }
  Comm& operator[](std::size_t i) { return alive_[i]; }

  void make_one() {
    std::mt19937& random = run_.common;
    const std::size_t parents = alive_.size() + 1;
    const std::size_t which = random() % parents;
    // Parents are the communicator of all ranks in half of the cases.
    const Comm parent = which == alive_.size() || random() % 2 == 0 ? Comm(MPI_COMM_WORLD) : alive_[which];
    const auto kind = static_cast<unsigned>(random() % 4);
    make(parent, kind, static_cast<int>(random() % 3));
  }
  void free_all() {
    while (!alive_.empty()) free_one(alive_.size() - 1);
  }
  void free_one(std::size_t which) {
    step("MPI_Comm_free");
    if (alive_[which].comm != MPI_COMM_NULL) MPI_Comm_free(&alive_[which].comm);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(which));
  }

 private:
  void make(const Comm& parent, unsigned kind, int cut) {
    step("making a communicator of kind %u", kind);
    MPI_Comm made = MPI_COMM_NULL;
    if (parent.comm != MPI_COMM_NULL) {
      if (kind == 0) {
        MPI_Comm_dup(parent.comm, &made);
      } else if (kind == 1) {
        MPI_Comm_split(parent.comm, parent.rank % 2, cut == 0 ? -parent.rank : parent.rank, &made);
      } else if (kind == 2) {
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Group some = MPI_GROUP_NULL;
        MPI_Comm_group(parent.comm, &all);
        int range[1][3] = {{0, std::max(0, parent.size - 1 - cut), 1}};
        MPI_Group_range_incl(all, 1, range, &some);
        MPI_Comm_create(parent.comm, some, &made);
        MPI_Group_free(&some);
        MPI_Group_free(&all);
      } else {
        const int from = (parent.rank + parent.size - 1) % parent.size;
        const int to = (parent.rank + 1) % parent.size;
        MPI_Dist_graph_create_adjacent(parent.comm, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &made);
      }
    }
    alive_.emplace_back(made, kind == 3);
  }
  Run& run_;
  std::vector<Comm> alive_;
};

/// A call of MPI that no library takes: a message around all ranks.
inline void plain_call(Run& run) {
  step("MPI_Sendrecv");
  const int to = (run.rank() + 1) % run.size();
  const int from = (run.rank() + run.size() - 1) % run.size();
  const std::int64_t sent = run.round() * 1000 + run.rank();
  std::int64_t got = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT64_T, to, 7, &got, 1, MPI_INT64_T, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (got != run.round() * 1000 + from) run.failed("MPI_Sendrecv: wrong number %lld", static_cast<long long>(got));
}

}  // namespace sluice::stress
