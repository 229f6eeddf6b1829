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

#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/timing/model.hpp"

/// What each transfer of a schedule waits for, without anything about a machine: every engine of `simulate` runs this.
namespace sluice::detail {

struct OrderedMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t size = 0;
  std::int64_t step = 0;  ///< begins when all messages of lower steps have ended.
  /// Whether it is a control message: ranks keep the order with these. It takes only the latency of its way.
  bool control = false;
  /// For how long after its beginning no other message between the two begins, in the same direction.
  double connection_s = 0;
  double port_s = 0;  ///< likewise for all messages of its sender: the first one that may begin begins; at most
                      ///< connection_s
  /// Above 0: it is no message, but work that occupies its host for `work_s`. It does not count as a message under way.
  double work_s = 0;
};

/// How the messages of a schedule travel if each goes in several pieces, as jobs send them (PieceWindows).
struct SimulatedPieces {
  std::int64_t chunk_bytes = 1;  ///< the longest piece
  std::int64_t granule = 1;      ///< pieces are multiples of `granule` bytes if chunk_bytes allows it
  int window = 1;                ///< of pieces that a host sends
  int ahead = 0;                 ///< receives are posted for this many more
  std::int64_t early_bytes = 0;  ///< of a message that may be missing when its receiver lets others begin
};

/// Messages by rising steps, and what they wait for; there are no circles.
struct OrderedMessages {
  std::vector<OrderedMessage> messages;
  std::vector<std::size_t> first_after{0};  ///< of message i: after[first_after[i]] .. after[first_after[i + 1]]
  std::vector<std::size_t> after;           ///< messages that must have ended
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
  /// `after` says what it waits for besides. What a control message waits for need only have been released
  /// (EarlyRelease).
  std::optional<SimulatedPieces> pieces;

  void add(const OrderedMessage& message, const std::vector<std::size_t>& waits_for);
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

struct MessagesOfSchedule {
  OrderedMessages graph;
  std::vector<std::size_t> of_transfers;  ///< the messages of the transfers, in the order of the steps
};
/// Senders are 0 .. senders - 1, receivers follow. @pre the schedule is sound, without local phases, on one switch
///
/// `control`: with the control messages of jobs in the mode of that name. `barrier` has its fences. `chain` has each
/// receiver's word that it is free, and a word of the receiver whose transfer leaves its slot to another one
/// (transfers_before); these keep k instead of `most`. `local` has none.
///
/// `in_pieces`: for graph.pieces. Each host's own order is the order of the pieces, and no message waits for the
/// previous one to end. @pre `control`, if so
[[nodiscard]] MessagesOfSchedule messages_of(const StepSchedule& schedule, StepOrder order, bool control,
                                             bool in_pieces = false);

/// A message for each send, between the ranks as named. If a combine waits for more than its message, also a message
/// from a rank to itself, which takes no time. If combining takes time, also work for every combine. A message that is
/// kept waits until its receiver may take it, as it does in MPI if it is long. A message that is combined comes to a
/// buffer. Sends to the same rank begin in order.
/// @pre the program is sound
struct MessagesOfProgram {
  OrderedMessages graph;
  std::vector<std::size_t> of_sends;  ///< the messages of the sends, in the order of the program
};
[[nodiscard]] MessagesOfProgram messages_of(const Program& program);

/// What a reduction waits for, following its replay (`simulate`): a message for each transfer, of its share of
/// `element_bytes`, and the work of combining behind it. A machine with a date works until then.
struct MessagesOfTree {
  OrderedMessages graph;
  std::vector<std::size_t> of_transfers;  ///< the messages of the transfers, in the order of the schedule
};
/// @pre the schedule is sound, a reduction whose transfers all take equally long
[[nodiscard]] MessagesOfTree messages_of(const TreeSchedule& schedule, std::int64_t element_bytes);

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
  explicit MessageSequence(const OrderedMessages& graph);

  /// The first of the list that may begin now, which counts as under way from then on; none if there is none.
  [[nodiscard]] std::optional<std::size_t> next();
  /// Control messages that wait for it may begin.
  void release(std::size_t message);
  /// `message` has ended: messages that wait for it may begin. @pre it is under way
  void end(std::size_t message);
  /// From now on, instead of OrderedMessages::most.
  void allow(std::int64_t most) { most_ = most; }
  [[nodiscard]] bool all_ended() const { return ended_ == graph_.messages.size(); }

 private:
  const OrderedMessages& graph_;
  std::vector<std::size_t> first_freed_;  ///< the messages that wait for message i: freed_[first_freed_[i]] ..
  std::vector<std::size_t> freed_;
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

  [[nodiscard]] bool is_work(std::size_t message) const { return graph_.messages[message].work_s > 0; }
  void make_ready(std::size_t message) { (is_work(message) ? ready_work_ : ready_).push(message); }
  std::optional<std::size_t> take(Earliest& ready) const;
  void free(std::size_t message, bool control);
};

}  // namespace sluice::detail
