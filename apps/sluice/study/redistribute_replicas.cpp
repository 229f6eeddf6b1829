#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/parallel.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/plan/replicated.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"

// Redistributions between copies: R copies of P:r to S copies of Q:s, all processes apart. What is planned, with and
// without passing on, and the plain way, everything from copy 0 of the source, each over the bound of any schedule.

namespace sluice::command {

namespace {

constexpr std::int64_t kMostReplicas = 8, kMostSide = 8, kMostBlocks = 128;
constexpr std::int64_t kDefaultInstances = 1000, kQuickInstances = 40;
/// A set-up, as a part of what a process of the target gets.
constexpr double kSetupPart = 0.01;

constexpr std::array kWays{"first-copy", "direct", "auto"};

struct Instance {
  std::int64_t p = 1, r = 1, q = 1, s = 1, from_replicas = 1, to_replicas = 1, elements = 1;
};

struct ReplicasRow {
  Instance is;
  double bound = 0;
  std::array<double, kWays.size()> totals = {};
  std::int64_t chain = 1;

  [[nodiscard]] double ratio(std::size_t way) const { return totals[way] / bound; }
};

std::vector<Instance> instances(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto number = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  std::vector<Instance> result;
  while (std::cmp_less(result.size(), count)) {
    Instance is{number(kMostSide),
                number(kMostBlocks),
                number(kMostSide),
                number(kMostBlocks),
                number(kMostReplicas),
                number(kMostReplicas),
                100'000};
    if (is.from_replicas * is.to_replicas > 1) result.push_back(is);
  }
  return result;
}

ReplicasRow measured(const Instance& is) {
  const RedistributionProblem one = make_problem({{is.p}, {is.r}}, {{is.q}, {is.s}}, {is.elements});
  const ReplicatedProblem problem(one, is.from_replicas, is.to_replicas);
  ReplicatedOptions how;
  how.setup = kSetupPart * static_cast<double>(is.elements) / static_cast<double>(is.q);
  how.effort = 0.02;
  ReplicasRow row{is, replicated_bounds(problem, how.setup).any.total};
  const ReplicatedPlan plan = plan_replicated(problem, how);
  row.totals = {cost(plan_from_first_copy(problem, how)).total, plan.direct_total, cost(plan.schedule).total};
  row.chain = plan.longest_chain;
  return row;
}

std::string csv_of(const std::vector<ReplicasRow>& rows) {
  std::string text = "P,r,Q,s,R,S,bound,first_copy,direct,auto,chain\n";
  for (const ReplicasRow& row : rows) {
    const Instance& is = row.is;
    text += fmt::format("{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{}\n", is.p, is.r, is.q, is.s, is.from_replicas,
                        is.to_replicas, row.bound, row.totals[0], row.totals[1], row.totals[2], row.chain);
  }
  return text;
}

/// Sorted ratios of each way.
std::vector<std::vector<double>> ratios_of(const std::vector<ReplicasRow>& rows) {
  std::vector<std::vector<double>> ratios(kWays.size());
  for (std::size_t w = 0; w < kWays.size(); ++w) {
    for (const ReplicasRow& row : rows) ratios[w].push_back(row.ratio(w));
    std::ranges::sort(ratios[w]);
  }
  return ratios;
}

}  // namespace

int study_redistribute_replicas(const StudyTask& task) {
  const std::int64_t count = task.samples > 0 ? task.samples : task.quick ? kQuickInstances : kDefaultInstances;
  make_folder(task.folder);
  check_writable(task.folder + "/instances.csv");
  const std::vector<Instance> all = instances(count, task.seed);
  std::vector<ReplicasRow> rows(all.size());
  {
    const Progress progress(count);
    for_each_in_parallel(
        count, [&](std::int64_t i) { progress.show(i, "instances"); },
        [&](std::int64_t i) { rows[static_cast<std::size_t>(i)] = measured(all[static_cast<std::size_t>(i)]); });
  }
  write_file_atomically(task.folder + "/instances.csv", csv_of(rows));
  const auto ratios = ratios_of(rows);
  write_file_atomically(task.folder + "/ratios.csv", "percent,first_copy,direct,auto\n" + percent_rows(ratios));
  std::string script = fmt::format(
      "set title \"total over the bound of any schedule, {}\"\nset xlabel \"instances, by their ratio (%)\"\n"
      "set ylabel \"total / bound\"\nset grid\nset logscale y\nset ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, "
      "1000)\nplot ",
      count_text(rows.size(), "instance"));
  for (std::size_t w = 0; w < kWays.size(); ++w)
    script += fmt::format("{}\"ratios.csv\" using 1:{} every ::1 with lines lw 2 title \"{}\"",
                          w == 0 ? "" : ", \\\n     ", w + 2, kWays[w]);
  draw(task.folder, "ratios", script + '\n');

  std::string text = fmt::format(
      "{}, seed {}: P, Q, R, S <= {}, blocks <= {}, 100000 elements, a set-up {:.0f} % of a target process's "
      "part\n\n{:<12} {:>10} {:>10} {:>10}   total over the bound of any schedule\n",
      count_text(rows.size(), "instance"), task.seed, kMostSide, kMostBlocks, 100 * kSetupPart, "", "mean", "median",
      "worst");
  for (std::size_t w = 0; w < kWays.size(); ++w) {
    const std::vector<double>& each = ratios[w];
    const double mean = std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
    text += fmt::format("{:<12} {:>10.3f} {:>10.3f} {:>10.3f}\n", kWays[w], mean, each[each.size() / 2], each.back());
  }
  const auto chains = std::ranges::count_if(rows, [](const ReplicasRow& row) { return row.chain > 1; });
  text += fmt::format("copies pass on in {} of them\n", chains);
  write_file_atomically(task.folder + "/summary.txt", text);
  print(text + fmt::format("\ninstances.csv, ratios.csv, ratios.svg, summary.txt written to {}\n", task.folder));
  return kDone;
}

}  // namespace sluice::command
