#include "apps/sluice/output/provenance.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/sluice/output/command_line.hpp"
#include "apps/sluice/output/sha256.hpp"
#include "apps/sluice/process/version.hpp"

namespace sluice::command {

namespace {

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  (void)::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string this_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

}  // namespace

std::string utf8(const std::string& text) {
  const nlohmann::json value = text;
  return nlohmann::json::parse(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)).get<std::string>();
}

nlohmann::ordered_json about(const std::vector<std::string>& hosts, const std::string& mpi) {
  using nlohmann::ordered_json;
  ordered_json result{{"version", version_with_commit()}, {"command", ordered_json::array()}, {"date", now()}};
  for (const std::string& word : command_line()) result["command"].push_back(utf8(word));
  result["hosts"] = hosts.empty() ? std::vector<std::string>{this_host()} : hosts;
  if (!mpi.empty()) result["mpi"] = mpi;
  result["inputs"] = ordered_json::array();
  for (const NamedFile& input : command_files().inputs) {
    ordered_json entry{{"file", utf8(input.path)}};
    std::ifstream in(input.path, std::ios::binary);
    if (input.path != "-" && in) entry["sha256"] = sha256(in);
    result["inputs"].push_back(std::move(entry));
  }
  if (const std::string seed = given_value("--seed"); !seed.empty()) result["seed"] = utf8(seed);
  return result;
}

}  // namespace sluice::command
