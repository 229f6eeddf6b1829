#include "apps/sluice/study/lab.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/sha256.hpp"
#include "apps/sluice/process/child_process.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/process/version.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLabVariable = "SLUICE_LAB";
constexpr int kLongestMeasurement_s = 900;
constexpr double kBytesOfMbit = 1e6 / 8;

std::string find_scripts(const std::string& where) {
  const auto has_lab = [](const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "run.sh", error);
  };
  if (const char* given = std::getenv(kLabVariable); given != nullptr && *given != '\0') {
    if (!has_lab(given)) throw InputError(kLabVariable, fmt::format("'{}'", given), "the folder with the lab's run.sh");
    return fs::absolute(given).string();
  }
  const fs::path installed = own_path(where).parent_path() / SLUICE_LAB_INSTALLED;
  for (const fs::path& folder : {installed, fs::path(SLUICE_LAB_SOURCE)})
    if (has_lab(folder)) return folder.lexically_normal().string();
  throw InputError(where, fmt::format("no {}/run.sh", installed.lexically_normal().string()),
                   fmt::format("an installed command, or the folder of the lab in {}", kLabVariable));
}

std::string to_matrix_market(const Traffic& traffic) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate integer general\n{} {} {}\n", traffic.senders,
                                 traffic.receivers, traffic.messages.size());
  for (const Message& message : traffic.messages)
    text += fmt::format("{} {} {}\n", message.from + 1, message.to + 1, message.size);
  return text;
}

std::map<std::string, LabTimes> methods_of(const nlohmann::json& run) {
  std::map<std::string, LabTimes> methods;
  for (const nlohmann::json& method : run.at("methods")) {
    methods[method.at("name").get<std::string>()] = {
        method.at("median_s").get<double>(), method.at("min_s").get<double>(), method.at("max_s").get<double>(),
        method.value("predicted_s", 0.0), method.value("how", std::string())};
  }
  return methods;
}

/// All that the times of a run depend on: the version of this program, the network, the command and the traffic, of
/// whose text it has the SHA-256.
std::string run_name(const LabNetwork& network, const std::vector<std::string>& words, const std::string& traffic) {
  std::istringstream text(traffic);
  return fmt::format("{}; {} + {} hosts of {} ranks, Mbit/s: backbone {}, link {}, first link {}; {}; {}; traffic {}",
                     version_with_commit(), network.hosts, network.hosts, network.ranks_per_host, network.backbone_mbit,
                     network.host_mbit, network.first_host_mbit, network.congestion, fmt::join(words, " "),
                     sha256(text));
}

LabResult read_result(const std::string& file) {
  LabResult result;
  std::ifstream in(file);
  if (!in) {
    result.failure = "no result";
    return result;
  }
  try {
    result.methods = methods_of(nlohmann::json::parse(in));
  } catch (const nlohmann::json::exception& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace

std::int64_t LabNetwork::k() const { return std::max<std::int64_t>(1, std::llround(backbone_mbit / host_mbit)); }

double LabNetwork::host_bytes_per_s(std::int64_t host) const {
  return (host == 0 && first_host_mbit > 0 ? first_host_mbit : host_mbit) * kBytesOfMbit;
}

double LabNetwork::least_time_s(const Traffic& traffic, std::int64_t first_receiver) const {
  std::vector<double> sent(static_cast<std::size_t>(all_hosts()), 0), received(sent);
  double there = 0, back = 0;
  for (const Message& message : traffic.messages) {
    const std::int64_t from = host_of(message.from), to = host_of(first_receiver + message.to);
    if (from == to) continue;
    const auto bytes = static_cast<double>(message.size);
    sent[static_cast<std::size_t>(from)] += bytes;
    received[static_cast<std::size_t>(to)] += bytes;
    if (from < hosts && to >= hosts) there += bytes;
    if (from >= hosts && to < hosts) back += bytes;
  }
  double least = std::max(there, back) / (backbone_mbit * kBytesOfMbit);
  for (std::size_t host = 0; host < sent.size(); ++host)
    least = std::max(least, std::max(sent[host], received[host]) / host_bytes_per_s(static_cast<std::int64_t>(host)));
  return least;
}

bool allows_congestion(std::string_view name) {
  std::ifstream in("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
  return std::find(std::istream_iterator<std::string>(in), {}, name) != std::istream_iterator<std::string>();
}

Lab::Lab(std::string where) : where_(std::move(where)), scripts_(find_scripts(where_)) {
  if (!mpi_library().starts_with("Open MPI"))
    throw InputError(where_, "a build without Open MPI", "one with it: its launcher is used");
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr)
    throw InputError(where_, "started by mpirun", "one process, which starts its ranks itself");
  const Outcome outcome = run_script({"--hosts", "1", "--k", "1", "--time-limit", "30", "true"});
  if (outcome.status == 0) return;
  throw InputError(
      where_, outcome.said.empty() ? fmt::format("{}/run.sh: exit status {}", scripts_, outcome.status) : outcome.said,
      "Linux, root, Debian's iproute2 and openmpi-bin");
}

Lab::Outcome Lab::run_script(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"bash", scripts_ + "/run.sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(std::move(words));
}

Lab::Outcome Lab::run_words(std::vector<std::string> words) const {
  const std::string errors = files_.path("errors");
  const int status = run_program(std::move(words), {errors, ""});
  return {status, complaint_in(errors)};
}

Lab::Outcome Lab::run_on(const LabNetwork& network, const std::vector<std::string>& program) const {
  const std::string ranks = fmt::format("{}", network.ranks());
  std::vector<std::string> words;
  if (network.hosts == 0) {
    words = {
        "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", ranks};
  } else {
    const auto number = [](double value) { return fmt::format("{:.3f}", value); };
    words = {"--hosts",      fmt::format("{}", network.hosts),
             "--k",          fmt::format("{}", network.k()),
             "--backbone",   number(network.backbone_mbit),
             "--host-rate",  number(network.host_mbit),
             "--congestion", network.congestion,
             "--time-limit", fmt::format("{}", kLongestMeasurement_s),
             "-n",           ranks};
    if (network.first_host_mbit > 0) words.insert(words.end(), {"--first-host-rate", number(network.first_host_mbit)});
  }
  words.insert(words.end(), program.begin(), program.end());
  return network.hosts == 0 ? run_words(std::move(words)) : run_script(words);
}

LabResult Lab::measure(const LabNetwork& network, const std::vector<std::string>& words) const {
  const std::string times = files_.path("times.json");
  std::vector<std::string> program{own_path(where_).string(), "run"};
  program.insert(program.end(), words.begin(), words.end());
  program.insert(program.end(), {"--json", times});
  LabResult result;
  for (const bool again : {false, true}) {
    std::error_code ignored;
    fs::remove(times, ignored);
    const Outcome outcome = run_on(network, program);
    if (outcome.status == 0) {
      result = read_result(times);
      if (result.failure.empty()) return result;
    } else {
      result.failure = outcome.said.empty() ? fmt::format("exit status {}", outcome.status) : outcome.said;
    }
    if (!again) fmt::print(stderr, "the lab failed, once more: {}\n", result.failure);
  }
  return result;
}

LabResult Lab::run(const LabNetwork& network, const std::vector<std::string>& words, MeasuredRuns& measured) const {
  return measured.result_of(run_name(network, words, ""), [&] { return measure(network, words); });
}

LabResult Lab::exchange(const LabNetwork& network, const Traffic& traffic, const std::vector<std::string>& words,
                        MeasuredRuns& measured) const {
  const std::string sizes = to_matrix_market(traffic);
  return measured.result_of(run_name(network, words, sizes), [&] {
    const std::string matrix = files_.path("traffic.mtx");
    write_file_atomically(matrix, sizes);
    std::vector<std::string> all{"exchange", matrix};
    all.insert(all.end(), words.begin(), words.end());
    return measure(network, all);
  });
}

MeasuredRuns::MeasuredRuns(std::string file) : file_(std::move(file)) {
  std::ifstream in(file_);
  std::string kept;
  bool cut_off = false;
  std::int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    cut_off = in.eof();  // a whole line ends with a line break
    if (cut_off) break;
    try {
      const nlohmann::json run = nlohmann::json::parse(line);
      LabResult result;
      result.methods = methods_of(run);
      results_[run.at("run").get<std::string>()] = std::move(result);
    } catch (const nlohmann::json::exception&) {
      throw InputError(fmt::format("{}:{}", file_, number), "no measured run",
                       "a file of this study, or another folder");
    }
    kept += line + '\n';
  }
  if (cut_off) write_file_atomically(file_, kept);
}

LabResult MeasuredRuns::result_of(const std::string& run, const std::function<LabResult()>& measure) {
  if (const auto found = results_.find(run); found != results_.end()) {
    ++found_;
    return found->second;
  }
  LabResult result = measure();
  if (result.failure.empty()) keep(run, result);
  return result;
}

void MeasuredRuns::keep(const std::string& run, const LabResult& result) const {
  nlohmann::json methods = nlohmann::json::array();
  for (const auto& [name, times] : result.methods)
    methods.push_back({{"name", name},
                       {"median_s", times.median_s},
                       {"min_s", times.min_s},
                       {"max_s", times.max_s},
                       {"predicted_s", times.predicted_s},
                       {"how", times.how}});
  const nlohmann::json line{{"run", run}, {"methods", methods}};
  append_to_file(file_, line.dump() + '\n');
}

std::string MeasuredRuns::text(std::int64_t all) const {
  return found_ == 0 ? "" : fmt::format("{} of {} runs were measured before ({})\n", found_, all, file_);
}

}  // namespace sluice::command
