#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/schedule/program.hpp"

/// Programs as planners make them: messages in an order that lets them pass one after the other.
namespace sluice::detail {

struct ProgramMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::vector<ByteRange> ranges;  ///< by rising offsets, none empty, at least one
  bool combine = false;
  /// Whether this message goes at once with the messages before it in the list, back to the last one without this flag:
  /// all of these are sent before any of them is received.
  bool with_last = false;
  SendPace pace = {};  ///< stated by its planner, for all messages or for none
};

/// Throws InputError beyond 2^22 messages.
void check_message_count(std::int64_t messages);
/// For patterns that consider every pair of a sender and a receiver. Throws InputError beyond 2^27 pairs, some seconds
/// of work.
void check_pair_count(std::size_t senders, std::size_t receivers);

class ProgramMessages {
 public:
  /// Adds a message, unless `ranges` are empty. The ranges may be in any order; adjacent ranges are joined. Throws
  /// InputError beyond 2^22 messages.
  void add(std::int64_t from, std::int64_t to, std::vector<ByteRange> ranges, bool combine = false,
           const SendPace& pace = {});
  /// Messages of add_at_once: each carries what its sender had before all of them, and is combined.
  struct Edge {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  void add_at_once(const std::vector<Edge>& edges, const ByteRange& range);
  /// Throws likewise.
  void append(ProgramMessages other);
  [[nodiscard]] const std::vector<ProgramMessage>& list() const { return list_; }

  /// The reversed messages: the sender of a range gets it back, combined if so asked. If every rank received once what
  /// it had, this gathers what they have, or combines it.
  [[nodiscard]] ProgramMessages reversed(bool combine) const;
  /// The messages with ranks in other places: what rank r did, rank ranks[r] does.
  [[nodiscard]] ProgramMessages with_ranks(std::span<const std::int64_t> ranks) const;
  /// Keeps only the bytes of each message that some rank needs in the end, by the problem of `shape`. O(k log k) time
  /// for messages of k ranges.
  [[nodiscard]] ProgramMessages needed_for(const Program& shape) const;

 private:
  void check_size() const;

  std::vector<ProgramMessage> list_;
  std::int64_t ranges_ = 0;
};

/// Operations of the messages, each waiting for what it has to (see program.hpp).
[[nodiscard]] std::vector<ProgramOperation> operations_of(const ProgramMessages& messages, std::int64_t ranks);
/// Whether any message states one.
[[nodiscard]] bool states_pace(const ProgramMessages& messages);
/// The pace of these operations; empty if no message states one.
[[nodiscard]] std::vector<SendPace> paces_of(const ProgramMessages& messages);
/// Operations of one rank alone, at one end of every message; `after` has positions among these.
[[nodiscard]] std::vector<ProgramOperation> operations_of_rank(const ProgramMessages& messages, std::int64_t rank);

/// In parts as equal as possible, of whole elements, the longer ones first; none is empty.
[[nodiscard]] std::vector<ByteRange> cut(const ByteRange& range, std::int64_t parts, std::int64_t element_bytes);

}  // namespace sluice::detail
