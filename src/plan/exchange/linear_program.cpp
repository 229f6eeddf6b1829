#include "plan/exchange/linear_program.hpp"

#include "sluice/error.hpp"

#ifdef SLUICE_HAVE_CLP
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#endif

namespace sluice::detail {

#ifdef SLUICE_HAVE_CLP

namespace {

/// Ends the simplex method when the deadline has passed: CLP asks after every pivot.
class DeadlineHandler : public ClpEventHandler {
 public:
  explicit DeadlineHandler(const Deadline* deadline) : deadline_(deadline) {}

  int event(Event which) override { return which == endOfIteration && deadline_->passed() ? kStop : -1; }
  [[nodiscard]] ClpEventHandler* clone() const override { return new DeadlineHandler(*this); }

 private:
  static constexpr int kStop = 5;  // becomes the status "stopped by event handler"
  const Deadline* deadline_;
};

}  // namespace

class LinearProgram::Solver {
 public:
  Deadline deadline;
  ClpSimplex model;
};

bool LinearProgram::available() { return true; }

LinearProgram::LinearProgram(std::span<const double> demands) : solver_(std::make_unique<Solver>()) {
  ClpSimplex& model = solver_->model;
  model.setLogLevel(0);
  model.resize(static_cast<int>(demands.size()), 0);
  for (std::size_t row = 0; row < demands.size(); ++row)
    model.setRowBounds(static_cast<int>(row), demands[row], COIN_DBL_MAX);
  const DeadlineHandler handler(&solver_->deadline);
  model.passInEventHandler(&handler);
}

LinearProgram::~LinearProgram() = default;

void LinearProgram::add_columns(std::span<const LpColumn> columns) {
  if (columns.empty()) return;
  std::vector<double> cost;
  std::vector<CoinBigIndex> start{0};
  std::vector<int> rows;
  std::vector<double> values;
  for (const LpColumn& column : columns) {
    cost.push_back(column.cost);
    rows.insert(rows.end(), column.rows.begin(), column.rows.end());
    values.insert(values.end(), column.values.begin(), column.values.end());
    start.push_back(static_cast<CoinBigIndex>(rows.size()));
  }
  solver_->model.addColumns(static_cast<int>(columns.size()), nullptr, nullptr, cost.data(), start.data(), rows.data(),
                            values.data());
}

void LinearProgram::remove_columns(std::span<const std::int32_t> columns) {
  solver_->model.deleteColumns(static_cast<int>(columns.size()), columns.data());
}

std::int32_t LinearProgram::column_count() const { return solver_->model.numberColumns(); }

bool LinearProgram::solve(const Deadline& deadline) {
  solver_->deadline = deadline;
  solver_->model.primal(1);
  return solver_->model.isProvenOptimal();
}

double LinearProgram::objective() const { return solver_->model.objectiveValue(); }

std::span<const double> LinearProgram::duals() const {
  return {solver_->model.dualRowSolution(), static_cast<std::size_t>(solver_->model.numberRows())};
}

std::span<const double> LinearProgram::values() const {
  return {solver_->model.primalColumnSolution(), static_cast<std::size_t>(solver_->model.numberColumns())};
}

std::span<const double> LinearProgram::reduced_costs() const {
  return {solver_->model.dualColumnSolution(), static_cast<std::size_t>(solver_->model.numberColumns())};
}

#else

namespace {
[[noreturn]] void fail_without_solver() { SLUICE_ASSERT(false, "asked for a linear program without a solver"); }
}  // namespace

class LinearProgram::Solver {};

bool LinearProgram::available() { return false; }
LinearProgram::LinearProgram(std::span<const double> /*demands*/) { fail_without_solver(); }
LinearProgram::~LinearProgram() = default;
void LinearProgram::add_columns(std::span<const LpColumn> /*columns*/) { fail_without_solver(); }
void LinearProgram::remove_columns(std::span<const std::int32_t> /*columns*/) { fail_without_solver(); }
std::int32_t LinearProgram::column_count() const { fail_without_solver(); }
bool LinearProgram::solve(const Deadline& /*deadline*/) { fail_without_solver(); }
double LinearProgram::objective() const { fail_without_solver(); }
std::span<const double> LinearProgram::duals() const { fail_without_solver(); }
std::span<const double> LinearProgram::values() const { fail_without_solver(); }
std::span<const double> LinearProgram::reduced_costs() const { fail_without_solver(); }

#endif

}  // namespace sluice::detail
