#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedule/byte_uses.hpp"
#include "sluice/schedule/program.hpp"

/// Programs as planners make them: messages in an order in which they could pass one after the other.
namespace sluice::detail {

struct ProgramMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::vector<ByteRange> ranges;  ///< by rising offsets, none empty, at least one
  bool combine = false;
  /// It belongs to those ahead of it in the list, back to the last without this: all of them are sent before any of
  /// them is received.
  bool with_last = false;
};

/// Throws InputError beyond 2^22 messages.
void check_message_count(std::int64_t messages);
/// For patterns that look at every pair of one of `senders` and one of `receivers`. Throws InputError beyond 2^27
/// pairs, some seconds of work.
void check_pair_count(std::size_t senders, std::size_t receivers);

class ProgramMessages {
 public:
  /// Nothing, if the ranges are empty. They may be in any order, and are joined where they meet. Throws InputError
  /// beyond 2^22 messages.
  void add(std::int64_t from, std::int64_t to, std::vector<ByteRange> ranges, bool combine = false);
  /// At once: each is sent as its sender was before all of them, and combined.
  struct Edge {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  void add_at_once(const std::vector<Edge>& edges, const ByteRange& range);
  /// Throws likewise.
  void append(ProgramMessages other);
  [[nodiscard]] const std::vector<ProgramMessage>& list() const { return list_; }

  /// The other way round: who has sent a range gets it back, combined if so asked. Where every rank received what it
  /// has once, this gathers what they have, or combines it.
  [[nodiscard]] ProgramMessages reversed(bool combine) const;

 private:
  void check_size() const;

  std::vector<ProgramMessage> list_;
  std::int64_t ranges_ = 0;
};

/// Operations, each waiting for what it has to (see program.hpp), in the order in which they are added.
class OperationList {
 public:
  explicit OperationList(std::int64_t ranks) : uses_(static_cast<std::size_t>(ranks)) {}
  void add(std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer, std::span<const ByteRange> ranges);
  /// A send and what receives it. Throws InputError beyond 2^22 messages.
  void add_message(std::int64_t from, std::int64_t to, const ByteRange& range, bool combine);
  [[nodiscard]] std::vector<ProgramOperation> take() && { return std::move(operations_); }

 private:
  std::vector<ProgramOperation> operations_;
  std::vector<ByteUses> uses_;  ///< by rank
};

/// Operations of the messages.
[[nodiscard]] std::vector<ProgramOperation> operations_of(const ProgramMessages& messages, std::int64_t ranks);
/// The same of one rank alone, at one end of every message; `after` has positions among these.
[[nodiscard]] std::vector<ProgramOperation> operations_of_rank(const ProgramMessages& messages, std::int64_t rank);

/// In parts as equal as possible, of whole elements, the longer ones first; none is empty.
[[nodiscard]] std::vector<ByteRange> cut(const ByteRange& range, std::int64_t parts, std::int64_t element_bytes);

}  // namespace sluice::detail
