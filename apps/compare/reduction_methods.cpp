#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "apps/compare/compare.hpp"
#include "apps/compare/comparison.hpp"
#include "apps/compare/known_contents.hpp"
#include "apps/compare/reduction_operations.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

using Operation = ReductionContents::Operation;
using Words = std::vector<std::uint64_t>;

bool plans_over_platform(const mpi::ReductionOptions& options, const std::string& algorithm, bool objects) {
  const bool program = has_algorithm(kReductionPrograms, algorithm) && !has_algorithm("reduce", algorithm);
  return options.platform && (algorithm == "auto" || algorithm == options.algorithm ||
                              (!objects && (program || has_algorithm("broadcast", algorithm))));
}

/// One of ours.
class PlannedReduction : public Method {
 public:
  /// `knows_costs`: the length of its plan is in seconds.
  explicit PlannedReduction(bool knows_costs) : knows_costs_(knows_costs) {}

  [[nodiscard]] virtual const mpi::ReductionSummary& summary() const = 0;
  [[nodiscard]] virtual mpi::Overlap overlap() const = 0;

  [[nodiscard]] std::optional<double> predicted_s() override {
    if (summary().native) return std::nullopt;
    return knows_costs_ || summary().predicted_s > 0 ? std::optional(summary().length) : std::nullopt;
  }
  [[nodiscard]] std::string how() override { return to_text(summary()); }

 private:
  bool knows_costs_;
};

/// A reduction of known contents, and the methods that can do it.
class ComparedReduction final : public ComparedJob {
 public:
  /// Collective. Throws InputError on all ranks as reductions() does. `comm` must outlive this.
  ComparedReduction(const Communicator& comm, const ReductionContents& contents, int root,
                    const mpi::ReductionOptions& options);

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override;
  [[nodiscard]] std::string beyond(const std::string& method) const override;
  [[nodiscard]] std::int64_t bytes_moved() const override {
    return (comm_.size() - 1) * static_cast<std::int64_t>(own_.size()) * kWord;
  }
  [[nodiscard]] const std::byte* source() const override { return reinterpret_cast<const std::byte*>(own_.data()); }
  [[nodiscard]] std::byte* target() override { return reinterpret_cast<std::byte*>(result_.data()); }
  void reset_target() override;
  [[nodiscard]] std::string check_target() const override;

  // What methods work on.

  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] int root() const { return root_; }
  [[nodiscard]] bool is_root() const { return comm_.rank() == root_; }
  [[nodiscard]] bool of_objects() const { return contents_.operation == Operation::kMerge; }
  /// Not of objects.
  [[nodiscard]] const mpi::ElementOperation& elements() const { return elements_; }
  [[nodiscard]] std::span<const std::byte> own_bytes() const { return std::as_bytes(std::span(own_)); }
  /// Objects: the result of a method.
  void set_result(std::span<const std::byte> bytes);
  /// The words of the largest set there is.
  [[nodiscard]] std::int64_t result_words() const { return result_words_; }

  /// Collective: the method "sluice". If costs are to be measured it has been executed once, and all methods go by its
  /// costs from now on.
  [[nodiscard]] std::unique_ptr<PlannedReduction> measured();
  void execute(mpi::ElementReduction& job, mpi::Bytes& /*object*/) { job.execute(own_.data(), result_.data()); }
  void execute(mpi::ObjectReduction& job, mpi::Bytes& object);

 private:
  [[nodiscard]] bool of_matrices() const { return contents_.operation == Operation::kMatmul; }
  [[nodiscard]] bool commutes() const { return !of_matrices() && contents_.operation != Operation::kAffine; }
  /// Throws InputError.
  void check() const;
  [[nodiscard]] std::unique_ptr<PlannedReduction> planned(const std::string& algorithm);
  [[nodiscard]] Words words_of(int rank) const;
  /// What one process computes of the elements of all.
  [[nodiscard]] Words expected() const;

  const Communicator& comm_;
  ReductionContents contents_;
  int root_;
  mpi::ReductionOptions options_;
  std::optional<WordOperation> operation_;
  mpi::ElementOperation elements_;
  Words own_;
  Words result_;  ///< root only
  Words expected_;
  std::int64_t result_words_ = 0;  ///< of result_ and expected_, on all ranks
};

/// One of ours by its job, of elements or of objects.
template <class Job>
class PlannedBy final : public PlannedReduction {
 public:
  PlannedBy(ComparedReduction& compared, Job job, bool knows_costs)
      : PlannedReduction(knows_costs), compared_(compared), job_(std::move(job)) {}

  void execute(const void* /*source*/, void* /*target*/) override { compared_.execute(job_, object_); }
  void settle(const void* source, void* target) override {
    if constexpr (requires { job_.settled(); }) {
      for (int i = 0; i < kTurns && !job_.settled(); ++i) execute(source, target);
    }
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return job_.peak_extra_bytes(); }
  [[nodiscard]] const mpi::ReductionSummary& summary() const override { return job_.summary(); }
  [[nodiscard]] mpi::Overlap overlap() const override { return job_.overlap(); }

 private:
  ComparedReduction& compared_;
  Job job_;
  mpi::Bytes object_;
};

constexpr const char* kReduce = "mpi-reduce";
constexpr const char* kIreduce = "mpi-ireduce";

bool is_of_mpi(const std::string& method) { return method == kReduce || method == kIreduce; }

class ReductionOfMpi final : public Method {
 public:
  ReductionOfMpi(ComparedReduction& compared, bool blocks)
      : compared_(compared), blocks_(blocks), elements_(compared.elements()) {
    if (!compared_.of_objects()) return;
    const std::int64_t words = compared_.result_words() + 1;
    own_.resize(static_cast<std::size_t>(words));
    if (compared_.is_root()) result_.resize(own_.size());
    padded_.emplace(words, merge_padded, true);
    elements_ = padded_->on(1);
  }

  void execute(const void* source, void* target) override {
    if (!compared_.of_objects()) {
      reduce(source, target);
      return;
    }
    const std::span<const std::byte> own = compared_.own_bytes();
    own_[0] = own.size() / sizeof(std::uint64_t);
    if (!own.empty()) std::memcpy(own_.data() + 1, own.data(), own.size());
    reduce(own_.data(), result_.data());
    if (compared_.is_root()) compared_.set_result(std::as_bytes(std::span(result_)).subspan(kWord, result_[0] * kWord));
  }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return static_cast<std::int64_t>(own_.size() + result_.size()) * kWord;
  }

 private:
  /// Reduces any number of elements: MPI-3 counts in int.
  void reduce(const void* own, void* result) {
    constexpr std::int64_t kMostAtOnce = std::numeric_limits<int>::max();
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    SLUICE_MPI(MPI_Type_get_extent(elements_.type, &lower_bound, &extent));
    for (std::int64_t at = 0; at < elements_.count; at += kMostAtOnce) {
      const auto some = static_cast<int>(std::min(kMostAtOnce, elements_.count - at));
      void* const to = result == nullptr ? nullptr : static_cast<std::byte*>(result) + at * extent;
      const void* const from = static_cast<const std::byte*>(own) + at * extent;
      const int root = compared_.root();
      MPI_Comm const comm = compared_.comm().get();
      if (blocks_) {
        SLUICE_MPI(MPI_Reduce(from, to, some, elements_.type, elements_.op, root, comm));
        continue;
      }
      MPI_Request request = MPI_REQUEST_NULL;
      SLUICE_MPI(MPI_Ireduce(from, to, some, elements_.type, elements_.op, root, comm, &request));
      SLUICE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }

  ComparedReduction& compared_;
  bool blocks_;
  mpi::ElementOperation elements_;
  std::optional<WordOperation> padded_;
  Words own_;
  Words result_;
};

void ComparedReduction::check() const {
  const std::int64_t count = contents_.count;
  const std::int64_t least = of_matrices() ? 1 : 0;
  if (count < least) throw InputError("count", fmt::format("{}", count), fmt::format("at least {}", least));
  if (!(contents_.sleep_s >= 0) || std::isinf(contents_.sleep_s))
    throw InputError("sleep", fmt::format("{} s", contents_.sleep_s), "at least 0");
  const std::int64_t words = of_matrices() ? checked::multiply(count, count, "elements of a matrix") : count;
  const std::int64_t all = of_objects() ? checked::multiply(words, comm_.size(), "words") : words;
  // The size of a type is an int: the size of a matrix, and of the largest set for MPI_Reduce.
  const std::int64_t most = std::numeric_limits<int>::max() / kWord;
  if ((of_matrices() || all != words) && all > most)
    throw InputError("count", count_text(all, "word"), fmt::format("at most {}", most));
  if (root_ < 0 || root_ >= comm_.size())
    throw InputError("root", fmt::format("{}", root_), index_text(comm_.size(), "rank"));
}

ComparedReduction::ComparedReduction(const Communicator& comm, const ReductionContents& contents, int root,
                                     const mpi::ReductionOptions& options)
    : comm_(comm), contents_(contents), root_(root), options_(options) {
  check();
  const std::int64_t count = contents.count;
  switch (contents.operation) {
    case Operation::kSum:
      elements_ = {count, MPI_UINT64_T, MPI_SUM};
      break;
    case Operation::kSleep:
    case Operation::kSpin:
      set_sleep(count > 0 ? contents.sleep_s / static_cast<double>(count) : 0);
      operation_.emplace(1, contents.operation == Operation::kSpin ? add_and_spin : add_and_sleep, true);
      elements_ = operation_->on(count);
      break;
    case Operation::kMatmul:
      operation_.emplace(count * count, multiply, false);
      elements_ = operation_->on(1);
      break;
    case Operation::kAffine:
      operation_.emplace(1, compose, false);
      elements_ = operation_->on(count);
      break;
    case Operation::kMerge:
      options_.segments = 1;
      break;
  }
  own_ = words_of(comm.rank());
  if (is_root()) {
    expected_ = expected();
    result_.resize(expected_.size());
  }
  result_words_ = largest(static_cast<std::int64_t>(expected_.size()), comm);
}

Words ComparedReduction::words_of(int rank) const {
  Words words(static_cast<std::size_t>(of_matrices() ? contents_.count * contents_.count : contents_.count));
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = known_word(static_cast<std::uint64_t>(rank) + 1, i);
    // Every rank has one of some `ranks` numbers, so that two thirds of them are in the union.
    if (of_objects()) last = words[i] = last + 1 + words[i] % (2 * static_cast<std::uint64_t>(comm_.size()));
  }
  return words;
}

Words ComparedReduction::expected() const {
  Words all = words_of(0);
  for (int rank = 1; rank < comm_.size(); ++rank) {
    const Words next = words_of(rank);
    Words both(of_objects() ? all.size() + next.size() : all.size());
    switch (contents_.operation) {
      case Operation::kSum:
      case Operation::kSleep:
      case Operation::kSpin:
        for (std::size_t i = 0; i < all.size(); ++i) both[i] = all[i] + next[i];
        break;
      case Operation::kMatmul:
        multiply_matrices(all.data(), next.data(), both.data(), static_cast<std::size_t>(contents_.count));
        break;
      case Operation::kAffine:
        for (std::size_t i = 0; i < all.size(); ++i) both[i] = compose_maps(all[i], next[i]);
        break;
      case Operation::kMerge:
        both.erase(std::set_union(all.begin(), all.end(), next.begin(), next.end(), both.begin()), both.end());
        break;
    }
    all = std::move(both);
  }
  return all;
}

std::unique_ptr<PlannedReduction> ComparedReduction::measured() {
  std::unique_ptr<PlannedReduction> ours = planned(options_.algorithm);
  if (!options_.measure) return ours;
  ours->execute(source(), target());
  options_.costs = ours->summary().costs;
  options_.measure = false;
  if (!of_objects()) options_.reproducible = false;  // as where costs are measured
  return ours;
}

std::unique_ptr<PlannedReduction> ComparedReduction::planned(const std::string& algorithm) {
  mpi::ReductionOptions options = options_;
  if (algorithm != options.algorithm) options.program.reset();
  options.algorithm = algorithm;
  if (options.platform && !plans_over_platform(options_, algorithm, of_objects())) {
    options.platform.reset();
    options.costs.reset();  // costs of combining alone make no tree of plan reduce
  }
  const bool knows_costs = options.platform || (!options_.platform && (options.costs || options.measure));
  if (of_objects()) {
    mpi::ObjectReduction job(comm_.get(), {merge_sets, true}, root_, options);
    return std::make_unique<PlannedBy<mpi::ObjectReduction>>(*this, std::move(job), knows_costs);
  }
  mpi::ElementReduction job(comm_.get(), elements_, root_, options);
  return std::make_unique<PlannedBy<mpi::ElementReduction>>(*this, std::move(job), knows_costs);
}

void ComparedReduction::execute(mpi::ObjectReduction& job, mpi::Bytes& object) {
  job.execute(own_bytes(), object);
  if (is_root()) set_result(object);
}

void ComparedReduction::set_result(std::span<const std::byte> bytes) {
  result_.resize(bytes.size() / sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(result_.data(), bytes.data(), bytes.size());
}

void ComparedReduction::reset_target() {
  result_ = expected_;
  for (std::uint64_t& word : result_) word = ~word;
}

std::string ComparedReduction::check_target() const {
  if (result_.size() != expected_.size())
    return fmt::format("a result of {}, not {}", count_text(result_.size(), "word"), expected_.size());
  const auto [is, should] = std::mismatch(result_.begin(), result_.end(), expected_.begin());
  if (is == result_.end()) return "";
  return fmt::format("word {} of the result is {}, not {}", is - result_.begin(), *is, *should);
}

std::string ComparedReduction::beyond(const std::string& method) const {
  if (is_of_mpi(method) || method == "sluice") return "";
  if (plans_over_platform(options_, method, of_objects())) {
    const bool in_any_order = method != "auto" && !keeps_order(Collective::kReduce, method);
    return !commutes() && in_any_order ? "an operation that does not commute" : "";
  }
  if (method == kReduceScatter) {
    if (of_objects()) return "sets, which are not cut";
    return !commutes() ? "an operation that does not commute" : "";
  }
  ReduceProblem problem;
  problem.machines = comm_.size();
  problem.transfer = problem.compute = 1;
  problem.root = root_;
  problem.commutative = commutes();
  ReduceOptions options;
  options.algorithm = method;
  options.arity = options_.arity;
  try {
    (void)plan_reduce(problem, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::unique_ptr<Method> ComparedReduction::make(const std::string& method) {
  if (is_of_mpi(method)) return std::make_unique<ReductionOfMpi>(*this, method == kReduce);
  return planned(method == "sluice" ? options_.algorithm : method);
}

}  // namespace

std::vector<std::string> reduction_methods() {
  return {"sluice", kReduce, "binomial", "flat", "fibonacci", kReduceScatter};
}

std::vector<std::string> reductions_of_mpi() { return {kReduce, kIreduce}; }

ReductionComparison reductions(MPI_Comm comm, const ReductionContents& contents, int root,
                               const mpi::ReductionOptions& options, const std::vector<std::string>& methods,
                               int repetitions, bool record) {
  const Communicator own(comm);
  check_comparison(own, methods, repetitions);
  expect_same(own, fmt::format("{} {} {} {} {}", static_cast<int>(contents.operation), contents.count, contents.sleep_s,
                               root, options.platform.has_value()));
  const std::vector<std::string> known = reduction_methods();
  const bool objects = contents.operation == Operation::kMerge;
  for (const std::string& method : methods) {
    if (std::find(known.begin(), known.end(), method) != known.end() || is_of_mpi(method)) continue;
    if (has_algorithm("reduce", method) || plans_over_platform(options, method, objects)) continue;
    throw InputError("method", fmt::format("'{}'", method),
                     options.platform ? "sluice, mpi-reduce, mpi-ireduce or an algorithm of broadcast or reduce"
                                      : "sluice, mpi-reduce, mpi-ireduce or an algorithm of reduce");
  }
  ComparedReduction compared(own, contents, root, options);
  ReductionComparison result;
  {
    const std::unique_ptr<const PlannedReduction> ours = compared.measured();
    result.costs = ours->summary().costs;
    result.overlap = ours->overlap();
  }
  static_cast<Comparison&>(result) = run_comparison(own, compared, methods, repetitions, record);
  return result;
}

}  // namespace sluice::compare
