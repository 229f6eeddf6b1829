#include "lab.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "child_process.hpp"
#include "output.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWhere = "sluice study exchange-lab";
constexpr const char* kVariable = "SLUICE_LAB";
constexpr int kSecondsForOne = 300;

std::string find_scripts() {
  const auto has_lab = [](const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "run.sh", error);
  };
  if (const char* given = std::getenv(kVariable); given != nullptr && *given != '\0') {
    if (!has_lab(given)) throw InputError(kVariable, fmt::format("'{}'", given), "the folder with the lab's run.sh");
    return fs::absolute(given).string();
  }
  const fs::path installed = own_path(kWhere).parent_path() / SLUICE_LAB_INSTALLED;
  for (const fs::path& folder : {installed, fs::path(SLUICE_LAB_SOURCE)})
    if (has_lab(folder)) return folder.lexically_normal().string();
  throw InputError(kWhere, fmt::format("no {}/run.sh", installed.lexically_normal().string()),
                   fmt::format("an installed command, or the folder of the lab in {}", kVariable));
}

std::string to_matrix_market(const Traffic& traffic) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate integer general\n{} {} {}\n", traffic.senders,
                                 traffic.receivers, traffic.messages.size());
  for (const Message& message : traffic.messages)
    text += fmt::format("{} {} {}\n", message.from + 1, message.to + 1, message.size);
  return text;
}

LabResult read_result(const std::string& file) {
  LabResult result;
  std::ifstream in(file);
  if (!in) {
    result.failure = "no result";
    return result;
  }
  try {
    const nlohmann::json run = nlohmann::json::parse(in);
    for (const nlohmann::json& method : run.at("methods")) {
      result.methods[method.at("name").get<std::string>()] = {
          method.at("median_s").get<double>(), method.at("min_s").get<double>(), method.at("max_s").get<double>()};
    }
  } catch (const nlohmann::json::exception& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace

double LabNetwork::least_time_s(const Traffic& traffic) const {
  std::vector<double> sent(static_cast<std::size_t>(traffic.senders), 0);
  std::vector<double> received(static_cast<std::size_t>(traffic.receivers), 0);
  double total = 0;
  for (const Message& message : traffic.messages) {
    const auto bytes = static_cast<double>(message.size);
    sent[static_cast<std::size_t>(message.from)] += bytes;
    received[static_cast<std::size_t>(message.to)] += bytes;
    total += bytes;
  }
  double most = 0;
  for (const auto* loads : {&sent, &received})
    for (const double load : *loads) most = std::max(most, load);
  return std::max(total / backbone_bytes_per_s(), most / link_bytes_per_s());
}

Lab::Lab() : scripts_(find_scripts()) {
  if (SLUICE_OPEN_MPI == 0) throw InputError(kWhere, "a build without Open MPI", "one with it: its launcher is used");
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr)
    throw InputError(kWhere, "started by mpirun", "one process, which starts its ranks itself");
  const Outcome outcome = run({"--hosts", "1", "--k", "1", "--time-limit", "30", "true"});
  if (outcome.status == 0) return;
  throw InputError(
      kWhere, outcome.said.empty() ? fmt::format("{}/run.sh: exit status {}", scripts_, outcome.status) : outcome.said,
      "Linux, root, Debian's iproute2 and openmpi-bin");
}

Lab::Outcome Lab::run(const std::vector<std::string>& arguments) const {
  const std::string errors = files_.path("errors");
  std::vector<std::string> words{"bash", scripts_ + "/run.sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int status = run_program(std::move(words), {errors, ""});
  return {status, complaint_in(errors)};
}

LabResult Lab::exchange(const LabNetwork& network, const Traffic& traffic, std::int64_t max_transfers,
                        const std::vector<std::string>& methods, int repetitions) const {
  const std::string matrix = files_.path("traffic.mtx"), times = files_.path("times.json");
  write_file_atomically(matrix, to_matrix_market(traffic));
  const auto number = [](double value) { return fmt::format("{:.3f}", value); };
  const std::string link = number(network.backbone_mbit / static_cast<double>(network.k));
  const std::vector<std::string> arguments{"--hosts",
                                           fmt::format("{}", network.hosts),
                                           "--k",
                                           fmt::format("{}", network.k),
                                           "--backbone",
                                           number(network.backbone_mbit),
                                           "--host-rate",
                                           link,
                                           "--congestion",
                                           network.congestion,
                                           "--time-limit",
                                           fmt::format("{}", kSecondsForOne),
                                           own_path(kWhere).string(),
                                           "run",
                                           "exchange",
                                           matrix,
                                           "--max-transfers",
                                           fmt::format("{}", max_transfers),
                                           "--method",
                                           fmt::format("{}", fmt::join(methods, ",")),
                                           "--repetitions",
                                           fmt::format("{}", repetitions),
                                           "--time-limit",
                                           "0.25",
                                           "--json",
                                           times};
  LabResult result;
  for (const bool again : {false, true}) {
    std::error_code ignored;
    fs::remove(times, ignored);
    const Outcome outcome = run(arguments);
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

}  // namespace sluice::command
