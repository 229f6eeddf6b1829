#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// What one rank does in a plan: its ends of messages, what each end waits for, and where the message lies.
namespace sluice::detail {

/// The count of a message whose size only its sender knows.
inline constexpr std::int64_t kAnyCount = -1;

struct OwnPart {
  struct Own {
    std::int32_t peer = 0;  ///< the rank at the other end
    bool sends = false;
    MessageKind kind = MessageKind::kKeep;  ///< of a receive; sends have kKeep
    std::uint8_t lane = 0;                  ///< messages of different lanes overtake each other
    std::int64_t count = 0;  ///< elements, or kAnyCount; bytes if nothing is combined. Equal at the other end
    std::int32_t step = 0;   ///< of a plan in steps: a lane has at most one send and one receive in a step

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
  /// Where a part of a message lies; in elements, or in bytes if nothing is combined.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    /// For a combine whose order counts: the message comes from lower ranks than the elements that are there.
    bool lower = false;
    /// Which memory it is: 0 if there is only the array of the plan, otherwise a number that the job knows.
    std::int32_t store = 0;
    OwnTurn own_turn = OwnTurn::kWithMessage;  ///< of a combine

    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Run {
    std::int32_t begin = 0;
    std::int32_t end = 0;

    friend bool operator==(const Run&, const Run&) = default;
  };
  /// A send of another rank, by its step.
  struct Hears {
    std::int32_t rank = 0;
    std::int32_t step = 0;

    friend bool operator==(const Hears&, const Hears&) = default;
  };

  /// Sends are in the order of the plan, and receives are. The k-th send of a rank to another one in a lane is the k-th
  /// receive of that rank from it.
  std::vector<Own> ends;
  /// By end, up to the last one that waits: ends of this part that must be done before. An end that keeps or sends does
  /// not begin earlier; a message to be combined may arrive earlier. See after_of.
  Lists<std::uint32_t> after;
  /// By end: where the message lies, in the order of its elements. No lists: whoever carries out the part knows.
  Lists<Range> ranges;
  /// By end: how far apart sends start. Empty: the plan does not say.
  std::vector<SendPace> pace;
  /// By end, of a tree that combines in the order of the ranks: the ranks that a message to be combined is of. If
  /// messages may come in any order, only neighbours may be combined. Empty: the order does not count, or is fixed.
  std::vector<Run> runs;
  /// By end, for mode `chain`: how many words a send awaits. Empty: one, from its receiver.
  std::vector<std::int32_t> permits;
  /// By end, for mode `chain`: who hears when a receive is released, besides the sender of the next receive. No lists:
  /// nobody.
  Lists<Hears> grants;

  /// Adds an end whose message lies in `where`, which say its count. Returns its number.
  std::uint32_t add(Own end, std::span<const Range> where, std::span<const std::uint32_t> before = {});
  std::uint32_t add(const Own& end, const Range& where, std::span<const std::uint32_t> before = {}) {
    return add(end, std::span(&where, 1), before);
  }
  [[nodiscard]] std::span<const std::uint32_t> after_of(std::size_t end) const {
    return end < after.size() ? after[end] : std::span<const std::uint32_t>();
  }

  friend bool operator==(const OwnPart&, const OwnPart&) = default;
};

/// The sends of a lane, or its receives, in their order.
[[nodiscard]] std::vector<std::uint32_t> ends_of(const OwnPart& part, bool sends, std::uint8_t lane = 0);
/// By end: the ends that wait for it, in their order.
[[nodiscard]] Lists<std::uint32_t> waiting_of(const OwnPart& part);
/// The memory that a part takes.
[[nodiscard]] std::int64_t bytes_of(const OwnPart& part);

/// Tells `numbers` all that a part says, or makes the part of it; see planned_part.
template <class Numbers>
void fields(Numbers& numbers, OwnPart& part) {
  numbers.each(part.ends,
               [&](OwnPart::Own& end) { numbers(end.peer, end.sends, end.kind, end.lane, end.count, end.step); });
  part.after.fields(numbers, [&](std::uint32_t& before) { numbers(before); });
  part.ranges.fields(numbers, [&](OwnPart::Range& range) {
    numbers(range.begin, range.count, range.lower, range.store, range.own_turn);
  });
  numbers.each(part.pace, [&](SendPace& pace) { numbers(pace.port_s, pace.connection_s); });
  numbers.each(part.runs, [&](OwnPart::Run& run) { numbers(run.begin, run.end); });
  numbers.each(part.permits, [&](std::int32_t& words) { numbers(words); });
  part.grants.fields(numbers, [&](OwnPart::Hears& hears) { numbers(hears.rank, hears.step); });
}

/// The parts of all ranks. @pre validate(program) finds nothing wrong. If the order of combining counts, messages are
/// followed to see whose bytes they carry. That takes one pass if the operations could be carried out one after the
/// other in the order of the list, otherwise as many passes as necessary.
[[nodiscard]] std::vector<OwnPart> cut(const Program& program);
/// The part of `rank`. If the order of combining does not count, `program` needs only the operations of that rank.
[[nodiscard]] OwnPart cut_for(const Program& program, std::int64_t rank);

/// The parts of all ranks in a schedule whose senders and receivers are ranks; counts are in its units, and a message
/// lies in the store of its peer. `waits`: for each transfer, in the order of the steps, earlier ones that have to be
/// released first, as permits and grants; no lists: none.
[[nodiscard]] std::vector<OwnPart> cut(const StepSchedule& schedule, std::int64_t ranks,
                                       const Lists<std::uint32_t>& waits);
/// The part of one rank.
[[nodiscard]] OwnPart cut_for(const StepSchedule& schedule, std::int64_t rank, const Lists<std::uint32_t>& waits);

/// `part`, of a broadcast of `largest` elements, for a message of `count`, at most as many; ranges that met still do.
[[nodiscard]] OwnPart shrunk(const OwnPart& part, std::int64_t largest, std::int64_t count);

}  // namespace sluice::detail
