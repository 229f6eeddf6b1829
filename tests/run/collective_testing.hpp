#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/run/mpi/collectives.hpp"

/// What collectives must do, worked out of what each rank has at the start and at the end.
namespace sluice::mpi::testing {

inline constexpr Collective kMoving[] = {Collective::kScatter, Collective::kGather, Collective::kAllgather,
                                         Collective::kAlltoall};
inline constexpr Collective kCombining[] = {Collective::kReduceScatter, Collective::kAllreduce};

inline Program shape_of(MPI_Comm comm, Collective problem, std::int64_t bytes, int root) {
  Program shape;
  shape.problem = problem;
  shape.ranks = size_of(comm);
  shape.size_bytes = bytes;
  shape.root = has_root(problem) ? root : 0;
  return shape;
}

/// The bytes of ranges, one after the other.
inline std::vector<std::byte> bytes_in(const std::vector<ByteRange>& ranges, std::uint64_t salt) {
  std::vector<std::byte> bytes;
  for (const ByteRange& range : ranges)
    for (std::int64_t b = range.offset; b < range.end(); ++b) bytes.push_back(byte_of(b / 8, b, salt));
  return bytes;
}

/// Executes the job once and compares every byte; "" if all are right.
inline std::string moved(CollectiveJob& job, const Program& shape, int rank, std::uint64_t salt,
                         bool in_place = false) {
  const std::vector<std::byte> own = bytes_in(ranges_at_start(shape, rank), salt);
  const std::vector<std::byte> expected = bytes_in(ranges_at_end(shape, rank), salt);
  std::vector<std::byte> kept = own;
  std::vector<std::byte> result(expected.size());
  for (std::size_t b = 0; b < result.size(); ++b) result[b] = ~expected[b];
  if (in_place) {
    const auto block = static_cast<std::ptrdiff_t>(block_of(shape, rank).offset);
    std::copy(own.begin(), own.end(), result.begin() + block);
  }
  job.execute(in_place ? MPI_IN_PLACE : static_cast<const void*>(kept.data()), result.data());
  if (const std::string wrong = difference(kept, own); !wrong.empty()) return "own: " + wrong;
  return difference(result, expected);
}

/// x -> a x + b modulo 2^64; one after the other is no other one after this.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};
inline Affine operator*(const Affine& first, const Affine& second) {
  return {first.a * second.a, second.a * first.b + second.b};
}

/// Elements with a value of 16 bytes each, 16 or 24 bytes from one to the next, and their operation.
class AffineOperation {
 public:
  explicit AffineOperation(bool gaps = false) : extent_(gaps ? 24 : 16) {
    MPI_Datatype words = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_UINT64_T, &words);
    MPI_Type_create_resized(words, 0, extent_, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&words);
    MPI_Op_create(gaps ? combine<24> : combine<16>, 0, &op_);
  }
  ~AffineOperation() {
    MPI_Op_free(&op_);
    MPI_Type_free(&type_);
  }
  AffineOperation(const AffineOperation&) = delete;
  AffineOperation& operator=(const AffineOperation&) = delete;

  [[nodiscard]] ElementOperation on(std::int64_t count) const { return {count, type_, op_}; }
  [[nodiscard]] std::size_t extent() const { return static_cast<std::size_t>(extent_); }

 private:
  template <std::size_t kExtent>
  static void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    auto* const left = static_cast<std::byte*>(in);
    auto* const right = static_cast<std::byte*>(inout);
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
      Affine first;
      Affine second;
      std::memcpy(&first, left + i * kExtent, sizeof first);
      std::memcpy(&second, right + i * kExtent, sizeof second);
      first = first * second;
      std::memcpy(right + i * kExtent, &first, sizeof first);
    }
  }

  MPI_Aint extent_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

inline Affine affine_of(int rank, std::int64_t i, std::uint64_t salt) {
  const auto mixed = static_cast<std::uint64_t>(rank * 1'000'003 + i) + salt * 0x9e3779b97f4a7c15ULL;
  return {2 * (mixed ^ (mixed >> 7)) + 1, mixed * mixed + 17};
}

/// Elements with what lies between them.
inline void put(std::vector<std::byte>& elements, const AffineOperation& operation, const Affine& value) {
  constexpr std::byte kBetween{0x5a};
  const std::size_t at = elements.size();
  elements.resize(at + operation.extent(), kBetween);
  std::memcpy(elements.data() + at, &value, sizeof value);
}

inline std::vector<std::byte> affine_elements(const AffineOperation& operation, int rank, std::int64_t count,
                                              std::uint64_t salt) {
  std::vector<std::byte> elements;
  for (std::int64_t i = 0; i < count; ++i) put(elements, operation, affine_of(rank, i, salt));
  return elements;
}

/// What this rank must have at the end.
inline std::vector<std::byte> affine_results(const AffineOperation& operation, const Program& shape, MPI_Comm comm,
                                             std::uint64_t salt) {
  std::vector<std::byte> elements;
  for (const ByteRange& range : ranges_at_end(shape, rank_in(comm))) {
    for (std::int64_t i = range.offset / 16; i < range.end() / 16; ++i) {
      Affine all;
      for (int r = 0; r < size_of(comm); ++r) all = all * affine_of(r, i, salt);
      put(elements, operation, all);
    }
  }
  return elements;
}

/// The shape of a job of `count` elements by AffineOperation.
inline Program affine_shape(MPI_Comm comm, Collective problem, std::int64_t count) {
  Program shape = shape_of(comm, problem, 16 * count, 0);
  shape.element_bytes = 16;
  return shape;
}

/// One execution of a job of that shape; "" if every element is right, and what lies between them as it was.
inline std::string combined(CollectiveJob& job, const Program& shape, const AffineOperation& operation, MPI_Comm comm,
                            std::uint64_t salt, bool in_place = false) {
  const std::vector<std::byte> own = affine_elements(operation, rank_in(comm), shape.size_bytes / 16, salt);
  const std::vector<std::byte> expected = affine_results(operation, shape, comm, salt);
  std::vector<std::byte> kept = own;
  std::vector<std::byte> result = own;
  if (!in_place) {
    result.clear();
    while (result.size() < expected.size()) put(result, operation, {0, 0});
  }
  job.execute(in_place ? MPI_IN_PLACE : static_cast<const void*>(kept.data()), result.data());
  if (const std::string wrong = difference(kept, own); !wrong.empty()) return "own: " + wrong;
  return difference(result, expected);
}

inline std::string combined(CollectiveJob& job, Collective problem, const AffineOperation& operation, MPI_Comm comm,
                            std::int64_t count, std::uint64_t salt, bool in_place = false) {
  return combined(job, affine_shape(comm, problem, count), operation, comm, salt, in_place);
}

}  // namespace sluice::mpi::testing
