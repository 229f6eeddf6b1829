#include "plan/exchange/exact/integer_program.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "base/kept_interrupt.hpp"
#include "base/solver_events.hpp"
#include "sluice/error.hpp"

#ifdef SLUICE_HAVE_CBC
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#endif

namespace sluice::detail {

#ifdef SLUICE_HAVE_CBC

namespace {

constexpr std::int64_t kWorkOfRow = 30;
constexpr std::int64_t kWorkOfEntry = 4;

int go_on(CbcModel* /*model*/, int /*where*/) { return 0; }

}  // namespace

bool integer_solver_available() { return true; }

IntegerSolution solve(const IntegerProgram& program, Budget& budget, const std::function<void()>& alive) {
  IntegerSolution result;
  if (budget.over()) return result;
  const auto variables = static_cast<int>(program.variables.size());
  std::vector<double> cost, least, most;
  for (const IntegerProgram::Variable& variable : program.variables) {
    cost.push_back(variable.cost);
    least.push_back(variable.least);
    most.push_back(variable.most);
  }
  std::vector<CoinBigIndex> begin{0};
  std::vector<int> columns;
  std::vector<double> factors, row_least, row_most;
  const auto limit = [](double value) {
    if (value >= IntegerProgram::kNoLimit) return COIN_DBL_MAX;
    return value <= -IntegerProgram::kNoLimit ? -COIN_DBL_MAX : value;
  };
  for (const IntegerProgram::Row& row : program.rows) {
    for (const auto& [variable, factor] : row.entries) {
      columns.push_back(variable);
      factors.push_back(factor);
    }
    begin.push_back(static_cast<CoinBigIndex>(columns.size()));
    row_least.push_back(limit(row.least));
    row_most.push_back(limit(row.most));
  }
  const CoinPackedMatrix matrix(false, variables, static_cast<int>(program.rows.size()),
                                static_cast<CoinBigIndex>(columns.size()), factors.data(), columns.data(), begin.data(),
                                nullptr);
  OsiClpSolverInterface relaxation;
  relaxation.messageHandler()->setLogLevel(0);
  relaxation.getModelPtr()->setLogLevel(0);
  relaxation.loadProblem(matrix, least.data(), most.data(), cost.data(), row_least.data(), row_most.data());
  for (int j = 0; j < variables; ++j) relaxation.setInteger(j);
  const auto entries = static_cast<std::int64_t>(columns.size());
  const auto rows = static_cast<std::int64_t>(program.rows.size());
  const KeptInterrupt interrupt;
  // Nodes of the tree count as work; so do pivots, because a single relaxation may take long.
  const std::int64_t work = kWorkOfRow * rows + kWorkOfEntry * entries;
  const auto spend = [&budget, work] {
    budget.spend(work);
    return budget.over();
  };
  const PivotHandler pivots(spend, &interrupt);
  relaxation.getModelPtr()->passInEventHandler(&pivots);

  CbcModel model(relaxation);
  CbcSolverUsefulData data;
  CbcMain0(model, data);
  model.setLogLevel(0);
  TreeHandler tree([&] {
    if (alive) alive();
    return spend();
  });
  model.passInEventHandler(&tree);
  // Only where time is limited: what CBC does otherwise must not depend on the clock.
  const std::string seconds = fmt::format("{:.3f}", std::min(budget.seconds_left(), 1e8));
  std::array<const char*, 9> arguments{"sluice", "-log",          "0",      "-timeMode", "elapsed",
                                       "-sec",   seconds.c_str(), "-solve", "-quit"};
  CbcMain1(static_cast<int>(arguments.size()), arguments.data(), model, go_on, data);

  if (model.bestSolution() != nullptr) {
    result.values.resize(program.variables.size());
    for (std::size_t j = 0; j < result.values.size(); ++j) result.values[j] = std::llround(model.bestSolution()[j]);
  }
  if (model.isProvenOptimal()) {
    result.state = IntegerSolution::State::kSolved;
  } else if (model.isProvenInfeasible() && !budget.over()) {
    result.state = IntegerSolution::State::kInfeasible;
  }
  return result;
}

#else

bool integer_solver_available() { return false; }

IntegerSolution solve(const IntegerProgram& /*program*/, Budget& /*budget*/, const std::function<void()>& /*alive*/) {
  SLUICE_ASSERT(false, "asked for an integer program without a solver");
  return {};
}

#endif

}  // namespace sluice::detail
