#pragma once

#include <cstdint>
#include <vector>

#include "base/lists.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/schedule/program.hpp"

/// What one rank does in a plan: its ends of messages, what each end waits for, and where the message lies.
namespace sluice::detail {

/// The count of a message whose size only its sender knows.
inline constexpr std::int64_t kAnyCount = -1;

struct OwnPart {
  struct Own {
    std::int32_t peer = 0;  ///< the rank at the other end
    bool sends = false;
    MessageKind kind = MessageKind::kKeep;  ///< of a receive; sends have kKeep
    std::int64_t count = 0;                 ///< elements, or kAnyCount; equal at the other end

    [[nodiscard]] bool combines() const { return kind == MessageKind::kCombine; }
    friend bool operator==(const Own&, const Own&) = default;
  };
  /// When a rank's own elements are combined, for a combine of elements that it has combined with no others yet.
  enum class OwnTurn : std::uint8_t {
    kWithMessage,   ///< with the message
    kLater,         ///< after a later message: this one takes their place
    kAfterAsLower,  ///< after this message, as elements of a lower rank; an earlier one took their place
    kAfterAsUpper
  };
  /// Elements of the array that the plan is about.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    /// For a combine whose order counts: the message comes from lower ranks than the elements that are there.
    bool lower = false;
    OwnTurn own_turn = OwnTurn::kWithMessage;  ///< of a combine

    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Run {
    std::int32_t begin = 0;
    std::int32_t end = 0;

    friend bool operator==(const Run&, const Run&) = default;
  };

  /// In the order of the plan. The k-th send of a rank to another one is the k-th receive of that rank from it.
  std::vector<Own> ends;
  /// By end: ends of this part that must be done before. An end that keeps or sends does not begin earlier; a message
  /// to be combined may arrive earlier.
  Lists<std::uint32_t> after;
  /// By end: where the message lies, in the order of its elements. None: whoever carries out the part knows.
  Lists<Range> ranges;
  /// By end: how far apart sends start. Empty: the plan does not say.
  std::vector<SendPace> pace;
  /// By end, of a tree that combines in the order of the ranks: the ranks that a message to be combined is of. If
  /// messages may come in any order, only neighbours may be combined. Empty: the order does not count, or is fixed.
  std::vector<Run> runs;

  /// Adds an end without elements, which waits for nothing. Returns its number.
  std::uint32_t add(std::int64_t peer, bool sends, MessageKind kind = MessageKind::kKeep);
  /// For the last end: adds elements to its message.
  void add_range(const Range& range);
  /// For the last end: lets it wait for an end.
  void wait_for(std::uint32_t before) { after.push(before); }

  friend bool operator==(const OwnPart&, const OwnPart&) = default;
};

/// Tells `numbers` all that a part says; see planned_part.
template <class Numbers>
void fields(Numbers& numbers, OwnPart& part) {
  numbers.each(part.ends, [&](OwnPart::Own& end) { numbers(end.peer, end.sends, end.kind, end.count); });
  part.after.fields(numbers, [&](std::uint32_t& before) { numbers(before); });
  part.ranges.fields(numbers,
                     [&](OwnPart::Range& range) { numbers(range.begin, range.count, range.lower, range.own_turn); });
  numbers.each(part.pace, [&](SendPace& pace) { numbers(pace.port_s, pace.connection_s); });
  numbers.each(part.runs, [&](OwnPart::Run& run) { numbers(run.begin, run.end); });
}

/// The parts of all ranks. @pre validate(program) finds nothing wrong. If the order of combining counts, messages are
/// followed to see whose bytes they carry. That takes one pass if the operations could be carried out one after the
/// other in the order of the list, otherwise as many passes as necessary.
[[nodiscard]] std::vector<OwnPart> cut(const Program& program);
/// The part of `rank`. If the order of combining does not count, `program` needs only the operations of that rank.
[[nodiscard]] OwnPart cut(const Program& program, std::int64_t rank);

/// `part`, of a broadcast of `largest` elements, for a message of `count`, at most as many; ranges that met still do.
[[nodiscard]] OwnPart shrunk(const OwnPart& part, std::int64_t largest, std::int64_t count);

}  // namespace sluice::detail
