#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plan/deadline.hpp"

namespace sluice::detail {

/// A column of a LinearProgram: what one unit of its variable costs and what it adds to rows.
struct LpColumn {
  double cost = 0;
  std::vector<std::int32_t> rows;  ///< distinct
  std::vector<double> values;      ///< one for each of `rows`
};

/// Least cost x such that every row is at least its demand, x >= 0: a covering program whose columns come a few at a
/// time. Solved by CLP (primal simplex from the basis of the solution before), if the library was built with it.
///
/// Nothing here is exact: duals may be infeasible by the tolerance of the solver (1e-7), and slightly negative.
class LinearProgram {
 public:
  /// Whether a solver was built in. Without one the constructor must not be called.
  [[nodiscard]] static bool available();

  /// No columns yet; row r asks for at least `demands[r]`.
  explicit LinearProgram(std::span<const double> demands);
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;
  ~LinearProgram();

  void add_columns(std::span<const LpColumn> columns);
  /// Columns behind a removed one move up. @pre none of them has a value above 0
  void remove_columns(std::span<const std::int32_t> columns);
  [[nodiscard]] std::int32_t column_count() const;

  /// Whether the optimum was found; false if the deadline passed before, or the solver gave up.
  bool solve(const Deadline& deadline);

  // Of the last solve that returned true:
  [[nodiscard]] double objective() const;
  [[nodiscard]] std::span<const double> duals() const;          ///< one a row
  [[nodiscard]] std::span<const double> values() const;         ///< one a column
  [[nodiscard]] std::span<const double> reduced_costs() const;  ///< one a column

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace sluice::detail
