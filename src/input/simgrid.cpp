#include "sluice/input/simgrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "input/append_text.hpp"
#include "input/platform_levels.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

using detail::PlatformLevels;

constexpr std::int64_t kMostRanks = 2048;
constexpr double kUnlimited = 1e12;  // bytes/s
/// A link whose rate is within a tenth of its hosts', or of the uplinks around it, does not slow them down: both were
/// measured.
constexpr double kAsFast = 0.9;

double rate_of(const GapTable& gap) {
  const std::vector<GapTable::Point>& points = gap.points();
  const GapTable::Point from = points.size() > 1 ? points[points.size() - 2] : GapTable::Point{};
  const double seconds = points.back().seconds - from.seconds;
  return seconds > 0 ? std::min(kUnlimited, static_cast<double>(points.back().bytes - from.bytes) / seconds)
                     : kUnlimited;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("&<>\"'").find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("&#{};", static_cast<int>(c));
    }
  }
  return result;
}

struct Host {
  std::size_t cluster = 0;
  std::string name;
  std::string id;  // the name as XML has it
};

/// How two clusters are joined.
struct Joint {
  double rate = 0;       // of a pair of hosts
  double all = 0;        // of all pairs together
  double latency_s = 0;  // besides those of the hosts' own links
  bool limited = false;
};

class Machine {
 public:
  explicit Machine(const Platform& platform)
      : count_(platform.clusters.size()), levels_(platform), card_(count_, 0), joints_(count_ * count_) {
    for (std::size_t c = 0; c < count_; ++c)
      if (!platform.clusters[c].gap.points().empty()) card_[c] = rate_of(platform.clusters[c].gap);
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < count_; ++b) {
        if (a == b) continue;
        const double rate = rate_of(platform.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)).gap);
        for (const std::size_t end : {a, b}) card_[end] = std::max(card_[end], rate);
      }
    }
    uplink_rate_.assign(levels_.groups().size(), 0);
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < count_; ++b)
        if (a != b) join(platform, a, b);
    for (std::size_t group = 0; group < uplink_rate_.size(); ++group)
      if (given(group) && uplink_rate_[group] > 0) uplink_rate_[group] = rate_of(levels_.groups()[group].uplink->gap);
  }

  [[nodiscard]] double card(std::size_t cluster) const { return card_[cluster]; }
  [[nodiscard]] const PlatformLevels& levels() const { return levels_; }
  /// Of a group's link to all others; 0 if it has none.
  [[nodiscard]] double uplink_rate(std::size_t group) const { return uplink_rate_[group]; }
  [[nodiscard]] const Joint& joint(std::size_t a, std::size_t b) const { return joints_[a * count_ + b]; }
  /// Whether all messages from one cluster to the other share a link that is narrower than the uplinks on its way.
  [[nodiscard]] bool share_link(std::size_t a, std::size_t b) const {
    if (!joint(a, b).limited) return false;
    bool narrowest = true;
    const auto compare = [&](std::size_t group) {
      narrowest = narrowest && joint(a, b).all < kAsFast * uplink_rate(group);
    };
    levels_.cross(a, b, compare, compare);
    return narrowest;
  }

 private:
  [[nodiscard]] bool given(std::size_t group) const { return levels_.groups()[group].uplink.has_value(); }

  void join(const Platform& platform, std::size_t a, std::size_t b) {
    const PlatformLink& link = platform.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    Joint& joint = joints_[a * count_ + b];
    joint.rate = rate_of(link.gap);
    joint.all = joint.rate * static_cast<double>(link.connections);
    const double of_hosts = (platform.clusters[a].latency_s + platform.clusters[b].latency_s) / 2;
    joint.latency_s = std::max(0.0, link.latency_s - of_hosts);
    const auto pairs =
        static_cast<std::int64_t>(std::min(platform.clusters[a].ranks.size(), platform.clusters[b].ranks.size()));
    joint.limited = link.connections < pairs || joint.rate < kAsFast * std::min(card_[a], card_[b]);
    // Groups share their uplinks also where cards alone would limit a pair.
    const auto limits = [&](std::size_t group) {
      joint.limited = joint.limited || !given(group) || rate_of(levels_.groups()[group].uplink->gap) < kUnlimited;
    };
    levels_.cross(a, b, limits, limits);
    if (!joint.limited) return;
    const auto widen = [&](std::size_t group) { uplink_rate_[group] = std::max(uplink_rate_[group], joint.all); };
    levels_.cross(a, b, widen, widen);
  }

  std::size_t count_;
  PlatformLevels levels_;
  std::vector<double> card_;
  std::vector<double> uplink_rate_;
  std::vector<Joint> joints_;
};

/// "2" for the innermost group whose first cluster is 2, "2.1", "2.2" for those around it.
std::vector<std::string> name_groups(const PlatformLevels& levels) {
  std::vector<std::string> names(levels.groups().size());
  for (std::size_t level = 0; level < levels.levels(); ++level) {
    for (const std::size_t group : levels.groups_at(level)) {
      const std::size_t first = levels.groups()[group].clusters.front();
      if (names[group].empty())
        names[group] = level == 0 ? fmt::format("{}", first) : fmt::format("{}.{}", first, level);
    }
  }
  return names;
}

/// "NAME-0", "NAME-1", ... in the order of the ranks; "cluster-3-0" where names do not tell clusters apart.
std::vector<Host> name_hosts(const Platform& platform) {
  std::vector<Host> hosts(static_cast<std::size_t>(platform.ranks));
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    const PlatformCluster& cluster = platform.clusters[c];
    const auto same = std::count_if(platform.clusters.begin(), platform.clusters.end(),
                                    [&](const auto& other) { return other.name == cluster.name; });
    std::string name = same == 1 && !cluster.name.empty() ? cluster.name : fmt::format("cluster-{}", c);
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return static_cast<unsigned char>(letter) <= ' '; }, '_');
    for (std::size_t i = 0; i < cluster.ranks.size(); ++i) {
      const std::string host = fmt::format("{}-{}", name, i);
      hosts[static_cast<std::size_t>(cluster.ranks[i])] = {c, host, escaped(host)};
    }
  }
  return hosts;
}

void append_link(std::string& out, const std::string& id, double rate, double latency_s, const char* more = "") {
  detail::append_text(out, "  <link id=\"{}\" bandwidth=\"{:.0f}Bps\" latency=\"{:.9f}s\"{}/>\n", id, rate, latency_s,
                      more);
}

}  // namespace

SimgridPlatform to_simgrid(const Platform& platform, const std::string& where) {
  if (platform.ranks > kMostRanks)
    throw InputError(where, count_text(platform.ranks, "rank"),
                     fmt::format("at most {}: every pair has a route", kMostRanks));
  const Machine machine(platform);
  const std::vector<Host> hosts = name_hosts(platform);
  const std::size_t clusters = platform.clusters.size();
  SimgridPlatform result;
  std::string& xml = result.xml;
  xml =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      " <zone id=\"grid\" routing=\"Full\">\n";
  for (const Host& host : hosts) {
    result.hosts += host.name + '\n';
    xml += fmt::format("  <host id=\"{}\" speed=\"1Gf\"/>\n", host.id);
  }
  for (const Host& host : hosts)
    for (const char* direction : {"o:", "d:"})
      append_link(xml, direction + host.id, machine.card(host.cluster), platform.clusters[host.cluster].latency_s / 2);
  const PlatformLevels& levels = machine.levels();
  const std::vector<std::string> names = name_groups(levels);
  for (std::size_t group = 0; group < names.size(); ++group)
    if (machine.uplink_rate(group) > 0)
      for (const char* direction : {"up:", "down:"})
        append_link(xml, direction + names[group], machine.uplink_rate(group), 0);
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b)
      if (a != b && !machine.joint(a, b).limited)
        append_link(xml, fmt::format("w:{}:{}", a, b), kUnlimited, machine.joint(a, b).latency_s,
                    " sharing_policy=\"FATPIPE\"");
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b)
      if (a != b && machine.share_link(a, b))
        append_link(xml, fmt::format("l:{}:{}", a, b), machine.joint(a, b).all, 0);
  for (const Host& from : hosts) {
    for (const Host& to : hosts) {
      if (from.cluster == to.cluster || !machine.joint(from.cluster, to.cluster).limited) continue;
      const Joint& joint = machine.joint(from.cluster, to.cluster);
      append_link(xml, fmt::format("w:{}:{}", from.id, to.id), joint.rate, joint.latency_s);
    }
  }
  for (const Host& from : hosts) {
    for (const Host& to : hosts) {
      if (&from == &to) continue;
      std::string between;
      const auto pass = [&](const char* kind, const std::string& name) {
        detail::append_text(between, "<link_ctn id=\"{}{}\"/>", kind, name);
      };
      if (from.cluster != to.cluster && machine.joint(from.cluster, to.cluster).limited) {
        pass("w:", from.id + ':' + to.id);
        if (machine.share_link(from.cluster, to.cluster)) pass("l:", fmt::format("{}:{}", from.cluster, to.cluster));
        levels.cross(
            from.cluster, to.cluster, [&](std::size_t group) { pass("up:", names[group]); },
            [&](std::size_t group) { pass("down:", names[group]); });
      } else if (from.cluster != to.cluster) {
        pass("w:", fmt::format("{}:{}", from.cluster, to.cluster));
      }
      detail::append_text(xml,
                          "  <route src=\"{0}\" dst=\"{1}\" symmetrical=\"NO\"><link_ctn id=\"o:{0}\"/>{2}"
                          "<link_ctn id=\"d:{1}\"/></route>\n",
                          from.id, to.id, between);
    }
  }
  xml += " </zone>\n</platform>\n";
  return result;
}

}  // namespace sluice
