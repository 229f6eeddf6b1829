#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/message_graph.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/timing/model.hpp"

/// What each transfer of a schedule waits for, without anything about a machine: every engine of `simulate` runs this.
namespace sluice::detail {

/// How the messages of a schedule travel if each goes in several pieces, as jobs send them (PieceWindows).
struct SimulatedPieces {
  std::int64_t chunk_bytes = 1;  ///< the longest piece
  std::int64_t granule = 1;      ///< pieces are multiples of `granule` bytes if chunk_bytes allows it
  int window = 1;                ///< of pieces that a host sends
  int ahead = 0;                 ///< receives are posted for this many more
  std::int64_t early_bytes = 0;  ///< of a message that may be missing when its receiver lets others begin
};

/// The messages of a schedule and the rules of the hosts that carry them out.
struct SimulatedMessages {
  /// Without ranges, by rising steps; only starts wait. Words take the latency of their way. A pace says for how long
  /// no other message of the sender begins, and none between the two ranks. If several may begin, the first does. Work
  /// does not count as under way.
  MessageGraph graph;
  std::vector<std::size_t> of_transfers;  ///< the message of each transfer of the schedule, in its order
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< under way at once when another one begins
  /// Whether a message begins only when all earlier messages of the list with its sender and receiver have begun.
  bool in_order = false;
  /// Whether a host does one piece of work after the other, in the order of their readiness, and begins no message
  /// meanwhile.
  bool works_alone = false;
  /// The hosts that have a barrier before each step but the first. In its round j each tells the one 2^j places behind
  /// it in this list. Empty: a step begins when all messages of the previous step have ended.
  std::vector<std::int64_t> fence;
  /// Set: a message goes in pieces. It begins when earlier ones have begun at its sender and its receiver awaits it;
  /// `after` says what it waits for besides. What a word waits for need only have been released (EarlyRelease).
  std::optional<SimulatedPieces> pieces;

  [[nodiscard]] bool is_word(std::size_t message) const { return graph.messages[message].kind == MessageKind::kWord; }
  [[nodiscard]] double work_s(std::size_t message) const { return graph.work_s.empty() ? 0 : graph.work_s[message]; }
  [[nodiscard]] std::int32_t step(std::size_t message) const { return graph.step.empty() ? 0 : graph.step[message]; }
  [[nodiscard]] SendPace pace(std::size_t message) const {
    return graph.pace.empty() ? SendPace() : graph.pace[message];
  }
};

/// Throws InputError for a schedule of several switches, and for too many nodes, as `simulate` says.
void refuse_unsimulated(const StepSchedule& schedule);
/// Throws InputError for a schedule with local phases. `expected`: what is possible with them.
void refuse_local_phases(const StepSchedule& schedule, const std::string& expected);

/// Steps of a schedule that come one after another: its own, or the steps of one of its phases.
struct SimulatedPhase {
  const std::vector<Step>& steps;
  double setup = 0;                 ///< of a step, in units of size
  double unit = 1;                  ///< the time of a unit of size
  std::int64_t first_sender = 0;    ///< the node of sender 0 of the phase
  std::int64_t first_receiver = 0;  ///< the node of its receiver 0
};
/// With local phases receiver j is node senders + j; without, senders and receivers are counted apart. Keeps
/// references.
[[nodiscard]] std::vector<SimulatedPhase> phases_of(const StepSchedule& schedule);

/// Senders are 0 .. senders - 1, receivers follow. @pre the schedule is sound, without local phases, on one switch
///
/// `control`: with the control messages of jobs in the mode of that name. `barrier` has its fences. `chain` has each
/// receiver's word that it is free, and a word of the receiver whose transfer leaves its slot to another one
/// (transfers_before); these keep k instead of `most`. `local` has none.
///
/// `in_pieces`: for messages in pieces. Each host's own order is the order of the pieces, and no message waits for the
/// previous one to end. @pre `control`, if so
[[nodiscard]] SimulatedMessages messages_of(const StepSchedule& schedule, StepOrder order, bool control,
                                            bool in_pieces = false);

/// A message for each send, between the ranks as named. If a combine waits for more than its message, also a message
/// from a rank to itself, which takes no time. If combining takes time, also work for every combine. A message that is
/// kept waits until its receiver may take it, as it does in MPI if it is long. A message that is combined comes to a
/// buffer. Sends to the same rank begin in order.
/// @pre the program is sound
[[nodiscard]] SimulatedMessages messages_of(const Program& program);

/// What a reduction waits for, following its replay (`simulate`): a message for each transfer, of its share of
/// `element_bytes`, and the work of combining behind it. A machine with a date works until then.
/// @pre the schedule is sound, a reduction whose transfers all take equally long
[[nodiscard]] SimulatedMessages messages_of(const TreeSchedule& schedule, std::int64_t element_bytes);

/// When each message begins and ends.
struct MessageTimes {
  std::vector<double> start;
  std::vector<double> end;
};

/// A transfer for each of the schedule, phase by phase, for each send of the program and for each of the tree, in their
/// order and without times.
[[nodiscard]] Timeline untimed(const StepSchedule& schedule, std::string_view unit);
[[nodiscard]] Timeline untimed(const Program& program, std::string_view unit);
[[nodiscard]] Timeline untimed(const TreeSchedule& schedule, std::string_view unit);
/// Sender and receiver are at it together.
void put_times(TimelineTransfer& transfer, double start, double end);
/// `messages`: the message of each transfer of an untimed timeline. All is done when the last message has ended.
void put_times(Timeline& timeline, const MessageTimes& times, const std::vector<std::size_t>& messages);

/// Goes through the messages, while a model of a machine says when each ends.
class MessageSequence {
 public:
  /// Keeps a reference.
  explicit MessageSequence(const SimulatedMessages& messages);

  /// The first of the list that may begin now, which counts as under way from then on; none if there is none.
  [[nodiscard]] std::optional<std::size_t> next();
  /// Words that wait for it may begin.
  void release(std::size_t message);
  /// `message` has ended: messages that wait for it may begin. @pre it is under way
  void end(std::size_t message);
  /// From now on, instead of SimulatedMessages::most.
  void allow(std::int64_t most) { most_ = most; }
  [[nodiscard]] bool all_ended() const { return ended_ == missing_.size(); }

 private:
  const SimulatedMessages& messages_;
  Lists<MessageEnd> waiting_;             ///< by end
  std::vector<std::size_t> step_begins_;  ///< by message: where its step begins in the list
  std::vector<std::size_t> missing_;      ///< by message: how many it waits for still
  std::vector<bool> released_;
  std::vector<std::size_t> behind_;  ///< by message: the message that begins after it if order is kept, or none
  using Earliest = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;
  Earliest ready_;
  Earliest ready_work_;
  std::int64_t under_way_ = 0;
  std::int64_t most_;
  std::size_t ended_ = 0;

  [[nodiscard]] bool is_work(std::size_t message) const { return messages_.work_s(message) > 0; }
  void make_ready(std::size_t message) { (is_work(message) ? ready_work_ : ready_).push(message); }
  std::optional<std::size_t> take(Earliest& ready) const;
  void free(std::size_t message, bool words);
};

}  // namespace sluice::detail
