#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "run/mpi/redistribute/box_copy.hpp"
#include "run/mpi/redistribute/participation.hpp"

namespace sluice::mpi::detail {

/// A message as rows of bytes: `slow` counts rows, `fast` the bytes of each. Steps are in bytes from an index of `slow`
/// to the next.
struct CopyRows {
  const CopyAxis* slow = nullptr;
  const CopyAxis* fast = nullptr;
  std::int64_t from_step = 0;
  std::int64_t to_step = 0;
};

/// How the messages of one rank are copied: sends to the message, receives from it, what the rank sends itself from the
/// source to the target, and what it forwards from the target to another message.
///
/// A message is the product of runs in each dimension, and messages share them: one CopyAxis for each dimension and
/// process coordinate met there, for any number of messages. The bytes of a message are in the order of storage of the
/// source. If this side has the fastest dimensions completely, they are one level with the next, unless a part of a
/// matrix moves: then every message has a description of its rows (PartRows). In a transposed target no two elements of
/// a message follow each other, so the bytes of an element are a level of their own.
class MessageCopies {
 public:
  /// `peers`: processes of the other grid that this rank sends to (kPack), or receives from (kUnpack), or whose
  /// messages it forwards (kPassOn); for kMove the rank's own process there, or none. Arrays that outgrow the cache are
  /// read and written past it (BoxCopy::pass_cache).
  MessageCopies(const Participation& part, CopyKind kind, std::span<const Rank> peers);

  [[nodiscard]] std::size_t size() const { return dimensions_ == 0 ? 0 : slots_.size() / dimensions_; }
  /// Valid while this object is.
  [[nodiscard]] BoxCopy operator[](std::size_t message) const;
  /// The message as rows, if it is that: no part of a matrix, not transposed, and of at most two levels. Valid as long.
  [[nodiscard]] std::optional<CopyRows> rows(std::size_t message) const;
  /// Whether the array on this side outgrows the cache.
  [[nodiscard]] bool passes_cache() const { return fetches_ || streams_; }

 private:
  /// In bytes, for each level; 0: dense, depends on the message.
  using Steps = std::array<std::int64_t, kMaxDimensions>;

  void merge_levels();
  /// Whether elements are a level of their own.
  [[nodiscard]] bool by_element() const { return element_bytes_ > 0; }

  std::size_t dimensions_ = 0;
  std::size_t levels_ = 0;                   ///< levels left after merging; the slower ones come first
  std::vector<std::vector<CopyAxis>> axes_;  ///< of each level, by slot; the axis of the elements comes last
  std::int64_t element_bytes_ = 0;           ///< if they are a level
  Steps from_step_{};
  Steps to_step_{};
  std::vector<std::uint32_t> slots_;  ///< of each message and level
  CopyKind kind_;
  bool fetches_ = false;
  bool streams_ = false;
  std::vector<PartRows> rows_;  ///< of each message, if a part of a matrix moves
};

}  // namespace sluice::mpi::detail
