#include "sluice/input/redistribution_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "input/positions.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/communication_grid.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

std::vector<std::int64_t> shape_of(const Distribution& distribution) {
  std::vector<std::int64_t> shape;
  for (const Axis& axis : distribution.axes()) shape.push_back(axis.extent);
  return shape;
}

void check_dimensions(std::size_t from, std::size_t to) {
  if (from != to)
    throw InputError("layouts", fmt::format("{} and {}", count_text(from, "dimension"), to), "as many on both sides");
}

/// The products of the messages of the dimensions so far with the messages of one more dimension. `peer` is the end
/// that varies; its number grows by `rank_step` with its coordinate there.
std::vector<Message> product(const std::vector<Message>& messages, const std::vector<AxisMessage>& of_axis,
                             std::int64_t Message::*peer, std::int64_t rank_step) {
  std::vector<Message> longer;
  longer.reserve(messages.size() * of_axis.size());
  for (const Message& message : messages) {
    for (const AxisMessage& part : of_axis) {
      Message next = message;
      next.*peer += part.peer.value * rank_step;
      next.size = message.size * part.count;
      longer.push_back(next);
    }
  }
  return longer;
}

/// In larger grids every process must have elements, unless blocks are of any sizes. Asking all processes of a grid of
/// this size takes a second.
constexpr std::int64_t kMostPartlyFilled = std::int64_t{1} << 20;

/// Throws InputError for a large grid with processes that have no elements. `start`, `extent`: of the box.
void check_filled(const Distribution& grid, std::span<const std::int64_t> start, std::span<const std::int64_t> extent,
                  const std::string& where) {
  if (grid.processes() <= kMostPartlyFilled) return;
  std::int64_t filled = 1;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    const Axis& axis = grid.axis(d);
    const std::int64_t blocks = extent[d] == 0   ? 0
                                : axis.irregular ? axis.processes
                                                 : (start[d] + extent[d] - 1) / axis.block - start[d] / axis.block + 1;
    filled *= std::min(blocks, axis.processes);
  }
  if (filled == grid.processes()) return;
  throw InputError(
      where, fmt::format("{}, of which {} have elements", count_text(grid.processes(), "process", "processes"), filled),
      fmt::format("at most {} where some have none", kMostPartlyFilled));
}

/// Throws InputError for a grid that is too large beside blocks of any sizes.
void check_size_beside_cuts(const Distribution& grid, const std::string& where) {
  constexpr std::int64_t kMostBesideCuts = std::int64_t{1} << 24;
  if (grid.processes() > kMostBesideCuts)
    throw InputError(where, count_text(grid.processes(), "process", "processes"),
                     fmt::format("at most {} where blocks are given by cuts", kMostBesideCuts));
}

}  // namespace

RedistributionProblem::RedistributionProblem(const Distribution& from, const Distribution& to,
                                             const ProblemNames& names)
    : RedistributionProblem(from, to, std::vector<std::int64_t>(from.dimensions(), 0),
                            std::vector<std::int64_t>(from.dimensions(), 0), shape_of(from), names) {
  if (shape_of(from) != shape_of(to)) {
    throw InputError(names.shape, "source and target arrays of different shapes", "the same, or a sub-array to move");
  }
}

RedistributionProblem::RedistributionProblem(const Distribution& from, const Distribution& to,
                                             std::span<const std::int64_t> from_start,
                                             std::span<const std::int64_t> to_start,
                                             std::span<const std::int64_t> extent, const ProblemNames& names)
    : from_(from), to_(to) {
  const std::size_t dimensions = from.dimensions();
  check_dimensions(dimensions, to.dimensions());
  if (from_start.size() != dimensions || to_start.size() != dimensions || extent.size() != dimensions) {
    throw InputError("sub-array",
                     fmt::format("{} source starts, {} target starts, {} extents for {}", from_start.size(),
                                 to_start.size(), extent.size(), count_text(dimensions, "dimension")),
                     "one of each a dimension");
  }
  axes_.reserve(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    axes_.emplace_back(from.axis(d), to.axis(d), from_start[d], to_start[d], extent[d]);
  }
  if (std::ranges::find(extent, 0) != extent.end()) {
    size_ = 0;
  } else {
    for (const std::int64_t e : extent) size_ = checked::multiply(size_, e, "number of elements");
  }
  if (is_irregular()) {
    check_size_beside_cuts(from, names.from);
    check_size_beside_cuts(to, names.to);
  }
  check_filled(from, from_start, extent, names.from);
  check_filled(to, to_start, extent, names.to);
}

bool RedistributionProblem::is_irregular() const { return std::ranges::any_of(axes_, &AxisPattern::is_irregular); }

std::int64_t RedistributionProblem::count(Rank sender, Rank receiver) const {
  const std::vector<Coordinate> p = from_.coordinates(sender);
  const std::vector<Coordinate> q = to_.coordinates(receiver);
  if (has_part())
    return detail::count_in_part(axes_[0].runs(p[0], q[0]), axes_[1].runs(p[1], q[1]), part_, unit_diagonal_);
  std::int64_t result = 1;
  for (std::size_t d = 0; d < axes_.size() && result > 0; ++d) result *= axes_[d].count(p[d], q[d]);
  return result;
}

void RedistributionProblem::keep_part(std::vector<Message>& messages) const {
  if (!has_part()) return;
  for (Message& each : messages) each.size = count(Rank(each.from), Rank(each.to));
  std::erase_if(messages, [](const Message& each) { return each.size == 0; });
}

std::vector<Message> RedistributionProblem::sends(Rank sender) const {
  const std::vector<Coordinate> at = from_.coordinates(sender);
  std::vector<Message> messages{{sender.value, 0, 1}};
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    messages = product(messages, axes_[d].sends(at[d]), &Message::to, to_.rank_step(d));
  }
  // Row-major order of coordinates is the order of ranks, except for transposed grids.
  if (to_.is_transposed()) std::ranges::sort(messages, {}, &Message::to);
  keep_part(messages);
  return messages;
}

std::vector<Message> RedistributionProblem::receives(Rank receiver) const {
  const std::vector<Coordinate> at = to_.coordinates(receiver);
  std::vector<Message> messages{{0, receiver.value, 1}};
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    messages = product(messages, axes_[d].receives(at[d]), &Message::from, from_.rank_step(d));
  }
  if (from_.is_transposed()) std::ranges::sort(messages, {}, &Message::from);
  keep_part(messages);
  return messages;
}

Traffic RedistributionProblem::traffic() const {
  Traffic traffic{from_.processes(), to_.processes(), {}};
  for (std::int64_t p = 0; p < traffic.senders; ++p) {
    const std::vector<Message> messages = sends(Rank(p));
    traffic.messages.insert(traffic.messages.end(), messages.begin(), messages.end());
    if (static_cast<std::int64_t>(traffic.messages.size()) > kMostListedMessages)
      throw InputError("traffic", fmt::format("more than {} messages", kMostListedMessages), "less");
  }
  return traffic;
}

RedistributionProblem RedistributionProblem::with_part(MatrixPart part, bool unit_diagonal) const {
  RedistributionProblem result = *this;
  result.part_ = part;
  result.unit_diagonal_ = unit_diagonal && part != MatrixPart::kWhole;
  const bool empty = std::ranges::count(axes_, 0, &AxisPattern::extent) > 0;
  result.size_ = empty ? 0 : 1;
  for (const AxisPattern& axis : axes_) result.size_ *= empty ? 0 : axis.extent();  // was checked before
  if (part == MatrixPart::kWhole) return result;
  if (part != MatrixPart::kUpper && part != MatrixPart::kLower)
    throw InputError("part", fmt::format("{}", static_cast<int>(part)), "kWhole, kUpper or kLower");
  if (axes_.size() != 2)
    throw InputError("part", fmt::format("an array of {}", count_text(axes_.size(), "dimension")),
                     "2, of which there is a triangle");
  const auto all = [&](std::size_t d) {
    IndexRuns runs;
    runs.extent = axes_[d].extent();
    runs.period = std::numeric_limits<std::int64_t>::max();
    if (runs.extent > 0) runs.runs.push_back({0, runs.extent, LocalIndex(0), LocalIndex(0)});
    return runs;
  };
  if (result.size_ > 0) result.size_ = detail::count_in_part(all(0), all(1), part, result.unit_diagonal_);
  return result;
}

bool RedistributionProblem::in_part(std::int64_t row, std::int64_t column) const {
  if (!has_part()) return true;
  const detail::PartEdge edge =
      detail::part_edge(part_, unit_diagonal_, axes_[0].extent(), axes_[1].extent(), /*inner_rows=*/true);
  return (row < column + edge.shift) == edge.below;
}

RedistributionProblem RedistributionProblem::with_roles(std::span<const Rank> role_of_process) const {
  const auto senders = static_cast<std::size_t>(from_.processes());
  if (role_of_process.size() < senders) {
    throw InputError("roles", count_text(role_of_process.size(), "entry", "entries"),
                     fmt::format("{}, one for each process of the source grid, or more", senders));
  }
  std::vector<bool> taken(static_cast<std::size_t>(to_.processes()), false);
  auto roles = std::make_shared<std::vector<Rank>>(senders, Rank(-1));
  for (std::size_t p = 0; p < role_of_process.size(); ++p) {
    const Rank role = role_of_process[p];
    if (role.value < 0 || role.value >= to_.processes()) continue;
    if (taken[static_cast<std::size_t>(role.value)])
      throw InputError("roles", fmt::format("process {} of the target grid twice", role.value), "each of them once");
    taken[static_cast<std::size_t>(role.value)] = true;
    if (p < senders) (*roles)[p] = role;
  }
  RedistributionProblem result = *this;
  result.role_of_sender_ = std::move(roles);
  return result;
}

RedistributionProblem RedistributionProblem::apart() const {
  RedistributionProblem result = *this;
  result.role_of_sender_ = nullptr;
  return result;
}

Rank RedistributionProblem::role_of(Rank sender) const {
  return has_roles() ? (*role_of_sender_)[static_cast<std::size_t>(sender.value)] : Rank(-1);
}

std::vector<Message> RedistributionProblem::copies() const {
  std::vector<Message> result;
  if (!has_roles()) return result;
  for (std::int64_t p = 0; p < from_.processes(); ++p) {
    const Rank role = role_of(Rank(p));
    const std::int64_t size = role.value < 0 ? 0 : count(Rank(p), role);
    if (size > 0) result.push_back({p, role.value, size});
  }
  return result;
}

Traffic RedistributionProblem::traffic_between_processes() const {
  Traffic result = traffic();
  std::erase_if(result.messages, [&](const Message& each) { return is_copy(Rank(each.from), Rank(each.to)); });
  return result;
}

namespace {

/// The arrays of `shape`, the target's transposed if `transpose` says so.
RedistributionProblem of_shape(const Layout& from, const Layout& to, const std::vector<std::int64_t>& shape,
                               const ProblemNames& names, bool transpose) {
  const Distribution source(from, shape, {}, names.shape);
  const std::vector<std::int64_t> reversed(shape.rbegin(), shape.rend());
  const Distribution stored(to, transpose ? reversed : shape, {}, names.shape);
  return {source, transpose ? stored.transposed() : stored, names};
}

/// `where`: of the target layout.
std::vector<std::int64_t> shape_of_slice(const Layout& from, const Layout& to, const std::string& where,
                                         bool transpose) {
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < from.dimensions(); ++d) {
    const std::size_t e = transpose ? from.dimensions() - 1 - d : d;
    const std::int64_t cut_from = from.cut_extent(d), cut_to = to.cut_extent(e);
    if (cut_from >= 0 && cut_to >= 0 && cut_from != cut_to)
      throw InputError(where, fmt::format("cuts that end at {}", cut_to),
                       fmt::format("{}, where those of the source layout end", cut_from));
    const std::int64_t cut = std::max(cut_from, cut_to);
    shape.push_back(cut >= 0 ? cut
                             : slice_extent({0, from.grid[d], from.block[d], 0}, {0, to.grid[e], to.block[e], 0}));
  }
  return shape;
}

}  // namespace

RedistributionProblem one_slice(const Layout& from, const Layout& to, bool transpose) {
  check_dimensions(from.dimensions(), to.dimensions());
  return of_shape(from, to, shape_of_slice(from, to, "to", transpose), {.shape = "slice"}, transpose);
}

RedistributionProblem make_problem(const Layout& from, const Layout& to, const std::vector<std::int64_t>& shape,
                                   const ProblemNames& names, bool transpose) {
  if (to.dimensions() != from.dimensions()) {
    throw InputError(
        names.to, fmt::format("'{}' of {}", to_string(to), count_text(to.dimensions(), "dimension")),
        fmt::format("{}, as the source layout {} has", count_text(from.dimensions(), "dimension"), to_string(from)));
  }
  if (shape.empty())
    return of_shape(from, to, shape_of_slice(from, to, names.to, transpose), {names.from, names.to, "slice"},
                    transpose);
  if (shape.size() != from.dimensions()) {
    throw InputError(names.shape, count_text(shape.size(), "dimension"),
                     fmt::format("{}, as the layouts have", from.dimensions()));
  }
  return of_shape(from, to, shape, names, transpose);
}

std::int64_t count_messages(const RedistributionProblem& problem, std::int64_t limit) {
  // A message is one message in each dimension. Dimensions without any come first: all the others count for nothing
  // then.
  for (const AxisPattern& axis : problem.axes())
    if (axis.extent() == 0) return 0;
  const std::int64_t most_processes = std::max(problem.from().processes(), problem.to().processes());
  if (!problem.is_irregular() && most_processes > std::max(limit, kMostPartlyFilled)) return limit + 1;
  std::int64_t result = 1;
  for (const AxisPattern& axis : problem.axes()) {
    std::int64_t messages = 0;
    for (std::int64_t p = 0; p < axis.from().processes; ++p) {
      messages += static_cast<std::int64_t>(axis.sends(Coordinate(p)).size());
      if (messages > limit / result) return limit + 1;
    }
    result *= messages;
  }
  return result;
}

double most_messages(const AxisPattern& pattern) {
  if (pattern.is_irregular()) {
    const auto processes = [](const Axis& axis) { return static_cast<double>(axis.processes); };
    const auto blocks = [](const Axis& axis) {
      return static_cast<double>(axis.irregular ? axis.irregular->count() : axis.extent / axis.block + 1);
    };
    return std::min(processes(pattern.from()) * processes(pattern.to()), blocks(pattern.from()) + blocks(pattern.to()));
  }
  const CommunicationGrid grid(pattern.from(), pattern.to(), pattern.from_start(), pattern.to_start());
  const auto pairs = static_cast<double>(grid.senders()) * static_cast<double>(grid.max_messages_of_sender());
  return std::min(pairs, static_cast<double>(grid.senders()) + static_cast<double>(pattern.extent()));
}

double most_messages(const RedistributionProblem& problem) {
  double result = 1;
  for (const AxisPattern& pattern : problem.axes()) result *= most_messages(pattern);
  return result;
}

}  // namespace sluice
