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

}  // namespace sluice::detail
