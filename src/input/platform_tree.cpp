#include "input/platform_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "input/append_text.hpp"
#include "input/platform_parts.hpp"

namespace sluice::detail {
namespace {

class PartExpansion {
 public:
  Platform run(const CountedPart& whole) {
    (void)add(whole, whole.name, -1, "");
    for (std::vector<PlatformLink>* links : {&platform_.links, &platform_.part_links}) sort_links(*links);
    return std::move(platform_);
  }

 private:
  /// Adds one part, under its name. `prefix`: of the names of its parts, unless it is one of several. Returns its
  /// position. At most as deep as the file has levels.
  std::int64_t add(const CountedPart& part, const std::string& name, std::int64_t parent, const std::string& prefix) {
    const auto position = static_cast<std::int64_t>(platform_.parts.size());
    const auto first = static_cast<std::int64_t>(platform_.clusters.size());
    PlatformPart& own = platform_.parts.emplace_back();
    own.parent = parent;
    own.first_cluster = first;
    own.shares_uplink = part.shares_uplink;
    own.uplink = part.uplink;
    if (part.ranks > 0) {
      add_cluster(part, name);
      return position;
    }
    own.name = name;
    const std::string prefix_of_parts = part.count > 1 ? name + '/' : prefix;
    std::vector<std::int64_t> children;
    for (const CountedPart& child : part.parts) {
      const bool named = child.count > 1 || !child.name.empty();
      for (std::int64_t i = 0; i < child.count; ++i) {
        std::string of_child = named ? prefix_of_parts + child.name : std::string();
        if (child.count > 1) of_child += fmt::format("{}", i);
        children.push_back(add(child, of_child, position, prefix_of_parts));
      }
    }
    platform_.parts[static_cast<std::size_t>(position)].clusters =
        static_cast<std::int64_t>(platform_.clusters.size()) - first;
    if (part.link) platform_.part_links.push_back(between(position, position, *part.link));
    for (const PlatformLink& link : part.part_links)
      platform_.part_links.push_back(
          between(children[static_cast<std::size_t>(link.from)], children[static_cast<std::size_t>(link.to)], link));
    for (const PlatformLink& link : part.cluster_links)
      platform_.links.push_back(between(first + link.from, first + link.to, link));
    return position;
  }

  void add_cluster(const CountedPart& part, const std::string& name) {
    PlatformCluster& cluster = platform_.clusters.emplace_back();
    cluster.name = name;
    cluster.ranks = part.members;
    if (part.members.empty())
      for (std::int64_t i = 0; i < part.ranks; ++i) cluster.ranks.push_back(platform_.ranks + i);
    platform_.ranks += part.ranks;
    if (part.link) cluster.latency_s = part.link->latency_s;
    if (part.link) cluster.gap = part.link->gap;
    cluster.broadcast = part.broadcast;
    cluster.planned_broadcast = part.planned_broadcast;
  }

  Platform platform_;
};

class PartCounting {
 public:
  explicit PartCounting(const Platform& platform)
      : platform_(platform), children_(children_of(platform.parts)), cluster_links_(platform.parts.size()) {
    std::int64_t next = 0;
    for (const PlatformCluster& cluster : platform.clusters)
      for (const std::int64_t rank : cluster.ranks) in_order_ = in_order_ && rank == next++;
    for (const PlatformLink& link : platform.links) {
      const auto part = static_cast<std::size_t>(parts_between(platform, link.from, link.to).first);
      cluster_links_[static_cast<std::size_t>(platform.parts[part].parent)].push_back(link);
    }
  }

  [[nodiscard]] CountedPart run() const { return make(0); }

 private:
  /// With whole names.
  [[nodiscard]] CountedPart make(std::size_t position) const {
    const PlatformPart& own = platform_.parts[position];
    CountedPart part;
    part.shares_uplink = own.shares_uplink;
    part.uplink = own.uplink;
    if (children_[position].empty()) {
      const PlatformCluster& cluster = platform_.clusters[static_cast<std::size_t>(own.first_cluster)];
      part.name = cluster.name;
      part.ranks = static_cast<std::int64_t>(cluster.ranks.size());
      if (!in_order_) part.members = cluster.ranks;
      if (cluster.latency_s != 0 || !cluster.gap.points().empty())
        part.link = PlatformLink{0, 0, cluster.latency_s, cluster.gap, 1};
      part.broadcast = cluster.broadcast;
      part.planned_broadcast = cluster.planned_broadcast;
      return part;
    }
    part.name = own.name;
    std::vector<CountedPart> children;
    children.reserve(children_[position].size());
    for (const std::size_t child : children_[position]) children.push_back(make(child));
    part.parts = together(std::move(children));
    add_links(position, part);
    return part;
  }

  void add_links(std::size_t position, CountedPart& part) const {
    const std::vector<PlatformLink>& links = platform_.part_links;
    const auto from_on = [&](std::size_t from) {
      return std::ranges::lower_bound(links, static_cast<std::int64_t>(from), {}, &PlatformLink::from);
    };
    const std::vector<std::size_t>& children = children_[position];
    for (auto link = from_on(position); link != links.end() && link->from == static_cast<std::int64_t>(position);
         ++link)
      if (link->from == link->to) part.link = between(0, 0, *link);
    for (std::size_t i = 0; i < children.size(); ++i) {
      for (auto link = from_on(children[i]);
           link != links.end() && link->from == static_cast<std::int64_t>(children[i]); ++link) {
        if (link->from == link->to) continue;
        const auto to = std::ranges::lower_bound(children, static_cast<std::size_t>(link->to)) - children.begin();
        part.part_links.push_back(between(static_cast<std::int64_t>(i), to, *link));
      }
    }
    const std::int64_t first = platform_.parts[position].first_cluster;
    for (const PlatformLink& link : cluster_links_[position])
      part.cluster_links.push_back(between(link.from - first, link.to - first, link));
  }

  /// Takes `prefix` from the names of its parts, except the parts of a part that is several already. False if a name
  /// has another beginning.
  static bool strip(CountedPart& part, const std::string& prefix) {
    for (CountedPart& child : part.parts) {
      if (child.count > 1 || !child.name.empty()) {
        if (!child.name.starts_with(prefix)) return false;
        child.name.erase(0, prefix.size());
        if (child.count == 1 && child.name.empty()) return false;
      }
      if (child.count == 1 && !strip(child, prefix)) return false;
    }
    return true;
  }

  /// Counts adjacent parts that are alike, NAME0, NAME1, ...
  static std::vector<CountedPart> together(std::vector<CountedPart> parts) {
    std::vector<CountedPart> result;
    for (std::size_t i = 0; i < parts.size();) {
      CountedPart first = parts[i];
      std::size_t behind = i + 1;
      if (first.name.ends_with('0') && strip(first, first.name + '/')) {
        first.name.pop_back();
        for (; behind < parts.size() && parts[behind].name == fmt::format("{}{}", first.name, behind - i); ++behind) {
          CountedPart next = parts[behind];
          if (!strip(next, next.name + '/')) break;
          next.name = first.name;
          if (next != first) break;
        }
      }
      if (behind - i > 1) first.count = static_cast<std::int64_t>(behind - i);
      result.push_back(first.count > 1 ? std::move(first) : std::move(parts[i]));
      i = behind;
    }
    return result;
  }

  const Platform& platform_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<PlatformLink>> cluster_links_;  // of each part, between clusters of two of its parts
  bool in_order_ = true;
};

}  // namespace

Platform expanded(const CountedPart& whole) { return PartExpansion().run(whole); }

CountedPart counted(const Platform& platform) { return PartCounting(platform).run(); }

std::string ranges_text(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t behind = i + 1;
    while (behind < ranks.size() && ranks[behind] == ranks[behind - 1] + 1) ++behind;
    if (!text.empty()) text += ',';
    append_text(text, "{}", ranks[i]);
    if (behind - i > 1) append_text(text, "-{}", ranks[behind - 1]);
    i = behind;
  }
  return text;
}

}  // namespace sluice::detail
