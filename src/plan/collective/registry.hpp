#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/patterns/patterns.hpp"
#include "sluice/plan/algorithm.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/schedule/program.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// What a planner of programs is asked for.
struct ProgramTask {
  Program shape;               ///< all but its operations and what they take
  Ranks order;                 ///< ranks by groups, the root's first; if the order of combining counts, 0, 1, 2, ...
  std::vector<Groups> groups;  ///< the ranks by levels of the platform; only levels with several groups; may be empty
  std::int64_t segments = 0;   ///< 0: the planner chooses
  const RankNetwork* network = nullptr;  ///< none for plans that need no platform
  BroadcastOptions of_broadcasts;        ///< for algorithms that are a broadcast over the platform, or have one
  /// By levels of the platform from the outermost on: the first of every few ranks that follow each other in one group.
  std::vector<Ranks> runs = {};

  [[nodiscard]] ByteRange block(std::int64_t rank) const { return block_of(shape, rank); }
  [[nodiscard]] ByteRange all() const { return {0, array_bytes(shape)}; }
  /// The blocks in the order of `order`.
  [[nodiscard]] RangeSets blocks() const;
};

/// A variant of an algorithm; it is made when it is considered.
struct ProgramVariant {
  std::string name;  ///< of the algorithm, and what is chosen in it
  std::function<MessageGraph()> make;
  std::optional<double> length_s = {};        ///< about, if its planner knows better than an estimate
  std::int64_t messages = 0;                  ///< about how many, if that is known before they are made
  std::optional<std::int64_t> exactly = {};   ///< how many, for plans of very many messages
  bool duplicate_of_other_algorithm = false;  ///< another algorithm has this variant, so "auto" need not consider it
};

struct ProgramPlanner {
  Algorithm known;
  Collective problem;
  /// Ranks may be combined in their order only.
  bool keeps_order = false;
  /// Throws InputError if the algorithm does not apply.
  std::vector<ProgramVariant> (*variants)(const ProgramTask&);
};

[[nodiscard]] std::span<const ProgramPlanner> program_planners();
/// Descriptions of the algorithms for a problem.
[[nodiscard]] std::span<const Algorithm> program_algorithms(Collective problem);

/// How much "auto" considers.
enum class ProgramSearch : std::uint8_t {
  kAll,   ///< all variants, for a second or so
  kSoon,  ///< variants with little work, besides those whose planners know their length and need no replay
};
/// As the public plan_program, with options for planning broadcasts.
[[nodiscard]] ProgramPlan plan_program(const Platform& platform, const ProgramProblem& problem,
                                       const ProgramOptions& options, const BroadcastOptions& of_broadcasts,
                                       ProgramSearch search = ProgramSearch::kAll);

}  // namespace sluice::detail
