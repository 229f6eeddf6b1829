#include "apps/sluice/study/simulated_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "apps/sluice/output/files.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSmpiVariable = "SLUICE_SMPI";
constexpr int kLongestRun_s = 900;
/// What SMPI is told that a message costs its sender and its receiver: see scripts/smpirun.options.
constexpr double kEnd_s = 2e-6;

fs::path find_command(const std::string& where) {
  std::error_code error;
  if (const char* given = std::getenv(kSmpiVariable); given != nullptr && *given != '\0') {
    if (!fs::is_regular_file(given, error))
      throw InputError(kSmpiVariable, fmt::format("'{}'", given), "the command of a build with SimGrid's SMPI");
    return fs::absolute(given);
  }
  fs::path built = (own_path(where).parent_path() / "../../smpi/bin/sluice").lexically_normal();
  if (!fs::is_regular_file(built, error))
    throw InputError(
        where, fmt::format("no {}", built.string()),
        fmt::format("scripts/build.sh smpi, or the command of a build with SimGrid's SMPI in {}", kSmpiVariable));
  return built;
}

}  // namespace

double SimulatedCluster::transfer_s(std::int64_t bytes) const {
  return overhead_s() + static_cast<double>(bytes) / bytes_per_s;
}

double SimulatedCluster::overhead_s() const { return 2 * (latency_s + kEnd_s); }

SimgridPlatform SimulatedCluster::simgrid() const {
  SimgridPlatform result;
  result.xml = fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="host-" suffix="" radical="0-{}" speed="1Gf" bw="{}Bps" lat="{}s"/>
</platform>
)",
                           hosts - 1, bytes_per_s, latency_s);
  for (std::int64_t i = 0; i < hosts; ++i) result.hosts += fmt::format("host-{}\n", i);
  return result;
}

SimulatedMachines::SimulatedMachines(const std::string& where) : where_(where), command_(find_command(where).string()) {
  if (run_program({"smpirun", "-version"}, {files_.path("errors"), ""}) != 0)
    throw InputError(where_, "no smpirun", "SimGrid: scripts/install-deps.sh --smpi");
}

std::string SimulatedMachines::keep(const std::string& name, const std::string& content) const {
  std::string path = files_.path(name);
  write_file_atomically(path, content);
  return path;
}

nlohmann::json SimulatedMachines::run(const SimgridPlatform& machines, const std::string& collectives,
                                      const std::vector<std::string>& arguments) const {
  const std::string prefix = fmt::format("{}-", ++runs_);
  const std::string platform = keep(prefix + "platform.xml", machines.xml);
  const std::string hosts = keep(prefix + "hosts", machines.hosts);
  const std::string result = files_.path(prefix + "result.json"), errors = files_.path(prefix + "errors");
  const auto ranks = std::count(machines.hosts.begin(), machines.hosts.end(), '\n');

  std::vector<std::string> words{"timeout",
                                 fmt::format("{}", kLongestRun_s),
                                 "smpirun",
                                 "-np",
                                 fmt::format("{}", ranks),
                                 "-platform",
                                 platform,
                                 "-hostfile",
                                 hosts};
  for (const char* option : {SLUICE_SMPIRUN_OPTIONS}) words.emplace_back(option);
  // What ranks agree by, which no study measures: the default selector has n^2 messages on their way at once, for 128
  // hosts more than a minute of simulation.
  words.emplace_back("--cfg=smpi/allgather:rdb");
  words.push_back("--cfg=smpi/" + collectives);
  words.push_back(command_);
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"--json", result});
  const int status = run_program(std::move(words), {errors, ""});
  std::ifstream in(result);
  nlohmann::json read = nlohmann::json::parse(in, nullptr, false);
  const std::string said = complaint_in(errors);
  std::error_code ignored;
  for (const std::string& file : {platform, hosts, result, errors}) fs::remove(file, ignored);
  if (status == 0 && !read.is_discarded()) return read;
  throw InputError(fmt::format("{}: {} simulated hosts, {}", where_, ranks, collectives),
                   said.empty() ? fmt::format("exit status {}", status) : said, "a simulation that ends");
}

const nlohmann::json& result_of(const nlohmann::json& run, std::string_view method) {
  for (const nlohmann::json& each : run.at("methods"))
    if (each.at("name").get_ref<const std::string&>() == method) return each;
  throw nlohmann::json::other_error::create(501, "no method " + std::string(method), nullptr);
}

}  // namespace sluice::command
