#include "input/platform_json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <istream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/append_text.hpp"
#include "input/json_text.hpp"
#include "input/outermost_texts.hpp"
#include "input/platform_tree.hpp"
#include "input/strict_json.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"

namespace sluice {
namespace detail {

void append_table(std::string& out, const char* name, const GapTable& table) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(R"(, "{}": [)"), name);
  const char* between = "";
  for (const GapTable::Point& point : table.points()) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}[{}, "), between, point.bytes);
    append_json_number(out, point.seconds, name);
    out += ']';
    between = ", ";
  }
  out += ']';
}

void append_link_times(std::string& out, const PlatformLink& link) {
  out += R"("latency_s": )";
  append_json_number(out, link.latency_s, "latency_s");
  if (!link.gap.points().empty()) append_table(out, "gap", link.gap);
  if (link.connections != 1) detail::append_text(out, R"(, "connections": {})", link.connections);
}

void append_broadcasts(std::string& out, const PlatformCluster& cluster) {
  if (!cluster.broadcast.points().empty()) append_table(out, "broadcast", cluster.broadcast);
  if (!cluster.planned_broadcast.points().empty()) append_table(out, "planned_broadcast", cluster.planned_broadcast);
}

GapTable table_of(const std::vector<JsonPair>& pairs, const std::string& where, const char* field) {
  std::vector<GapTable::Point> points;
  points.reserve(pairs.size());
  for (const JsonPair& pair : pairs) points.push_back({pair.first, pair.second});
  return GapTable(std::move(points), fmt::format("{}: \"{}\"", where, field));
}

}  // namespace detail

namespace {

using detail::json_string;
using detail::kPlatformSchema;

// ---- writing

void append_cluster(std::string& out, const PlatformCluster& cluster) {
  out += R"({"name": )" + json_string(cluster.name, "name") +
         fmt::format(R"(, "ranks": [{}], )", fmt::join(cluster.ranks, ", "));
  detail::append_link_times(out, {0, 0, cluster.latency_s, cluster.gap, 1});
  detail::append_broadcasts(out, cluster);
  out += '}';
}

void append_link(std::string& out, const PlatformLink& link) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(R"({{"from": {}, "to": {}, )"), link.from, link.to);
  detail::append_link_times(out, link);
  out += '}';
}

// ---- reading

class PlatformHandler : public detail::StrictJsonHandler {
 public:
  PlatformHandler(const detail::JsonSource& source, std::string file) : StrictJsonHandler(source, std::move(file)) {
    shapes() = {{"a platform",
                 {{.name = "schema", .text = &schema_, .choices = {kPlatformSchema, detail::kPlatformTreeSchema}},
                  {.name = "ranks", .integer = &result_.ranks},
                  {.name = "clusters", .objects = kCluster},
                  {.name = "links", .objects = kLink}}},
                {"a cluster",
                 {{.name = "name", .text = &cluster_.name},
                  {.name = "ranks", .integers = &cluster_.ranks},
                  {.name = "latency_s", .number = &cluster_.latency_s},
                  {.name = "gap", .required = false, .pairs = &gap_},
                  {.name = "broadcast", .required = false, .pairs = &broadcast_},
                  {.name = "planned_broadcast", .required = false, .pairs = &planned_}}},
                {"a link",
                 {{.name = "from", .integer = &link_.from},
                  {.name = "to", .integer = &link_.to},
                  {.name = "latency_s", .number = &link_.latency_s},
                  {.name = "gap", .pairs = &gap_},
                  {.name = "connections", .required = false, .integer = &link_.connections}}}};
  }

  Platform take() { return std::move(result_); }

 private:
  enum : int { kPlatform, kCluster, kLink };

  void opened(int shape) override {
    if (shape == kPlatform) return;
    cluster_ = {};
    link_ = {};
    gap_.clear();
    broadcast_.clear();
    planned_.clear();
  }
  void closed(int shape) override {
    if (shape == kCluster) {
      if (!gap_.empty()) cluster_.gap = table("gap", gap_);
      if (!broadcast_.empty()) cluster_.broadcast = table("broadcast", broadcast_);
      if (!planned_.empty()) cluster_.planned_broadcast = table("planned_broadcast", planned_);
      result_.clusters.push_back(std::move(cluster_));
    }
    if (shape == kLink) {
      link_.gap = table("gap", gap_);
      result_.links.push_back(std::move(link_));
    }
  }

  [[nodiscard]] GapTable table(const char* name, const std::vector<detail::JsonPair>& pairs) const {
    return detail::table_of(pairs, object_where(), name);
  }

  Platform result_;
  PlatformCluster cluster_;
  PlatformLink link_;
  std::vector<detail::JsonPair> gap_;
  std::vector<detail::JsonPair> broadcast_;
  std::vector<detail::JsonPair> planned_;
  std::string schema_;
};

}  // namespace

std::string to_json(const Platform& platform) {
  if (!platform.parts.empty()) return detail::tree_json(platform);
  std::string out =
      fmt::format("{{\"schema\": \"{}\", \"ranks\": {},\n \"clusters\": [", kPlatformSchema, platform.ranks);
  const auto append_list = [&](const auto& items, auto append) {
    const char* between = "\n  ";
    for (const auto& item : items) {
      out += between;
      append(out, item);
      between = ",\n  ";
    }
  };
  append_list(platform.clusters, append_cluster);
  out += "],\n \"links\": [";
  append_list(platform.links, append_link);
  out += "]}\n";
  return out;
}

Platform read_platform(std::istream& in, const std::string& file) {
  bool is_tree = false;
  detail::RewindBuffer buffer(in ? in.rdbuf() : nullptr);
  const auto again = detail::after_texts(in, buffer, [&](std::string_view name, std::string_view text) {
    if (name != "schema") return true;
    is_tree = text == detail::kPlatformTreeSchema;
    return false;
  });
  if (is_tree) return detail::read_platform_tree(*again, file);
  detail::JsonSource source(&buffer);
  PlatformHandler handler(source, file);
  detail::read_strict_json(*again, file, source, handler);
  Platform platform = handler.take();
  check_platform(platform, file);
  return platform;
}

Platform read_platform(const std::string& path) {
  Platform platform;
  with_stream(path, "a platform",
              [&](std::istream& in, const std::string& name) { platform = read_platform(in, name); });
  return platform;
}

}  // namespace sluice
