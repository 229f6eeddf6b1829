#include "sluice/input/simgrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
/// The most times that a route passes one card.
constexpr int kMostPasses = 32;

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
  double rate = 0;  // of a pair of hosts
  double all = 0;   // of all pairs together
  double latency_s = 0;
  bool limited = false;
};

/// The card of each host of a cluster. A message keeps it at most for as long as a message inside the cluster (its
/// port, src/timing/replay.cpp). So if messages inside are slower than messages to others, they keep it for
/// longer than their bytes take at its rate. A SimGrid link counts bytes; a route that passes it n times takes n times
/// as much of it.
struct Card {
  double inside = 0;  // of messages inside the cluster; 0 if there are none
  double rate = 0;    // of the fastest messages
  int passes = 1;     // how often the fastest messages pass it

  /// How often a message that its connection lets through at `rate` passes the card.
  [[nodiscard]] int passes_at(double connection_rate) const {
    const double kept_at = inside > 0 ? std::max(inside, connection_rate) : rate;
    if (kept_at >= kAsFast * rate) return passes;
    return std::min(kMostPasses, static_cast<int>(std::lround(passes * rate / kept_at)));
  }
};

class Machine {
 public:
  explicit Machine(const Platform& platform)
      : count_(platform.clusters.size()), levels_(platform), card_(count_), joints_(count_ * count_) {
    for (std::size_t c = 0; c < count_; ++c)
      if (!platform.clusters[c].gap.points().empty())
        card_[c].inside = card_[c].rate = rate_of(platform.clusters[c].gap);
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < count_; ++b) {
        if (a == b) continue;
        const double rate = rate_of(platform.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)).gap);
        for (const std::size_t end : {a, b}) card_[end].rate = std::max(card_[end].rate, rate);
      }
    }
    for (Card& card : card_) choose_passes(card);
    uplink_rate_.assign(levels_.groups().size(), 0);
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < count_; ++b)
        if (a != b) join(platform, a, b);
    for (std::size_t group = 0; group < uplink_rate_.size(); ++group)
      if (given(group) && uplink_rate_[group] > 0) uplink_rate_[group] = rate_of(levels_.groups()[group].uplink->gap);
  }

  [[nodiscard]] const Card& card(std::size_t cluster) const { return card_[cluster]; }
  [[nodiscard]] const PlatformLevels& levels() const { return levels_; }
  /// The rate of a group's link to all others; 0 if it has none.
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
  /// Chooses the least number of passes of the fastest messages that lets messages inside pass the card nearly a whole
  /// number of times.
  static void choose_passes(Card& card) {
    constexpr int kMostOfFastest = 8;
    constexpr double kNear = 0.01;
    if (card.inside <= 0 || card.inside >= kAsFast * card.rate) return;
    card.rate = std::min(card.rate, kMostPasses * card.inside);
    const double ratio = card.rate / card.inside;
    double least = 1;
    for (int passes = 1; passes <= kMostOfFastest && passes * ratio <= kMostPasses && least > kNear; ++passes) {
      const double off = std::abs(std::round(passes * ratio) / (passes * ratio) - 1);
      if (off >= least) continue;
      least = off;
      card.passes = passes;
    }
  }

  [[nodiscard]] bool given(std::size_t group) const { return levels_.groups()[group].uplink.has_value(); }

  void join(const Platform& platform, std::size_t a, std::size_t b) {
    const PlatformLink& link = platform.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    Joint& joint = joints_[a * count_ + b];
    joint.rate = rate_of(link.gap);
    joint.all = joint.rate * static_cast<double>(link.connections);
    joint.latency_s = link.latency_s;
    const auto pairs =
        static_cast<std::int64_t>(std::min(platform.clusters[a].ranks.size(), platform.clusters[b].ranks.size()));
    joint.limited = link.connections < pairs || joint.rate < kAsFast * std::min(card_[a].rate, card_[b].rate);
    // Groups share their uplinks even if a pair is limited only by its network cards.
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
  std::vector<Card> card_;
  std::vector<double> uplink_rate_;
  std::vector<Joint> joints_;
};

/// "2" for the innermost group whose first cluster is 2, "2.1", "2.2" for the groups around it.
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

/// "NAME-0", "NAME-1", ... in the order of the ranks; "cluster-3-0" if names do not tell clusters apart.
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
      append_link(xml, direction + host.id, machine.card(host.cluster).rate * machine.card(host.cluster).passes, 0);
  for (std::size_t c = 0; c < clusters; ++c)
    if (platform.clusters[c].ranks.size() > 1)
      append_link(xml, fmt::format("n:{}", c), kUnlimited, platform.clusters[c].latency_s,
                  " sharing_policy=\"FATPIPE\"");
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
      std::string links;
      const auto pass = [&](const char* kind, const std::string& name) {
        detail::append_text(links, "<link_ctn id=\"{}{}\"/>", kind, name);
      };
      const auto pass_card = [&](const char* direction, const Host& host) {
        const Card& card = machine.card(host.cluster);
        const int passes =
            card.passes_at(from.cluster == to.cluster ? card.inside : machine.joint(from.cluster, to.cluster).rate);
        for (int i = 0; i < passes; ++i) pass(direction, host.id);
      };
      pass_card("o:", from);
      if (from.cluster == to.cluster) {
        pass("n:", fmt::format("{}", from.cluster));
      } else if (machine.joint(from.cluster, to.cluster).limited) {
        pass("w:", from.id + ':' + to.id);
        if (machine.share_link(from.cluster, to.cluster)) pass("l:", fmt::format("{}:{}", from.cluster, to.cluster));
        levels.cross(
            from.cluster, to.cluster, [&](std::size_t group) { pass("up:", names[group]); },
            [&](std::size_t group) { pass("down:", names[group]); });
      } else {
        pass("w:", fmt::format("{}:{}", from.cluster, to.cluster));
      }
      pass_card("d:", to);
      detail::append_text(xml, "  <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">{}</route>\n", from.id, to.id, links);
    }
  }
  xml += " </zone>\n</platform>\n";
  return result;
}

}  // namespace sluice
