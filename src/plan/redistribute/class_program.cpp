#include "plan/redistribute/class_program.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/kept_interrupt.hpp"
#include "base/solver_events.hpp"
#include "plan/redistribute/profile_search.hpp"
#include "sluice/error.hpp"

#ifdef SLUICE_HAVE_CBC
#include <CbcModel.hpp>
#include <CglGomory.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CglProbing.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#endif

namespace sluice::detail {

#ifdef SLUICE_HAVE_CBC

namespace {

constexpr std::int64_t kMostClassVariables = 30'000;
constexpr double kTolerance = 1e-6;  // of the linear programs, relative
constexpr double kHalf = 0.5;        // between two whole values
constexpr int kMostProbes = 10;

/// Classes that join the same groups with one length are one in the program, of `copies` messages.
struct MergedClass {
  MessageClass what;
  std::int64_t copies = 0;
  std::vector<std::size_t> members;
};

std::vector<MergedClass> merged(const MessageClasses& messages) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, std::size_t> number;
  std::vector<MergedClass> result;
  for (std::size_t c = 0; c < messages.classes.size(); ++c) {
    const MessageClass& each = messages.classes[c];
    const auto [found, is_new] = number.try_emplace({each.left, each.right, each.length}, result.size());
    if (is_new) result.push_back({each, 0, {}});
    result[found->second].copies += messages.copies();
    result[found->second].members.push_back(c);
  }
  return result;
}

class ClassProgram {
 public:
  ClassProgram(const MessageClasses& messages, const ProgramLimits& limits, bool whole_counts)
      : messages_(messages), limits_(limits), merged_(merged(messages)), whole_counts_(whole_counts) {
    for (const MergedClass& each : merged_) {
      durations_.push_back(each.what.length);
    }
    std::ranges::sort(durations_);
    durations_.erase(std::unique(durations_.begin(), durations_.end()), durations_.end());
    for (const std::int64_t duration : durations_) unit_ = std::gcd(unit_, duration);
    for (std::size_t c = 0; c < merged_.size(); ++c) {
      const auto shortest = std::ranges::lower_bound(durations_, merged_[c].what.length) - durations_.begin();
      first_variable_.push_back(variables_ - shortest);
      variables_ += static_cast<std::int64_t>(durations_.size()) - shortest;
    }
    first_step_variable_ = variables_;
    variables_ += static_cast<std::int64_t>(durations_.size());
  }

  [[nodiscard]] std::int64_t variables() const { return variables_; }

  ProgramOutcome solve(Effort& effort) const;

 private:
  [[nodiscard]] int count_variable(std::size_t merged_class, std::size_t duration) const {
    return static_cast<int>(first_variable_[merged_class] + static_cast<std::int64_t>(duration));
  }
  [[nodiscard]] int step_variable(std::size_t duration) const {
    return static_cast<int>(first_step_variable_ + static_cast<std::int64_t>(duration));
  }
  [[nodiscard]] std::size_t shortest(std::size_t merged_class) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(durations_, merged_[merged_class].what.length) -
                                    durations_.begin());
  }
  [[nodiscard]] OsiClpSolverInterface relaxation() const;
  [[nodiscard]] ClassAssignment assignment(const double* values) const;

  const MessageClasses& messages_;
  ProgramLimits limits_;
  std::vector<MergedClass> merged_;
  bool whole_counts_;
  std::vector<std::int64_t> durations_;
  std::int64_t unit_ = 0;  ///< divides every duration
  std::int64_t variables_ = 0;
  std::vector<std::int64_t> first_variable_;  ///< of a class, were it as short as the shortest
  std::int64_t first_step_variable_ = 0;
};

OsiClpSolverInterface ClassProgram::relaxation() const {
  std::vector<CoinBigIndex> begin{0};
  std::vector<int> columns;
  std::vector<double> factors, row_least, row_most;
  const auto end_row = [&](double least, double most) {
    begin.push_back(static_cast<CoinBigIndex>(columns.size()));
    row_least.push_back(least);
    row_most.push_back(most);
  };
  const auto add = [&](int column, std::int64_t factor) {
    columns.push_back(column);
    factors.push_back(static_cast<double>(factor));
  };
  std::vector<double> most(static_cast<std::size_t>(variables_), COIN_DBL_MAX);
  std::vector<std::vector<std::size_t>> at_left(static_cast<std::size_t>(messages_.lefts));
  std::vector<std::vector<std::size_t>> at_right(static_cast<std::size_t>(messages_.rights));
  for (std::size_t c = 0; c < merged_.size(); ++c) {
    at_left[static_cast<std::size_t>(merged_[c].what.left)].push_back(c);
    at_right[static_cast<std::size_t>(merged_[c].what.right)].push_back(c);
    for (std::size_t t = shortest(c); t < durations_.size(); ++t) {
      add(count_variable(c, t), 1);
      most[static_cast<std::size_t>(count_variable(c, t))] = static_cast<double>(merged_[c].copies);
    }
    end_row(static_cast<double>(merged_[c].copies), static_cast<double>(merged_[c].copies));
  }
  const auto add_groups = [&](const std::vector<std::vector<std::size_t>>& groups, std::int64_t copies) {
    for (const std::vector<std::size_t>& classes : groups) {
      for (std::size_t t = 0; t < durations_.size(); ++t) {
        bool any = false;
        for (const std::size_t c : classes) {
          if (shortest(c) > t) continue;
          add(count_variable(c, t), 1);
          any = true;
        }
        if (!any) continue;
        add(step_variable(t), -copies);
        end_row(-COIN_DBL_MAX, 0);
      }
    }
  };
  add_groups(at_left, messages_.left_copies);
  add_groups(at_right, messages_.right_copies);
  for (std::size_t t = 0; t < durations_.size(); ++t) add(step_variable(t), 1);
  end_row(0, limits_.most_steps == ProgramLimits::kAnyNumber ? COIN_DBL_MAX : static_cast<double>(limits_.most_steps));
  // What is already known of TC cuts the search short.
  for (std::size_t t = 0; t < durations_.size(); ++t) add(step_variable(t), durations_[t] / unit_);
  end_row(std::ceil(static_cast<double>(limits_.least) / static_cast<double>(unit_)), COIN_DBL_MAX);

  const std::vector<double> least(static_cast<std::size_t>(variables_), 0);
  std::vector<double> cost(static_cast<std::size_t>(variables_), 0);
  for (std::size_t t = 0; t < durations_.size(); ++t) {
    const std::int64_t units = durations_[t] / unit_;
    cost[static_cast<std::size_t>(step_variable(t))] = static_cast<double>(units);
  }
  const CoinPackedMatrix matrix(false, static_cast<int>(variables_), static_cast<int>(row_least.size()),
                                static_cast<CoinBigIndex>(columns.size()), factors.data(), columns.data(), begin.data(),
                                nullptr);
  OsiClpSolverInterface result;
  result.messageHandler()->setLogLevel(0);
  result.getModelPtr()->setLogLevel(0);
  result.loadProblem(matrix, least.data(), most.data(), cost.data(), row_least.data(), row_most.data());
  const std::int64_t first_whole = whole_counts_ ? 0 : first_step_variable_;
  for (std::int64_t j = first_whole; j < variables_; ++j) result.setInteger(static_cast<int>(j));
  return result;
}

ClassAssignment ClassProgram::assignment(const double* values) const {
  ClassAssignment result;
  result.durations = durations_;
  result.steps.assign(durations_.size(), 0);
  result.messages.assign(messages_.classes.size(), std::vector<std::int64_t>(durations_.size(), 0));
  for (std::size_t c = 0; c < merged_.size(); ++c) {
    std::size_t t = shortest(c);
    std::int64_t left = std::llround(values[count_variable(c, t)]);
    for (const std::size_t member : merged_[c].members) {
      for (std::int64_t rest = messages_.copies(); rest > 0;) {
        while (left == 0) left = std::llround(values[count_variable(c, ++t)]);
        const std::int64_t taken = std::min(left, rest);
        result.messages[member][t] += taken;
        left -= taken;
        rest -= taken;
      }
    }
  }
  result.drop_idle_steps(messages_);
  return result;
}

ProgramOutcome ClassProgram::solve(Effort& effort) const {
  ProgramOutcome outcome{std::nullopt, limits_.least};
  if (variables_ > kMostClassVariables || effort.left() == 0) return outcome;
  OsiClpSolverInterface linear = relaxation();
  const KeptInterrupt interrupt;
  // Pivots count by the rows that they work on.
  constexpr int kRowsOfAUnit = 100;
  const auto work = 1 + linear.getNumRows() / kRowsOfAUnit;
  const auto is_used_up = [&effort] { return effort.left() == 0; };
  const PivotHandler pivots(
      [&effort, work, is_used_up] {
        effort.take(work);
        return is_used_up();
      },
      &interrupt);
  linear.getModelPtr()->passInEventHandler(&pivots);
  linear.initialSolve();
  const auto in_elements = [&](double units) {
    return static_cast<std::int64_t>(std::ceil(units - kTolerance * std::max(1.0, std::abs(units)))) * unit_;
  };
  if (effort.left() == 0) return outcome;
  outcome.at_least = linear.isProvenOptimal() ? std::max(limits_.least, in_elements(linear.getObjValue()))
                                              : limits_.below;  // too few steps
  if (outcome.at_least >= limits_.below) {
    outcome.at_least = limits_.below;
    return outcome;
  }

  CbcModel model(linear);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  const TreeHandler tree(is_used_up);
  model.passInEventHandler(&tree);
  if (limits_.below != ProgramLimits::kAnyNumber) {
    const double below = static_cast<double>(limits_.below) / static_cast<double>(unit_);
    model.setCutoff(std::ceil(below) - kHalf);
  }
  CglProbing probing;
  probing.setUsingObjective(1);
  probing.setMaxPass(1);
  probing.setMaxProbe(kMostProbes);
  CglGomory gomory;
  CglMixedIntegerRounding2 rounding;
  model.addCutGenerator(&probing, -1, "probing");
  model.addCutGenerator(&gomory, -1, "gomory");
  model.addCutGenerator(&rounding, -1, "rounding");
  model.branchAndBound();

  if (model.bestSolution() != nullptr && whole_counts_) outcome.assignment = assignment(model.bestSolution());
  if (effort.left() == 0) return outcome;
  if (model.isProvenInfeasible() || model.bestSolution() == nullptr) {
    outcome.at_least = limits_.below;
  } else {
    outcome.at_least = outcome.assignment ? outcome.assignment->transmission()
                                          : std::max(outcome.at_least, in_elements(model.getObjValue()));
  }
  return outcome;
}

}  // namespace

ProgramOutcome least_transmission(const MessageClasses& messages, const ProgramLimits& limits, Effort& effort) {
  return ClassProgram(messages, limits, /*whole_counts=*/true).solve(effort);
}

std::int64_t transmission_bound(const MessageClasses& messages, const ProgramLimits& limits, Effort& effort) {
  return ClassProgram(messages, limits, /*whole_counts=*/false).solve(effort).at_least;
}

#else

ProgramOutcome least_transmission(const MessageClasses& messages, const ProgramLimits& limits, Effort& effort) {
  constexpr std::int64_t kPlacingsOfAUnit = 100;
  constexpr std::int64_t kMostPlacings = std::int64_t{1} << 40;
  Effort placings = effort.part(std::min(effort.left(), kMostPlacings / kPlacingsOfAUnit) * kPlacingsOfAUnit);
  const std::int64_t before = placings.left();
  ProgramOutcome outcome = search_profiles(messages, limits, placings);
  effort.take((before - placings.left()) / kPlacingsOfAUnit);
  return outcome;
}

std::int64_t transmission_bound(const MessageClasses& /*messages*/, const ProgramLimits& limits, Effort& /*effort*/) {
  return limits.least;
}

#endif

}  // namespace sluice::detail
