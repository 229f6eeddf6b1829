#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/bound_bars.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/lab.hpp"
#include "apps/sluice/study/lab_traffic.hpp"
#include "apps/sluice/study/moe_traffic.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// Section 8.3 of Cohen et al. 2006 joins two clusters of 10 computers by switches of 100 Mbit/s. The links of the
// computers are shaped to 100 / k. It draws the time of a redistribution against n; messages are uniform in 10 .. n MB.
// The lab has the same speeds. Its messages are kPaperScale times smaller, so that seven repetitions end within
// minutes. All ratios stay the same as long as messages are much longer than what is under way at a time.
//
// The study also has what the paper does not measure:
//   - traffic with one sender that has the most to send (hot), with equal (uniform) and with unequal messages (skew),
//     each scaled to one bound;
//   - traffic of five applications on 64 ranks, which become 10 senders and 10 receivers: rank r is number 10 r / 64
//     (rounded down) of each;
//   - tokens that 8 and 16 ranks on one switch send to each other's experts;
//   - TCP with BBR, and a plan for more transfers than the network carries.

namespace sluice::command {

namespace {

constexpr std::int64_t kHosts = 10;
constexpr std::array<std::int64_t, 3> kNetworks{3, 5, 7};  // k
constexpr std::int64_t kPaperScale = 250;
constexpr std::int64_t kMegabyte = 1'000'000;
constexpr double kSwitchMbit = 1000, kSlowLinkMbit = 33;

using Random = std::mt19937_64;

/// Made of the bits of the generator, as the standard's distributions differ between libraries.
double uniform(Random& random, double least, double most) {
  constexpr int kSpare = 64 - 53;
  return least + (most - least) * std::ldexp(static_cast<double>(random() >> kSpare), -53);
}

Random random_of(std::uint64_t seed, std::uint32_t what, std::uint32_t number) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U), what, number};
  return Random(words);
}

using Sizes = std::vector<std::vector<double>>;  ///< bytes, by sender and receiver

Traffic traffic_of(const Sizes& sizes, double scale) {
  Traffic traffic{kHosts, kHosts, {}};
  for (std::size_t from = 0; from < sizes.size(); ++from) {
    for (std::size_t to = 0; to < sizes[from].size(); ++to) {
      if (sizes[from][to] <= 0) continue;
      const auto bytes = static_cast<std::int64_t>(std::llround(sizes[from][to] * scale));
      traffic.messages.push_back(
          {static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), std::max<std::int64_t>(1, bytes)});
    }
  }
  return traffic;
}

template <class Draw>
Sizes draw_sizes(const Draw& draw) {
  Sizes sizes(kHosts, std::vector<double>(kHosts));
  for (std::vector<double>& row : sizes)
    for (double& size : row) size = draw();
  return sizes;
}

Traffic paper_traffic(std::uint64_t seed, std::int64_t largest_megabytes) {
  constexpr double kLeastMegabytes = 10;
  Random random = random_of(seed, 0, static_cast<std::uint32_t>(largest_megabytes));
  return traffic_of(
      draw_sizes([&] { return uniform(random, kLeastMegabytes, static_cast<double>(largest_megabytes)); }),
      static_cast<double>(kMegabyte) / static_cast<double>(kPaperScale));
}

enum class TrafficKind : std::uint32_t { kHot = 1, kUniform, kSkew };

Sizes draw_kind(TrafficKind kind, std::int64_t k, Random& random) {
  constexpr double kLeast = 1e3, kMost = 500e3;
  constexpr double kLongShare = 0.12, kLeastLong = 1e6, kMostLong = 2.5e6, kMostShort = 100e3;
  Sizes sizes = draw_sizes([&] {
    if (kind != TrafficKind::kSkew) return uniform(random, kLeast, kMost);
    const bool is_long = uniform(random, 0, 1) < kLongShare;
    return is_long ? uniform(random, kLeastLong, kMostLong) : uniform(random, kLeast, kMostShort);
  });
  if (kind != TrafficKind::kHot) return sizes;
  // The first sender has as much for its link as all have for the backbone: load = total / k.
  double hot = 0, others = 0;
  for (std::size_t from = 0; from < sizes.size(); ++from)
    for (const double size : sizes[from]) (from == 0 ? hot : others) += size;
  for (double& size : sizes.front()) size *= others / static_cast<double>(k - 1) / hot;
  return sizes;
}

/// Scaled so that no execution takes less than `bound_s`.
Traffic scaled(const Sizes& sizes, const LabNetwork& network, double bound_s) {
  return traffic_of(sizes, bound_s / network.least_time_s(traffic_of(sizes, 1), kHosts));
}

Sizes folded(const Traffic& traffic) {
  Sizes sizes(kHosts, std::vector<double>(kHosts, 0));
  for (const Message& message : traffic.messages) {
    sizes[static_cast<std::size_t>(message.from * kHosts / traffic.senders)]
         [static_cast<std::size_t>(message.to * kHosts / traffic.receivers)] += static_cast<double>(message.size);
  }
  return sizes;
}

/// One exchange to measure.
struct ExchangeCase {
  std::string name;
  LabNetwork network;
  std::int64_t max_transfers = 0;  ///< that the plan is made for; 0: not given, and every rank sends and receives
  Traffic traffic;
  std::string note;  ///< how it was drawn or scaled, for the CSV
  LabResult result = {};

  [[nodiscard]] double bound_s() const { return network.least_time_s(traffic, max_transfers > 0 ? kHosts : 0); }
};

/// Cases with the same methods, in one CSV file and one drawing.
struct Group {
  std::string name;  ///< of the files
  std::string title;
  std::vector<std::string> methods;
  std::vector<ExchangeCase> cases;
  std::int64_t paper_k = 0;  ///< of a panel of Figure 16; 0: another group
};

/// How much is measured.
struct ExchangeEffort {
  int repetitions = 7;
  std::vector<std::int64_t> networks{kNetworks.begin(), kNetworks.end()};
  std::vector<std::int64_t> paper_megabytes{20, 40, 60, 80};
  double instance_s = 1.2;  ///< the bound of a hot, uniform or skew instance
  double traffic_s = 0.8;   ///< the bound of an application's traffic
  std::size_t applications = kLabTraffic.size();
  std::vector<std::int64_t> expert_hosts{8, 16};
  bool others = true;  ///< BBR, and a plan for another network
};

ExchangeEffort quick_exchange_effort() { return {3, {3}, {20, 40}, 0.3, 0.25, 1, {8}, false}; }

const std::vector<std::string>& stock_methods() {
  static const std::vector<std::string> kStock{"alltoallv", "all-at-once", "pairwise"};
  return kStock;
}

std::vector<std::string> with_stock(std::vector<std::string> methods) {
  methods.insert(methods.end(), stock_methods().begin(), stock_methods().end());
  return methods;
}

LabNetwork network_of(std::int64_t k) {
  LabNetwork network;
  network.hosts = kHosts;
  network.host_mbit = network.backbone_mbit / static_cast<double>(k);
  return network;
}

ExchangeCase instance(TrafficKind kind, const char* kind_name, std::int64_t k, std::uint64_t seed,
                      const ExchangeEffort& effort) {
  const LabNetwork network = network_of(k);
  Random random = random_of(seed, static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(k));
  return {fmt::format("{} k={} seed {}", kind_name, k, seed), network, k,
          scaled(draw_kind(kind, k, random), network, effort.instance_s), fmt::format("seed {}", seed)};
}

std::vector<Group> groups_of(const StudyTask& task, const ExchangeEffort& effort) {
  std::vector<Group> groups;
  for (const std::int64_t k : effort.networks) {
    Group figure{fmt::format("figure16-k{}", k),
                 fmt::format("Figure 16, k = {}", k),
                 {"all-at-once", "sluice-barrier", "sluice-chain", "sluice-list"},
                 {},
                 k};
    for (const std::int64_t megabytes : effort.paper_megabytes) {
      figure.cases.push_back({fmt::format("{} MB / {}", megabytes, kPaperScale), network_of(k), k,
                              paper_traffic(task.seed, megabytes), fmt::format("seed {}", task.seed)});
    }
    groups.push_back(std::move(figure));
  }
  Group instances{"instances", "Hot, uniform and skew", with_stock({"sluice", "sluice-list"}), {}};
  const std::int64_t samples = std::max<std::int64_t>(1, task.samples);
  for (const auto& [kind, name] : {std::pair(TrafficKind::kHot, "hot"), std::pair(TrafficKind::kUniform, "uniform"),
                                   std::pair(TrafficKind::kSkew, "skew")}) {
    for (const std::int64_t k : effort.networks)
      for (std::int64_t sample = 0; sample < samples; ++sample)
        instances.cases.push_back(instance(kind, name, k, task.seed + static_cast<std::uint64_t>(sample), effort));
  }
  groups.push_back(std::move(instances));

  Group traffic{
      "applications", "Traffic of applications, 64 ranks folded to 10 + 10", with_stock({"sluice", "sluice-list"}), {}};
  for (std::size_t i = 0; i < effort.applications; ++i) {
    const LabNetwork network = network_of(5);
    const Sizes sizes = folded(read_matrix_market(kLabTraffic[i].text, std::string(kLabTraffic[i].name)));
    const double scale = effort.traffic_s / network.least_time_s(traffic_of(sizes, 1), kHosts);
    traffic.cases.push_back({fmt::format("{} k=5", kLabTraffic[i].name), network, network.k(), traffic_of(sizes, scale),
                             fmt::format("sizes times {:.3g}", scale)});
  }
  groups.push_back(std::move(traffic));

  Group experts{"experts", "Tokens for experts, 8 and 16 hosts on one switch", with_stock({"sluice"}), {}};
  for (const std::int64_t hosts : effort.expert_hosts) {
    // Links that two processors can fill for all hosts together; the switch takes what they send.
    LabNetwork network;
    network.hosts = hosts / 2;
    network.backbone_mbit = kSwitchMbit;
    network.host_mbit = hosts > 8 ? kSlowLinkMbit : network.host_mbit;
    for (std::int64_t number = 0; number < samples; ++number) {
      Traffic tokens = moe_traffic(hosts, task.seed, number);
      const double scale = effort.traffic_s / network.least_time_s(tokens, 0);
      for (Message& message : tokens.messages)
        message.size = std::max<std::int64_t>(1, std::llround(static_cast<double>(message.size) * scale));
      experts.cases.push_back({fmt::format("{} number {}", count_text(hosts, "host"), number), network, 0,
                               std::move(tokens), fmt::format("seed {}; sizes times {:.3g}", task.seed, scale)});
    }
  }
  groups.push_back(std::move(experts));

  if (effort.others) {
    Group others{"others", "Another congestion control, another k", {"sluice", "sluice-list", "all-at-once"}, {}};
    ExchangeCase wrong = instance(TrafficKind::kUniform, "uniform", 3, task.seed, effort);
    wrong.name += " planned for 5";
    wrong.max_transfers = 5;
    others.cases.push_back(std::move(wrong));
    if (allows_congestion("bbr")) {
      ExchangeCase bbr = instance(TrafficKind::kUniform, "uniform", 3, task.seed, effort);
      bbr.name += " BBR";
      bbr.network.congestion = "bbr";
      others.cases.push_back(std::move(bbr));
    } else {
      fmt::print(stderr, "BBR is left out: this system does not allow it\n");
    }
    groups.push_back(std::move(others));
  }
  return groups;
}

double over_bound(const ExchangeCase& measured, const std::string& method) {
  return measured.result.methods.at(method).median_s / measured.bound_s();
}

/// The time of the first method over the time of the best method of MPI; nothing if none was measured.
std::optional<double> over_best_stock(const Group& group, const ExchangeCase& measured) {
  std::optional<double> best;
  for (const std::string& method : stock_methods()) {
    const auto found = measured.result.methods.find(method);
    if (found != measured.result.methods.end())
      best = std::min(best.value_or(found->second.median_s), found->second.median_s);
  }
  const auto ours = measured.result.methods.find(group.methods.front());
  if (!best || ours == measured.result.methods.end() || group.paper_k > 0) return std::nullopt;
  return ours->second.median_s / *best;
}

std::size_t timed_cases(const Group& group) {
  return static_cast<std::size_t>(std::count_if(group.cases.begin(), group.cases.end(),
                                                [](const ExchangeCase& each) { return each.result.failure.empty(); }));
}

/// Cases without times are left out.
std::string csv(const Group& group) {
  std::string text =
      "case,k,planned_for,largest_message,bytes,bound_s" + method_heads(group.methods) + ",over_best_of_mpi,note\n";
  for (const ExchangeCase& each : group.cases) {
    if (!each.result.failure.empty()) continue;
    std::int64_t bytes = 0, largest = 0;
    for (const Message& message : each.traffic.messages) {
      bytes += message.size;
      largest = std::max(largest, message.size);
    }
    text += fmt::format("\"{}\",{},{},{},{},{:.6f}", each.name, each.network.k(), each.max_transfers, largest, bytes,
                        each.bound_s());
    text += method_fields(group.methods, each.result, each.bound_s());
    const std::optional<double> ratio = over_best_stock(group, each);
    text += fmt::format(",{},{}\n", ratio ? fmt::format("{:.4f}", *ratio) : "", each.note);
  }
  return text;
}

/// Time against the largest message, the bound a line; a panel for each network.
std::string paper_script(const std::vector<Group>& groups, int repetitions) {
  std::string panels;
  std::size_t count = 0;
  for (const Group& group : groups) {
    if (group.paper_k == 0 || timed_cases(group) == 0) continue;
    ++count;
    panels += fmt::format("set title \"k = {}: median and range of {} executions\"\nplot ", group.paper_k, repetitions);
    for (std::size_t m = 0; m < group.methods.size(); ++m) {
      const int column = kFirstMethodColumn + kMethodColumns * static_cast<int>(m);
      panels += fmt::format("\"{}.csv\" using ($4/1e3):{}:{}:{} every ::1 with yerrorlines title \"{}\", \\\n     ",
                            group.name, column, column + 1, column + 2, group.methods[m]);
    }
    panels += fmt::format(
        "\"{}.csv\" using ($4/1e3):6 every ::1 with lines dashtype 2 linecolor \"black\" title "
        "\"bound\"\n",
        group.name);
  }
  return fmt::format(
      "set xlabel \"largest message, kB\"\nset ylabel \"time, s\"\nset yrange [0:*]\nset grid\n"
      "set offsets graph 0.05, graph 0.05, 0, 0\nset multiplot layout {},1\n{}unset multiplot\n",
      count, panels);
}

std::string table_of(const Group& group) {
  std::vector<TextTable::Column> columns{{"case", TextTable::Align::kLeft}, {"bound"}};
  for (const std::string& method : group.methods) columns.push_back({method});
  const bool compared = group.methods.front() == "sluice" && group.methods.back() == stock_methods().back();
  if (compared) columns.push_back({"sluice / best of MPI"});
  TextTable table(columns);
  std::string failures;
  for (const ExchangeCase& each : group.cases) {
    std::vector<std::string> cells{each.name, seconds_text(each.bound_s())};
    if (!each.result.failure.empty()) {
      failures += fmt::format("{}: not measured: {}\n", each.name, each.result.failure);
    } else {
      for (const std::string& method : group.methods) cells.push_back(fmt::format("{:.3f}", over_bound(each, method)));
      if (compared) cells.push_back(fmt::format("{:.3f}", over_best_stock(group, each).value_or(0)));
    }
    table.add_row(std::move(cells));
  }
  return fmt::format("{}: time / bound\n\n{}{}\n", group.title, table.text(), failures);
}

void write_files(const std::vector<Group>& groups, const ExchangeEffort& effort, const std::string& folder) {
  constexpr int kPanel = 340;
  for (const Group& group : groups) write_file_atomically(fmt::format("{}/{}.csv", folder, group.name), csv(group));
  if (std::any_of(groups.begin(), groups.end(),
                  [](const Group& group) { return group.paper_k > 0 && timed_cases(group) > 0; }))
    draw(folder, "figure16", paper_script(groups, effort.repetitions),
         kPanel * std::max(1, static_cast<int>(effort.networks.size())));
  for (const Group& group : groups) {
    const std::size_t cases = timed_cases(group);
    if (group.paper_k > 0 || cases == 0) continue;
    draw(folder, group.name, bars_over_bound(group.name, group.title, group.methods, cases, effort.repetitions),
         height_of_bars(group.methods, cases));
  }
}

}  // namespace

int study_exchange_lab(const StudyTask& task) {
  const ExchangeEffort effort = task.quick ? quick_exchange_effort() : ExchangeEffort{};
  const Lab lab("sluice study exchange-lab");
  std::vector<Group> groups = groups_of(task, effort);
  make_folder(task.folder);
  std::int64_t total = 0;
  for (const Group& group : groups) {
    check_writable(fmt::format("{}/{}.csv", task.folder, group.name));
    total += static_cast<std::int64_t>(group.cases.size());
  }
  bool complete = true;
  MeasuredRuns measured(task.folder + "/runs.jsonl");
  {
    const Progress progress(total);
    std::int64_t done = 0;
    for (Group& group : groups) {
      for (ExchangeCase& each : group.cases) {
        progress.show(done++, fmt::format("{}: {}", group.name, each.name));
        std::vector<std::string> words{"--method", fmt::format("{}", fmt::join(group.methods, ",")), "--repetitions",
                                       fmt::format("{}", effort.repetitions)};
        if (each.max_transfers > 0)
          words.insert(words.end(), {"--max-transfers", fmt::format("{}", each.max_transfers)});
        else
          words.emplace_back("--same-ranks");
        each.result = lab.exchange(each.network, each.traffic, words, measured);
        complete = complete && each.result.failure.empty();
      }
    }
  }
  write_files(groups, effort, task.folder);
  std::string text = fmt::format(
      "{0} + {0} hosts, backbone 100 Mbit/s, links of 100 / k; reno; seed {1}\n"
      "median of {2} executions of each method, methods alternating; every byte verified\n"
      "bound: all bytes over the backbone, or the bytes of a host over its link\n\n",
      kHosts, task.seed, effort.repetitions);
  for (const Group& group : groups) text += table_of(group);
  print(text + measured.text(total) + fmt::format("written to {}\n", task.folder));
  return complete ? kDone : kCheckFailed;
}

}  // namespace sluice::command
