#include "apps/compare/reduction_operations.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

std::size_t words_of(MPI_Datatype type) {
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  return static_cast<std::size_t>(bytes / kWord);
}

/// These are global because an MPI_Op has no room for data: seconds per word, and what is still to be slept.
double sleep_s_per_word = 0;
double sleep_owed_s = 0;

/// Adds the first `count` words of `in` to `inout`.
void add(const void* in, void* inout, int count) {
  const auto* const a = static_cast<const std::uint64_t*>(in);
  auto* const b = static_cast<std::uint64_t*>(inout);
  for (int i = 0; i < count; ++i) b[i] += a[i];
}

/// Lets `seconds` pass, as if another device did the work.
void pass(double seconds) {
#ifdef SMPI_H
  smpi_execute(seconds);
#else
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
#endif
}

}  // namespace

WordOperation::WordOperation(std::int64_t words, MPI_User_function* combine, bool commutes) : owns_type_(words > 1) {
  if (owns_type_) {
    SLUICE_MPI(MPI_Type_contiguous(static_cast<int>(words), MPI_UINT64_T, &type_));
    SLUICE_MPI(MPI_Type_commit(&type_));
  }
  SLUICE_MPI(MPI_Op_create(combine, commutes ? 1 : 0, &op_));
}

WordOperation::~WordOperation() {
  // A destructor has nobody to tell about a failure.
  (void)MPI_Op_free(&op_);
  if (owns_type_) (void)MPI_Type_free(&type_);
}

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
  const std::size_t words = words_of(*type);
  const auto n = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(words))));
  std::vector<std::uint64_t> product(words);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    auto* const right = static_cast<std::uint64_t*>(inout) + i * words;
    multiply_matrices(static_cast<std::uint64_t*>(in) + i * words, right, product.data(), n);
    std::copy(product.begin(), product.end(), right);
  }
}

std::uint64_t compose_maps(std::uint64_t first, std::uint64_t second) {
  const auto factor = [](std::uint64_t map) { return static_cast<std::uint32_t>(map >> 32) | 1U; };
  const auto offset = [](std::uint64_t map) { return static_cast<std::uint32_t>(map); };
  const std::uint32_t both = factor(second) * factor(first);
  return std::uint64_t{both} << 32 | (factor(second) * offset(first) + offset(second));
}

void compose(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const first = static_cast<std::uint64_t*>(in);
  auto* const second = static_cast<std::uint64_t*>(inout);
  for (int i = 0; i < *count; ++i) second[i] = compose_maps(first[i], second[i]);
}

void set_sleep(double seconds_per_word) {
  sleep_s_per_word = seconds_per_word;
  sleep_owed_s = 0;
}

void add_and_sleep(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  add(in, inout, *count);
  // A sleep ends late. That counts where MPI calls this for a few elements at a time, so short sleeps are added up;
  // simulated ones end in time.
  constexpr double kLeast_s = kSimulated ? 0 : 200e-6;
  sleep_owed_s += sleep_s_per_word * *count;
  if (sleep_owed_s < kLeast_s) return;
  const double start = MPI_Wtime();
  pass(sleep_owed_s);
  sleep_owed_s -= MPI_Wtime() - start;
}

void add_and_spin(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const double seconds = sleep_s_per_word * *count;
  const double start = MPI_Wtime();
  add(in, inout, *count);
#ifdef SMPI_H
  pass(seconds);  // no simulated time passes in a loop
#else
  while (MPI_Wtime() - start < seconds) {
  }
#endif
}

void merge_sets(std::span<const std::byte> left, std::span<const std::byte> right, mpi::Bytes& result) {
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

void merge_padded(void* in, void* inout, int* count, MPI_Datatype* type) {
  const std::size_t words = words_of(*type);
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

}  // namespace sluice::compare
