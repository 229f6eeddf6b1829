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

#include "sluice/run/simulate/model.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Which transfers of a schedule wait for which others, without anything about a machine: what every engine of
/// `simulate` runs.
namespace sluice::detail {

struct OrderedMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t size = 0;
  std::int64_t step = 0;  ///< begins when all of lower steps have ended
  /// Whether it is a word by which ranks keep the order, which takes the latency of its way and nothing else.
  bool control = false;
  /// For how long after its beginning no other message between the two begins, in the same direction.
  double connection_s = 0;
  double port_s = 0;  ///< the same for all messages of its sender, of which the first that may begin does; at most that
  /// Above 0: it is no message, but work that takes its host so long, and no place of those that may be under way.
  double work_s = 0;
};

/// How the messages of a schedule travel where each is several, as jobs send them (PieceWindows).
struct SimulatedPieces {
  std::int64_t chunk_bytes = 1;  ///< the longest piece
  std::int64_t granule = 1;      ///< pieces are multiples of so many bytes where chunk_bytes allows it
  int window = 1;                ///< of pieces that a host sends
  int ahead = 0;                 ///< receives are posted for so many more
  std::int64_t early_bytes = 0;  ///< of a message that may be missing when its receiver lets others begin
};

/// Messages by rising steps, and what they wait for, which leads to no circle.
struct OrderedMessages {
  std::vector<OrderedMessage> messages;
  std::vector<std::size_t> first_after{0};  ///< of message i: after[first_after[i]] .. after[first_after[i + 1]]
  std::vector<std::size_t> after;           ///< messages that must have ended
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< under way at once when another one begins
  /// Whether a message begins only when all before it of the list that have the same sender and receiver have begun.
  bool in_order = false;
  /// Whether a host does one piece of work after the other, as they can begin, and begins no message meanwhile.
  bool works_alone = false;
  /// Between whom there is a barrier before each step but the first; in its round j each tells the one 2^j places
  /// behind it in this list. Empty: a step begins when all of the one before have ended.
  std::vector<std::int64_t> fence;
  /// Set: a message begins in pieces, when those before it have begun at its sender and its receiver awaits it, and
  /// `after` says what it waits for besides. Those of control messages need only have been released (EarlyRelease).
  std::optional<SimulatedPieces> pieces;

  void add(const OrderedMessage& message, const std::vector<std::size_t>& waits_for);
};

/// Throws InputError for a schedule of several switches, and for too many nodes, as `simulate` says.
void refuse_unsimulated(const StepSchedule& schedule);
/// Throws InputError for a schedule with local phases. `expected`: what is possible with them.
void refuse_local_phases(const StepSchedule& schedule, const std::string& expected);

/// Steps of a schedule that come one after another: its own, or those of each of its phases.
struct SimulatedPhase {
  const std::vector<Step>& steps;
  double setup = 0;                 ///< of a step, in units of size
  double unit = 1;                  ///< what a unit of size takes
  std::int64_t first_sender = 0;    ///< the node that sender 0 of the phase is
  std::int64_t first_receiver = 0;  ///< the same
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
/// `control`: with what ranks tell each other, as jobs do in the mode of that name. Of `barrier` its fences; of `chain`
/// the word of each receiver that it is free, and that of the receiver whose transfer leaves its slot to another one
/// (transfers_before), which keep k instead of `most`. In `local` there is none.
///
/// `in_pieces`: for graph.pieces, where each host's own order is that of the pieces, and no message waits for the one
/// before it to end. @pre `control`, if so
[[nodiscard]] MessagesOfSchedule messages_of(const StepSchedule& schedule, StepOrder order, bool control,
                                             bool in_pieces = false);

/// A message for each send, as ranks are named, and one from a rank to itself, which takes no time, where a combine
/// waits for more than its message; where combining takes time, work for every combine. A message that is kept waits
/// until its receiver may take it, as it does in MPI if it is long; one that is combined comes to a buffer. Sends to
/// the same rank begin in order.
/// @pre the program is sound
struct MessagesOfProgram {
  OrderedMessages graph;
  std::vector<std::size_t> of_sends;  ///< the messages of the sends, in the order of the program
};
[[nodiscard]] MessagesOfProgram messages_of(const Program& program);

/// What a reduction waits for, as its replay has it (`simulate`): a message for each transfer, of its share of
/// `element_bytes`, and the work of combining behind it. A machine with a date works until then.
struct MessagesOfTree {
  OrderedMessages graph;
  std::vector<std::size_t> of_transfers;  ///< the messages of the transfers, in the order of the schedule
};
/// @pre the schedule is sound, a reduction whose transfers all take the same
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
/// `messages`: that of each transfer of an untimed timeline. All is done when the last message has ended.
void put_times(Timeline& timeline, const MessageTimes& times, const std::vector<std::size_t>& messages);

/// Goes through the messages as some machine says that they end.
class MessageSequence {
 public:
  /// Keeps a reference.
  explicit MessageSequence(const OrderedMessages& graph);

  /// The first of the list that may begin now, which counts as under way from then on; none if there is none.
  [[nodiscard]] std::optional<std::size_t> next();
  /// Control messages that wait for it may begin.
  void release(std::size_t message);
  /// All that wait for it may. @pre it is under way
  void end(std::size_t message);
  /// From now on, instead of OrderedMessages::most.
  void allow(std::int64_t most) { most_ = most; }
  [[nodiscard]] bool all_ended() const { return ended_ == graph_.messages.size(); }

 private:
  const OrderedMessages& graph_;
  std::vector<std::size_t> first_freed_;  ///< those that wait for message i: freed_[first_freed_[i]] ..
  std::vector<std::size_t> freed_;
  std::vector<std::size_t> step_begins_;  ///< by message: where its step begins in the list
  std::vector<std::size_t> missing_;      ///< by message: how many it waits for still
  std::vector<bool> released_;
  std::vector<std::size_t> behind_;  ///< by message: the one that begins after it where order is kept, or none
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
