#include "plan/redistribute/dimension_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kMaximumEdges = std::int64_t{1} << 27;

/// The durations of steps of the quotient's edges, of one slice.
std::vector<std::int64_t> durations_of_slice(const CommunicationGrid& grid, const EdgeSteps& steps) {
  std::vector<std::int64_t> durations(static_cast<std::size_t>(steps.steps), 0);
  const std::int64_t edges_of_class = grid.row_blocks() * grid.column_blocks();
  auto edge = steps.step_of_edge.begin();
  for (std::int64_t number = 0; number < grid.classes(); ++number) {
    const std::int64_t length = grid.class_length(number);
    for (std::int64_t i = 0; i < edges_of_class; ++i) {
      std::int64_t& duration = durations[static_cast<std::size_t>(*edge++)];
      duration = std::max(duration, length);
    }
  }
  return durations;
}

/// Steps of the edges of the quotient: edge (class, alpha, beta) has number (class * A + alpha) * B + beta.
class QuotientRule final : public StepRule {
 public:
  QuotientRule(const CommunicationGrid& grid, EdgeSteps steps, Fold fold)
      : grid_(grid), steps_(std::move(steps)), fold_(fold) {}

  [[nodiscard]] std::int64_t steps() const override { return steps_.steps; }
  [[nodiscard]] Fold fold() const override { return fold_; }

  [[nodiscard]] std::int64_t step_of(std::int64_t sender, std::int64_t receiver) const override {
    const std::int64_t edge =
        (grid_.class_of(sender, receiver) * grid_.row_blocks() + grid_.position_of_sender(sender).block) *
            grid_.column_blocks() +
        grid_.position_of_receiver(receiver).block;
    return steps_.step_of_edge[static_cast<std::size_t>(edge)];
  }

  [[nodiscard]] std::vector<std::int64_t> durations(const AxisPattern& pattern) const override {
    const std::int64_t slices = whole_slices(pattern);
    if (slices == 0) return StepRule::durations(pattern);
    std::vector<std::int64_t> result = durations_of_slice(grid_, steps_);
    for (std::int64_t& duration : result) duration *= slices;
    return result;
  }

 private:
  CommunicationGrid grid_;
  EdgeSteps steps_;
  Fold fold_;
};

/// Steps of the messages themselves, sorted by sender, then receiver.
class MessageRule final : public StepRule {
 public:
  MessageRule(std::vector<std::int32_t> first_edge_of_sender, std::vector<std::int32_t> receiver_of_edge,
              EdgeSteps steps, Fold fold)
      : first_edge_of_sender_(std::move(first_edge_of_sender)),
        receiver_of_edge_(std::move(receiver_of_edge)),
        steps_(std::move(steps)),
        fold_(fold) {}

  [[nodiscard]] std::int64_t steps() const override { return steps_.steps; }
  [[nodiscard]] Fold fold() const override { return fold_; }

  [[nodiscard]] std::int64_t step_of(std::int64_t sender, std::int64_t receiver) const override {
    const auto begin = receiver_of_edge_.begin() + first_edge_of_sender_[static_cast<std::size_t>(sender)];
    const auto end = receiver_of_edge_.begin() + first_edge_of_sender_[static_cast<std::size_t>(sender) + 1];
    const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(receiver));
    SLUICE_ASSERT(found != end && *found == receiver, fmt::format("no message from {} to {}", sender, receiver));
    return steps_.step_of_edge[static_cast<std::size_t>(found - receiver_of_edge_.begin())];
  }

 private:
  std::vector<std::int32_t> first_edge_of_sender_;
  std::vector<std::int32_t> receiver_of_edge_;
  EdgeSteps steps_;
  Fold fold_;
};

/// Calls visit(left, right, length) for the edges of the quotient, in the order of their numbers.
template <class Visit>
void for_each_quotient_edge(const CommunicationGrid& grid, Visit&& visit) {
  const std::int64_t row_blocks = grid.row_blocks(), column_blocks = grid.column_blocks();
  for (std::int64_t number = 0; number < grid.classes(); ++number) {
    const auto [row_residue, column_residue, shift] = grid.class_position(number);
    const std::int64_t length = grid.class_length(number);
    for (std::int64_t alpha = 0; alpha < row_blocks; ++alpha) {
      for (std::int64_t beta = 0; beta < column_blocks; ++beta)
        visit(static_cast<std::int32_t>(row_residue * row_blocks + alpha),
              static_cast<std::int32_t>(column_residue * column_blocks + beta), length);
    }
  }
}

double quotient_edges(const CommunicationGrid& grid) {
  return static_cast<double>(grid.classes()) * static_cast<double>(grid.row_blocks()) *
         static_cast<double>(grid.column_blocks());
}

bool has_quotient(const AxisPattern& pattern) { return pattern.extent() >= pattern.slice(); }

void check_edges(double edges) {
  if (edges <= static_cast<double>(kMaximumEdges)) return;
  throw InputError("plan", fmt::format("a graph of {:.3g} messages", edges),
                   fmt::format("at most {}; caterpillar, and classes where it applies, need no graph", kMaximumEdges));
}

}  // namespace

DimensionGraph::DimensionGraph(const AxisPattern& pattern)
    : grid_(paper_grid(pattern)), is_quotient_(has_quotient(pattern)) {
  std::vector<Edge> edges;
  if (is_quotient_) {
    check_edges(quotient_edges(grid_));
    edges.reserve(static_cast<std::size_t>(quotient_edges(grid_)));
    for_each_quotient_edge(grid_, [&](std::int32_t left, std::int32_t right, std::int64_t length) {
      edges.push_back({left, right, length});
    });
    graph_ = BipartiteGraph(static_cast<std::int32_t>(grid_.row_period() * grid_.row_blocks()),
                            static_cast<std::int32_t>(grid_.column_period() * grid_.column_blocks()), edges);
    return;
  }
  const Axis& from = pattern.from();
  const Axis& to = pattern.to();
  check_edges(static_cast<double>(from.processes + to.processes));
  first_edge_of_sender_.push_back(0);
  std::vector<AxisMessage> messages;
  for (std::int64_t p = 0; p < from.processes; ++p) {
    messages = pattern.sends(from.absolute(p));
    std::ranges::sort(messages, {}, [&](const AxisMessage& message) { return to.relative(message.peer); });
    check_edges(static_cast<double>(edges.size() + messages.size()));
    for (const AxisMessage& message : messages) {
      const auto receiver = static_cast<std::int32_t>(to.relative(message.peer));
      edges.push_back({static_cast<std::int32_t>(p), receiver, message.count});
      receiver_of_edge_.push_back(receiver);
    }
    first_edge_of_sender_.push_back(static_cast<std::int32_t>(edges.size()));
  }
  graph_ = BipartiteGraph(static_cast<std::int32_t>(from.processes), static_cast<std::int32_t>(to.processes), edges);
}

std::shared_ptr<const StepRule> DimensionGraph::rule(EdgeSteps steps, Fold fold) const {
  if (is_quotient_) return std::make_shared<QuotientRule>(grid_, std::move(steps), fold);
  return std::make_shared<MessageRule>(first_edge_of_sender_, receiver_of_edge_, std::move(steps), fold);
}

std::shared_ptr<const StepRule> colored_rule(const AxisPattern& pattern) {
  if (!has_quotient(pattern)) {
    const DimensionGraph messages(pattern);
    return messages.rule(colored_steps(messages.graph()));
  }
  const CommunicationGrid grid = paper_grid(pattern);
  check_edges(quotient_edges(grid));
  std::vector<EdgeEnds> edges;
  edges.reserve(static_cast<std::size_t>(quotient_edges(grid)));
  for_each_quotient_edge(grid, [&](std::int32_t left, std::int32_t right, std::int64_t /*length*/) {
    edges.push_back({left, right});
  });
  EdgeColoring coloring =
      edge_coloring(static_cast<std::int32_t>(grid.row_period() * grid.row_blocks()),
                    static_cast<std::int32_t>(grid.column_period() * grid.column_blocks()), std::move(edges));
  EdgeSteps steps{std::move(coloring.color), coloring.colors};
  const std::vector<std::int64_t> durations = durations_of_slice(grid, steps);
  return std::make_shared<QuotientRule>(grid, in_falling_order(durations, std::move(steps)), Fold{});
}

double peeling_work(const AxisPattern& pattern) {
  constexpr double kTooMany = std::numeric_limits<double>::infinity();
  if (has_quotient(pattern)) {
    const CommunicationGrid grid = paper_grid(pattern);
    const double edges = quotient_edges(grid);
    return edges > static_cast<double>(kMaximumEdges) ? kTooMany : edges * static_cast<double>(grid.optimal_steps());
  }
  const Axis &from = pattern.from(), &to = pattern.to();
  if (from.processes + to.processes > kMaximumEdges) return kTooMany;
  std::size_t edges = 0, degree = 0;
  for (std::int64_t p = 0; p < from.processes; ++p) {
    const std::size_t sent = pattern.sends(from.absolute(p)).size();
    edges += sent;
    degree = std::max(degree, sent);
    if (edges > static_cast<std::size_t>(kMaximumEdges)) return kTooMany;
  }
  for (std::int64_t q = 0; q < to.processes; ++q) degree = std::max(degree, pattern.receives(to.absolute(q)).size());
  return static_cast<double>(edges) * static_cast<double>(degree);
}

}  // namespace sluice::detail
