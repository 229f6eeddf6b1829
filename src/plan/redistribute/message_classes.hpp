#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sluice/input/axis_pattern.hpp"

namespace sluice::detail {

/// Messages of one length, one from each of the A senders of group `left` to each of the B receivers of group `right`.
struct MessageClass {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int64_t length = 0;

  friend bool operator==(const MessageClass&, const MessageClass&) = default;
};

/// The messages of a redistribution in as few classes as its symmetry allows.
///
/// A group stands for `left_copies` = A senders (`right_copies` = B receivers) that nothing tells apart; with A = B = 1
/// groups are processes and classes are messages. What is planned here may stand for many processes more, see
/// ArrayClasses.
struct MessageClasses {
  std::int32_t lefts = 0;
  std::int32_t rights = 0;
  std::int64_t left_copies = 1;
  std::int64_t right_copies = 1;
  std::vector<MessageClass> classes;

  /// Messages of one class.
  [[nodiscard]] std::int64_t copies() const { return left_copies * right_copies; }
};

/// What no schedule can go below, by the messages of each process alone.
struct ClassBound {
  std::int64_t steps = 0;         ///< Delta, the largest number of messages of one process
  std::int64_t transmission = 0;  ///< sum over i of the largest i-th largest message of any process
};
[[nodiscard]] ClassBound bound_of(const MessageClasses& messages);

/// The classes of one dimension, and where a pair of processes stands in them.
///
/// If the sub-array is whole slices, this is the quotient of the communication grid (see CommunicationGrid). Class k
/// joins row residue a, of A blocks, to column residue b, of B blocks. Each block stands for g0 processes, its lifts.
/// `fineness` h, a divisor of g0, tells lifts apart modulo h: group (a, i mod h) is joined by class (k, i mod h) to
/// group (b, (i - shift_k) mod h). h = 1 is the quotient, h = g0 the whole grid. Otherwise it is the messages
/// themselves.
class AxisClasses {
 public:
  /// The messages as they are, for any sub-array.
  explicit AxisClasses(const AxisPattern& pattern);
  /// The quotient, with the lengths of the whole slices; what a tail adds is left out. @pre fineness divides lift()
  AxisClasses(const AxisPattern& pattern, std::int64_t fineness);

  [[nodiscard]] const MessageClasses& messages() const { return messages_; }

  /// One message: its class, and which of the A senders and B receivers it joins.
  struct Place {
    std::int64_t number = 0;
    std::int64_t alpha = 0;
    std::int64_t beta = 0;
  };
  /// @pre the pair exchanges a message; processes are relative to the process with the first block.
  [[nodiscard]] Place place(std::int64_t sender, std::int64_t receiver) const;

 private:
  CommunicationGrid grid_;
  std::int64_t fineness_ = 0;  ///< 0: the messages themselves
  MessageClasses messages_;
  // Only for the messages themselves: sorted by sender, then receiver.
  std::vector<std::int32_t> first_of_sender_;
};

/// At most how many messages the classes of one dimension have at that fineness (0: the messages themselves).
[[nodiscard]] double most_messages_of(const AxisPattern& pattern, std::int64_t fineness);

/// `classes` with each message as a class of its own, number (class * A + alpha) * B + beta. If copies() = 1 they stay
/// as they are.
[[nodiscard]] MessageClasses told_apart(MessageClasses classes);

/// The classes of an array: the products of the classes of its dimensions.
class ArrayClasses {
 public:
  explicit ArrayClasses(std::vector<AxisClasses> axes);
  /// The messages that are left when each has the length that `length_of(sender, receiver, length of the product)`
  /// says; messages of length 0 are left out. Processes are numbered row by row of the grids, starting from the
  /// processes with the first blocks. @pre copies() == 1
  using LengthOf = std::function<std::int64_t(std::int32_t, std::int32_t, std::int64_t)>;
  ArrayClasses(std::vector<AxisClasses> axes, const LengthOf& length_of);
  /// Messages that no array explains. They are known by their numbers alone: edge_of is not for them.
  explicit ArrayClasses(MessageClasses messages) : messages_(std::move(messages)) {}

  [[nodiscard]] const MessageClasses& messages() const { return messages_; }
  /// Number (class * A + alpha) * B + beta of the message between two processes, given by their coordinates.
  /// @pre it is there, and not left out, and these are classes of axes
  [[nodiscard]] std::int64_t edge_of(std::span<const std::int64_t> sender,
                                     std::span<const std::int64_t> receiver) const;

 private:
  std::vector<AxisClasses> axes_;
  MessageClasses messages_;
  std::vector<std::int32_t> kept_;  ///< number of each message among the kept ones, -1: left out; empty: all are kept
};

}  // namespace sluice::detail
