#include "plan/redistribute/message_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kMaximumEdges = std::int64_t{1} << 27;

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
    std::vector<std::int64_t> result(static_cast<std::size_t>(steps_.steps), 0);
    const std::int64_t edges_of_class = grid_.row_blocks() * grid_.column_blocks();
    auto edge = steps_.step_of_edge.begin();
    for (std::int64_t number = 0; number < grid_.classes(); ++number) {
      const std::int64_t length = grid_.class_length(number) * slices;
      for (std::int64_t i = 0; i < edges_of_class; ++i) {
        std::int64_t& duration = result[static_cast<std::size_t>(*edge++)];
        duration = std::max(duration, length);
      }
    }
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

/// Weights that break ties by load, see peel.
class LoadedWeights {
 public:
  explicit LoadedWeights(const BipartiteGraph& graph)
      : weight_(static_cast<std::size_t>(graph.edge_count())),
        left_load_(static_cast<std::size_t>(graph.lefts()), 0),
        right_load_(static_cast<std::size_t>(graph.rights()), 0) {
    std::int64_t heaviest = 0;
    for (std::int32_t e = 0; e < graph.edge_count(); ++e) {
      const Edge edge = graph.edge(e);
      weight_[static_cast<std::size_t>(e)] = edge.weight;
      heaviest = std::max(heaviest, edge.weight);
      left_load_[static_cast<std::size_t>(edge.left)] += edge.weight;
      right_load_[static_cast<std::size_t>(edge.right)] += edge.weight;
    }
    std::int64_t largest_load = 1;
    for (const std::int64_t load : left_load_) largest_load = std::max(largest_load, load);
    for (const std::int64_t load : right_load_) largest_load = std::max(largest_load, load);
    // A matching has at most n edges of at most 2 * levels each on top; weights times n must stay below 2^60.
    const std::int64_t n = std::max<std::int64_t>(1, std::min(graph.lefts(), graph.rights()));
    constexpr std::int64_t kRoom = std::int64_t{1} << 60;
    const std::int64_t factor_limit = kRoom / n / (n + 1) / std::max<std::int64_t>(1, heaviest);
    levels_ = std::clamp<std::int64_t>(factor_limit / (4 * n), 0, 4096);
    unit_ = levels_ == 0 ? 0 : (largest_load + levels_ - 1) / levels_;
    factor_ = 2 * levels_ * n + 1;
  }

  void set_weights(BipartiteGraph& graph) const {
    if (levels_ == 0) return;
    for (std::int32_t u = 0; u < graph.lefts(); ++u) {
      for (const std::int32_t e : graph.edges_of_left(u)) {
        const std::int64_t loads = left_load_[static_cast<std::size_t>(u)] / unit_ +
                                   right_load_[static_cast<std::size_t>(graph.edge(e).right)] / unit_;
        graph.set_weight(e, weight_[static_cast<std::size_t>(e)] * factor_ + loads);
      }
    }
  }

  void remove(const Edge& edge) {
    left_load_[static_cast<std::size_t>(edge.left)] -= edge.weight;
    right_load_[static_cast<std::size_t>(edge.right)] -= edge.weight;
  }

 private:
  std::vector<std::int64_t> weight_;
  std::vector<std::int64_t> left_load_;
  std::vector<std::int64_t> right_load_;
  std::int64_t levels_ = 0;
  std::int64_t unit_ = 0;
  std::int64_t factor_ = 1;
};

void check_edges(double edges) {
  if (edges <= static_cast<double>(kMaximumEdges)) return;
  throw InputError("plan", fmt::format("a graph of {:.3g} messages", edges),
                   fmt::format("at most {}; caterpillar, and classes where it applies, need no graph", kMaximumEdges));
}

}  // namespace

MessageGraph::MessageGraph(const AxisPattern& pattern)
    : grid_(paper_grid(pattern)), is_quotient_(pattern.extent() >= pattern.slice()) {
  std::vector<Edge> edges;
  if (is_quotient_) {
    const std::int64_t row_blocks = grid_.row_blocks();
    const std::int64_t column_blocks = grid_.column_blocks();
    check_edges(static_cast<double>(grid_.classes()) * static_cast<double>(row_blocks) *
                static_cast<double>(column_blocks));
    edges.reserve(static_cast<std::size_t>(grid_.classes() * row_blocks * column_blocks));
    for (std::int64_t number = 0; number < grid_.classes(); ++number) {
      const auto [row_residue, column_residue, shift] = grid_.class_position(number);
      const std::int64_t length = grid_.class_length(number);
      for (std::int64_t alpha = 0; alpha < row_blocks; ++alpha) {
        for (std::int64_t beta = 0; beta < column_blocks; ++beta) {
          edges.push_back({static_cast<std::int32_t>(row_residue * row_blocks + alpha),
                           static_cast<std::int32_t>(column_residue * column_blocks + beta), length});
        }
      }
    }
    graph_ = BipartiteGraph(static_cast<std::int32_t>(grid_.row_period() * row_blocks),
                            static_cast<std::int32_t>(grid_.column_period() * column_blocks), edges);
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

std::shared_ptr<const StepRule> MessageGraph::rule(EdgeSteps steps, Fold fold) const {
  if (is_quotient_) return std::make_shared<QuotientRule>(grid_, std::move(steps), fold);
  return std::make_shared<MessageRule>(first_edge_of_sender_, receiver_of_edge_, std::move(steps), fold);
}

double peeling_work(const AxisPattern& pattern) {
  try {
    const MessageGraph messages(pattern);
    return static_cast<double>(messages.graph().edge_count()) * messages.graph().max_degree();
  } catch (const InputError&) {
    return std::numeric_limits<double>::infinity();
  }
}

EdgeSteps peel(BipartiteGraph graph, const std::function<Matching(const BipartiteGraph&)>& next) {
  const BipartiteGraph whole = graph;
  EdgeSteps result;
  result.step_of_edge.assign(static_cast<std::size_t>(graph.edge_count()), -1);
  LoadedWeights weights(graph);
  for (; graph.edge_count() > 0; ++result.steps) {
    weights.set_weights(graph);
    const Matching matching = next(graph);
    SLUICE_ASSERT(matching.size > 0, "a step without messages");
    for (const std::int32_t e : matching.left_edge) {
      if (e < 0) continue;
      result.step_of_edge[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(result.steps);
      weights.remove(whole.edge(e));
      graph.remove(e);
    }
  }
  return in_falling_order(whole, std::move(result));
}

EdgeSteps in_falling_order(const BipartiteGraph& graph, EdgeSteps steps) {
  std::vector<std::int64_t> duration(static_cast<std::size_t>(steps.steps), 0);
  for (std::size_t e = 0; e < steps.step_of_edge.size(); ++e) {
    std::int64_t& longest = duration[static_cast<std::size_t>(steps.step_of_edge[e])];
    longest = std::max(longest, graph.edge(static_cast<std::int32_t>(e)).weight);
  }
  std::vector<std::int32_t> order(duration.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::int32_t step) { return duration[static_cast<std::size_t>(step)]; });
  std::vector<std::int32_t> place(duration.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  }
  for (std::int32_t& step : steps.step_of_edge) step = place[static_cast<std::size_t>(step)];
  return steps;
}

}  // namespace sluice::detail
