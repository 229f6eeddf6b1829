#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/known_contents.hpp"
#include "apps/compare/quantile.hpp"
#include "apps/compare/turn_order.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/tune/tune.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

using Words = std::vector<std::uint64_t>;
constexpr auto kWordBytes = static_cast<std::int64_t>(sizeof(std::uint64_t));
/// A choice that takes this many times as long as the library's own in its first execution is left out: to measure it
/// again would take most of the time.
constexpr double kHopeless = 3;

/// Starts MPI's tools interface, and ends it.
class Tools {
 public:
  Tools() {
    int provided = 0;
    SLUICE_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  }
  ~Tools() { MPI_T_finalize(); }
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;
};

/// An int among MPI's control variables, which says how a collective is carried out.
class ControlVariable {
 public:
  /// Throws InputError if there is no such variable.
  explicit ControlVariable(const std::string& name) {
    int index = 0, count = 0;
    if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS)
      throw InputError("MPI", "no control variable " + name, "one, as in Open MPI 4.1 and MPICH 4.0");
    std::array<char, 4096> text{};
    std::array<char, 256> other{};
    int other_length = static_cast<int>(other.size()), length = static_cast<int>(text.size());
    int verbosity = 0, bind = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    SLUICE_MPI(MPI_T_cvar_get_info(index, other.data(), &other_length, &verbosity, &type, &values, text.data(), &length,
                                   &bind, &scope));
    description_ = text.data();
    SLUICE_MPI(MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count));
    if (type != MPI_INT || count != 1) throw InputError("MPI", name + ", which is no number", "a number");
  }
  ~ControlVariable() {
    if (handle_ != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_handle_free(&handle_);
  }
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  void set(int value) { SLUICE_MPI(MPI_T_cvar_write(handle_, &value)); }

  /// The value that MPICH's text calls `name`: "auto - what it is" and the like one after the other, from 0 on, with
  /// nothing between them.
  [[nodiscard]] std::optional<int> value_of(const std::string& name) const {
    constexpr std::string_view kMark = " - ";
    int value = 0;
    for (std::size_t mark = description_.find(kMark); mark != std::string::npos;
         mark = description_.find(kMark, mark + kMark.size())) {
      const std::size_t last = description_.find_last_not_of(' ', mark);
      if (last != std::string::npos && std::string_view(description_).substr(0, last + 1).ends_with(name)) return value;
      ++value;
    }
    return std::nullopt;
  }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  std::string description_;
};

/// A communicator of all ranks, whose calls use one choice of the library.
class Way {
 public:
  /// Without `choice` it is the library's own. Collective.
  Way(Library library, Call call, std::optional<LibraryChoice> choice)
      : choice_(choice), library_(library), variable_(name(library, call)) {
    if (library == Library::kOpenMpi) {
      // Open MPI reads the variables when a communicator is made.
      variable_.set(choice ? choice->algorithm->number : 0);
      if (choice && choice->segment_bytes > 0)
        ControlVariable(name(library, call) + "_segmentsize").set(static_cast<int>(choice->segment_bytes));
    } else if (choice) {
      const std::string known(choice->algorithm->name);
      const std::optional<int> value = variable_.value_of(known);
      if (!value) throw InputError("MPI", name(library, call) + " without " + known, "it, as in MPICH 4.0");
      value_ = *value;
    }
    SLUICE_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    if (library == Library::kOpenMpi) {
      variable_.set(0);
      if (choice && choice->segment_bytes > 0) ControlVariable(name(library, call) + "_segmentsize").set(0);
    }
  }
  ~Way() {
    if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  [[nodiscard]] const std::optional<LibraryChoice>& choice() const { return choice_; }
  /// Calls use(communicator).
  template <class Use>
  void with(Use use) {
    if (library_ == Library::kMpich) variable_.set(value_);
    use(communicator_);
    if (library_ == Library::kMpich) variable_.set(0);
  }

 private:
  static std::string name(Library library, Call call) {
    std::string text(kind_of(call).name);
    if (library == Library::kOpenMpi) return "coll_tuned_" + text + "_algorithm";
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c == '_' ? c : static_cast<char>(c - 32); });
    return "MPIR_CVAR_" + text + "_INTRA_ALGORITHM";
  }

  std::optional<LibraryChoice> choice_;
  Library library_;
  ControlVariable variable_;
  int value_ = 0;
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

/// The buffers of one call of a size on this rank, with known contents.
class CallBuffers {
 public:
  CallBuffers(Call call, std::int64_t bytes) : call_(call) {
    SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks_));
    std::int64_t words = bytes / kWordBytes;
    if (call == Call::kReduceScatterBlock) words = words / ranks_ * ranks_;
    count_ = static_cast<int>(words);
    const bool blocks =
        call == Call::kAllgather || call == Call::kAlltoall || call == Call::kGather || call == Call::kScatter;
    const std::int64_t all = blocks ? words * ranks_ : words;
    source_.resize(static_cast<std::size_t>(all));
    target_.resize(static_cast<std::size_t>(all));
    for (int r = 0; r < ranks_; ++r) shares_.push_back(count_ / ranks_ + (r < count_ % ranks_ ? 1 : 0));
    for (std::int64_t i = 0; i < all; ++i) source_[static_cast<std::size_t>(i)] = given(rank_, i);
  }

  [[nodiscard]] bool possible() const { return count_ > 0 && shares_.back() > 0; }

  void clear() {
    std::fill(target_.begin(), target_.end(), std::uint64_t{0});
    if (call_ == Call::kBcast && rank_ == 0) target_ = source_;
  }

  void execute(MPI_Comm comm) {
    const MPI_Datatype word = MPI_UINT64_T;
    const void* from = source_.data();
    void* to = target_.data();
    switch (call_) {
      case Call::kBcast:
        SLUICE_MPI(MPI_Bcast(to, count_, word, 0, comm));
        break;
      case Call::kReduce:
        SLUICE_MPI(MPI_Reduce(from, to, count_, word, MPI_BXOR, 0, comm));
        break;
      case Call::kAllreduce:
        SLUICE_MPI(MPI_Allreduce(from, to, count_, word, MPI_BXOR, comm));
        break;
      case Call::kAllgather:
        SLUICE_MPI(MPI_Allgather(from, count_, word, to, count_, word, comm));
        break;
      case Call::kAlltoall:
        SLUICE_MPI(MPI_Alltoall(from, count_, word, to, count_, word, comm));
        break;
      case Call::kGather:
        SLUICE_MPI(MPI_Gather(from, count_, word, to, count_, word, 0, comm));
        break;
      case Call::kScatter:
        SLUICE_MPI(MPI_Scatter(from, count_, word, to, count_, word, 0, comm));
        break;
      case Call::kReduceScatter:
        SLUICE_MPI(MPI_Reduce_scatter(from, to, shares_.data(), word, MPI_BXOR, comm));
        break;
      case Call::kReduceScatterBlock:
        SLUICE_MPI(MPI_Reduce_scatter_block(from, to, shares_.front(), word, MPI_BXOR, comm));
        break;
    }
  }

  /// Whether this rank has what it must.
  [[nodiscard]] bool right() const {
    const auto expect = [&](std::int64_t count, auto expected) {
      for (std::int64_t i = 0; i < count; ++i)
        if (target_[static_cast<std::size_t>(i)] != expected(i)) return false;
      return true;
    };
    const auto combined = [&](std::int64_t i) {
      std::uint64_t word = 0;
      for (int r = 0; r < ranks_; ++r) word ^= given(r, i);
      return word;
    };
    const std::int64_t n = count_;
    switch (call_) {
      case Call::kBcast:
        return expect(n, [&](std::int64_t i) { return given(0, i); });
      case Call::kReduce:
        return rank_ != 0 || expect(n, combined);
      case Call::kAllreduce:
        return expect(n, combined);
      case Call::kGather:
      case Call::kAllgather:
        return (call_ == Call::kGather && rank_ != 0) ||
               expect(n * ranks_, [&](std::int64_t i) { return given(i / n, i % n); });
      case Call::kAlltoall:
        return expect(n * ranks_, [&](std::int64_t i) { return given(i / n, rank_ * n + i % n); });
      case Call::kScatter:
        return expect(n, [&](std::int64_t i) { return given(0, rank_ * n + i); });
      case Call::kReduceScatter:
      case Call::kReduceScatterBlock: {
        std::int64_t first = 0;
        for (int r = 0; r < rank_; ++r) first += shares_[static_cast<std::size_t>(r)];
        return expect(shares_[static_cast<std::size_t>(rank_)], [&](std::int64_t i) { return combined(first + i); });
      }
    }
    return false;
  }

 private:
  static std::uint64_t given(std::int64_t rank, std::int64_t i) {
    return compare::known_word(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(i));
  }

  Call call_;
  int rank_ = 0;
  int ranks_ = 1;
  int count_ = 0;
  std::vector<int> shares_;
  Words source_;
  Words target_;
};

struct Times {
  std::vector<double> all;

  [[nodiscard]] double median() const {
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    return compare::quantile(sorted, 0.5);
  }
  /// Whether the median is smaller by the share `gain`, and the middle halves do not overlap.
  [[nodiscard]] bool beats(const Times& other, double gain) const {
    return median() < (1 - gain) * other.median() &&
           !compare::middle_halves_overlap(compare::quartiles_of(all), compare::quartiles_of(other.all));
  }
};

/// Whether any host has several ranks. Collective.
bool hosts_are_shared() {
  MPI_Comm host = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  int size = 1;
  SLUICE_MPI(MPI_Comm_size(host, &size));
  SLUICE_MPI(MPI_Comm_free(&host));
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  return size > 1;
}

class Measurement {
 public:
  explicit Measurement(const TuneTask& task) : task_(task) {}

  TuneResult result() {
    // Where hosts have several ranks, MPICH carries these calls out host by host first, and does not read rules for all
    // ranks.
    const bool by_hosts = task_.library == Library::kMpich && hosts_are_shared();
    const Progress bar(static_cast<std::int64_t>(task_.calls.size() * task_.sizes.size()));
    std::int64_t done = 0;
    for (const Call call : task_.calls) {
      if (by_hosts && (call == Call::kBcast || call == Call::kReduce || call == Call::kAllreduce)) {
        result_.notes.push_back(
            fmt::format("{}: left to the library, which goes by hosts where several ranks share one", name(call)));
        continue;
      }
      Ways ways;
      for (std::size_t i = 0; i < task_.sizes.size(); ++i) {
        bar.show(done++, fmt::format("{} of {}", name(call), bytes_text(task_.sizes[i])));
        look_at(call, i, ways);
      }
    }
    return std::move(result_);
  }

 private:
  /// The ways by the text of their choice; "" is the library's own.
  using Ways = std::map<std::string, Way>;

  static std::string name(Call call) { return std::string(kind_of(call).name); }

  Way& way(Ways& ways, Call call, const std::optional<LibraryChoice>& choice) {
    const std::string text = choice ? choice->text() : "";
    return ways.try_emplace(text, task_.library, call, choice).first->second;
  }

  double timed(Way& way, CallBuffers& buffers) {
    double seconds = 0;
    way.with([&](MPI_Comm comm) { seconds = compare::time_of_slowest(all_, [&] { buffers.execute(comm); }); });
    return seconds;
  }

  std::vector<Times> in_turns(const std::vector<Way*>& ways, CallBuffers& buffers) {
    std::vector<Times> times(ways.size());
    for (int round = 0; round < task_.repetitions; ++round) {
      for (const std::size_t at : compare::order_of_round(ways.size(), static_cast<std::size_t>(round)))
        times[at].all.push_back(timed(*ways[at], buffers));
    }
    return times;
  }

  bool verified(Way& way, CallBuffers& buffers) {
    buffers.clear();
    way.with([&](MPI_Comm comm) { buffers.execute(comm); });
    return compare::largest(std::int64_t{buffers.right() ? 0 : 1}, all_) == 0;
  }

  void look_at(Call call, std::size_t i, Ways& known) {
    const std::int64_t bytes = task_.sizes[i];
    CallBuffers buffers(call, bytes);
    if (!buffers.possible()) {
      result_.notes.push_back(fmt::format("{}: nothing for some ranks in {}", name(call), bytes_text(bytes)));
      return;
    }
    Way& own = way(known, call, std::nullopt);
    (void)timed(own, buffers);  // makes the connections
    const double own_s = timed(own, buffers);
    std::vector<Way*> ways{&own};
    // Some algorithms reduce in any order. MPICH asks whether the operation commutes; for Open MPI the user has to say
    // so.
    const bool any_order = task_.library == Library::kMpich || task_.commutative;
    for (const LibraryChoice& choice : library_choices(task_.library, call, all_.size(), bytes, false, any_order)) {
      Way& other = way(known, call, choice);
      if (!verified(other, buffers)) {
        result_.notes.push_back(
            fmt::format("{} of {}: {} gives a wrong result, left out", name(call), bytes_text(bytes), choice.text()));
        continue;
      }
      if (timed(other, buffers) <= kHopeless * own_s) ways.push_back(&other);
    }
    const std::vector<Times> times = in_turns(ways, buffers);
    std::size_t best = 0;
    for (std::size_t w = 1; w < ways.size(); ++w)
      if (times[w].median() < times[best].median()) best = w;
    if (best == 0 || !times[best].beats(times[0], task_.gain)) return;
    // The best of many may have been lucky, so both are measured once more without the others.
    const std::vector<Times> again = in_turns({&own, ways[best]}, buffers);
    if (!again[1].beats(again[0], task_.gain)) return;
    result_.sizes.push_back({call, bytes, end_of_size(task_.sizes, i), own_name(call, bytes), *ways[best]->choice(),
                             again[0].median(), again[1].median()});
  }

  std::string own_name(Call call, std::int64_t bytes) const {
    if (all_.rank() != 0) return "";  // rank 0 prints, and has read what MPICH takes
    const std::optional<LibraryChoice> choice = own_choice(task_, call, all_.size(), bytes);
    return choice ? choice->text() : "its own";
  }

  const TuneTask& task_;
  const compare::Communicator all_{MPI_COMM_WORLD};
  TuneResult result_;
};

}  // namespace

int run_tune(TuneTask task) {
  const int ranks = Ranks::count();
  if (ranks < 2) throw InputError("sluice tune", "one rank", "at least two: mpirun -np N sluice tune --measure ...");
  for (const Call call : task.calls) {
    const CallKind& kind = kind_of(call);
    if (task.sizes.back() > std::numeric_limits<int>::max() / ranks)
      throw InputError("--sizes",
                       fmt::format("{} of {} on {}", task.sizes.back(), kind.name, count_text(ranks, "rank")),
                       "less than 2^31 bytes in all");
  }
  Ranks::once([&] {
    check_writable(task.output);
    check_json_target(task.json);
    if (task.library == Library::kMpich) task.mpich = read_mpich_selection(task.mpich.file);
  });
  const Tools tools;
  const TuneResult result = Measurement(task).result();
  const std::vector<std::string> hosts = Ranks::hosts();
  Ranks::once([&] {
    write_tuned(task, result, ranks,
                {fmt::format("measured: medians of {} repetitions, algorithms alternating", task.repetitions), hosts,
                 mpi_library()});
  });
  return kDone;
}

}  // namespace sluice::command
