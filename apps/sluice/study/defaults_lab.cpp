#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/instance_random.hpp"
#include "apps/sluice/study/lab.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/error.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// Most users take the defaults. Each case runs one problem between the hosts of the lab by alternating methods: a job
// without options, the methods of MPI, and our methods that an expert might ask for. Every rank sends and receives, so
// both directions of every link are loaded.
//
// Networks: (a) 8 hosts on one switch, 100 Mbit/s; (b) 4 + 4, links of 100, backbone of 200; (c) 8 + 8, links of 33,
// backbone of 100; (d) one host of 4 or 8 ranks; (e) 4 hosts of 2 ranks, 100; (f) as (a), one host with 50.
//
// The bound is the largest time that a link needs for its bytes: those that cross the backbone one way, or that a host
// sends or receives. An execution can be faster only by what is in the token buckets when the clock starts. Reductions
// and broadcasts have no bound here.

namespace sluice::command {

namespace {

struct Network {
  std::string name;
  std::string title;
  LabNetwork lab;
};

LabNetwork lab_of(std::int64_t hosts, std::int64_t ranks_per_host, double host_mbit, double backbone_mbit) {
  LabNetwork network;
  network.hosts = hosts;
  network.ranks_per_host = ranks_per_host;
  network.host_mbit = host_mbit;
  network.backbone_mbit = backbone_mbit;
  return network;
}

std::vector<Network> networks() {
  constexpr double kLink = 100, kWide = 10'000, kNarrow = 200;  // Mbit/s
  std::vector<Network> all{{"a", "8 hosts, one switch", lab_of(4, 1, kLink, kWide)},
                           {"b", "4 + 4 hosts, k = 2", lab_of(4, 1, kLink, kNarrow)},
                           {"c", "8 + 8 hosts, k = 3", lab_of(8, 1, kLink / 3, kLink)},
                           {"d4", "one host, 4 ranks", lab_of(0, 4, kLink, kWide)},
                           {"d8", "one host, 8 ranks", lab_of(0, 8, kLink, kWide)},
                           {"e", "4 hosts of 2 ranks", lab_of(2, 2, kLink, kWide)},
                           {"f", "8 hosts, one slow link", lab_of(4, 1, kLink, kWide)}};
  all.back().lab.first_host_mbit = kLink / 2;
  return all;
}

struct Methods {
  std::vector<std::string> of_mpi;
  std::vector<std::string> by_hand;  ///< others of ours

  [[nodiscard]] std::string text() const {
    std::vector<std::string> all{"sluice"};
    all.insert(all.end(), by_hand.begin(), by_hand.end());
    all.insert(all.end(), of_mpi.begin(), of_mpi.end());
    return fmt::format("{}", fmt::join(all, ","));
  }
};

/// One problem on one network.
struct Case {
  const Network* network = nullptr;
  std::string work;
  std::int64_t bytes = 0;  ///< for each rank
  Methods methods;
  std::vector<std::string> words;  ///< of `sluice run`
  std::optional<Traffic> traffic;  ///< of an exchange
  double bound_s = 0;              ///< 0: none
  LabResult result = {};

  /// The fastest of the methods that ran, and its median; "", 0 if none did.
  [[nodiscard]] std::pair<std::string, double> fastest(const std::vector<std::string>& names) const {
    std::pair<std::string, double> best;
    for (const auto& [name, times] : result.methods) {
      if (std::ranges::find(names, name) == names.end()) continue;
      if (best.second == 0 || times.median_s < best.second) best = {name, times.median_s};
    }
    return best;
  }
};

/// Weights of what each rank sends to each other one; they become sizes that are `bytes` a rank in the mean.
enum class SizeKind { kUniform, kLognormal, kColumns, kHot };
constexpr std::pair<SizeKind, const char*> kSizeKinds[] = {{SizeKind::kUniform, "uniform"},
                                                           {SizeKind::kLognormal, "lognormal"},
                                                           {SizeKind::kColumns, "columns"},
                                                           {SizeKind::kHot, "hot"}};

Traffic traffic_of(SizeKind kind, std::int64_t ranks, std::int64_t bytes, std::uint64_t seed, std::int64_t number) {
  constexpr double kDeviation = 1.5, kLoaded = 8;
  InstanceRandom random(seed, ranks, number);
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    switch (kind) {
      case SizeKind::kLognormal:
        return std::exp(kDeviation * random.normal());
      case SizeKind::kColumns:  // a quarter of them is what most is for
        return (to < (ranks + 3) / 4 ? kLoaded : 1) * (1 + random.uniform());
      case SizeKind::kHot:  // the first rank has half as much as all others
        return (from == 0 ? static_cast<double>(ranks - 1) / 2 : 1) * (1 + random.uniform());
      default:
        return 1 + random.uniform();
    }
  };
  std::vector<double> weights;
  double total = 0;
  for (std::int64_t from = 0; from < ranks; ++from) {
    for (std::int64_t to = 0; to < ranks; ++to) {
      weights.push_back(from == to ? 0 : draw(from, to));
      total += weights.back();
    }
  }
  Traffic traffic{ranks, ranks, {}};
  const double scale = static_cast<double>(ranks * bytes) / total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t size = std::llround(weights[i] * scale);
    const auto at = static_cast<std::int64_t>(i);
    if (size > 0) traffic.messages.push_back({at / ranks, at % ranks, size});
  }
  return traffic;
}

struct LayoutPair {
  const char* name;
  std::string from;
  std::string to;
  std::string shape;
};

std::vector<LayoutPair> layout_pairs(std::int64_t ranks, std::int64_t bytes) {
  const std::int64_t elements = ranks * bytes / 8;
  const auto edge = static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)));
  std::int64_t rows = 1;
  while (rows * rows < ranks) rows *= 2;
  return {{"vector", fmt::format("{}:64", ranks), fmt::format("{}:100", ranks), fmt::format("{}", elements)},
          {"matrix", fmt::format("{}x{}:64x64", rows, ranks / rows), fmt::format("{}x{}:100x100", ranks / rows, rows),
           fmt::format("{0}x{0}", edge)}};
}

constexpr std::int64_t kShort = 4 << 10;

struct Effort {
  int repetitions = 9;
  int short_repetitions = 101;  ///< of up to kShort bytes: nine executions of 0.2 ms say little
  std::vector<std::int64_t> sizes{1 << 10, 64 << 10, 1 << 20, 8 << 20};
  std::vector<std::string> networks{"a", "b", "c", "d4", "d8", "e", "f"};
  bool all_kinds = true;  ///< of traffic and layouts, and the reduction that takes time
};

Effort quick_effort() { return {3, 3, {64 << 10, 1 << 20}, {"a", "b"}, false}; }

void add_cases(std::vector<Case>& cases, const Network& network, std::int64_t bytes, const Effort& effort,
               const StudyTask& task) {
  const std::int64_t ranks = network.lab.ranks();
  cases.push_back({&network,
                   "broadcast",
                   bytes,
                   {{"mpi-bcast", "mpi-ibcast"}, {}},
                   {"broadcast", "--size", fmt::format("{}", bytes)},
                   std::nullopt});
  const Methods reductions{{"mpi-reduce", "mpi-ireduce"}, {"reduce-scatter", "binomial"}};
  const std::vector<std::string> reduce{"reduce", "--count", fmt::format("{}", bytes / 8)};
  cases.push_back({&network, "reduce sum", bytes, reductions, reduce, std::nullopt});
  if (effort.all_kinds && network.lab.hosts > 0) {
    std::vector<std::string> as_of_doubles = reduce;
    as_of_doubles.emplace_back("--reproducible");
    cases.push_back({&network, "reduce reproducible", bytes, reductions, as_of_doubles, std::nullopt});
  }
  constexpr std::int64_t kMostOfSleep = 1 << 20, kLeastOfSleep = 64 << 10;
  if (effort.all_kinds && network.lab.hosts > 0 && bytes >= kLeastOfSleep && bytes <= kMostOfSleep) {
    const double transfer_ms = static_cast<double>(bytes) / network.lab.host_bytes_per_s(1) * 1e3;
    std::vector<std::string> sleep = reduce;
    sleep.insert(sleep.end(), {"--operation", fmt::format("sleep:{:.2f}", transfer_ms)});
    cases.push_back({&network, "reduce sleep", bytes, reductions, sleep, std::nullopt});
  }
  const Methods exchanges{{"alltoallv", "all-at-once", "pairwise"}, {"sluice-chain", "sluice-local", "sluice-at-once"}};
  for (const auto& [kind, name] : kSizeKinds) {
    if (!effort.all_kinds && kind != SizeKind::kColumns) continue;
    const std::int64_t samples = kind == SizeKind::kUniform ? 1 : std::max<std::int64_t>(1, task.samples);
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      Traffic traffic = traffic_of(kind, ranks, bytes, task.seed + static_cast<std::uint64_t>(sample),
                                   static_cast<std::int64_t>(kind));
      const double bound_s = network.lab.hosts > 0 ? network.lab.least_time_s(traffic, 0) : 0;
      const std::string number = samples > 1 ? fmt::format(" {}", sample + 1) : "";
      cases.push_back({&network,
                       fmt::format("exchange {}{}", name, number),
                       bytes,
                       exchanges,
                       {"--same-ranks"},
                       std::move(traffic),
                       bound_s});
    }
  }
  const Methods redistributions{{"alltoallv", "alltoallw", "all-at-once"}, {"sluice-chain", "sluice-local"}};
  for (const LayoutPair& pair : layout_pairs(ranks, bytes)) {
    if (!effort.all_kinds && std::string_view(pair.name) != "matrix") continue;
    const Layout from = parse_layout(pair.from, "layout"), to = parse_layout(pair.to, "layout");
    const std::vector<std::int64_t> shape = parse_shape(pair.shape, "shape");
    Traffic traffic = RedistributionProblem(Distribution(from, shape), Distribution(to, shape)).traffic();
    for (Message& message : traffic.messages) message.size *= 8;
    cases.push_back({&network,
                     fmt::format("redistribute {}", pair.name),
                     bytes,
                     redistributions,
                     {"redistribute", "--from", pair.from, "--to", pair.to, "--shape", pair.shape},
                     std::nullopt,
                     network.lab.hosts > 0 ? network.lab.least_time_s(traffic, 0) : 0});
  }
}

constexpr const char* kColumns =
    "network,work,bytes_per_rank,bound_s,default_s,default_min_s,default_max_s,best_of_mpi,best_of_mpi_s,"
    "default_over_mpi,best_by_hand,best_by_hand_s,default_over_best,default_over_bound,predicted_s,how\n";

/// Times of a case that was measured, side by side.
struct Standing {
  const LabTimes& ours;
  std::pair<std::string, double> of_mpi;   ///< the fastest, and its median; "", 0: none ran
  std::pair<std::string, double> by_hand;  ///< the fastest of our methods by name, likewise
  double best_s;                           ///< of ours, the default too

  [[nodiscard]] std::string over(double s) const {
    return s > 0 ? fmt::format("{:.3f}", ours.median_s / s) : std::string();
  }
};

std::optional<Standing> standing_of(const Case& each) {
  const auto found = each.result.methods.find("sluice");
  if (found == each.result.methods.end()) return std::nullopt;
  const auto of_mpi = each.fastest(each.methods.of_mpi);
  const auto by_hand = each.fastest(each.methods.by_hand);
  const double default_s = found->second.median_s;
  return Standing{found->second, of_mpi, by_hand, by_hand.second > 0 ? std::min(default_s, by_hand.second) : default_s};
}

/// "NAME,SECONDS"; "," where there is none.
std::string fields_of(const std::pair<std::string, double>& method) {
  return method.second > 0 ? fmt::format("{},{:.6f}", method.first, method.second) : ",";
}

/// One line; a case without times has none.
std::string csv_of(const Case& each) {
  const std::optional<Standing> is = standing_of(each);
  if (!is) return "";
  const LabTimes& ours = is->ours;
  return fmt::format("{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{},{},{},{},{:.6f},\"{}\"\n", each.network->name,
                     each.work, each.bytes, each.bound_s, ours.median_s, ours.min_s, ours.max_s, fields_of(is->of_mpi),
                     is->over(is->of_mpi.second), fields_of(is->by_hand), is->over(is->best_s), is->over(each.bound_s),
                     ours.predicted_s, ours.how);
}

std::string table_of(const std::vector<Case>& cases) {
  TextTable table({{"work", TextTable::Align::kLeft},
                   {"bytes"},
                   {"default"},
                   {"/ MPI"},
                   {"/ best"},
                   {"/ bound"},
                   {"/ predicted"},
                   {"how", TextTable::Align::kLeft}});
  std::string failures;
  for (const Case& each : cases) {
    const std::optional<Standing> is = standing_of(each);
    if (!is) {
      failures +=
          fmt::format("{}, {}: not measured: {}\n", each.work, count_text(each.bytes, "byte"), each.result.failure);
      continue;
    }
    table.add_row({each.work, fmt::format("{}", each.bytes), seconds_text(is->ours.median_s),
                   is->over(is->of_mpi.second), is->by_hand.second > 0 ? is->over(is->best_s) : "",
                   is->over(each.bound_s), is->over(is->ours.predicted_s), is->ours.how});
  }
  return table.text() + failures;
}

/// Bars of the default over the best of MPI's own to the right, with their range; the line at 1 is as fast.
std::string bars_script(const Network& network, const Effort& effort, const std::vector<Case>& cases) {
  std::string data;
  std::size_t bars = 0;
  for (const Case& each : cases) {
    const std::optional<Standing> is = standing_of(each);
    if (!is || !(is->of_mpi.second > 0)) continue;
    const double mpi_s = is->of_mpi.second;
    data += fmt::format("\"{}, {}\",{},{:.3f},{:.3f}\n", each.work, bytes_text(each.bytes), is->over(mpi_s),
                        is->ours.min_s / mpi_s, is->ours.max_s / mpi_s);
    ++bars;
  }
  if (data.empty()) return "";
  return fmt::format(
      "$ratios << end\n{}end\n{}set title \"{}: default over the best of MPI's own, median and range of {}\"\n"
      "set xlabel \"time / time of MPI\"\nset xrange [0:*]\nset yrange [{}:-1]\nset grid xtics\n"
      "set style fill solid 0.7\nset key off\n"
      "set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead dashtype 2 front\n"
      "plot $ratios using 2:0:(0):2:($0-0.4):($0+0.4):ytic(1) with boxxyerror, \\\n"
      "     $ratios using 2:0:3:4 with xerrorbars pointtype 0 dashtype solid linecolor \"black\"\n",
      data, kNamesBesideBars, network.title,
      effort.repetitions == effort.short_repetitions
          ? fmt::format("{}", effort.repetitions)
          : fmt::format("{}, short ones {}", effort.repetitions, effort.short_repetitions),
      bars);
}

}  // namespace

std::vector<std::string> networks_of_defaults_lab() { return Effort{}.networks; }

int study_defaults_lab(const StudyTask& task) {
  Effort effort = task.quick ? quick_effort() : Effort{};
  if (!task.networks.empty()) effort.networks = task.networks;
  if (!task.sizes.empty()) effort.sizes = task.sizes;
  const std::vector<std::string> known = networks_of_defaults_lab();
  for (const std::string& name : task.networks) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError("--networks", "'" + name + "'", fmt::format("some of {}", fmt::join(known, ", ")));
  }
  const Lab lab("sluice study defaults-lab");
  make_folder(task.folder);
  const std::string file = fmt::format("{}/defaults.csv", task.folder);
  check_writable(file);
  const std::vector<Network> all = networks();
  std::map<const Network*, std::vector<Case>> cases;
  std::int64_t total = 0;
  for (const Network& network : all) {
    if (std::ranges::find(effort.networks, network.name) == effort.networks.end()) continue;
    for (const std::int64_t bytes : effort.sizes) add_cases(cases[&network], network, bytes, effort, task);
    total += static_cast<std::int64_t>(cases[&network].size());
  }
  bool complete = true;
  std::string csv = kColumns;
  MeasuredRuns measured(task.folder + "/runs.jsonl");
  {
    const Progress progress(total);
    std::int64_t done = 0;
    for (auto& [network, ours] : cases) {
      for (Case& each : ours) {
        progress.show(done++, fmt::format("{}: {}, {}", network->name, each.work, bytes_text(each.bytes)));
        std::vector<std::string> words = each.words;
        words.insert(words.end(),
                     {"--methods", each.methods.text(), "--repetitions",
                      fmt::format("{}", each.bytes > kShort ? effort.repetitions : effort.short_repetitions)});
        each.result = each.traffic ? lab.exchange(network->lab, *each.traffic, words, measured)
                                   : lab.run(network->lab, words, measured);
        complete = complete && each.result.failure.empty();
        csv += csv_of(each);
        write_file_atomically(file, csv);  // three hours may be interrupted
      }
    }
  }
  std::string text = fmt::format(
      "medians of {} executions of each method, {} up to {}; methods alternating; seed {}; every byte verified\n"
      "bytes: for each rank; best: the fastest of our methods, the default among them\n\n",
      effort.repetitions, effort.short_repetitions, bytes_text(kShort), task.seed);
  for (const auto& [network, ours] : cases) {
    text += fmt::format("({}) {}\n\n{}\n", network->name, network->title, table_of(ours));
    const std::string script = bars_script(*network, effort, ours);
    constexpr int kBar = 16, kMargin = 100;
    if (!script.empty())
      draw(task.folder, "defaults-" + network->name, script, kMargin + kBar * static_cast<int>(ours.size()));
  }
  print(text + measured.text(total) + fmt::format("written to {}\n", task.folder));
  return complete ? kDone : kCheckFailed;
}

}  // namespace sluice::command
