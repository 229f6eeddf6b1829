#include "run/mpi/compare/reduction_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/collective.hpp"
#include "run/mpi/reduce/native_reduction.hpp"
#include "run/mpi/simulation.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace detail {
namespace {

using Operation = ReductionContents::Operation;
constexpr std::int64_t kWord = sizeof(std::uint64_t);

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15ULL + b;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// ---- the operations, as MPI wants them

/// c = a b for matrices of n x n, row by row.
void multiply_matrices(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* c, std::size_t n) {
  std::fill_n(c, n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t factor = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const auto words = static_cast<std::size_t>(bytes / kWord);
  const auto n = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(words))));
  std::vector<std::uint64_t> product(words);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    auto* const right = static_cast<std::uint64_t*>(inout) + i * words;
    multiply_matrices(static_cast<std::uint64_t*>(in) + i * words, right, product.data(), n);
    std::copy(product.begin(), product.end(), right);
  }
}

/// Sets padded to the size of the type: how many there are, then they.
void merge_padded(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const auto words = static_cast<std::size_t>(bytes / kWord);
  std::vector<std::uint64_t> both;
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    const auto* const a = static_cast<std::uint64_t*>(in) + i * words;
    auto* const b = static_cast<std::uint64_t*>(inout) + i * words;
    both.resize(*a + *b);
    const auto end = std::set_union(a + 1, a + 1 + *a, b + 1, b + 1 + *b, both.begin());
    *b = static_cast<std::uint64_t>(end - both.begin());
    std::copy(both.begin(), end, b + 1);
  }
}

/// An MPI_Op has no room for what it needs to know. Seconds a word; what was slept too long or too short so far.
double sleep_s_per_word = 0;
double sleep_owed_s = 0;

/// Lets `seconds` pass in which another device works.
void pass(double seconds) {
#ifdef SMPI_H
  smpi_execute(seconds);
#else
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
#endif
}

void add_and_sleep(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const a = static_cast<std::uint64_t*>(in);
  auto* const b = static_cast<std::uint64_t*>(inout);
  for (int i = 0; i < *count; ++i) b[i] += a[i];
  // Sleeps end late, by a time that counts where MPI calls this for a few elements at a time; simulated ones do not.
  constexpr double kLeast_s = kSimulated ? 0 : 200e-6;
  sleep_owed_s += sleep_s_per_word * *count;
  if (sleep_owed_s < kLeast_s) return;
  const double start = MPI_Wtime();
  pass(sleep_owed_s);
  sleep_owed_s -= MPI_Wtime() - start;
}

void merge_sets(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
  const auto words = [](std::span<const std::byte> bytes) {
    return std::span(reinterpret_cast<const std::uint64_t*>(bytes.data()), bytes.size() / sizeof(std::uint64_t));
  };
  const auto a = words(left);
  const auto b = words(right);
  result.resize(left.size() + right.size());
  auto* const begin = reinterpret_cast<std::uint64_t*>(result.data());
  const auto* const end = std::set_union(a.begin(), a.end(), b.begin(), b.end(), begin);
  result.resize(static_cast<std::size_t>(end - begin) * sizeof(std::uint64_t));
}

// ---- methods

class Planned final : public Method {
 public:
  Planned(ComparedReduction& compared, const std::string& algorithm)
      : compared_(compared), job_(compared.reduction(algorithm)) {}

  void execute(const void* /*source*/, void* /*target*/) override { compared_.execute(job_, object_); }
  [[nodiscard]] std::int64_t held_bytes() const override { return job_.peak_extra_bytes(); }
  [[nodiscard]] std::optional<double> predicted_s() override {
    // Of trees there are no costs where a platform is given.
    const bool known = !job_.native() && job_.spec().platform.has_value() == compared_.spec().platform.has_value();
    return known ? std::optional(job_.planned_length()) : std::nullopt;
  }
  [[nodiscard]] std::string how() override { return job_.method(); }

 private:
  ComparedReduction& compared_;
  Reduction job_;
  Bytes object_;
};

class OfMpi final : public Method {
 public:
  explicit OfMpi(ComparedReduction& compared) : compared_(compared), elements_(compared.elements()) {
    if (!compared_.of_objects()) return;
    padded_words_ = static_cast<std::size_t>(compared_.result_words()) + 1;
    own_.resize(padded_words_);
    if (compared_.is_root()) result_.resize(padded_words_);
    SLUICE_MPI(MPI_Type_contiguous(static_cast<int>(padded_words_), MPI_UINT64_T, &type_));
    SLUICE_MPI(MPI_Type_commit(&type_));
    SLUICE_MPI(MPI_Op_create(merge_padded, 1, &op_));
    elements_ = {1, type_, op_};
  }
  ~OfMpi() override {
    // A destructor has nobody to tell about a failure.
    if (op_ != MPI_OP_NULL) (void)MPI_Op_free(&op_);
    if (type_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&type_);
  }
  OfMpi(const OfMpi&) = delete;
  OfMpi& operator=(const OfMpi&) = delete;

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
  void reduce(const void* own, void* result) {
    reduce_by_mpi(own, result, elements_, compared_.spec().root, compared_.comm().get());
  }

  ComparedReduction& compared_;
  ElementOperation elements_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  std::size_t padded_words_ = 0;
  std::vector<std::uint64_t> own_;
  std::vector<std::uint64_t> result_;
};

bool names(const std::string& problem, const std::string& algorithm) {
  const auto known = algorithms(problem);
  return std::ranges::any_of(known, [&](const Algorithm& each) { return each.name == algorithm; });
}

bool plans_over_platform(const ReductionSpec& spec, const std::string& algorithm) {
  return spec.platform && (algorithm == "auto" || names("broadcast", algorithm));
}

/// Throws InputError.
void check(const ReductionContents& contents, const ReductionSpec& spec, int ranks) {
  const bool matrices = contents.operation == Operation::kMatmul;
  if (contents.count < (matrices ? 1 : 0))
    throw InputError("count", fmt::format("{}", contents.count), matrices ? "at least 1" : "at least 0");
  if (!(contents.sleep_s >= 0) || std::isinf(contents.sleep_s))
    throw InputError("sleep", fmt::format("{} s", contents.sleep_s), "at least 0");
  const std::int64_t words =
      matrices ? checked::multiply(contents.count, contents.count, "elements of a matrix") : contents.count;
  const std::int64_t all = contents.operation == Operation::kMerge ? checked::multiply(words, ranks, "words") : words;
  // The size of a type is an int: that of a matrix, and of the largest set for MPI_Reduce.
  const std::int64_t most = std::numeric_limits<int>::max() / kWord;
  if ((matrices || all != words) && all > most)
    throw InputError("count", fmt::format("{} words", all), fmt::format("at most {}", most));
  if (spec.root < 0 || spec.root >= ranks)
    throw InputError("root", fmt::format("{}", spec.root), fmt::format("0 to {}", ranks - 1));
}

}  // namespace

ComparedReduction::ComparedReduction(const Communicator& comm, const ReductionContents& contents,
                                     const ReductionSpec& spec)
    : comm_(comm), contents_(contents), spec_(spec) {
  std::exception_ptr failure;
  try {
    check(contents, spec, comm.size());
  } catch (...) {
    failure = std::current_exception();
  }
  Fingerprint print;
  print.add(static_cast<std::int64_t>(contents.operation));
  print.add(contents.count);
  print.add(std::bit_cast<std::int64_t>(contents.sleep_s));
  agree(comm, print.value(), failure);

  switch (contents_.operation) {
    case Operation::kSum:
      elements_ = {contents_.count, MPI_UINT64_T, MPI_SUM};
      break;
    case Operation::kSleep:
      SLUICE_MPI(MPI_Op_create(add_and_sleep, 1, &op_));
      sleep_s_per_word = contents_.count > 0 ? contents_.sleep_s / static_cast<double>(contents_.count) : 0;
      sleep_owed_s = 0;
      elements_ = {contents_.count, MPI_UINT64_T, op_};
      break;
    case Operation::kMatmul:
      SLUICE_MPI(MPI_Type_contiguous(static_cast<int>(contents_.count * contents_.count), MPI_UINT64_T, &matrix_));
      SLUICE_MPI(MPI_Type_commit(&matrix_));
      SLUICE_MPI(MPI_Op_create(multiply, 0, &op_));
      elements_ = {1, matrix_, op_};
      break;
    case Operation::kMerge:
      spec_.segments = 1;
      break;
  }
  own_ = words_of(comm.rank());
  if (is_root()) {
    expected_ = expected();
    result_.resize(expected_.size());
    result_words_ = static_cast<std::int64_t>(expected_.size());
  }
  // Other ranks may wait long for the root.
  tell_all(&result_words_, sizeof result_words_, spec_.root, comm);
}

ComparedReduction::~ComparedReduction() {
  if (op_ != MPI_OP_NULL) (void)MPI_Op_free(&op_);
  if (matrix_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&matrix_);
}

ComparedReduction::Words ComparedReduction::words_of(int rank) const {
  const bool matrix = contents_.operation == Operation::kMatmul;
  Words words(static_cast<std::size_t>(matrix ? contents_.count * contents_.count : contents_.count));
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = mixed(static_cast<std::uint64_t>(rank) + 1, i);
    // Every rank has one of some `ranks` numbers, so that two thirds of them are in the union.
    if (of_objects()) last = words[i] = last + 1 + words[i] % (2 * static_cast<std::uint64_t>(comm_.size()));
  }
  return words;
}

ComparedReduction::Words ComparedReduction::expected() const {
  Words all = words_of(0);
  for (int rank = 1; rank < comm_.size(); ++rank) {
    const Words next = words_of(rank);
    Words both(of_objects() ? all.size() + next.size() : all.size());
    switch (contents_.operation) {
      case Operation::kSum:
      case Operation::kSleep:
        for (std::size_t i = 0; i < all.size(); ++i) both[i] = all[i] + next[i];
        break;
      case Operation::kMatmul:
        multiply_matrices(all.data(), next.data(), both.data(), static_cast<std::size_t>(contents_.count));
        break;
      case Operation::kMerge:
        both.erase(std::set_union(all.begin(), all.end(), next.begin(), next.end(), both.begin()), both.end());
        break;
    }
    all = std::move(both);
  }
  return all;
}

void ComparedReduction::measure() {
  if (!spec_.measure) return;
  Reduction job = reduction(spec_.algorithm);
  Bytes object;
  execute(job, object);
  spec_ = job.spec();
  spec_.measure = false;
}

Reduction ComparedReduction::reduction(const std::string& algorithm) const {
  ReductionSpec spec = spec_;
  spec.algorithm = algorithm;
  if (!plans_over_platform(spec_, algorithm)) spec.platform.reset();
  if (of_objects()) return {comm_.get(), spec, ObjectOperation{merge_sets, true}};
  return {comm_.get(), spec, elements_};
}

void ComparedReduction::execute(Reduction& job, Bytes& object) {
  if (!of_objects()) {
    job.execute(own_.data(), result_.data());
    return;
  }
  job.execute(own_bytes(), object);
  if (is_root()) set_result(object);
}

void ComparedReduction::set_result(std::span<const std::byte> bytes) {
  result_.resize(bytes.size() / sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(result_.data(), bytes.data(), bytes.size());
}

std::int64_t ComparedReduction::bytes_moved() const {
  return (comm_.size() - 1) * static_cast<std::int64_t>(own_.size()) * kWord;
}

void ComparedReduction::reset_target() {
  result_ = expected_;
  for (std::uint64_t& word : result_) word = ~word;
}

std::string ComparedReduction::check_target() const {
  if (result_.size() != expected_.size())
    return fmt::format("a result of {} words, not {}", result_.size(), expected_.size());
  const auto [is, should] = std::mismatch(result_.begin(), result_.end(), expected_.begin());
  if (is == result_.end()) return "";
  return fmt::format("word {} of the result is {}, not {}", is - result_.begin(), *is, *should);
}

std::string ComparedReduction::beyond(const std::string& method) const {
  if (method == "mpi-reduce" || method == "sluice" || plans_over_platform(spec_, method)) return "";
  if (method == kReduceScatter) {
    if (of_objects()) return "sets, which are not cut";
    return contents_.operation == Operation::kMatmul ? "an operation that does not commute" : "";
  }
  ReduceProblem problem;
  problem.machines = comm_.size();
  problem.transfer = problem.compute = 1;
  problem.root = spec_.root;
  problem.commutative = contents_.operation != Operation::kMatmul;
  ReduceOptions options;
  options.algorithm = method;
  options.arity = spec_.arity;
  try {
    (void)plan_reduce(problem, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::unique_ptr<Method> ComparedReduction::make(const std::string& method) {
  if (method == "mpi-reduce") return std::make_unique<OfMpi>(*this);
  return std::make_unique<Planned>(*this, method == "sluice" ? spec_.algorithm : method);
}

}  // namespace detail

std::vector<std::string> reduction_methods() {
  return {"sluice", "mpi-reduce", "binomial", "flat", "fibonacci", kReduceScatter};
}

ReductionComparison compare_reductions(MPI_Comm comm, const ReductionContents& contents, const ReductionSpec& spec,
                                       const std::vector<std::string>& methods, int repetitions) {
  const detail::Communicator own(comm);
  detail::check_comparison(own, methods, repetitions);
  std::exception_ptr failure;
  const std::vector<std::string> known = reduction_methods();
  for (const std::string& method : methods) {
    if (std::ranges::find(known, method) != known.end()) continue;
    if (detail::names("reduce", method) || detail::plans_over_platform(spec, method)) continue;
    failure =
        std::make_exception_ptr(InputError("method", fmt::format("'{}'", method),
                                           spec.platform ? "sluice, mpi-reduce or an algorithm of broadcast or reduce"
                                                         : "sluice, mpi-reduce or an algorithm of reduce"));
    break;
  }
  detail::agree(own, failure);
  detail::ComparedReduction compared(own, contents, spec);
  compared.measure();
  ReductionComparison result;
  {
    const Reduction job = compared.reduction(spec.algorithm);
    result.spec = job.spec();
    result.overlap = job.overlap();
  }
  static_cast<Comparison&>(result) = detail::compare(own, compared, methods, repetitions);
  return result;
}

}  // namespace sluice::mpi
