#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "input/append_text.hpp"
#include "input/json_text.hpp"
#include "input/platform_json.hpp"
#include "input/platform_parts.hpp"
#include "input/platform_tree.hpp"
#include "input/shown_text.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

// ---- writing

class TreeWriter {
 public:
  std::string run(const CountedPart& whole) {
    out_ = fmt::format("{{\"schema\": \"{}\"", kPlatformTreeSchema);
    body(whole, 1);
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  void field(const char* name) { append_text(out_, ", \"{}\": ", name); }

  /// The fields, each with a comma in front.
  void body(const CountedPart& part, std::size_t depth) {
    if (!part.name.empty()) {
      field("name");
      out_ += json_string(part.name, "name");
    }
    if (part.count > 1) {
      field("count");
      out_ += fmt::format("{}", part.count);
    }
    if (part.ranks > 0 && part.members.empty()) {
      field("ranks");
      out_ += fmt::format("{}", part.ranks);
    } else if (part.ranks > 0) {
      field("members");
      out_ += '"' + ranges_text(part.members) + '"';
    }
    if (!part.shares_uplink) {
      field("shares_uplink");
      out_ += "false";
    }
    if (!part.uplink.points().empty()) append_table(out_, "uplink", part.uplink);
    if (part.link) {
      field("link");
      out_ += '{';
      append_link_times(out_, *part.link);
      out_ += '}';
    }
    PlatformCluster measured;
    measured.broadcast = part.broadcast;
    measured.planned_broadcast = part.planned_broadcast;
    append_broadcasts(out_, measured);
    if (part.parts.empty()) return;
    list("parts", part.parts, depth, [&](const CountedPart& child) {
      const std::size_t begin = out_.size();
      body(child, depth + 2);
      const std::size_t first = out_.find('"', begin);
      out_.erase(begin, first - begin);
    });
    const auto ends = [&](const PlatformLink& link) {
      out_ += fmt::format(R"("from": {}, "to": {}, )", link.from, link.to);
      append_link_times(out_, link);
    };
    if (!part.part_links.empty()) list("part_links", part.part_links, depth, ends);
    if (!part.cluster_links.empty()) list("cluster_links", part.cluster_links, depth, ends);
  }

  template <class Items, class Write>
  void list(const char* name, const Items& items, std::size_t depth, Write write) {
    const std::string line = '\n' + std::string(depth, ' ');
    out_ += fmt::format(",{}\"{}\": [", line, name);
    const char* between = "";
    for (const auto& item : items) {
      out_ += between + line + " {";
      write(item);
      out_ += '}';
      between = ",";
    }
    out_ += ']';
  }

  std::string out_;
};

// ---- reading

/// The ranks of "0-3,8", in order. Throws InputError naming `where`.
std::vector<std::int64_t> parse_ranges(const std::string& text, const std::string& where) {
  const auto want = [&](bool right) {
    if (!right)
      throw InputError(where, fmt::format("\"members\": \"{}\"", shown(text)), "ranks and ranges such as \"0-3,8\"");
  };
  std::vector<std::int64_t> ranks;
  std::size_t at = 0;
  const auto number = [&] {
    std::int64_t value = -1;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = std::max<std::int64_t>(0, value) * 10 + (text[at] - '0');
      if (value >= kMostFileRanks)
        throw InputError(where, fmt::format("rank {} or more", value), fmt::format("at most {}", kMostFileRanks - 1));
    }
    want(value >= 0);
    return value;
  };
  do {
    const std::int64_t first = number();
    std::int64_t last = first;
    if (at < text.size() && text[at] == '-') {
      ++at;
      last = number();
      want(last > first);
    }
    if (static_cast<std::int64_t>(ranks.size()) + last - first >= kMostFileRanks)
      throw InputError(where, "more ranks", fmt::format("at most {}", kMostFileRanks));
    for (std::int64_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
    want(at == text.size() || text[at] == ',');
  } while (at++ < text.size());
  return ranks;
}

class PlatformTreeHandler : public StrictJsonHandler {
 public:
  PlatformTreeHandler(const JsonSource& source, const std::string& file)
      : StrictJsonHandler(source, file), file_(file) {
    std::vector<JsonField> whole{{.name = "schema", .text = &schema_, .choices = {kPlatformTreeSchema}}};
    std::vector<JsonField> part{{.name = "name", .required = false, .text = &current_.part.name},
                                {.name = "count", .required = false, .integer = &current_.part.count},
                                {.name = "uplink", .required = false, .pairs = &current_.uplink},
                                {.name = "shares_uplink", .required = false, .flag = &current_.part.shares_uplink}};
    const std::vector<JsonField> either{
        {.name = "ranks", .required = false, .optional_integer = &current_.ranks},
        {.name = "members", .required = false, .text = &current_.members},
        {.name = "parts", .required = false, .objects = kPart},
        {.name = "link", .required = false, .object = kLink},
        {.name = "part_links", .required = false, .objects = kPartLink},
        {.name = "cluster_links", .required = false, .objects = kClusterLink},
        {.name = "broadcast", .required = false, .pairs = &current_.broadcast},
        {.name = "planned_broadcast", .required = false, .pairs = &current_.planned_broadcast}};
    whole.push_back(part.front());
    whole.insert(whole.end(), either.begin(), either.end());
    part.insert(part.end(), either.begin(), either.end());
    const std::vector<JsonField> times{{.name = "latency_s", .number = &link_.latency_s},
                                       {.name = "gap", .required = false, .pairs = &gap_},
                                       {.name = "connections", .required = false, .integer = &link_.connections}};
    std::vector<JsonField> ends{{.name = "from", .integer = &link_.from}, {.name = "to", .integer = &link_.to}};
    ends.insert(ends.end(), times.begin(), times.end());
    ends[3].required = true;
    shapes() = {{"a platform", whole}, {"a part", part}, {"a link", times}, {"a link", ends}, {"a link", ends}};
  }

  CountedPart take() { return std::move(whole_); }
  /// Checks that every rank is in one cluster, if members are given.
  void check_members() {
    std::ranges::stable_sort(members_, {}, &Member::rank);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& each = members_[i];
      if (i > 0 && each.rank == members_[i - 1].rank)
        throw InputError(fmt::format("{}:{}", file_, each.line), fmt::format("rank {} again", each.rank),
                         fmt::format("every rank in one cluster; it is in that of line {}", members_[i - 1].line));
      if (each.rank != static_cast<std::int64_t>(i))
        throw InputError(file_, fmt::format("rank {} in no cluster", i),
                         fmt::format("every rank from 0 to {} in one cluster", members_.back().rank));
    }
  }

 private:
  enum : int { kWhole, kPart, kLink, kPartLink, kClusterLink };

  /// A part that is read, and what it amounts to.
  struct Current {
    CountedPart part;
    std::optional<std::int64_t> ranks;
    std::string members;
    std::vector<JsonPair> uplink, broadcast, planned_broadcast;
    std::int64_t places = 0;  ///< of its parts, each as often as it counts
    // Per one of the counted parts.
    std::int64_t all_ranks = 0;
    std::int64_t clusters = 0;
    bool in_order = false, by_members = false;  ///< how ranks are given somewhere inside
  };
  struct Member {
    std::int64_t rank;
    std::int64_t line;
  };

  void opened(int shape) override {
    if (shape == kWhole || shape == kPart) {
      if (shape == kPart) outer_.push_back(std::move(current_));
      current_ = {};
      if (outer_.size() > kMostFileLevels)
        fail(count_text(outer_.size(), "level"), fmt::format("at most {}", kMostFileLevels));
    } else {
      link_ = {};
      gap_.clear();
    }
  }

  void closed(int shape) override {
    if (shape == kWhole || shape == kPart) {
      finish(shape);
      if (shape == kWhole)
        whole_ = std::move(current_.part);
      else
        into_outer();
      return;
    }
    if (!gap_.empty()) link_.gap = table_of(gap_, object_where(), "gap");
    if (shape == kLink) {
      if (link_.connections < 1) fail_object("0 connections", "at least 1");
      current_.part.link = std::move(link_);
    } else {
      if (gap_.empty()) link_.gap = table_of(gap_, object_where(), "gap");
      (shape == kPartLink ? current_.part.part_links : current_.part.cluster_links).push_back(std::move(link_));
    }
  }

  /// Checks what the part just closed has to be, independently of others.
  void finish(int shape) {
    CountedPart& part = current_.part;
    const int kinds = (object_has(shape, "ranks") ? 1 : 0) + (object_has(shape, "members") ? 1 : 0) +
                      (object_has(shape, "parts") ? 1 : 0);
    const bool none = kinds == 0 || (kinds == 1 && object_has(shape, "parts") && part.parts.empty());
    if (none || kinds > 1)
      fail_object(none ? "a part without ranks" : "a part with several of them",
                  R"(one of "ranks", "members" and "parts")");
    if (part.count < 1) fail_object(fmt::format("\"count\": {}", part.count), "at least 1");
    if (!current_.uplink.empty()) part.uplink = table_of(current_.uplink, object_where(), "uplink");
    if (!current_.uplink.empty() && !part.shares_uplink)
      fail_object(R"("uplink" of a part that shares none)", R"(no "shares_uplink": false, or no "uplink")");
    if (part.parts.empty())
      finish_cluster();
    else
      finish_parts();
    if (part.count > 1 && current_.by_members)
      fail_object(fmt::format("{} with \"members\"", count_text(part.count, "part")),
                  "\"ranks\" in parts that are alike");
  }

  void finish_cluster() {
    CountedPart& part = current_.part;
    if (!part.part_links.empty() || !part.cluster_links.empty())
      fail_object("links between parts of a cluster", "parts");
    current_.by_members = !current_.ranks;
    current_.in_order = !current_.by_members;
    if (current_.by_members) part.members = parse_ranges(current_.members, object_where());
    part.ranks = current_.by_members ? static_cast<std::int64_t>(part.members.size()) : *current_.ranks;
    for (const std::int64_t rank : part.members) members_.push_back({rank, object_line()});
    if (part.ranks < 1) fail_object("0 ranks", "at least 1");
    current_.all_ranks = part.ranks;
    current_.clusters = 1;
    check_size(1);
    if (part.ranks > 1 && (!part.link || part.link->gap.points().empty()))
      fail_object(fmt::format("{} without {}", count_text(part.ranks, "rank"), part.link ? "a gap" : "a link"),
                  R"("link" with "latency_s" and "gap", unless there is one rank)");
    if (part.link && part.link->connections != 1)
      fail_object(fmt::format("{} inside a cluster", count_text(part.link->connections, "connection")),
                  "none: they share no link");
    if (!current_.broadcast.empty()) part.broadcast = table_of(current_.broadcast, object_where(), "broadcast");
    if (!current_.planned_broadcast.empty())
      part.planned_broadcast = table_of(current_.planned_broadcast, object_where(), "planned_broadcast");
  }

  void finish_parts() {
    CountedPart& part = current_.part;
    if (!current_.broadcast.empty() || !current_.planned_broadcast.empty())
      fail_object("broadcasts of a part that has parts", "broadcasts of clusters only");
    if (current_.places < 2) fail_object("a part of one part", "two or more, or \"ranks\"");
    if (part.link && part.link->gap.points().empty()) fail_object("a link without a gap", "one point of g(m) at least");
    const std::vector<LinkEnds> pairs = check_links(part.part_links, current_.places, "part", object_where());
    (void)check_links(part.cluster_links, current_.clusters, "cluster", object_where());
    if (part.link) return;
    if (const auto missing = missing_pair(pairs, current_.places))
      fail_object(fmt::format("no link between parts {} and {}", missing->first, missing->second),
                  R"("link", or one for every pair in "part_links")");
  }

  /// Adds the part just closed to the part around it, as often as it counts.
  void into_outer() {
    Current inner = std::exchange(current_, std::move(outer_.back()));
    outer_.pop_back();
    const std::int64_t count = inner.part.count;
    check_size(count, inner);
    current_.places += count;
    current_.all_ranks += count * inner.all_ranks;
    current_.clusters += count * inner.clusters;
    current_.in_order = current_.in_order || inner.in_order;
    current_.by_members = current_.by_members || inner.by_members;
    if (current_.in_order && current_.by_members)
      fail_object(R"("ranks" and "members" in one file)", "one of the two in all clusters");
    check_size(1);
    current_.part.parts.push_back(std::move(inner.part));
  }

  void check_size(std::int64_t count) { check_size(count, current_); }
  void check_size(std::int64_t count, const Current& of) {
    const auto check = [&](std::int64_t each, std::int64_t most, const char* called) {
      if (count <= most / each) {
        if (count * each <= most) return;
      }
      const bool fits = count <= std::numeric_limits<std::int64_t>::max() / each;
      fail_object(
          fits ? fmt::format("{} {}", count * each, called) : fmt::format("{} times {} {}", count, each, called),
          fmt::format("at most {}", most));
    };
    check(of.all_ranks, kMostFileRanks, "ranks");
    check(of.clusters, kMostFileClusters, "clusters");
  }

  std::string file_;
  std::string schema_;
  Current current_;             // the part that is read
  std::vector<Current> outer_;  // the parts around it
  CountedPart whole_;
  PlatformLink link_;
  std::vector<JsonPair> gap_;
  std::vector<Member> members_;
};

}  // namespace

std::string tree_json(const Platform& platform) { return TreeWriter().run(counted(platform)); }

Platform read_platform_tree(std::istream& in, const std::string& file) {
  JsonSource source(in.rdbuf());
  PlatformTreeHandler handler(source, file);
  read_strict_json(in, file, source, handler);
  handler.check_members();
  Platform platform = expanded(handler.take());
  check_platform(platform, file);
  return platform;
}

}  // namespace sluice::detail
