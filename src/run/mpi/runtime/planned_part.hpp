#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/handed_out.hpp"
#include "run/mpi/runtime/kept_plan.hpp"
#include "sluice/error.hpp"

/// One rank plans for all. The functions here turn into numbers what it has to know and what it tells the others.
namespace sluice::mpi::detail {

/// Numbers from the fields of an object, or the fields from the numbers. Code names the fields once and serves both: as
/// a call with all fields in order, and each() for the items of a list.
class NumberWriter {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (write(fields), ...);
  }
  template <class Item, class Visit>
  void each(std::vector<Item>& items, Visit&& visit) {
    write(items.size());
    for (Item& item : items) visit(item);
  }
  [[nodiscard]] std::vector<std::int64_t> take() { return std::move(numbers_); }

 private:
  template <class Value>
  void write(const Value& value) {
    if constexpr (std::same_as<Value, double>) {
      numbers_.push_back(std::bit_cast<std::int64_t>(value));
    } else if constexpr (std::same_as<Value, std::string>) {
      write(value.size());
      numbers_.insert(numbers_.end(), value.begin(), value.end());
    } else {
      numbers_.push_back(static_cast<std::int64_t>(value));
    }
  }

  std::vector<std::int64_t> numbers_;
};

class NumberReader {
 public:
  explicit NumberReader(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}
  template <class... Fields>
  void operator()(Fields&... fields) {
    (read(fields), ...);
  }
  template <class Item, class Visit>
  void each(std::vector<Item>& items, Visit&& visit) {
    items.resize(static_cast<std::size_t>(next()));
    for (Item& item : items) visit(item);
  }
  [[nodiscard]] bool at_end() const { return at_ == numbers_.size(); }

 private:
  std::int64_t next() { return numbers_.at(at_++); }
  template <class Value>
  void read(Value& value) {
    if constexpr (std::same_as<Value, double>) {
      value = std::bit_cast<double>(next());
    } else if constexpr (std::same_as<Value, std::string>) {
      value.resize(static_cast<std::size_t>(next()));
      for (char& c : value) c = static_cast<char>(next());
    } else {
      value = static_cast<Value>(next());
    }
  }

  std::vector<std::int64_t> numbers_;
  std::size_t at_ = 0;
};

/// The numbers of each of `parts`. `fields(numbers, part)` gives `numbers`, a NumberWriter or a NumberReader, all
/// fields of a part.
template <class Part, class Fields>
[[nodiscard]] NumbersOfRanks numbers_of(std::vector<Part> parts, Fields&& fields) {
  NumbersOfRanks numbers;
  numbers.reserve(parts.size());
  for (Part& part : parts) {
    NumberWriter writer;
    fields(writer, part);
    numbers.push_back(writer.take());
  }
  return numbers;
}

/// The part that these numbers describe.
template <class Part, class Fields>
[[nodiscard]] Part part_of_numbers(std::vector<std::int64_t> numbers, Fields&& fields) {
  NumberReader reader(std::move(numbers));
  Part part;
  fields(reader, part);
  SLUICE_ASSERT(reader.at_end(), "a part has other fields than were sent");
  return part;
}

/// This rank's part. `plan()` returns the parts, one for each rank, on rank 0. `fields` as for numbers_of. Call it on
/// all ranks; it throws on every rank what `plan` throws. `may_take_long`: the others leave the processor to rank 0
/// meanwhile, and learn of its plan a little later.
template <class Part, class Plan, class Fields>
[[nodiscard]] Part planned_part(Channel& channel, Plan&& plan, Fields&& fields, bool may_take_long = false) {
  NumbersOfRanks numbers;
  const std::exception_ptr failure = failure_of([&] {
    if (channel.rank() == 0) numbers = numbers_of(plan(), fields);
  });
  char planned = 1;
  if (may_take_long) tell_all(channel, &planned, sizeof planned, 0, /*aside=*/true);
  return part_of_numbers<Part>(agree_and_hand_out(channel, failure, std::move(numbers)), fields);
}

/// What is kept by `key`, as find_kept; otherwise this rank's part of what `plan()` returns, as planned_part, which is
/// kept now. If all ranks share memory, rank 0 plans what it does not keep before the ranks agree on that, and the
/// parts go along with the agreement.
template <class Part, class Plan, class Fields>
[[nodiscard]] KeptPlan kept_or_planned_part(Channel& channel, const std::string& key, std::uint64_t fingerprint,
                                            Plan&& plan, Fields&& fields) {
  NumbersOfRanks numbers;
  const std::exception_ptr failure = failure_of([&] {
    Context& context = channel.context();
    if (channel.rank() == 0 && HandedOut::possible(context) && context.plans().find(key) == nullptr)
      numbers = numbers_of(plan(), fields);
  });
  const HandedOut handed_out(channel, numbers);
  KeptPlan kept = find_kept(channel, key, fingerprint, failure, {.block = handed_out.block()});
  (void)kept.plan_or<Part>(channel, [&] {
    if (kept.blocks.empty() || kept.blocks.front() == 0) return planned_part<Part>(channel, plan, fields);
    return part_of_numbers<Part>(
        channel.rank() == 0 ? std::move(numbers.front()) : HandedOut::read(channel, kept.blocks.front()), fields);
  });
  return kept;
}

/// The `part` of rank 0 on all ranks; it matters there only.
template <class Part, class Fields>
[[nodiscard]] Part tell_part(Channel& channel, Part part, Fields&& fields) {
  std::vector<std::int64_t> numbers;
  if (channel.rank() == 0) {
    NumberWriter writer;
    fields(writer, part);
    numbers = writer.take();
  }
  auto count = static_cast<std::int64_t>(numbers.size());
  tell_all(channel, &count, sizeof count, 0);
  numbers.resize(static_cast<std::size_t>(count));
  tell_all(channel, numbers.data(), count * static_cast<std::int64_t>(sizeof(std::int64_t)), 0);
  return part_of_numbers<Part>(std::move(numbers), fields);
}

}  // namespace sluice::mpi::detail
