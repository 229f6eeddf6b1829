#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "sluice/schedule/program.hpp"

/// Messages between ranks and what they wait for, as planners make them and as they are timed. Few of them are ever
/// written down as operations of a program.
namespace sluice::detail {

/// What a receiver does with a message.
enum class MessageKind : std::uint8_t {
  kKeep,
  kCombine,  ///< combines it with what it has
  kWord,     ///< hears something: a control message, without data
};

/// One end of message m: 2 m at its sender, 2 m + 1 at its receiver. An operation of a program is one end. What an end
/// waits for keeps a message from its start, or its receiver from being done with it. What waits for an end waits until
/// the last byte has left the sender, or until the receiver is done.
using MessageEnd = std::uint32_t;
[[nodiscard]] constexpr MessageEnd start_of(std::size_t message) { return static_cast<MessageEnd>(2 * message); }
[[nodiscard]] constexpr MessageEnd done_of(std::size_t message) { return static_cast<MessageEnd>(2 * message + 1); }
[[nodiscard]] constexpr std::size_t message_of(MessageEnd end) { return end / 2; }
[[nodiscard]] constexpr bool is_start(MessageEnd end) { return end % 2 == 0; }

/// Patterns make at most 2^22 messages with 2^25 ranges.
struct MessageGraph {
  struct Message {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int64_t bytes = 0;
    MessageKind kind = MessageKind::kKeep;
    /// Whether this message goes at once with the messages before it, back to the last one without this flag: all of
    /// these are sent before any of them is received.
    bool at_once = false;
  };

  /// How its rank sends a message, among those that could go.
  struct Sending {
    double priority = 0;  ///< the least goes first; different for all messages between two ranks
    float pace = 1;       ///< times how long the message keeps the port: its sender's wait until it sends another
    bool alone = false;   ///< its sender sends nothing else before it arrives
  };

  std::vector<Message> messages;  ///< in an order that lets them pass one after the other
  Lists<ByteRange> ranges;        ///< by message: by rising offsets, none empty, at least one
  Lists<MessageEnd> after;        ///< by end: the ends that must come first; no lists if they are not known
  std::vector<SendPace> pace;     ///< by message, stated by its planner; empty if no message states one
  /// Only for simulations (timing/message_sequence.hpp), by message: above 0, it is no message but work of one rank,
  /// which takes this long; empty if there is no work.
  std::vector<double> work_s;
  /// Only for simulations, by message: it starts when all messages of lower steps are done; empty if there are no
  /// steps.
  std::vector<std::int32_t> step;
  /// Only for timed_messages, by message: then the messages are in any order. Empty if their order is known.
  std::vector<Sending> sending;
  /// The order of the operations; empty if it follows from the messages: see for_ends.
  std::vector<MessageEnd> order;

  [[nodiscard]] std::size_t size() const { return messages.size(); }
  [[nodiscard]] const Message& at(MessageEnd end) const { return messages[message_of(end)]; }
  /// The rank whose end it is.
  [[nodiscard]] std::int64_t rank_of(MessageEnd end) const { return is_start(end) ? at(end).from : at(end).to; }

  /// Makes room for these numbers of messages and ranges.
  void reserve(std::size_t count, std::size_t of_ranges);
  /// Adds a message, unless `ranges` are empty. The ranges may be in any order; adjacent ranges are joined. Throws
  /// InputError beyond the limits. @pre less than 2^31 ranks; what ends wait for is not known yet
  void add(std::int64_t from, std::int64_t to, std::span<const ByteRange> bytes, MessageKind kind = MessageKind::kKeep,
           const SendPace& send_pace = {});
  void add(std::int64_t from, std::int64_t to, const ByteRange& range, MessageKind kind = MessageKind::kKeep,
           const SendPace& send_pace = {}) {
    add(from, to, std::span(&range, 1), kind, send_pace);
  }
  /// Messages of add_at_once: each carries what its sender had before all of them, and is combined.
  struct Edge {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  void add_at_once(const std::vector<Edge>& edges, const ByteRange& range);
  /// Throws InputError beyond the limits. @pre what ends wait for is not known yet
  void append(MessageGraph other);
  /// Adds a message to a graph of messages of one range in any order. Does not check the limits.
  void add_unordered(std::int64_t from, std::int64_t to, const ByteRange& range, const Sending& how) {
    messages.push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), range.bytes});
    ranges.add();
    ranges.push(range);
    sending.push_back(how);
  }
  /// As above; its sender has sent first what is in the list before it.
  void add_unordered(std::int64_t from, std::int64_t to, const ByteRange& range) {
    add_unordered(from, to, range, {static_cast<double>(size())});
  }
  /// Adds a message without ranges, whose start waits for these ends, to a graph of such messages. Returns its number.
  std::size_t add_after(const Message& message, std::span<const MessageEnd> ends);

  /// The reversed messages, without a pace: the sender of a range gets it back, to keep or to combine. If every rank
  /// received once what it had, this gathers what they have, or combines it.
  [[nodiscard]] MessageGraph reversed(MessageKind kind) const;
  /// The messages with ranks in other places: what rank r did, rank other[r] does.
  [[nodiscard]] MessageGraph with_ranks(std::span<const std::int64_t> other) const;
  /// The messages in this order, with their pace and what they wait for. @pre no steps, work, `sending` or `order`
  [[nodiscard]] MessageGraph in_order(std::span<const std::size_t> messages_in_order) const;
  /// Keeps only the bytes of each message that some rank needs in the end, by the problem of `shape`. O(k log k) time
  /// for messages of k ranges.
  [[nodiscard]] MessageGraph needed_for(const Program& shape) const;
};

/// Calls use(end) for all ends in the order of their operations. Unless the graph has an order, each message starts and
/// is done before the next one; messages that go at once all start first.
template <class Use>
void for_ends(const MessageGraph& graph, Use use) {
  for (const MessageEnd end : graph.order) use(end);
  if (!graph.order.empty()) return;
  for (std::size_t first = 0, behind = 0; first < graph.size(); first = behind) {
    behind = first + 1;
    while (behind < graph.size() && graph.messages[behind].at_once) ++behind;
    for (std::size_t m = first; m < behind; ++m) use(start_of(m));
    for (std::size_t m = first; m < behind; ++m) use(done_of(m));
  }
}

/// For how long the receiver works on a message when it is there, with all that it waits for.
[[nodiscard]] inline double combining_s(const MessageGraph::Message& message, const CombiningCosts& costs) {
  return message.kind == MessageKind::kCombine ? costs.of(message.to) * static_cast<double>(message.bytes) : 0;
}

/// Finds what each end has to wait for (see program.hpp), by the ranges: see find_waits.cpp.
void find_waits(MessageGraph& graph);
/// By end: the ends that wait for it, in the order of their operations.
[[nodiscard]] Lists<MessageEnd> waiting_of(const MessageGraph& graph);

/// Operations of the messages, each waiting for what it has to.
[[nodiscard]] std::vector<ProgramOperation> operations_of(MessageGraph graph);
/// Operations of one rank alone, at one end of every message; `after` has positions among these.
[[nodiscard]] std::vector<ProgramOperation> operations_of_rank(const MessageGraph& graph, std::int64_t rank);
/// The pace of the operations; empty if no message states one.
[[nodiscard]] std::vector<SendPace> paces_of(const MessageGraph& graph);

/// The messages of a program without their ranges, in the order of its sends, and its waits, order and pace.
/// @pre the program is sound
[[nodiscard]] MessageGraph lower(const Program& program);

/// Throws InputError beyond 2^22 messages.
void check_message_count(std::int64_t messages);
/// For patterns that consider every pair of a sender and a receiver. Throws InputError beyond 2^27 pairs, some seconds
/// of work.
void check_pair_count(std::size_t senders, std::size_t receivers);

/// In parts as equal as possible, of whole elements, the longer ones first; none is empty.
[[nodiscard]] std::vector<ByteRange> cut(const ByteRange& range, std::int64_t parts, std::int64_t element_bytes);

}  // namespace sluice::detail
