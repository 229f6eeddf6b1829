#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "sluice/run/mpi/reduction.hpp"

/// Operations on words of 8 bytes, for reductions: in the form that MPI calls, and in the form that the library calls.
namespace sluice::compare {

inline constexpr std::int64_t kWord = sizeof(std::uint64_t);

/// An operation of MPI on elements of several words each.
class WordOperation {
 public:
  /// @pre `words` is at least 1, and their bytes an int.
  WordOperation(std::int64_t words, MPI_User_function* combine, bool commutes);
  ~WordOperation();
  WordOperation(const WordOperation&) = delete;
  WordOperation& operator=(const WordOperation&) = delete;

  [[nodiscard]] mpi::ElementOperation on(std::int64_t count) const { return {count, type_, op_}; }

 private:
  bool owns_type_;
  MPI_Datatype type_ = MPI_UINT64_T;
  MPI_Op op_ = MPI_OP_NULL;
};

/// c = a b for matrices of n x n, row by row.
void multiply_matrices(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* c, std::size_t n);
/// The same as an operation of MPI, whose elements are matrices.
void multiply(void* in, void* inout, int* count, MPI_Datatype* type);

/// The map x -> a x + b modulo 2^32 as a word: a, which is taken as odd, above b. `first` is applied before `second`.
/// As a is odd, no map is lost in a composition, however many there are.
[[nodiscard]] std::uint64_t compose_maps(std::uint64_t first, std::uint64_t second);
/// The same as an operation of MPI, whose elements are words.
void compose(void* in, void* inout, int* count, MPI_Datatype* type);

/// Adds words, and sleeps for as long per word as set_sleep says.
void add_and_sleep(void* in, void* inout, int* count, MPI_Datatype* type);
/// As add_and_sleep, but occupies the processor instead of sleeping.
void add_and_spin(void* in, void* inout, int* count, MPI_Datatype* type);
void set_sleep(double seconds_per_word);

/// Merges sets of ascending words, of any size.
void merge_sets(std::span<const std::byte> left, std::span<const std::byte> right, mpi::Bytes& result);
/// As merge_sets, for sets padded to the size of an element: the number of words, then the words.
void merge_padded(void* in, void* inout, int* count, MPI_Datatype* type);

}  // namespace sluice::compare
