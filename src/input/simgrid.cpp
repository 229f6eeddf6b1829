#include "sluice/input/simgrid.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include "sluice/error.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kMostRanks = 2048;
constexpr double kUnlimited = 1e12;  // bytes/s
/// A link whose rate is within a tenth of its hosts' does not slow them down: both were measured.
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
  double latency_s = 0;  // besides those of the hosts' own links
  bool limited = false;
};

class Machine {
 public:
  explicit Machine(const Platform& platform)
      : count_(platform.clusters.size()), card_(count_, 0), site_(count_), joints_(count_ * count_) {
    for (std::size_t c = 0; c < count_; ++c)
      if (!platform.clusters[c].gap.points().empty()) card_[c] = rate_of(platform.clusters[c].gap);
    for (const PlatformLink& link : platform.links)
      for (const std::int64_t end : {link.from, link.to})
        card_[static_cast<std::size_t>(end)] = std::max(card_[static_cast<std::size_t>(end)], rate_of(link.gap));
    std::iota(site_.begin(), site_.end(), std::size_t{0});
    site_rate_.assign(count_, 0);
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < count_; ++b)
        if (a != b) join(platform, a, b);
    for (std::size_t c = 0; c < count_; ++c) site_[c] = site(c);
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < count_; ++b) {
        if (a == b) continue;
        // Sites are those that unlimited links join, even if another link within is limited.
        const PlatformLink& link = platform.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
        const Joint& joint = joints_[a * count_ + b];
        if (!joint.limited) continue;
        const double all = joint.rate * static_cast<double>(link.connections);
        for (const std::size_t end : {site_[a], site_[b]}) site_rate_[end] = std::max(site_rate_[end], all);
      }
    }
  }

  [[nodiscard]] double card(std::size_t cluster) const { return card_[cluster]; }
  [[nodiscard]] std::size_t site_of(std::size_t cluster) const { return site_[cluster]; }
  /// Of the site's link to all others; 0 if it has none.
  [[nodiscard]] double site_rate(std::size_t site) const { return site_rate_[site]; }
  [[nodiscard]] const Joint& joint(std::size_t a, std::size_t b) const { return joints_[a * count_ + b]; }

 private:
  void join(const Platform& platform, std::size_t a, std::size_t b) {
    const PlatformLink& link = platform.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    Joint& joint = joints_[a * count_ + b];
    joint.rate = rate_of(link.gap);
    const double of_hosts = (platform.clusters[a].latency_s + platform.clusters[b].latency_s) / 2;
    joint.latency_s = std::max(0.0, link.latency_s - of_hosts);
    joint.limited = link.connections > 1 || joint.rate < kAsFast * std::min(card_[a], card_[b]);
    if (!joint.limited) site_[std::max(site(a), site(b))] = std::min(site(a), site(b));
  }
  [[nodiscard]] std::size_t site(std::size_t cluster) const {
    while (site_[cluster] != cluster) cluster = site_[cluster];
    return cluster;
  }

  std::size_t count_;
  std::vector<double> card_;
  std::vector<std::size_t> site_;
  std::vector<double> site_rate_;
  std::vector<Joint> joints_;
};

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
  fmt::format_to(std::back_inserter(out),
                 FMT_COMPILE("  <link id=\"{}\" bandwidth=\"{:.0f}Bps\" latency=\"{:.9f}s\"{}/>\n"), id, rate,
                 latency_s, more);
}

}  // namespace

SimgridPlatform to_simgrid(const Platform& platform, const std::string& where) {
  if (platform.ranks > kMostRanks)
    throw InputError(where, fmt::format("{} ranks", platform.ranks),
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
  for (std::size_t site = 0; site < clusters; ++site)
    if (machine.site_of(site) == site && machine.site_rate(site) > 0)
      for (const char* direction : {"up:", "down:"})
        append_link(xml, fmt::format("{}{}", direction, site), machine.site_rate(site), 0);
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b)
      if (a != b && !machine.joint(a, b).limited)
        append_link(xml, fmt::format("w:{}:{}", a, b), kUnlimited, machine.joint(a, b).latency_s,
                    " sharing_policy=\"FATPIPE\"");
  for (const Host& from : hosts) {
    for (const Host& to : hosts) {
      if (from.cluster == to.cluster || !machine.joint(from.cluster, to.cluster).limited) continue;
      const Joint& joint = machine.joint(from.cluster, to.cluster);
      append_link(xml, fmt::format(FMT_COMPILE("w:{}:{}"), from.id, to.id), joint.rate, joint.latency_s);
    }
  }
  for (const Host& from : hosts) {
    for (const Host& to : hosts) {
      if (&from == &to) continue;
      std::string between;
      if (from.cluster != to.cluster && machine.joint(from.cluster, to.cluster).limited) {
        between =
            fmt::format(FMT_COMPILE("<link_ctn id=\"up:{}\"/><link_ctn id=\"w:{}:{}\"/><link_ctn id=\"down:{}\"/>"),
                        machine.site_of(from.cluster), from.id, to.id, machine.site_of(to.cluster));
      } else if (from.cluster != to.cluster) {
        between = fmt::format(FMT_COMPILE("<link_ctn id=\"w:{}:{}\"/>"), from.cluster, to.cluster);
      }
      fmt::format_to(std::back_inserter(xml),
                     FMT_COMPILE("  <route src=\"{0}\" dst=\"{1}\" symmetrical=\"NO\"><link_ctn id=\"o:{0}\"/>{2}"
                                 "<link_ctn id=\"d:{1}\"/></route>\n"),
                     from.id, to.id, between);
    }
  }
  xml += " </zone>\n</platform>\n";
  return result;
}

}  // namespace sluice
