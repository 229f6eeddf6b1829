#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// The arguments of a job as bytes: what ranks compare, and what plans are kept by. Lists are preceded by their
/// lengths, so that {1}, {2, 3} and {1, 2}, {3} differ.
class Arguments {
 public:
  explicit Arguments(const char* kind) {
    bytes_.reserve(512);  // as many as most jobs have, at once
    bytes_ += kind;
  }
  void add(std::int64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void add(double value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class Integer, std::size_t N>
  void add(std::span<const Integer, N> values) {
    add(static_cast<std::int64_t>(values.size()));
    for (const Integer value : values) add(static_cast<std::int64_t>(value));
  }
  void add(const std::string& text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  template <class Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void add(Number value) { add(static_cast<std::int64_t>(value)); }
  template <class... Values>
  void add_all(const Values&... values) {
    (add(values), ...);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// 64 bits of them, all depending on all.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  std::string bytes_;
};

/// What ranks compare besides, which need not be the same on all.
struct Comparison {
  std::int64_t number = 0;    ///< of what is kept; 0: nothing is
  std::int64_t last = 0;      ///< becomes the largest of all ranks
  std::int64_t progress = 0;  ///< of a trial; becomes the progress of all ranks, see common_progress
  std::int64_t doubt = 0;     ///< becomes the largest of all ranks
  std::uint64_t block = 0;    ///< where memory is that this rank shares with the others (Arena::Place::word)
  /// If not null and Context::shares_memory, becomes the `block` of each rank. Null on all ranks or on none.
  std::vector<std::uint64_t>* blocks = nullptr;
};

/// Returns if no rank failed and the fingerprints of all are equal, and throws on every rank if not.
///
/// `failure` is what stopped this rank in its local preparation, null if nothing did. A rank that failed throws that;
/// the others throw InputError, quoting the lowest rank that failed. In the same order on all ranks; ceil(log2 n) short
/// messages of each rank when all is well.
///
/// True is returned if `own.number` is the same on all ranks and not 0.
bool agree(Channel& channel, std::uint64_t fingerprint, const std::exception_ptr& failure, Comparison& own);
inline void agree(Channel& channel, std::uint64_t fingerprint, const std::exception_ptr& failure) {
  Comparison own;
  (void)agree(channel, fingerprint, failure, own);
}
/// agree() without anything to compare: only whether a rank failed.
inline void agree(Channel& channel, const std::exception_ptr& failure) { agree(channel, 0, failure); }

/// What `part()` throws, null if nothing.
template <class Part>
[[nodiscard]] std::exception_ptr failure_of(Part&& part) {
  try {
    part();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// An exception of `part()` reaches all ranks by an agreement: nothing has been sent, and nothing is left behind.
template <class Part>
void agreed(Channel& channel, Part&& part) {
  agree(channel, failure_of(std::forward<Part>(part)));
}

}  // namespace sluice::mpi::detail
