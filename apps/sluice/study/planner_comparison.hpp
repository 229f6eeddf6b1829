#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/sluice/study/study.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::command {

/// Instances of one kind, drawn at random.
struct InstanceGroup {
  std::int64_t nodes = 0;
  double setup_percent = 0;  ///< the set-up, of the largest load of a node
  std::int64_t switches = 1;
  /// Instance `number`, the same on every machine and by any thread; its set-up does not matter.
  std::function<Traffic(std::uint64_t seed, std::int64_t number)> traffic;
};

/// Every named planner that ends by itself and `auto`, on the same instances.
struct PlannerComparison {
  std::string name;   ///< of the files
  std::string title;  ///< of the picture
  std::vector<InstanceGroup> groups;
  std::int64_t samples = 0;  ///< of each group
  double effort = 1;         ///< of auto, and of the bound
};

/// Plans every instance with as many transfers at once as there are nodes, and validates the plans. Writes NAME.csv
/// and, if gnuplot is installed, NAME.svg: for each group and planner the mean, the worst and the quartiles of the cost
/// over the best known bound, and how many instances the planner refused. The bound is the larger of eta and the linear
/// program, as far as the effort brings it; bound_on_switches derives it for several switches. The two columns before
/// the quartiles, in the rows of `auto`, are the costs of `auto` over the costs of the cheapest planner for optical
/// switches: solstice, eclipse or lumos. Prints a part of the file as a table. Throws InputError if a file cannot be
/// written.
void compare_planners(const PlannerComparison& comparison, const StudyTask& task);

/// Compares planners for set-ups of 0.2, 1 and 5 % of the largest load, for traffic(nodes, seed, number) of each of
/// `sizes` and each number of `switches`. --quick takes `quick_size` alone and little effort. 3 samples unless the task
/// has another number.
void compare_planners_at(const std::vector<std::int64_t>& sizes, std::int64_t quick_size,
                         const std::vector<std::int64_t>& switches, const std::string& name, const std::string& title,
                         const std::function<Traffic(std::int64_t, std::uint64_t, std::int64_t)>& traffic,
                         const StudyTask& task);

}  // namespace sluice::command
