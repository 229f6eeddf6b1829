// The fault table: {jobs} x {faults} x {moments} x {ranks}, and some of it with the other ranks late. In every case
// every rank returns within five seconds, with a documented error. No wrong data is delivered, nobody writes to freed
// memory, and a new job on the same communicator works. If the library is making a communicator, the fault is on all
// ranks, because MPI waits for all of them there.
//
//     fault_table [--all]      a sample of the table, or all of it
//
//     --only NAME      of one job
//     --part K/N       of every N-th job, from the K-th on: the parts can run side by side, as ranks mostly wait
//
// Prints the number of cases of each kind, and in how many of them the fault happened. Prints the longest time from a
// fault to the error of the last rank. Exit status 1 if a case fails. A rank that does not return ends the program,
// naming the case.

#include <execinfo.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/faults/fault_injection.hpp"
#include "run/faults/fault_subjects.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "run/pretended_hosts.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::mpi::testing {
namespace {

enum class When {
  kConstruction,
  kFirst,
  kLater,
  kNative,  ///< the first execution by the other way that counts, where both ways alternate
  kWon,     ///< the second one by that way after it has been found to be faster
};

/// How many executions come before.
int executions_before(When when) {
  return when == When::kLater ? 2 : when == When::kNative ? 3 : when == When::kWon ? 1 : 0;
}

struct FaultCase {
  const SubjectKind* subject = nullptr;
  Misuse misuse = Misuse::kNone;
  FaultKind kind = FaultKind::kNone;
  std::int64_t number = 0;
  When when = When::kFirst;
  int culprit = 0;       ///< -1: every rank
  bool late = false;     ///< the others come to it only when it waits for nobody any more
  bool unwinds = false;  ///< the job is destroyed by an exception behind what `when` says
  bool anew = false;     ///< on a communicator that has no context
  bool agreed = false;   ///< set_agreed_arguments

  [[nodiscard]] bool bad_argument() const { return misuse == Misuse::kNullBuffer || misuse == Misuse::kSmallBuffer; }
};

const char* name_of(When when) {
  constexpr std::array<const char*, 5> kNames{"construction", "first execution", "later execution", "native execution",
                                              "execution after MPI's way has won"};
  return kNames[static_cast<std::size_t>(when)];
}

std::string fault_of(const FaultCase& c) {
  if (c.unwinds) return "destroyed by an exception";
  switch (c.misuse) {
    case Misuse::kNullBuffer:
      return "null buffer";
    case Misuse::kSmallBuffer:
      return "small buffer";
    case Misuse::kThrowingCallback:
      return "callback throws";
    case Misuse::kNone:
      break;
  }
  if (c.kind == FaultKind::kMakingCall) return "no communicator";
  return c.kind == FaultKind::kCall ? "MPI call fails" : "no memory";
}

std::string text_of(const FaultCase& c) {
  return fmt::format(
      "{}, {}{} {} {} on {}{}{}{}", c.subject->name, fault_of(c),
      c.kind == FaultKind::kNone ? "" : fmt::format(" number {}", c.number), c.unwinds ? "after the" : "in the",
      name_of(c.when), c.culprit < 0 ? "every rank" : fmt::format("rank {}", c.culprit),
      c.late ? ", the others late" : "", c.agreed ? ", arguments agreed" : "", c.anew ? ", a new communicator" : "");
}

constexpr double kLongest_s = 5;
constexpr std::chrono::milliseconds kLate(300);  // detail::quiet_s() on one host, and a little
std::array<char, 256> present_case{};
const char* volatile present_part = "";  ///< of the case
std::array<void*, 64> calls;             ///< room for the stack of a rank that waits

/// How long a part of a case takes, in ticks of a timer. A tick that comes late stands for those missed: where the
/// machine stands still for a while, no rank has waited.
constexpr double kTick_s = 0.25;
volatile std::sig_atomic_t ticks = 0;
volatile std::sig_atomic_t most_ticks = 0;  ///< 0: any number, as no case has begun
volatile std::sig_atomic_t overdue = 0;     ///< parts that took more ticks

/// A rank that waits too long prints its stack. When the others have had time to print theirs, it ends the program.
void tick(int /*signal*/) {
  constexpr int kForOthers = 40;
  ticks = ticks + 1;
  if (most_ticks == 0 || ticks <= most_ticks) return;
  if (ticks > most_ticks + kForOthers) std::abort();
  if (ticks > most_ticks + 1) return;
  overdue = overdue + 1;
  const std::array<const char*, 5> texts{"a rank does not return: ", present_case.data(), ": ", present_part, "\n"};
  for (const char* const text : texts) (void)!write(STDERR_FILENO, text, std::strlen(text));
  backtrace_symbols_fd(calls.data(), backtrace(calls.data(), static_cast<int>(calls.size())), STDERR_FILENO);
}

void begin_part(const char* part, double longest_s) {
  present_part = part;
  ticks = 0;
  most_ticks = static_cast<int>(longest_s / kTick_s);
}

void start_ticking() {
  (void)backtrace(calls.data(), 1);  // which needs memory the first time
  std::signal(SIGALRM, tick);
  constexpr timeval kTick{0, static_cast<suseconds_t>(1e6 * kTick_s)};
  constexpr itimerval kTimer{kTick, kTick};
  setitimer(ITIMER_REAL, &kTimer, nullptr);
}

/// What became of a part of a case on this rank.
enum class Outcome { kDone, kInput, kJob, kMpi, kMemory, kCallback, kOther };

struct Result {
  Outcome outcome = Outcome::kDone;
  std::string text;
};

template <class Part>
Result result_of(Part&& part) {
  try {
    part();
    return {};
  } catch (const InputError& e) {
    return {Outcome::kInput, e.what()};
  } catch (const JobError& e) {
    return {Outcome::kJob, e.what()};
  } catch (const MpiError& e) {
    return {Outcome::kMpi, e.what()};
  } catch (const std::bad_alloc&) {
    return {Outcome::kMemory, "no memory"};
  } catch (const std::domain_error& e) {
    return {Outcome::kCallback, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::kOther, e.what()};
  }
}

class Table {
 public:
  explicit Table(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (MPI_Comm* const mine : {&of_hosts_, &aside_}) MPI_Comm_dup(comm, mine);
  }
  ~Table() {
    for (MPI_Comm* const mine : {&of_hosts_, &aside_}) MPI_Comm_free(mine);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Whether the fault happened on any rank.
  bool run(const FaultCase& c);
  [[nodiscard]] int failures() const { return failures_; }
  void print() const;

 private:
  struct Count {
    int cases = 0;
    int happened = 0;
  };

  /// Runs the part that has the fault, and notes what it throws on this rank.
  template <class Part>
  Result with_fault(const FaultCase& c, Part&& part) {
    MPI_Barrier(aside_);
    begin_part("where the fault happens", kLongest_s + 3);
    if (c.late && !is_culprit(c)) std::this_thread::sleep_for(kLate);
    arm(is_culprit(c) ? c.kind : FaultKind::kNone, c.number);
    fault_s_ = now_s();
    const Result result = result_of(part);
    error_s_ = now_s();
    expect(ticks * kTick_s < kLongest_s, c, "it took too long");
    begin_part("what comes behind it", kLongest_s + 10);
    happened_ = disarm() || (is_culprit(c) && c.kind == FaultKind::kNone);
    if (c.kind != FaultKind::kNone) fault_s_ = failed_at_s();
    return result;
  }
  [[nodiscard]] bool is_culprit(const FaultCase& c) const { return c.culprit < 0 || c.culprit == rank_; }
  void expect(bool good, const FaultCase& c, const std::string& text);
  void judge(const FaultCase& c, const Result& result, bool any);
  /// How long it took until the last rank had heard of it.
  void measure(const FaultCase& c, const Result& result);
  [[nodiscard]] bool any(bool own) const {
    int value = own ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, aside_);
    return value != 0;
  }

  MPI_Comm comm_;
  MPI_Comm of_hosts_ = MPI_COMM_NULL;
  MPI_Comm aside_ = MPI_COMM_NULL;  ///< which the library knows nothing of
  int rank_ = 0;
  int size_ = 0;
  bool happened_ = false;
  double fault_s_ = 0;
  double error_s_ = 0;
  double longest_s_ = 0;  ///< from the one to the other
  std::string longest_;
  int failures_ = 0;
  std::map<std::string, std::map<std::string, Count>> counts_;
};

void Table::expect(bool good, const FaultCase& c, const std::string& text) {
  if (good) return;
  ++failures_;
  std::printf("rank %d of %d: %s: %s\n", rank_, size_, text_of(c).c_str(), text.c_str());
  std::fflush(stdout);
}

void Table::judge(const FaultCase& c, const Result& result, bool any) {
  const Outcome outcome = result.outcome;
  if (!any) {
    expect(outcome == Outcome::kDone, c, "nothing happened, and yet: " + result.text);
    return;
  }
  if (c.agreed && c.bad_argument()) {
    expect(outcome == Outcome::kInput, c, "not refused: " + result.text);
    return;
  }
  if (happened_) {
    const Outcome due = c.unwinds                               ? Outcome::kOther
                        : c.bad_argument()                      ? Outcome::kInput
                        : c.misuse == Misuse::kThrowingCallback ? Outcome::kCallback
                        : c.kind == FaultKind::kAllocation      ? Outcome::kMemory
                                                                : Outcome::kMpi;
    // Where all ranks fail, one may hear of another before its own turn; and a failure on the way out is no failure.
    const bool heard = outcome == Outcome::kJob || outcome == Outcome::kInput;
    const bool may_pass =
        outcome == Outcome::kDone && (c.kind != FaultKind::kNone || c.misuse == Misuse::kThrowingCallback);
    expect(outcome == due || heard || may_pass, c, "the culprit: " + result.text);
    return;
  }
  const bool heard =
      !(c.subject->harmless && c.bad_argument()) && (outcome == Outcome::kJob || outcome == Outcome::kInput);
  expect(outcome == Outcome::kDone || heard, c, "another rank: " + result.text);
}

void Table::measure(const FaultCase& c, const Result& result) {
  // The earliest fault, and with its sign turned the latest error.
  constexpr double kNever_s = std::numeric_limits<double>::infinity();
  std::array<double, 2> times{happened_ ? fault_s_ : kNever_s, result.outcome == Outcome::kDone ? kNever_s : -error_s_};
  MPI_Allreduce(MPI_IN_PLACE, times.data(), 2, MPI_DOUBLE, MPI_MIN, aside_);
  const double took_s = -times[1] - times[0];
  if (c.late || took_s <= longest_s_) return;
  longest_s_ = took_s;
  longest_ = text_of(c);
}

/// What jobs of the communicator have found out by turns: nothing yet, or that MPI's own way is faster.
void set_trials(MPI_Comm comm, bool mpi_has_won) {
  detail::TrialState state;
  if (mpi_has_won) {
    state.stage = detail::TrialState::Stage::kOther;
    state.executions = detail::TrialState::kExecutions;
    state.planned_s = 2e-5;
    state.other_s = 1e-5;
  }
  for (const detail::PlanCache::Entry& each : detail::Context::of(comm)->plans().entries()) {
    if (each.trial) *each.trial = state;
  }
}

bool Table::run(const FaultCase& c) {
  const std::string text = text_of(c);
  std::strncpy(present_case.data(), text.c_str(), present_case.size() - 1);
  happened_ = false;
  begin_part("what comes before it", kLongest_s + 10);
  MPI_Barrier(aside_);
  keep_freed();
  if (std::getenv("SLUICE_FAULTS_VERBOSE") != nullptr) std::fprintf(stderr, "rank %d: %s\n", rank_, text.c_str());
  std::optional<PretendedHosts> hosts;
  if (c.subject->hosts) hosts.emplace(1);
  std::optional<Comm> without_context;
  if (c.anew) without_context.emplace(comm_);
  const MPI_Comm comm = c.anew ? without_context->get() : c.subject->hosts ? of_hosts_ : comm_;
  // Sets the arguments twice, because the first agreement may end a context with many failed jobs. The next job makes a
  // new context, which is an affair of MPI.
  for (int i = 0; i < 2 && !c.anew; ++i) set_agreed_arguments(comm, c.agreed);
  std::string wrong;
  if (c.subject->takes_turns && !c.anew) {
    if (c.when == When::kWon) wrong += c.subject->make(comm)->execute(0, Misuse::kNone);
    set_trials(comm, c.when == When::kWon);
  }
  Result result;
  std::unique_ptr<Subject> subject;
  const int before = executions_before(c.when) + (c.unwinds && c.when != When::kConstruction ? 1 : 0);
  const auto make_and_execute = [&] {
    std::unique_ptr<Subject> made = c.subject->make(comm);
    const std::int64_t collectives_before = collectives();
    for (int round = 0; round < before; ++round) wrong += made->execute(round, Misuse::kNone);
    const bool by_mpi = c.when == When::kWon && !c.subject->two_plans;
    expect(!by_mpi || collectives() > collectives_before, c, "not by MPI's own collective");
    return made;
  };
  if (c.unwinds) {
    result = with_fault(c, [&] {
      const std::unique_ptr<Subject> mine = make_and_execute();
      begin_part("where the fault happens", kLongest_s + 3);
      fault_s_ = now_s();
      if (is_culprit(c)) throw std::runtime_error("on the way");
      wrong += mine->execute(before, Misuse::kNone);
    });
  } else if (c.when == When::kConstruction) {
    result = with_fault(c, [&] { subject = c.subject->make(comm); });
  } else {
    subject = make_and_execute();
    result = with_fault(c, [&] { wrong += subject->execute(before, is_culprit(c) ? c.misuse : Misuse::kNone); });
  }
  expect(wrong.empty(), c, "wrong data: " + wrong);
  const bool happened = any(happened_);
  measure(c, result);
  begin_part("the execution after it", kLongest_s + 3);
  judge(c, result, happened);

  // The execution after it is right or refused.
  if (subject) {
    std::string later;
    const Result after = result_of([&] { later = subject->execute(10, Misuse::kNone); });
    expect(later.empty(), c, "wrong data in the execution after it: " + later);
    const bool refused = after.outcome == Outcome::kInput || after.outcome == Outcome::kJob;
    const bool may_refuse = !((c.agreed || c.subject->harmless) && c.bad_argument());
    expect(after.outcome == Outcome::kDone || (refused && may_refuse), c, "the execution after it: " + after.text);
    expect(happened || after.outcome == Outcome::kDone, c, "refused for nothing: " + after.text);
    subject.reset();
  }
  // Whether a failure ended the context or not.
  begin_part("the settings after it", kLongest_s + 3);
  set_agreed_arguments(comm, false);
  // And there is a new one to be had.
  begin_part("a new job", kLongest_s + 3);
  std::string fresh;
  const Result again = result_of([&] { fresh = c.subject->make(comm)->execute(11, Misuse::kNone); });
  expect(again.outcome == Outcome::kDone, c, "a new job: " + again.text);
  expect(fresh.empty(), c, "wrong data of a new job: " + fresh);
  begin_part("the barrier at the end", kLongest_s + 10);
  MPI_Barrier(aside_);
  expect(freed_is_unchanged(), c, "memory was written to after it had been freed");
  Count& count = counts_[c.subject->name][fault_of(c)];
  ++count.cases;
  count.happened += happened ? 1 : 0;
  return happened;
}

void Table::print() const {
  if (rank_ != 0) return;
  int cases = 0;
  int happened = 0;
  for (const auto& [subject, faults] : counts_) {
    std::string line;
    for (const auto& [fault, count] : faults) {
      line += fmt::format("{}{} {}/{}", line.empty() ? "" : ", ", fault, count.happened, count.cases);
      cases += count.cases;
      happened += count.happened;
    }
    std::printf("%-40s %s\n", subject.c_str(), line.c_str());
  }
  std::printf("the longest from a fault to the error of the last rank: %.2f s: %s\n", longest_s_, longest_.c_str());
  std::printf("%d ranks: %d cases, in %d of them the fault happened\n", size_, cases, happened);
}

std::vector<int> culprits(int size, bool all, bool late, std::size_t turn) {
  std::vector<int> result{-1, 0, size / 2, size - 1};
  result.erase(std::unique(result.begin() + 1, result.end()), result.end());
  if (late) result.erase(result.begin());
  if (!all) result = {result[turn % result.size()]};
  return result;
}

}  // namespace

/// Which jobs: of one name, unless that is empty, and every `parts`-th, from number `part` on.
struct Chosen {
  std::string only;
  std::size_t part = 0;
  std::size_t parts = 1;
};

int run_table(bool all, const Chosen& chosen) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Table table(MPI_COMM_WORLD);
  std::size_t turn = 0;
  const auto run_all = [&](FaultCase c) {
    bool happened = false;
    for (const int culprit : culprits(size, all, c.late, turn++)) {
      c.culprit = culprit;
      happened = table.run(c) || happened;
    }
    return happened;
  };
  const std::vector<SubjectKind> kinds = subject_kinds();
  for (std::size_t job = chosen.part; job < kinds.size(); job += chosen.parts) {
    const SubjectKind& kind = kinds[job];
    if (!chosen.only.empty() && kind.name != chosen.only) continue;
    FaultCase c;
    c.subject = &kind;
    std::vector<When> executions{When::kFirst, When::kLater};
    if (kind.takes_turns) executions.insert(executions.end(), {When::kNative, When::kWon});
    for (const When when : executions) {
      c.when = when;
      for (const Misuse misuse : kind.misuses) {
        c.misuse = misuse;
        run_all(c);
        c.agreed = c.bad_argument() && !kind.slow && !kind.harmless;
        if (c.agreed) run_all(c);
        c.agreed = false;
      }
    }
    c.misuse = Misuse::kNone;
    std::vector<When> all_times = executions;
    all_times.insert(all_times.begin(), When::kConstruction);
    c.unwinds = true;
    const auto one_in_turn = [&](const std::vector<When>& times) {
      return std::vector<When>{times[turn % times.size()]};
    };
    for (const When when : all ? all_times : one_in_turn(all_times)) {
      c.when = when;
      if (!kind.slow) run_all(c);  // slow ones are functions, which leave nothing to destroy
    }
    c.unwinds = false;
    for (const FaultKind fault : {FaultKind::kCall, FaultKind::kAllocation}) {
      c.kind = fault;
      for (const When when : all || !kind.seldom ? all_times : one_in_turn(all_times)) {
        c.when = when;
        // Further and further on, until there is nothing left to fail.
        for (std::int64_t number = 0;; number += all && !kind.slow ? 1 + number / 8
                                                 : kind.slow       ? 5 + 4 * number
                                                                   : 2 + number) {
          c.number = number;
          if (!run_all(c) || number > 300) break;
        }
      }
    }
    // All of them make it by the same code.
    c.kind = FaultKind::kMakingCall;
    c.anew = true;
    c.culprit = -1;
    for (const When when : {When::kConstruction, When::kFirst}) {
      c.when = when;
      for (c.number = 0; (all || &kind == &kinds.front()) && table.run(c); ++c.number) {
      }
    }
    c.anew = false;
    c.kind = FaultKind::kCall;
    c.late = true;
    for (const When when : executions) {
      if (kind.slow || (!all && (when == When::kLater || when == When::kNative))) continue;
      c.when = when;
      // One that waits for the others calls MPI again and again.
      for (const std::int64_t number :
           all ? std::vector<std::int64_t>{0, 1, 2, 3, 5, 8, 15} : std::vector<std::int64_t>{5}) {
        c.number = number;
        run_all(c);
      }
    }
    // The agreement itself fails.
    c.late = false;
    c.agreed = true;
    c.when = When::kFirst;
    for (const FaultKind fault : {FaultKind::kCall, FaultKind::kAllocation}) {
      if (kind.slow) continue;
      c.kind = fault;
      for (const std::int64_t number : all ? std::vector<std::int64_t>{0, 1, 2, 3} : std::vector<std::int64_t>{0}) {
        c.number = number;
        run_all(c);
      }
    }
  }
  table.print();
  return table.failures() + overdue;
}

}  // namespace sluice::mpi::testing

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  sluice::mpi::testing::start_ticking();
  bool all = false;
  sluice::mpi::testing::Chosen chosen;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--all") == 0) all = true;
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) chosen.only = argv[++i];
    if (std::strcmp(argv[i], "--part") == 0 && i + 1 < argc) {
      int consumed = 0;
      const int read = std::sscanf(argv[++i], "%zu/%zu%n", &chosen.part, &chosen.parts, &consumed);
      if (read != 2 || argv[i][consumed] != '\0' || chosen.part < 1 || chosen.part > chosen.parts) {
        std::fprintf(stderr, "error: --part %s: expected K/N, with K from 1 to N\n", argv[i]);
        MPI_Abort(MPI_COMM_WORLD, 2);
      }
      --chosen.part;
    }
  }
  int failures = sluice::mpi::testing::run_table(all, chosen);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
