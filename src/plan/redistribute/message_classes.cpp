#include "plan/redistribute/message_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "plan/step_rule.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice::detail {

ClassBound bound_of(const MessageClasses& messages) {
  // Numbers of messages by length, for each group; then, for each length, the largest number of messages at least as
  // long.
  ClassBound bound;
  std::vector<std::int64_t> at_left(static_cast<std::size_t>(messages.lefts), 0);
  std::vector<std::int64_t> at_right(static_cast<std::size_t>(messages.rights), 0);
  std::vector<const MessageClass*> falling;
  for (const MessageClass& each : messages.classes) falling.push_back(&each);
  std::ranges::sort(falling, std::ranges::greater{}, &MessageClass::length);
  std::int64_t before = 0;
  for (std::size_t i = 0; i < falling.size();) {
    const std::int64_t length = falling[i]->length;
    for (; i < falling.size() && falling[i]->length == length; ++i) {
      std::int64_t& left = at_left[static_cast<std::size_t>(falling[i]->left)];
      std::int64_t& right = at_right[static_cast<std::size_t>(falling[i]->right)];
      left += messages.right_copies;
      right += messages.left_copies;
      bound.steps = std::max({bound.steps, left, right});
    }
    bound.transmission = checked::add(bound.transmission,
                                      checked::multiply(length, bound.steps - before, "transmission"), "transmission");
    before = bound.steps;
  }
  return bound;
}

double most_messages_of(const AxisPattern& pattern, std::int64_t fineness) {
  if (fineness == 0) return most_messages(pattern);
  const CommunicationGrid grid = paper_grid(pattern);
  return static_cast<double>(grid.classes()) * static_cast<double>(grid.row_blocks()) *
         static_cast<double>(grid.column_blocks()) * static_cast<double>(fineness);
}

MessageClasses told_apart(MessageClasses classes) {
  if (classes.copies() == 1) return classes;
  const auto a = static_cast<std::int32_t>(classes.left_copies), b = static_cast<std::int32_t>(classes.right_copies);
  MessageClasses result{classes.lefts * a, classes.rights * b, 1, 1, {}};
  result.classes.reserve(classes.classes.size() * static_cast<std::size_t>(classes.copies()));
  for (const MessageClass& each : classes.classes)
    for (std::int32_t alpha = 0; alpha < a; ++alpha)
      for (std::int32_t beta = 0; beta < b; ++beta)
        result.classes.push_back({each.left * a + alpha, each.right * b + beta, each.length});
  return result;
}

AxisClasses::AxisClasses(const AxisPattern& pattern) : grid_(paper_grid(pattern)) {
  const Axis& from = pattern.from();
  const Axis& to = pattern.to();
  messages_.lefts = static_cast<std::int32_t>(from.processes);
  messages_.rights = static_cast<std::int32_t>(to.processes);
  first_of_sender_.push_back(0);
  for (std::int64_t p = 0; p < from.processes; ++p) {
    const auto first = static_cast<std::ptrdiff_t>(messages_.classes.size());
    for (const AxisMessage& message : pattern.sends(from.absolute(p))) {
      messages_.classes.push_back(
          {static_cast<std::int32_t>(p), static_cast<std::int32_t>(to.relative(message.peer)), message.count});
    }
    std::ranges::sort(messages_.classes.begin() + first, messages_.classes.end(), {}, &MessageClass::right);
    first_of_sender_.push_back(static_cast<std::int32_t>(messages_.classes.size()));
  }
}

AxisClasses::AxisClasses(const AxisPattern& pattern, std::int64_t fineness)
    : grid_(paper_grid(pattern)), fineness_(fineness) {
  const std::int64_t slices = pattern.extent() / pattern.slice();
  messages_.lefts = static_cast<std::int32_t>(grid_.row_period() * fineness);
  messages_.rights = static_cast<std::int32_t>(grid_.column_period() * fineness);
  messages_.left_copies = grid_.row_blocks();
  messages_.right_copies = grid_.column_blocks();
  for (std::int64_t number = 0; number < grid_.classes(); ++number) {
    const auto [row_residue, column_residue, shift] = grid_.class_position(number);
    const std::int64_t length = checked::multiply(grid_.class_length(number), slices, "length of a message");
    for (std::int64_t lift = 0; lift < fineness; ++lift) {
      const std::int64_t receiving = ((lift - shift) % fineness + fineness) % fineness;
      messages_.classes.push_back({static_cast<std::int32_t>(row_residue * fineness + lift),
                                   static_cast<std::int32_t>(column_residue * fineness + receiving), length});
    }
  }
}

AxisClasses::Place AxisClasses::place(std::int64_t sender, std::int64_t receiver) const {
  if (fineness_ > 0) {
    const CommunicationGrid::QuotientPosition from = grid_.position_of_sender(sender);
    return {grid_.class_of(sender, receiver) * fineness_ + from.lift % fineness_, from.block,
            grid_.position_of_receiver(receiver).block};
  }
  const auto begin = messages_.classes.begin() + first_of_sender_[static_cast<std::size_t>(sender)];
  const auto end = messages_.classes.begin() + first_of_sender_[static_cast<std::size_t>(sender) + 1];
  const auto found =
      std::ranges::lower_bound(begin, end, static_cast<std::int32_t>(receiver), {}, &MessageClass::right);
  SLUICE_ASSERT(found != end && found->right == receiver, fmt::format("no message from {} to {}", sender, receiver));
  return {found - messages_.classes.begin(), 0, 0};
}

ArrayClasses::ArrayClasses(std::vector<AxisClasses> axes) : axes_(std::move(axes)) {
  messages_ = {1, 1, 1, 1, {{0, 0, 1}}};
  for (const AxisClasses& axis : axes_) {
    const MessageClasses& one = axis.messages();
    MessageClasses product{messages_.lefts * one.lefts,
                           messages_.rights * one.rights,
                           messages_.left_copies * one.left_copies,
                           messages_.right_copies * one.right_copies,
                           {}};
    product.classes.reserve(messages_.classes.size() * one.classes.size());
    for (const MessageClass& a : messages_.classes) {
      for (const MessageClass& b : one.classes) {
        product.classes.push_back({a.left * one.lefts + b.left, a.right * one.rights + b.right,
                                   checked::multiply(a.length, b.length, "length of a message")});
      }
    }
    messages_ = std::move(product);
  }
}

ArrayClasses::ArrayClasses(std::vector<AxisClasses> axes, const LengthOf& length_of) : ArrayClasses(std::move(axes)) {
  SLUICE_ASSERT(messages_.copies() == 1, fmt::format("{} messages in a class", messages_.copies()));
  kept_.reserve(messages_.classes.size());
  std::int32_t kept = 0;
  for (const MessageClass& each : messages_.classes) {
    const std::int64_t length = length_of(each.left, each.right, each.length);
    if (length > 0) messages_.classes[static_cast<std::size_t>(kept)] = {each.left, each.right, length};
    kept_.push_back(length > 0 ? kept++ : -1);
  }
  messages_.classes.resize(static_cast<std::size_t>(kept));
}

std::int64_t ArrayClasses::edge_of(std::span<const std::int64_t> sender, std::span<const std::int64_t> receiver) const {
  SLUICE_ASSERT(!axes_.empty(), "messages of an array");
  std::int64_t number = 0, alpha = 0, beta = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const AxisClasses::Place place = axes_[d].place(sender[d], receiver[d]);
    const MessageClasses& one = axes_[d].messages();
    number = number * static_cast<std::int64_t>(one.classes.size()) + place.number;
    alpha = alpha * one.left_copies + place.alpha;
    beta = beta * one.right_copies + place.beta;
  }
  if (!kept_.empty()) {
    number = kept_[static_cast<std::size_t>(number)];
    SLUICE_ASSERT(number >= 0, "a message that is left out");
  }
  return (number * messages_.left_copies + alpha) * messages_.right_copies + beta;
}

}  // namespace sluice::detail
