// Planning an exchange, on one core: time and memory of whole plans (plan_exchange), each checked by sluice::validate
// outside the timed region; a plan that is broken fails its row and the program.
//
//   exchange_bench [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
//   oggp_dense/N                all pairs of N + N nodes, k = N.
//   oggp_beside_fresh/N         the same traffic; alternates with OGGP as the paper writes it, which finds a bottleneck
//                               matching of the rest afresh for each step. `ratio` = fresh_s / time.
//   ALGORITHM_sparse/N/K        26 random receivers each for N senders, k = K.
//   auto/FILE/setup:BETA        studies/traffic/FILE.mtx with a time limit of 1 s, k = min(senders, receivers). Planned
//                               and validated within the timed region, in real time.
//
// Weights are uniform in 1 .. 10^6, set-up 1. Read the `_median` rows, and the column CPU where the machine is shared.
// Counters: steps, pieces, cost over eta, and the most memory allocated at once beyond the traffic while planning.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/regular_extension.hpp"
#include "plan/exchange/demand.hpp"
#include "processor_time.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace {

std::size_t allocated_bytes = 0;
std::size_t peak_bytes = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  allocated_bytes += malloc_usable_size(memory);
  peak_bytes = std::max(peak_bytes, allocated_bytes);
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  allocated_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace {

constexpr std::int64_t kHeaviest = 1'000'000;
constexpr std::int32_t kNeighbours = 26;

bool all_sound = true;

sluice::ExchangeProblem dense_problem(std::int32_t n) {
  std::mt19937_64 random(61);  // fixed seed
  std::uniform_int_distribution<std::int64_t> weight(1, kHeaviest);
  sluice::ExchangeProblem problem{{n, n, {}, 0}, n, 1};
  for (std::int32_t u = 0; u < n; ++u) {
    for (std::int32_t v = 0; v < n; ++v) problem.traffic.messages.push_back({u, v, weight(random)});
  }
  return problem;
}

sluice::ExchangeProblem sparse_problem(std::int32_t n, std::int64_t k) {
  std::mt19937_64 random(62);  // fixed seed
  std::uniform_int_distribution<std::int64_t> weight(1, kHeaviest);
  std::uniform_int_distribution<std::int32_t> receiver(0, n - 1);
  sluice::ExchangeProblem problem{{n, n, {}, 0}, k, 1};
  for (std::int32_t u = 0; u < n; ++u) {
    std::vector<std::int32_t> receivers;
    while (std::ssize(receivers) < std::min(n, kNeighbours)) {
      const std::int32_t v = receiver(random);
      if (std::find(receivers.begin(), receivers.end(), v) == receivers.end()) receivers.push_back(v);
    }
    for (const std::int32_t v : receivers) problem.traffic.messages.push_back({u, v, weight(random)});
  }
  return problem;
}

sluice::ExchangePlan plan(const sluice::ExchangeProblem& problem, const std::string& algorithm) {
  sluice::ExchangeOptions options;
  options.algorithm = algorithm;
  return sluice::plan_exchange(problem, options);
}

/// Fails the row of a broken schedule.
void check(benchmark::State& state, const sluice::StepSchedule& schedule, const sluice::Traffic& traffic) {
  const std::vector<sluice::Violation> violations = sluice::validate(schedule, traffic);
  if (violations.empty()) return;
  all_sound = false;
  state.SkipWithError(to_string(violations.front()).c_str());
}

void report(benchmark::State& state, const sluice::ExchangeProblem& problem, const sluice::StepSchedule& schedule) {
  std::size_t pieces = 0;
  for (const sluice::Step& step : schedule.steps) pieces += step.transfers.size();
  state.counters["steps"] = static_cast<double>(schedule.steps.size());
  state.counters["pieces"] = static_cast<double>(pieces);
  const sluice::Cost eta = sluice::lower_bound(problem.traffic, problem.max_transfers, problem.setup);
  state.counters["over_eta"] = sluice::cost(schedule).total / eta.total;
}

/// Peak of what is allocated from its construction on, beyond what was by then.
class PeakMemory {
 public:
  PeakMemory() : before_(allocated_bytes) { peak_bytes = allocated_bytes; }
  [[nodiscard]] double megabytes() const { return static_cast<double>(peak_bytes - before_) / 1e6; }

 private:
  std::size_t before_;
};

void run_named(benchmark::State& state, const sluice::ExchangeProblem& problem, const std::string& algorithm) {
  sluice::ExchangePlan result;
  double peak_mb = 0;
  for (auto _ : state) {
    const PeakMemory memory;
    result = plan(problem, algorithm);
    peak_mb = memory.megabytes();
  }
  check(state, result.schedule, problem.traffic);
  report(state, problem, result.schedule);
  state.counters["peak_MB"] = peak_mb;
}

void oggp_dense(benchmark::State& state) {
  run_named(state, dense_problem(static_cast<std::int32_t>(state.range(0))), "oggp");
}

/// Figure 9 to the letter, for a set-up of 1.
sluice::StepSchedule fresh_oggp(const sluice::ExchangeProblem& problem) {
  using sluice::detail::PieceSteps;
  const sluice::detail::Demand demand =
      sluice::detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  const sluice::detail::RegularExtension extension =
      sluice::detail::regular_extension(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  sluice::BipartiteGraph graph(extension.side, extension.side, extension.edges);
  PieceSteps steps;
  while (graph.edge_count() > 0) {
    const sluice::Matching matching = sluice::bottleneck_matching(graph);
    std::int64_t duration = graph.edge(matching.left_edge.front()).weight;
    for (const std::int32_t id : matching.left_edge) duration = std::min(duration, graph.edge(id).weight);
    std::vector<sluice::detail::Piece>& step = steps.emplace_back();
    for (const std::int32_t id : matching.left_edge) {
      if (id < extension.real) step.push_back({id, duration});
      graph.set_weight(id, graph.edge(id).weight - duration);
      if (graph.edge(id).weight == 0) graph.remove(id);
    }
  }
  sluice::StepSchedule schedule = sluice::detail::make_schedule(demand, problem.traffic, std::move(steps));
  schedule.algorithm = "oggp";
  schedule.max_transfers = problem.max_transfers;
  schedule.bound = sluice::lower_bound(problem.traffic, problem.max_transfers, problem.setup);
  return schedule;
}

void oggp_beside_fresh(benchmark::State& state) {
  const sluice::ExchangeProblem problem = dense_problem(static_cast<std::int32_t>(state.range(0)));
  sluice::ExchangePlan ours;
  sluice::StepSchedule fresh;
  double ours_s = 0;
  double fresh_s = 0;
  for (auto _ : state) {
    const double start = processor_seconds();
    ours = plan(problem, "oggp");
    const double middle = processor_seconds();
    fresh = fresh_oggp(problem);
    const double end = processor_seconds();
    state.SetIterationTime(middle - start);
    ours_s += middle - start;
    fresh_s += end - middle;
  }
  check(state, ours.schedule, problem.traffic);
  check(state, fresh, problem.traffic);
  report(state, problem, ours.schedule);
  state.counters["fresh_steps"] = static_cast<double>(fresh.steps.size());
  state.counters["fresh_s"] = fresh_s / static_cast<double>(state.iterations());
  state.counters["ratio"] = fresh_s / ours_s;
}

void sparse(benchmark::State& state, const std::string& algorithm) {
  run_named(state, sparse_problem(static_cast<std::int32_t>(state.range(0)), state.range(1)), algorithm);
}

void auto_on_file(benchmark::State& state, const std::string& path, double setup) {
  sluice::ExchangeProblem problem{sluice::read_traffic(path), 0, setup};
  problem.max_transfers = std::min(problem.traffic.senders, problem.traffic.receivers);
  sluice::ExchangePlan result;
  double peak_mb = 0;
  for (auto _ : state) {
    const PeakMemory memory;
    result = plan(problem, "auto");
    check(state, result.schedule, problem.traffic);
    peak_mb = memory.megabytes();
  }
  report(state, problem, result.schedule);
  state.counters["over_bound"] = sluice::cost(result.schedule).total / result.bound.cost.total;
  state.counters["peak_MB"] = peak_mb;
}

void once(benchmark::internal::Benchmark* row, int repetitions) {
  row->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(repetitions)->ReportAggregatesOnly(true);
}

void register_rows() {
  constexpr int kRepetitions = 5;
  for (const std::int64_t n : {256, 512, 1024})
    once(benchmark::RegisterBenchmark("oggp_dense", oggp_dense)->Arg(n), kRepetitions);
  for (const std::int64_t n : {64, 128, 256}) {
    once(benchmark::RegisterBenchmark("oggp_beside_fresh", oggp_beside_fresh)->Arg(n)->UseManualTime(),
         n < 256 ? kRepetitions : 3);
  }
  const auto add_sparse = [](const std::string& algorithm, std::int64_t k) {
    once(benchmark::RegisterBenchmark((algorithm + "_sparse").c_str(), sparse, algorithm)->Args({10'000, k}),
         kRepetitions);
  };
  add_sparse("oggp", 10'000);
  for (const std::int64_t k : {10, 100}) {
    add_sparse("weights", k);
    add_sparse("degrees", k);
  }
  const std::filesystem::path folder = SLUICE_TRAFFIC_FOLDER;
  std::vector<std::string> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".mtx") files.push_back(entry.path().string());
    }
  }
  if (files.empty()) fmt::print(stderr, "no rows of auto: no *.mtx in {}\n", folder.string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    for (const double setup : {1.0, 1e5}) {
      const std::string name = fmt::format("auto/{}/setup:{}", std::filesystem::path(file).stem().string(), setup);
      once(benchmark::RegisterBenchmark(name.c_str(), auto_on_file, file, setup)->UseRealTime(), 3);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_rows();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  try {
    benchmark::RunSpecifiedBenchmarks();
  } catch (const sluice::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
  benchmark::Shutdown();
  return all_sound ? 0 : 1;
}
