#pragma once

#include <mpi.h>

#include <bit>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "run/mpi/communicator.hpp"

namespace sluice::mpi::detail {

/// A fingerprint of arguments. Ranges are preceded by their lengths, so that {1}, {2, 3} and {1, 2}, {3} differ.
class Fingerprint {
 public:
  void add(std::int64_t value) {
    // The finaliser of SplitMix64 over a running sum.
    std::uint64_t z = state_ + static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    state_ = z ^ (z >> 31);
  }
  template <class Integer, std::size_t N>
  void add(std::span<const Integer, N> values) {
    add(static_cast<std::int64_t>(values.size()));
    for (const Integer value : values) add(static_cast<std::int64_t>(value));
  }
  void add(const std::string& text) { add(std::span(text)); }

  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

/// Collective: returns if no rank failed and all fingerprints are equal, and throws on every rank if not.
///
/// `failure` is what stopped this rank in its local preparation, null if nothing did. A rank that failed throws what it
/// failed with; the others throw InputError, quoting the lowest rank that failed. One MPI_Allreduce of 24 bytes when
/// all is well.
void agree(const Communicator& comm, std::uint64_t fingerprint, const std::exception_ptr& failure);

/// The same where there is nothing to compare but whether a rank failed.
inline void agree(const Communicator& comm, const std::exception_ptr& failure) { agree(comm, 0, failure); }

/// The largest of one number a rank, found out while other work goes on; on all ranks the same, once all have asked.
class LargestOfAll {
 public:
  LargestOfAll() = default;
  /// Where ranks gave up before all had asked, what MPI may yet write to is left to it.
  ~LargestOfAll();
  LargestOfAll(const LargestOfAll&) = delete;
  LargestOfAll& operator=(const LargestOfAll&) = delete;

  /// Collective, one at a time, in the same order on all ranks as other collective calls on the communicator.
  void ask(const Communicator& comm, std::int64_t own);
  /// Once it is known. Does not wait.
  [[nodiscard]] std::optional<std::int64_t> answer();

 private:
  std::unique_ptr<std::int64_t> word_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace sluice::mpi::detail
