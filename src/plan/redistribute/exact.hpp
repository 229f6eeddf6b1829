#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/peeling.hpp"
#include "plan/redistribute/class_program.hpp"
#include "plan/redistribute/message_classes.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice::detail {

/// The step of each message of the whole array, if the array is not planned dimension by dimension.
class ArrayRule {
 public:
  ArrayRule(std::shared_ptr<const ArrayClasses> classes, EdgeSteps steps)
      : classes_(std::move(classes)), steps_(std::move(steps)) {}

  [[nodiscard]] std::int64_t steps() const { return steps_.steps; }
  /// The step of each message, by the numbers that the classes give the messages.
  [[nodiscard]] const EdgeSteps& edge_steps() const { return steps_; }
  /// Processes are given by their coordinates, counted from the process with the first block in each dimension.
  /// @pre the pair exchanges a message
  [[nodiscard]] std::int64_t step_of(std::span<const std::int64_t> sender,
                                     std::span<const std::int64_t> receiver) const {
    return steps_.step_of_edge[static_cast<std::size_t>(classes_->edge_of(sender, receiver))];
  }
  /// TC, from every message of `problem`.
  [[nodiscard]] std::int64_t transmission(const RedistributionProblem& problem) const;

 private:
  std::shared_ptr<const ArrayClasses> classes_;
  EdgeSteps steps_;
};

/// What a search for the least TC in a limited number of steps found.
struct LeastTransmission {
  std::shared_ptr<const ArrayRule> rule;  ///< null if nothing was found within the limits
  std::int64_t transmission = 0;          ///< of the rule
  /// No schedule of so few steps has a lower TC, or none lies within the limits; proven for the array as it is.
  std::int64_t at_least = 0;
};

/// `exact`: the least TC of every number of steps, with proof.
///
/// Problem: schedules of an array of any number of dimensions that have both the fewest steps NS and the lowest total
/// cost TC, which the paper leaves open. If no schedule has both: all pairs (NS, TC) that nothing beats.
/// Method: the program of class_program.hpp, at first on classes as coarse as the symmetry of the communication grid
/// allows: a dozen classes for a machine of thousands of messages. A schedule of the classes lifts to one of the
/// machine. If its TC meets transmission_bound, which holds for the machine, it is optimal. Otherwise finer classes may
/// allow a lower TC. The lifts are told apart step by step (see AxisClasses), up to the messages themselves, whose
/// optimum is the machine's optimum. A dimension that is no whole number of slices is first planned as the slices that
/// it holds, with a bound that leaves the tail out. Then it is planned by its messages. An array with copies (see
/// RedistributionProblem::with_roles), or with blocks of any sizes, is planned by its messages alone, because these
/// break the symmetry. Merged messages of several arrays are planned so too.
/// Guarantee: every schedule is priced as it is; `at_least` holds for the array as it is. All of 20,000 random grids
/// with P, Q <= 32, r, s <= 20 are solved.
/// Complexity: exponential in the number of classes and lengths; ends when `effort` is used up. One unit is a pivot of
/// the simplex method on up to 100 rows, some 20 microseconds.
/// Determinism: one thread, no clock; the same library makes the same plan.
/// Source: ours. Without CBC: profile_search.hpp.
/// Example: 15:2 -> 6:3: NS 10 with TC 20, and NS 11 with TC 16; nothing is below.
class ExactSearch {
 public:
  ExactSearch(const RedistributionProblem& problem, std::int64_t effort, StopRequest stop = {});
  /// For given messages, each a class. Rules know them by their numbers (ArrayRule::edge_steps).
  ExactSearch(MessageClasses messages, std::int64_t effort, StopRequest stop = {});

  /// Whether the messages are few enough for a search.
  [[nodiscard]] bool applies() const { return !levels_.empty(); }
  [[nodiscard]] const Effort& effort() const { return effort_; }
  /// No schedule of any number of steps has a lower TC. @pre applies()
  [[nodiscard]] std::int64_t at_least();
  /// Schedules of at most `most_steps` steps with TC below `below`. @pre applies()
  [[nodiscard]] LeastTransmission solve(std::int64_t most_steps, std::int64_t below);

 private:
  /// The array in classes of one fineness.
  struct Level {
    std::vector<std::int64_t> fineness;  ///< of each dimension; 0: its messages themselves
    bool true_lengths = true;            ///< whether no tail is left out
    bool finest = false;                 ///< whether its optimum is the machine's optimum
  };

  void add_levels(const std::vector<std::vector<std::int64_t>>& choices, bool true_lengths);
  [[nodiscard]] std::shared_ptr<const ArrayClasses> classes_of(const Level& level);
  /// transmission_bound of the array in these classes, with a quarter of the effort left.
  [[nodiscard]] std::int64_t bound_of_level(const Level& level, const ProgramLimits& limits);

  std::optional<RedistributionProblem> problem_;  ///< none if the messages were given, not an array
  Effort effort_;
  std::vector<Level> levels_;  ///< coarse to fine
  /// The messages themselves as classes, which take long to find; for an array, once they were asked for.
  std::shared_ptr<const ArrayClasses> between_;
  std::int64_t at_least_ = 0;
  bool asked_ = false;  ///< whether at_least_ is known
};

}  // namespace sluice::detail
