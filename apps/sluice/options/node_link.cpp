#include "apps/sluice/options/node_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "apps/sluice/options/values.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"

namespace sluice::command {

namespace {

constexpr const char* kNodeLink = "--node-link";
constexpr const char* kRanksPerNode = "--ranks-per-node";
constexpr const char* kLatency = "--latency";
constexpr const char* kRanks = "--ranks";
constexpr const char* kUsualLatency = "2us";
constexpr std::int64_t kMostRanks = 1 << 20;

/// The value behind `option` in a text of options, or nothing.
std::string value_in(const std::string& text, const std::string& option) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (word == option) {
      words >> word;
      return word;
    }
  return {};
}

/// The link of messages that take `latency_s` and go at `bytes_per_s`, as JSON.
std::string link_json(double latency_s, double bytes_per_s) {
  constexpr double kLong = 1 << 20;
  // The replay counts the gap of a byte at the sender and at the receiver, and the latency between them.
  constexpr int kPlaces = 3;
  const double part_s = latency_s / kPlaces;
  return fmt::format(R"({{"latency_s": {0}, "gap": [[1, {1}], [1048576, {2}]]}})", part_s, part_s + 1 / bytes_per_s,
                     part_s + kLong / bytes_per_s);
}

}  // namespace

void NodeLinkInput::add_to(CLI::App& verb, std::string& platform) {
  verb.add_option(kNodeLink, node_link_, kNodeLinkHelp)->option_text("SPEED");
  verb.add_option(kRanksPerNode, ranks_per_node_, kRanksPerNodeHelp)->option_text("N");
  verb.add_option(kLatency, latency_,
                  "with --node-link: set the part of a message's time that does not depend on its size")
      ->option_text(fmt::format("TIME [{}]", kUsualLatency));
  verb.add_option(kRanks, ranks_, "with --node-link: set the number of all ranks, on as many hosts as it takes")
      ->option_text("N");
  verb.parse_complete_callback([this, &platform] { become(platform); });
}

void NodeLinkInput::take_ranks_of_job(CLI::App& verb) {
  verb.remove_option(verb.get_option(kRanks));
  of_job_ = true;
}

void NodeLinkInput::become(std::string& platform) const {
  if (node_link_.empty()) {
    for (const auto& [option, text] :
         {std::pair{kRanksPerNode, &ranks_per_node_}, {kLatency, &latency_}, {kRanks, &ranks_}})
      if (!text->empty())
        throw InputError(option, fmt::format("no {}", kNodeLink),
                         fmt::format("{} SPEED as well: a platform file has its own", kNodeLink));
    return;
  }
  if (!platform.empty())
    throw InputError(kNodeLink, "cannot be used with --platform", "one of the two: both tell the network");
  if (ranks_per_node_.empty())
    throw InputError(kRanksPerNode, fmt::format("missing, needed with {}", kNodeLink),
                     "the number of ranks of a host, such as 8");
  (void)parse_speed(node_link_, kNodeLink);
  (void)parse_count(ranks_per_node_, kRanksPerNode, 1, kMostRanks);
  if (!latency_.empty()) (void)parse_time(latency_, kLatency);
  if (!ranks_.empty()) (void)parse_count(ranks_, kRanks, 1, kMostRanks);
  platform = fmt::format("{} {} {} {} {} {}", kNodeLink, node_link_, kRanksPerNode, ranks_per_node_, kLatency,
                         latency_.empty() ? kUsualLatency : latency_);
  if (of_job_)
    platform += fmt::format(" {} {}", kRanks, Ranks::count());
  else if (!ranks_.empty())
    platform += fmt::format(" {} {}", kRanks, ranks_);
}

bool is_node_link_text(const std::string& platform) { return platform.starts_with(kNodeLink); }

bool leaves_ranks_open(const std::string& platform) {
  return is_node_link_text(platform) && value_in(platform, kRanks).empty();
}

Platform platform_of_node_link(const std::string& text, std::int64_t ranks) {
  const double speed = parse_speed(value_in(text, kNodeLink), kNodeLink);
  const double latency_s = parse_time(value_in(text, kLatency), kLatency);
  const std::int64_t per_node = parse_count(value_in(text, kRanksPerNode), kRanksPerNode, 1, kMostRanks);
  if (const std::string named = value_in(text, kRanks); !named.empty())
    ranks = parse_count(named, kRanks, 1, kMostRanks);
  if (ranks == 0)
    throw InputError(kRanks, fmt::format("missing, needed with {}", kNodeLink), "the number of all ranks, such as 64");
  constexpr double kPartInside = 0.1;
  const std::string inside = link_json(kPartInside * latency_s, speed);
  std::string json;
  if (ranks <= per_node) {
    json = fmt::format(R"({{"schema": "sluice.platform/2", "name": "host", "ranks": {}, "link": {}}})", ranks, inside);
  } else {
    constexpr double kLong = 1 << 20;
    const std::int64_t full = ranks / per_node, rest = ranks % per_node;
    const auto hosts = [&](std::int64_t count, std::int64_t size, const char* name) {
      return fmt::format(R"({{"name": "{}", {}"ranks": {}, "uplink": [[1, {}], [1048576, {}]], "link": {}}})", name,
                         count > 1 ? fmt::format(R"("count": {}, )", count) : "", size, 1 / speed, kLong / speed,
                         inside);
    };
    std::string parts = hosts(full, per_node, "host");
    if (rest > 0) parts += ", " + hosts(1, rest, "last");
    json = fmt::format(R"({{"schema": "sluice.platform/2", "name": "network", "link": {}, "parts": [{}]}})",
                       link_json(latency_s, speed), parts);
  }
  std::istringstream in(json);
  return read_platform(in, text);
}

}  // namespace sluice::command
