#include "apps/sluice/study/study.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/suggestion.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/output/written.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

struct Study {
  const char* name;
  int (*run)(const StudyTask& task);
  bool random;        ///< whether it draws instances
  bool orders;        ///< whether it knows orders of ranks
  const char* needs;  ///< what it cannot do without, in brackets; empty if nothing special
  const char* help;
};

constexpr std::array kStudies{
    Study{"redistribute-tables", study_redistribute_tables, false, false, "",
          "Tables 1 to 19 of Desprez et al. 1997, the paper's value beside ours: tableNN.csv and "
          "summary.csv. Exit status 1 if a value differs that should not."},
    Study{"redistribute-paragon", study_redistribute_paragon, false, false, "",
          "Figures 2 to 4 of the same paper, its section 5, on 16 ranks: time against the size of the "
          "vector, by the optimal schedule and by the caterpillar: figureN.csv, and figureN.svg where "
          "gnuplot is installed."},
    Study{"redistribute-optimality", study_redistribute_optimality, true, false, "",
          "The paper's open problem: schedules optimal in NS and TC at once. Fronts of (NS, TC) with proof "
          "of 2000 random grids, P, Q <= 32, r, s <= 20, or as many as --samples says (300 000: every one, "
          "once), beside stepwise, greedy, coloring, caterpillar; the examples' fronts: grids.csv, "
          "examples.csv, ratios.csv, summary.txt and, where gnuplot is installed, ratios.svg. Started again "
          "with the same options it goes on where it was stopped."},
    Study{"redistribute-replicas", study_redistribute_replicas, true, false, "",
          "Redistributions between R copies of the source and S of the target, P, Q, R, S <= 8: total over the "
          "bound of any schedule, with and without passing on between copies, and with everything from the first "
          "copy, of 1000 random instances or as many as --samples says: instances.csv, ratios.csv, summary.txt and, "
          "where gnuplot is installed, ratios.svg."},
    Study{"exchange-quality", study_exchange_quality, true, false, "",
          "Figures 11 to 15 of Cohen et al. 2006, its section 8: cost over the lower bound eta, mean and "
          "worst of random graphs of 20 + 20 nodes, by GGP, OGGP and the two heuristics, k = 2..20: "
          "figureNN.csv and, where gnuplot is installed, figureNN.svg. 1000 graphs per point unless --samples "
          "says how many (the paper: 100 000)."},
    Study{"exchange-lab", study_exchange_lab, true, false, "(needs root, iproute2 and Open MPI; start it by itself)",
          "Figure 16 of the same paper and traffic that is hot, uniform, skew, of applications, executed "
          "between 10 + 10 hosts of the lab, a shaped network on this machine: time beside the bound, by "
          "plans and by MPI's own ways; half an hour, --quick: two minutes. --samples: instances of a kind. "
          "Started again with the same folder, it measures only what runs.jsonl there does not hold. "
          "The lab's scripts are found beside the command, or in the folder that the variable SLUICE_LAB "
          "names."},
    Study{
        "redistribute-lab", study_redistribute_lab, false, false, "(needs the same)",
        "Redistributions of 2048 x 2048 doubles between 8 and 16 hosts of the lab, nine pairs of layouts on all hosts "
        "and two with a side of the backbone for each grid, with the congestion controls reno and cubic: time beside "
        "the bound of links and backbone, by the job, its plan, its order alone, MPI_Alltoallw, MPI_Alltoallv, "
        "pairwise order and pdgemr2d: redistribute-reno.csv, redistribute-cubic.csv and, where gnuplot is installed, "
        "SVG. A quarter of an hour, --quick: a minute. Started again with the same folder, it measures only what "
        "runs.jsonl there does not hold."},
    Study{"defaults-lab", study_defaults_lab, true, false, "(needs the same)",
          "What users get without options: broadcasts, reductions, exchanges and redistributions between hosts of the "
          "lab on six networks, 1 KiB to 8 MiB for each rank: median time of the default over the best of MPI's own, "
          "over the best that other methods of ours reach, over the bound of ports and backbone, and over what was "
          "predicted: defaults.csv and, where gnuplot is installed, a picture for each network. --samples: instances "
          "of random traffic. Three hours, --quick: five minutes. Started again with the same folder, it measures only "
          "what runs.jsonl there does not hold."},
    Study{"switch-demand", study_switch_demand, true, false, "",
          "Optical circuit switches: every planner of exchange, those for switches (solstice, eclipse, "
          "lumos) among them, on random demand of 64 to 256 ports, 4 large and 12 small flows each, set-ups "
          "of 0.2, 1 and 5 % of the largest load: cost over the bound, mean and worst: switch-demand.csv "
          "and, where gnuplot is installed, switch-demand.svg. 3 instances of a kind unless --samples says "
          "how many."},
    Study{"parallel-switches", study_parallel_switches, true, false, "",
          "The same demand of 64 and 128 ports on 1, 2 and 4 switches side by side: cost over the bound for that "
          "number of switches, mean and worst: parallel-switches.csv and, where gnuplot is installed, "
          "parallel-switches.svg."},
    Study{"moe-routing", study_moe_routing, true, false, "",
          "The same on all-to-all traffic of mixtures of experts, 8 to 64 ranks, log-normal popularity: "
          "moe-routing.csv, ..."},
    Study{"reduce-figure-2", study_reduce_figure_2, false, false, "",
          "Figure 2 of Canon, Antoniu 2012: length over the optimum of the binomial and the Fibonacci "
          "strategy, each where it is worst, for 2 to 10000 machines: figure2.csv and, where gnuplot is "
          "installed, figure2.svg."},
    Study{"reduce-unknown-costs", study_reduce_unknown_costs, true, false, "",
          "After Benoit, Canon, Marchal 2015: 64 machines whose d for each link and c for each machine are random; "
          "lengths of the four algorithms that know no costs over the length of greedy, which does: "
          "reduce-unknown-costs.csv and, where gnuplot is installed, reduce-unknown-costs.svg. 100 instances per row "
          "unless --samples says how many."},
    Study{"reduce-at-scale", study_reduce_at_scale, false, false,
          "(needs the command built with SimGrid's SMPI: scripts/build.sh smpi)",
          "Reductions on simulated clusters of 16 to 1000 hosts, d / c from 1/10 to 10: the executor's time, "
          "the plan's length and the best MPI_Reduce that SMPI has: reduce-at-scale.csv and, where gnuplot "
          "is installed, reduce-at-scale.svg."},
    Study{"broadcast-simulation", study_broadcast_simulation, true, false, "",
          "Figures 7 and 8 of Steffenel 2006, its section 6: mean makespan of broadcasts between 2 to 50 "
          "random clusters, by every heuristic and by auto, up to 10 clusters the optimum: figure7.csv, "
          "figure8.csv and, where gnuplot is installed, SVG. 10 000 instances per point unless --samples says "
          "how many."},
    Study{"broadcast-models", study_broadcast_models, false, false,
          "(needs the command built with SimGrid's SMPI: scripts/build.sh smpi)",
          "Figures 3 to 6 of the same report, its section 4.3: strategies inside one simulated cluster of 2 "
          "to 32 machines, 1 KiB to 4 MiB: by their models and executed: broadcast-models.csv, figure3.csv "
          "to figure6.csv and, where gnuplot is installed, SVG."},
    Study{"broadcast-grid5000", study_broadcast_grid5000, false, true, "(needs the same)",
          "Figures 9 and 10 of the same report, its section 7: broadcasts to 88 simulated machines in six "
          "clusters, 1 KiB to 4 MiB: what every algorithm is predicted to take and takes, beside every "
          "MPI_Bcast that SMPI has: broadcast-grid5000.csv, figure9.csv, figure10.csv and, where gnuplot is "
          "installed, SVG."}};

struct StudyOptions {
  std::string name;
  std::string folder;
  std::string samples;
  std::string seed;
  std::string order;
  std::vector<std::string> networks;
  std::vector<std::string> sizes;
  bool quick = false;
  std::string json;
};

/// Standard output, which may go nowhere for a while.
class StandardOutput {
 public:
  StandardOutput() : kept_(::dup(STDOUT_FILENO)) {}
  ~StandardOutput() {
    restore();
    ::close(kept_);
  }
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  /// Throws InputError where there is no /dev/null.
  void silence() const {
    (void)std::fflush(stdout);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) throw InputError("--quiet", "no /dev/null", "one");
  }
  void restore() const {
    (void)std::fflush(stdout);
    (void)::dup2(kept_, STDOUT_FILENO);
  }

 private:
  int kept_;
};

template <class Wanted>
std::string names_of(Wanted wanted) {
  std::string names;
  for (const Study& each : kStudies)
    if (wanted(each)) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

std::vector<std::string> list_of_names() {
  std::vector<std::string> names;
  for (const Study& each : kStudies) names.emplace_back(each.name);
  return names;
}

/// The help of study `name`, or of all studies if none has that name.
std::string help_of(const std::string& name) {
  constexpr std::size_t kHelpWidth = 118;
  const std::vector<std::string> names = list_of_names();
  const bool one = std::find(names.begin(), names.end(), name) != names.end();
  std::string text;
  for (const Study& each : kStudies) {
    if (one && each.name != name) continue;
    const std::string needs = each.run == study_redistribute_paragon ? needs_mpi_text()
                              : each.needs[0] == 0                   ? ""
                                                                     : std::string(" ") + each.needs;
    text += each.name + needs + '\n' + fold(std::string("  ") + each.help, kHelpWidth) + '\n';
  }
  if (one) return text + "\nExample:\n  sluice study " + name + " -o " + name;
  return text +
         "\nsluice study NAME --help shows one of them.\n\n"
         "Examples:\n"
         "  sluice study redistribute-tables -o tables\n"
         "  mpirun -np 16 sluice study redistribute-paragon -o figures\n"
         "  sluice study exchange-quality -o figures --samples 200\n"
         "  sudo sluice study exchange-lab -o figures";
}

int study(const StudyOptions& options) {
  constexpr std::int64_t kMostSamples = 10'000'000;
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 62;
  const std::string names = names_of([](const Study&) { return true; });
  if (options.name.empty()) throw InputError("sluice study", "no name", names);
  const auto* const found =
      std::find_if(kStudies.begin(), kStudies.end(), [&](const Study& known) { return known.name == options.name; });
  if (found == kStudies.end())
    throw InputError("sluice study", "'" + options.name + "'", names + did_you_mean(options.name, list_of_names()));
  if (options.folder.empty()) throw InputError("-o", "no folder", "the folder to write to");
  if (options.folder == "-") throw InputError("-o", "'-'", "a folder: a study writes several files");
  StudyTask task;
  task.folder = options.folder;
  task.quick = options.quick;
  const auto refuse_unless = [&](const char* option, const std::string& text, bool knows, const std::string& others) {
    if (!text.empty() && !knows) throw InputError(option, "study " + options.name, "one of " + others);
  };
  const std::string random = names_of([](const Study& known) { return known.random; });
  refuse_unless("--samples", options.samples, found->random, random);
  refuse_unless("--seed", options.seed, found->random, random);
  refuse_unless("--order", options.order, found->orders, names_of([](const Study& known) { return known.orders; }));
  if (!options.order.empty() && options.order != "clusters" && options.order != "round-robin")
    throw InputError("--order", "'" + options.order + "'", "one of clusters, round-robin");
  task.round_robin = options.order == "round-robin";
  for (const auto& [option, given] :
       {std::pair("--networks", !options.networks.empty()), std::pair("--sizes", !options.sizes.empty())}) {
    if (given && found->run != study_defaults_lab)
      throw InputError(option, "study " + options.name, "study defaults-lab");
  }
  task.networks = options.networks;
  constexpr std::int64_t kLeastSize = 8, kMostSize = std::int64_t{1} << 30;
  for (const std::string& size : options.sizes)
    task.sizes.push_back(parse_count(size, "--sizes", kLeastSize, kMostSize));
  if (!options.samples.empty()) task.samples = parse_count(options.samples, "--samples", 1, kMostSamples);
  if (!options.seed.empty()) task.seed = static_cast<std::uint64_t>(parse_count(options.seed, "--seed", 0, kMostSeed));
  Ranks::once([&] { check_json_target(options.json); });
  // Studies print what came out and nothing else; files they write by their names.
  const StandardOutput output;
  if (manners().quiet || options.json == "-") output.silence();
  if (options.json.empty()) return found->run(task);
  const std::vector<std::string> hosts = Ranks::hosts();
  WrittenIntoFolder written(options.folder);
  const auto start = std::chrono::steady_clock::now();
  const int status = found->run(task);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!Ranks::speaks()) return status;
  output.restore();
  written.look();
  written.write_json(options.json, "study",
                     {{"study", options.name}, {"exit_status", status}, {"elapsed_s", elapsed.count()}}, hosts);
  return status;
}

}  // namespace

void add_study(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("study", "reproduce tables and figures of the papers: CSV and plots");
  const auto options = std::make_shared<StudyOptions>();
  offer(verb->add_option("name", options->name, "which one, see below"), list_of_names())->option_text("NAME");
  verb->add_option("-o,--output", options->folder, "folder for the files (needed); made if it is missing")
      ->option_text("DIR");
  verb->add_option("--samples", options->samples,
                   "random instances per point, in studies that draw them; each study has a usual number")
      ->option_text("N");
  verb->add_option("--seed", options->seed, "seed of the random instances")->option_text("N [1]");
  offer(verb->add_option("--order", options->order,
                         "of ranks, in broadcast-grid5000: clusters, or round-robin over them"),
        {"clusters", "round-robin"})
      ->option_text("NAME [clusters]");
  offer(verb->add_option("--networks", options->networks, "which networks defaults-lab measures; all unless given")
            ->delimiter(','),
        networks_of_defaults_lab())
      ->option_text("A,B,..");
  verb->add_option("--sizes", options->sizes, "bytes for each rank that defaults-lab measures; all unless given")
      ->delimiter(',')
      ->option_text("N,M,..");
  verb->add_flag("--quick", options->quick, "a small version, to try it out, of studies that take long");
  verb->add_option("--json", options->json,
                   "write what was written, by its names, as JSON (sluice.written/1); -: instead of the text")
      ->option_text("FILE|-");
  verb->footer(std::string());  // verbs would inherit the footer of the command
  verb->footer([options] { return help_of(options->name); });
  verb->callback([options, &chosen] { chosen = [options] { return study(*options); }; });
}

}  // namespace sluice::command
