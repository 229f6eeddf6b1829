#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/budget.hpp"

namespace sluice::detail {

/// Least sum of cost * variable, all variables whole and within limits, every row within limits.
struct IntegerProgram {
  struct Variable {
    double cost = 0;
    double least = 0;
    double most = 0;
  };
  struct Row {
    double least = 0;
    double most = 0;
    std::vector<std::pair<std::int32_t, double>> entries;  ///< variable and factor, each variable once
  };
  static constexpr double kNoLimit = 1e30;

  std::vector<Variable> variables;
  std::vector<Row> rows;
};

struct IntegerSolution {
  enum class State {
    kSolved,      ///< `values` costs the least
    kInfeasible,  ///< there is no solution
    kStopped,     ///< the budget is spent; `values` is the best solution found, if any
  };
  State state = State::kStopped;
  std::vector<std::int64_t> values;
};

/// Whether a solver was built in: CBC.
[[nodiscard]] bool integer_solver_available();

/// Solves `program` by branch and cut (CBC); calls `alive` repeatedly. It computes with doubles and the solver's
/// tolerances (1e-7 for rows). `values` fulfil a row exactly if its factors and limits are whole and below 10^6.
/// Deterministic unless time ends it.
/// @pre integer_solver_available()
[[nodiscard]] IntegerSolution solve(const IntegerProgram& program, Budget& budget, const std::function<void()>& alive);

}  // namespace sluice::detail
