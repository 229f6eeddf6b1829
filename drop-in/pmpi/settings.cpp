#include "pmpi/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <sstream>

#include "environment.hpp"
#include "sluice/error.hpp"

namespace sluice::pmpi {
namespace {

void read_calls(Settings& settings, const std::string& list) {
  settings.calls.reset();
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty() || word == "none") continue;
    const auto* const found = std::ranges::find(kTakenCalls, word, &TakenCall::name);
    if (found == kTakenCalls.end()) {
      std::string expected = "none, or some of";
      for (const TakenCall& each : kTakenCalls) (expected += ' ') += each.name;
      throw InputError("SLUICE_CALLS", "'" + word + "'", expected + ", with commas between");
    }
    settings.calls.set(static_cast<std::size_t>(found - kTakenCalls.begin()));
  }
}

}  // namespace

std::string to_text(const Settings& settings) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", settings.record, settings.record_interval_s, settings.platform,
                     settings.probe, settings.log, settings.always, settings.reproducible, settings.calls.to_string());
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
