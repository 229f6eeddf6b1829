#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/timeline.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// The verb `plan`: what its problems share, and where each adds itself.
namespace sluice::command {

/// Lines below the costs, unless --all.
inline constexpr std::int64_t kShownLines = 40;

/// How much of a plan is shown, and where it is written.
struct PlanOutput {
  std::string json;
  TimelineOutput timeline;
  std::string tree;  ///< of problems that have one
  bool all = false;
  bool summary = false;

  /// Whether the steps or transfers are needed at all.
  [[nodiscard]] bool writes_out() const { return !summary || !json.empty() || !tree.empty() || timeline.wanted(); }

  /// Throws InputError if the files cannot be written.
  void check_targets() const;

  /// `unit`: what the file is in, such as "sizes in elements". `summary_help`: what --summary is good for.
  void add_to(CLI::App& problem, const std::string& unit, const std::string& summary_help);
  void add_tree_to(CLI::App& problem);
};

/// The cost beside the bound, a line for each part, with "optimal" where both are equal. `decimals` as in StepSchedule.
/// On several `switches` each line is of the switch that has most of it.
[[nodiscard]] std::string cost_table(const Cost& cost, const Cost& bound, double setup, std::int32_t decimals = 0,
                                     std::int64_t switches = 1);

/// "... 12 more lines; --all shows them", with its end; nothing if none are left out.
[[nodiscard]] std::string left_out_line(std::int64_t lines);

/// Which process has which role in the target grid, where role and process have different numbers; "" if none do.
[[nodiscard]] std::string table_of_roles(const TargetRoles& roles, bool all);

/// The exit status of a plan that has been shown. Says on standard error that it was interrupted, where a file went to
/// standard output.
int end_of_plan();

/// Prints `head` and the steps or transfers of `schedule`, and writes the file asked for. Returns the exit status.
int show_plan(const std::string& head, const StepSchedule& schedule, const PlanOutput& output);
int show_plan(const std::string& head, const TreeSchedule& schedule, const PlanOutput& output);
/// With the certificate of its bound in the file, if there is one.
int show_plan(const std::string& head, const StepSchedule& schedule, const std::optional<BoundCertificate>& certificate,
              const PlanOutput& output);
int show_plan(const std::string& head, const ExchangePlan& plan, const PlanOutput& output);
/// Shows the messages of a program over its platform.
int show_plan(const std::string& head, const ProgramPlan& plan, const Platform& platform, const PlanOutput& output);

/// ", proven optimal", or how far above the optimum `value` can be: ", at most 1.4 % above the optimum (eta)", with
/// `bound` and its `kind`.
[[nodiscard]] std::string distance_text(double value, double bound, bool optimal, const std::string& kind);

/// A line of a table: what it is, how much, a remark.
struct TreeFact {
  std::string name;
  std::string value;
  std::string note;
};

/// The lines, in columns.
[[nodiscard]] std::string fact_table(const std::vector<TreeFact>& facts);
/// The lines about a tree: its length, its bounds and more. `optimum_at_least`: the best lower bound known. `bounded`:
/// what the bounds hold for, where that is not every schedule.
[[nodiscard]] std::string tree_table(const TreeSchedule& schedule, double optimum_at_least,
                                     const std::vector<TreeFact>& more, const std::string& bounded = {});

/// Ends the name of a plan whose length is no replay of all messages.
inline constexpr std::string_view kEstimated = ", estimated";
/// Below rows of such plans; `{}`: the problem.
inline constexpr const char* kEstimatesLine =
    "estimated: the planner left out the full replay of these, and they may take longer; sluice compare {} replays "
    "each\n";

inline constexpr const char* kPlanning = "planning";  ///< what takes that long

/// `plan` with these options and a line on standard error that says how far it is, where that can take long. `decimals`
/// as in StepSchedule.
[[nodiscard]] ExchangePlan plan_with_progress(ExchangeOptions options, std::int32_t decimals,
                                              const std::function<ExchangePlan(const ExchangeOptions&)>& plan);
/// Calls plan_exchange with that line.
[[nodiscard]] ExchangePlan plan_with_progress(const ExchangeProblem& problem, const ExchangeOptions& options);

/// "algorithm: oggp (guarantee: at most 2 eta), at most 1.4 % above the optimum (eta)", and the table of costs.
[[nodiscard]] std::string costs_of(const ExchangePlan& plan);

void add_plan_redistribute(CLI::App& plan, Action& chosen);
void add_plan_exchange(CLI::App& plan, Action& chosen);
void add_plan_reduce(CLI::App& plan, Action& chosen);
void add_plan_broadcast(CLI::App& plan, Action& chosen);
void add_plan_collectives(CLI::App& plan, Action& chosen);

}  // namespace sluice::command
