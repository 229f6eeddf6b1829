#pragma once

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// The verb `compare`: what its problems share, and where each adds itself.
namespace sluice::command {

/// What a plan or a bound comes to: cells of the table, fields of the file.
struct Figures {
  double total = 0;                                         ///< total cost or length: what ratios are of
  std::vector<std::string> cells;                           ///< one for each of Comparison::columns, or fewer
  std::vector<std::pair<std::string, std::string>> fields;  ///< name and value, as JSON
};

/// The figures of steps; `decimals` as in StepSchedule.
[[nodiscard]] Figures figures_of(const Cost& cost, std::int32_t decimals = 0);

/// `value` as it stands in a file.
[[nodiscard]] std::string json_number(double value);

/// The figures of a tree: its length, and what else is counted, by the names of the fields.
[[nodiscard]] Figures figures_of_tree(double length,
                                      const std::vector<std::pair<std::string, std::int64_t>>& counts = {});

struct ComparedPlan {
  std::string algorithm;
  Figures figures;
  double plan_s = 0;
  std::string note;      ///< for people; says what the next two say
  bool optimal = false;  ///< nothing is better, which is proven
  bool stopped = false;  ///< by the time limit

  void add_note(const std::string& more) {
    if (!note.empty() && !more.empty()) note += ", ";
    note += more;
  }
  void add_optimal() {
    optimal = true;
    add_note("proven optimal");
  }
  void add_stopped() {
    stopped = true;
    add_note(end_of_search_text(true).substr(2));
  }
};

struct ComparedBound {
  Figures figures;
  std::string kind;  ///< as in sluice.compare/1
  std::string note;
};

/// The algorithms of a problem side by side.
struct Comparison {
  std::string problem;
  std::string head;                                                              ///< lines above the table
  std::vector<std::string> columns{"steps (NS)", "transmission (TC)", "total"};  ///< titles of Figures::cells
  std::string ratio_of = "total";                                                ///< the column that ratios are of
  std::vector<ComparedPlan> plans;
  std::vector<std::pair<std::string, std::string>> refused;  ///< algorithms that do not apply, and why
  std::optional<InputError> first_refusal;                   ///< why the first of them does not
  std::vector<ComparedBound> bounds;                         ///< the largest stands last: ratios are to that one

  std::vector<std::string> left_out;  ///< algorithms that were not run because of a Ctrl-C

  /// Adds the row that `make` returns or, where it throws InputError, what that says. After a Ctrl-C (see
  /// Interruptible) it adds nothing.
  void add(const std::string& algorithm, const std::function<ComparedPlan()>& make);
};

/// What `plan` returns, and the shortest time of a few calls: the first one pays for cold caches.
template <class Plan>
auto timed(double& seconds, Plan&& plan) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRepetitions = 5;
  constexpr double kEnough = 0.1;
  double all = 0;
  for (int i = 0;; ++i) {
    const Clock::time_point start = Clock::now();
    auto result = plan();
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    all += taken;
    seconds = i == 0 ? taken : std::min(seconds, taken);
    if (i + 1 == kRepetitions || all > kEnough) return result;
  }
}

/// Which algorithms are compared.
class ComparedAlgorithms {
 public:
  /// Adds --algorithms; `names` are all that it can have.
  void add_to(CLI::App& problem, const std::vector<std::string>& names);

  /// Whether no algorithm was named.
  [[nodiscard]] bool all() const { return text_ == "all"; }
  /// Those asked for, in the order that they were asked for: all that there are here, `known`, unless given. Throws
  /// InputError for one that is not known or is there twice.
  [[nodiscard]] std::vector<std::string> among(const std::vector<std::string>& known) const;

 private:
  std::string text_ = "all";
};

/// Where a comparison goes besides the table.
struct ComparisonOutput {
  std::string json;
  std::string svg;

  void add_to(CLI::App& problem);
  /// Throws InputError if the files cannot be written.
  void check_targets() const;
};

/// Prints the comparison and writes the files asked for; the exit status. Throws the InputError of the first algorithm
/// if none applies.
int show_comparison(const Comparison& comparison, const ComparisonOutput& output);

inline constexpr const char* kComparisonHelp =
    "\nratio: total (or length) over the best lower bound. planned in: the least time of up to five runs.\n\n";

void add_compare_redistribute(CLI::App& compare, Action& chosen);
void add_compare_exchange(CLI::App& compare, Action& chosen);
void add_compare_reduce(CLI::App& compare, Action& chosen);
void add_compare_broadcast(CLI::App& compare, Action& chosen);
void add_compare_collectives(CLI::App& compare, Action& chosen);

}  // namespace sluice::command
