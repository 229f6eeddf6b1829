#include "sluice/input/batch_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "input/distinct_messages.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

constexpr const char* kBatchBytes = "bytes of the batch";

/// Checks the numbers that an array's processes have; returns the highest plus 1.
std::int64_t highest_number(const std::vector<std::int64_t>& numbers, std::int64_t processes, const char* where) {
  if (numbers.empty()) return processes;
  if (static_cast<std::int64_t>(numbers.size()) != processes)
    throw InputError(where, count_text(numbers.size(), "number"),
                     fmt::format("{}, one per process of the grid", processes));
  std::vector<std::int64_t> sorted = numbers;
  std::ranges::sort(sorted);
  if (sorted.front() < 0) throw InputError(where, fmt::format("{}", sorted.front()), "at least 0");
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw InputError(where, fmt::format("{} twice", *twice), "different numbers");
  return checked::add(sorted.back(), 1, where);
}

bool same_grids(const Distribution& a, const Distribution& b) {
  if (a.dimensions() != b.dimensions() || a.is_transposed() != b.is_transposed()) return false;
  return std::ranges::equal(a.axes(), b.axes(), [](const Axis& x, const Axis& y) {
    return x.processes == y.processes && x.block == y.block && x.first_process == y.first_process && !x.irregular &&
           !y.irregular;
  });
}

bool is_whole_slices(const AxisPattern& axis) { return !axis.is_irregular() && axis.extent() % axis.slice() == 0; }

/// Whether the messages of one array are a multiple of the other's messages, and neither is empty.
bool are_alike(const BatchArray& a, const BatchArray& b) {
  if (a.senders != b.senders || a.receivers != b.receivers) return false;
  const RedistributionProblem& p = a.problem;
  const RedistributionProblem& q = b.problem;
  if (p.part() != q.part() || p.unit_diagonal() != q.unit_diagonal()) return false;
  const auto same_box = [](const AxisPattern& x, const AxisPattern& y) {
    return x.from_start() == y.from_start() && x.to_start() == y.to_start() && x.extent() == y.extent();
  };
  const bool same_boxes = std::ranges::equal(p.axes(), q.axes(), same_box);
  if (same_boxes && p.from().is_transposed() == q.from().is_transposed() &&
      p.to().is_transposed() == q.to().is_transposed() && std::ranges::equal(p.from().axes(), q.from().axes()) &&
      std::ranges::equal(p.to().axes(), q.to().axes()))
    return true;
  if (!same_grids(p.from(), q.from()) || !same_grids(p.to(), q.to())) return false;
  if (same_boxes) return true;
  return !p.has_part() && std::ranges::equal(p.axes(), q.axes(), [](const AxisPattern& x, const AxisPattern& y) {
    return x.from_start() == y.from_start() && x.to_start() == y.to_start() && is_whole_slices(x) && is_whole_slices(y);
  });
}

std::int64_t pattern_of(const std::vector<BatchArray>& arrays) {
  std::int64_t pattern = -1;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].problem.size() == 0) continue;
    if (pattern < 0) pattern = static_cast<std::int64_t>(i);
    if (!are_alike(arrays[static_cast<std::size_t>(pattern)], arrays[i])) return -1;
  }
  return pattern < 0 ? static_cast<std::int64_t>(arrays.size()) - 1 : pattern;
}

}  // namespace

BatchProblem::BatchProblem(std::vector<BatchArray> arrays, bool same_processes) : arrays_(std::move(arrays)) {
  if (arrays_.empty()) throw InputError("arrays", "none", "at least one");
  for (BatchArray& array : arrays_) {
    if (array.element_bytes < 1)
      throw InputError("element_bytes", fmt::format("{}", array.element_bytes), "at least 1");
    if (array.problem.has_roles()) array.problem = array.problem.apart();
    senders_ =
        std::max(senders_, highest_number(array.senders, array.problem.from().processes(), "senders of an array"));
    receivers_ =
        std::max(receivers_, highest_number(array.receivers, array.problem.to().processes(), "receivers of an array"));
    size_bytes_ = checked::add(size_bytes_, checked::multiply(array.problem.size(), array.element_bytes, kBatchBytes),
                               kBatchBytes);
  }
  pattern_ = pattern_of(arrays_);
  if (!same_processes) return;
  role_of_sender_.emplace(static_cast<std::size_t>(senders_), -1);
  std::iota(role_of_sender_->begin(), role_of_sender_->begin() + std::min(senders_, receivers_), 0);
}

BatchProblem BatchProblem::with_roles(std::span<const Rank> role_of_process) const {
  const auto senders = static_cast<std::size_t>(senders_);
  if (role_of_process.size() < senders)
    throw InputError("roles", count_text(role_of_process.size(), "entry", "entries"),
                     fmt::format("{}, one per sender, or more", senders));
  std::vector<bool> taken(static_cast<std::size_t>(receivers_), false);
  BatchProblem result = *this;
  result.role_of_sender_.emplace(senders, -1);
  for (std::size_t p = 0; p < role_of_process.size(); ++p) {
    const std::int64_t role = role_of_process[p].value;
    if (role < 0 || role >= receivers_) continue;
    if (taken[static_cast<std::size_t>(role)])
      throw InputError("roles", fmt::format("receiver {} twice", role), "each at most once");
    taken[static_cast<std::size_t>(role)] = true;
    if (p < senders) (*result.role_of_sender_)[p] = role;
  }
  return result;
}

std::int64_t BatchProblem::count_messages(std::int64_t limit) const {
  std::int64_t count = 0;
  for (const BatchArray& array : arrays_) {
    count += sluice::count_messages(array.problem, limit - count);
    if (count > limit) break;
  }
  return count;
}

Traffic BatchProblem::traffic() const {
  Traffic result{senders_, receivers_, {}};
  for (const BatchArray& array : arrays_) {
    if (array.problem.size() == 0) continue;
    const auto number = [](const std::vector<std::int64_t>& numbers, std::int64_t process) {
      return numbers.empty() ? process : numbers[static_cast<std::size_t>(process)];
    };
    for (const Message& each : array.problem.traffic().messages) {
      result.messages.push_back(
          {number(array.senders, each.from), number(array.receivers, each.to), each.size * array.element_bytes});
    }
  }
  result.messages = detail::distinct_messages(result);
  return result;
}

Traffic BatchProblem::traffic_between_processes() const {
  Traffic result = traffic();
  if (has_roles()) std::erase_if(result.messages, [&](const Message& each) { return role_of(each.from) == each.to; });
  return result;
}

std::vector<Message> BatchProblem::copies() const {
  if (!has_roles()) return {};
  std::vector<Message> result = traffic().messages;
  std::erase_if(result, [&](const Message& each) { return role_of(each.from) != each.to; });
  return result;
}

}  // namespace sluice
