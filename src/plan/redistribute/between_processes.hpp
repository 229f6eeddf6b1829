#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/redistribute/exact.hpp"
#include "plan/redistribute/message_classes.hpp"
#include "plan/step_rule.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/plan/redistribute.hpp"

/// Plans by the messages of all dimensions at once. They serve arrays that cannot be planned dimension by dimension
/// (RedistributionProblem::is_by_dimension), and others in addition. If blocks are of any sizes, dimensions have no
/// classes. If processes are in both grids, what a process sends itself is a copy, which needs no port and is in no
/// step (RedistributionProblem::with_roles). If only a triangle or trapezoid is sent
/// (RedistributionProblem::with_part), a message is the part of the product in it, maybe nothing.
namespace sluice::detail {

/// The messages of `problem` without its copies, each a class of its own. Copies, parts and blocks of any sizes break
/// the symmetry of the communication grid, so there is nothing smaller to plan on. Throws InputError for more than 2^24
/// messages. @pre !problem.is_by_dimension()
[[nodiscard]] ArrayClasses classes_between(const RedistributionProblem& problem);

/// At most how many messages all dimensions of an array have at once. A dimension of whole slices counts by the
/// messages of its quotient. @pre problem.is_by_dimension()
[[nodiscard]] double messages_at_once(const RedistributionProblem& problem);

/// The schedules that one named algorithm, or all of them together, make of the messages between processes.
///
/// Problem: the steps of a redistribution without its copies and without what is not in its part, or of one between
/// blocks of any sizes.
/// Method: `stepwise`, `greedy` and `coloring` take matchings out of the graph of the messages that are left, of all
/// dimensions at once. If the plain problem is block-cyclic, any plan of it becomes a plan too: leave out what is left
/// out here, and then steps that hold nothing. The cheapest plan is taken, so knowing copies adds no step. Arrays that
/// could be planned dimension by dimension are also planned by the messages of all dimensions at once: a dimension of
/// whole slices by its quotient, any other by all its messages. Reason: combined steps of single dimensions are long if
/// their longest messages do not meet.
/// Guarantee: stepwise and coloring have the fewest steps (Theorem 1 and Koenig, which hold for any graph); none of
/// them costs more than the plan of the plain problem.
/// Complexity: as peel and edge_coloring for all messages. `auto` leaves peeling out if edges times steps exceed 10^8,
/// and colouring beyond 2^20 messages. Deterministic. Source: Desprez, Dongarra, Petitet, Randriamaro, Robert (1997),
/// sections 4.3 and 4.5, which count a message to oneself as any other; the rest is ours. Example: 4:1 -> 4:2 has 8
/// messages, 2 of them copies: processes 0 and 3 keep half of what they have.
class PlansBetween {
 public:
  /// Throws InputError if the algorithm does not apply, or the messages are too many for it (2^20). `most_peeling`: see
  /// named_steps.
  PlansBetween(const RedistributionProblem& problem, const std::string& algorithm,
               double most_peeling = kMostPeelingWork);
  /// Plans by "auto", for an array that could be planned dimension by dimension. @pre problem.is_by_dimension(), and at
  /// most kMostPlannedAsGraph messages_at_once
  PlansBetween(const RedistributionProblem& problem, double most_peeling);

  /// The cheapest of all plans, including `of_all`, a plan of the plain problem, if there is one, with what is left out
  /// removed. The price is transmission + setup * steps; with `fewest_steps`, steps count before transmission. `name`:
  /// unless empty, the planner that the plan is attributed to. Throws InputError if there is no plan, because there are
  /// too many messages.
  [[nodiscard]] RedistributionPlan cheapest(const std::optional<RedistributionPlan>& of_all, double setup,
                                            bool fewest_steps, const std::string& name) const;
  /// `of_all`, a plan of the plain problem, with what is left out removed.
  [[nodiscard]] RedistributionPlan left_of(const RedistributionPlan& of_all, double setup) const;

 private:
  struct Choice {
    std::string algorithm;
    std::shared_ptr<const ArrayRule> rule;
    std::int64_t transmission = 0;
  };

  /// The choices of `algorithm`, or of all. @pre messages_.copies() == 1
  void add(const std::string& algorithm, double most_peeling);
  [[nodiscard]] Choice choice(std::string algorithm, EdgeSteps steps) const;
  [[nodiscard]] Choice left(const RedistributionPlan& of_all) const;

  RedistributionProblem problem_;
  std::shared_ptr<const ArrayClasses> classes_;
  MessageClasses messages_;  ///< of the classes, told apart
  std::vector<Choice> peeled_;
};

}  // namespace sluice::detail
