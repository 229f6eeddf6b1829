#include "pmpi/settings.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "sluice/error.hpp"

namespace sluice::pmpi {
namespace {

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_on(const char* name) {
  const std::string value = value_of(name);
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw InputError(name, "'" + value + "'", "1 or 0");
}

/// Calls that have a job.
struct Takable {
  std::string_view name;
  bool Settings::*wanted;
};
constexpr std::array<Takable, 5> kTakable{{{"bcast", &Settings::bcast},
                                           {"reduce", &Settings::reduce},
                                           {"alltoall", &Settings::alltoall},
                                           {"alltoallv", &Settings::alltoallv},
                                           {"neighbor_alltoallv", &Settings::neighbor_alltoallv}}};
/// Calls that may be named, and are handed on, as there is no job for them.
constexpr std::array<std::string_view, 5> kHandedOn{"allreduce", "reduce_scatter_block", "allgather", "scatter",
                                                    "gather"};

void read_calls(Settings& settings, const std::string& list) {
  for (const Takable& each : kTakable) settings.*each.wanted = false;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    bool known = word.empty() || word == "none";
    for (const Takable& each : kTakable) {
      if (word != each.name) continue;
      settings.*each.wanted = true;
      known = true;
    }
    for (const std::string_view each : kHandedOn) known = known || word == each;
    if (known) continue;
    std::string expected = "none, or some of";
    for (const Takable& each : kTakable) (expected += ' ') += each.name;
    throw InputError("SLUICE_CALLS", "'" + word + "'", expected + ", with commas between");
  }
}

}  // namespace

std::string to_text(const Settings& settings) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", settings.record, settings.record_interval_s,
                     settings.platform, settings.probe, settings.log, settings.always, settings.reproducible,
                     settings.bcast, settings.reduce, settings.alltoall, settings.alltoallv,
                     settings.neighbor_alltoallv);
}

Settings read_settings() {
  Settings settings;
  settings.record = value_of("SLUICE_RECORD");
  if (const std::string interval = value_of("SLUICE_RECORD_INTERVAL"); !interval.empty()) {
    char* end = nullptr;
    settings.record_interval_s = std::strtod(interval.c_str(), &end);
    constexpr double kLongest_s = 1e6;
    if (*end != '\0' || !(settings.record_interval_s > 0) || settings.record_interval_s > kLongest_s)
      throw InputError("SLUICE_RECORD_INTERVAL", "'" + interval + "'", "seconds, above 0");
  }
  settings.platform = value_of("SLUICE_PLATFORM");
  settings.probe = is_on("SLUICE_PROBE");
  settings.log = is_on("SLUICE_LOG");
  settings.reproducible = is_on("SLUICE_REPRODUCIBLE");
  if (const std::string take = value_of("SLUICE_TAKE"); !take.empty()) {
    if (take != "always" && take != "auto") throw InputError("SLUICE_TAKE", "'" + take + "'", "always or auto");
    settings.always = take == "always";
  }
  if (std::getenv("SLUICE_CALLS") != nullptr) read_calls(settings, value_of("SLUICE_CALLS"));
  return settings;
}

}  // namespace sluice::pmpi
