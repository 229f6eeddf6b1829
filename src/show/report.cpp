#include "sluice/show/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "input/append_text.hpp"
#include "show/lanes.hpp"
#include "show/report/page_parts.hpp"
#include "show/svg.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using nlohmann::ordered_json;

/// Appends the array "NAME": [...] of what `value` says of each of `count`, and a comma.
template <class Value>
void append_column(std::string& out, std::string_view name, std::size_t count, Value value) {
  detail::append_text(out, "\"{}\":[", name);
  for (std::size_t i = 0; i < count; ++i) detail::append_text(out, "{},", value(i));
  if (count > 0) out.pop_back();
  out += "],";
}

/// For JSON, which has no infinity.
double finite(double value) { return std::isfinite(value) ? value : 0; }

/// A column for each fact of transfers: a tenth of what an object for each takes, in the file and in the browser.
std::string timeline_json(const ReportTimeline& report) {
  const Timeline& timeline = report.timeline;
  const std::vector<TimelineTransfer>& transfers = timeline.transfers;
  const std::size_t count = transfers.size();
  const detail::Lanes lanes = detail::lanes_of(timeline);
  const ordered_json head{{"senders", timeline.senders}, {"receivers", timeline.receivers},
                          {"same", timeline.same_nodes}, {"node", report.node},
                          {"unit", timeline.unit},       {"length", timeline.length},
                          {"decimals", report.decimals}, {"sizeUnit", report.size_unit}};
  std::string out = head.dump();
  out.back() = ',';
  append_column(out, "from", count, [&](std::size_t i) { return transfers[i].from; });
  append_column(out, "to", count, [&](std::size_t i) { return transfers[i].to; });
  append_column(out, "start", count, [&](std::size_t i) { return finite(transfers[i].start); });
  append_column(out, "end", count, [&](std::size_t i) { return finite(transfers[i].end); });
  // The following columns are left out if they would say nothing new.
  const auto any = [&](auto test) { return std::any_of(transfers.begin(), transfers.end(), test); };
  if (any([](const TimelineTransfer& each) { return each.size > 0; }))
    append_column(out, "size", count, [&](std::size_t i) { return transfers[i].size; });
  if (any([](const TimelineTransfer& each) { return each.offset >= 0; }))
    append_column(out, "offset", count, [&](std::size_t i) { return transfers[i].offset; });
  if (any([](const TimelineTransfer& each) { return each.step >= 0; }))
    append_column(out, "step", count, [&](std::size_t i) { return transfers[i].step; });
  if (any([](const TimelineTransfer& each) { return each.sender_free != each.end; }))
    append_column(out, "free", count, [&](std::size_t i) { return finite(transfers[i].sender_free); });
  if (any([](const TimelineTransfer& each) { return each.receive_start != each.start; }))
    append_column(out, "taken", count, [&](std::size_t i) { return finite(transfers[i].receive_start); });
  const auto several = [](const std::vector<std::int64_t>& of_node) {
    return std::any_of(of_node.begin(), of_node.end(), [](std::int64_t n) { return n > 1; });
  };
  if (several(lanes.sends)) append_column(out, "sendLane", count, [&](std::size_t i) { return lanes.send[i]; });
  if (several(lanes.receives)) append_column(out, "takeLane", count, [&](std::size_t i) { return lanes.receive[i]; });
  out.back() = '}';
  return out;
}

ordered_json to_json(const ReportTable& table) {
  ordered_json columns = ordered_json::array();
  for (const ReportTable::Column& column : table.columns)
    columns.push_back({{"title", column.title}, {"unit", column.unit}});
  ordered_json rows = ordered_json::array();
  for (const std::vector<ReportCell>& row : table.rows) {
    ordered_json cells = ordered_json::array();
    for (const ReportCell& cell : row) {
      if (const auto* number = std::get_if<double>(&cell))
        cells.push_back(*number);
      else if (const auto* text = std::get_if<std::string>(&cell))
        cells.push_back(*text);
      else
        cells.push_back(nullptr);
    }
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

ordered_json to_json(const ReportBars& bars) {
  ordered_json list = ordered_json::array();
  for (const ReportBars::Bar& bar : bars.bars)
    list.push_back({{"name", bar.name}, {"value", bar.value}, {"low", bar.low}, {"high", bar.high}});
  return {{"title", bars.title},
          {"unit", bars.unit},
          {"bars", std::move(list)},
          {"bound", bars.bound},
          {"boundName", bars.bound_name}};
}

ordered_json to_json(const ReportLines& lines) {
  ordered_json series = ordered_json::array();
  for (const ReportLines::Series& each : lines.series) {
    ordered_json points = ordered_json::array();
    for (const auto& [x, y] : each.points) points.push_back({x, y});
    series.push_back({{"name", each.name}, {"points", std::move(points)}});
  }
  return {{"title", lines.title},    {"xTitle", lines.x_title}, {"xUnit", lines.x_unit},
          {"yTitle", lines.y_title}, {"yUnit", lines.y_unit},   {"series", std::move(series)}};
}

ordered_json to_json(const ReportMatrix& matrix) {
  ordered_json rows = ordered_json::array();
  ordered_json columns = ordered_json::array();
  ordered_json values = ordered_json::array();
  for (const ReportMatrix::Entry& entry : matrix.entries) {
    rows.push_back(entry.row);
    columns.push_back(entry.column);
    values.push_back(entry.value);
  }
  return {{"title", matrix.title},          {"rowName", matrix.row_name}, {"columnName", matrix.column_name},
          {"valueName", matrix.value_name}, {"unit", matrix.unit},        {"rows", matrix.rows},
          {"columns", matrix.columns},      {"row", std::move(rows)},     {"column", std::move(columns)},
          {"value", std::move(values)},     {"names", matrix.names}};
}

ordered_json to_json(const ReportPicture& picture) { return {{"title", picture.title}, {"svg", picture.svg}}; }

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

template <class Part>
std::string list_json(const std::vector<Part>& parts) {
  ordered_json list = ordered_json::array();
  for (const Part& part : parts) list.push_back(to_json(part));
  return dump(list);
}

std::string to_json(const ReportSection& section) {
  ordered_json figures = ordered_json::array();
  for (const auto& [name, value] : section.figures) figures.push_back({name, value});
  const ordered_json head{
      {"file", section.file}, {"kind", section.kind}, {"figures", std::move(figures)}, {"notes", section.notes}};
  std::string out = dump(head);
  out.pop_back();
  if (!section.verdict.empty()) out += ",\"verdict\":" + dump(section.verdict);
  if (section.timeline) out += ",\"timeline\":" + timeline_json(*section.timeline);
  return out + ",\"pictures\":" + list_json(section.pictures) + ",\"matrices\":" + list_json(section.matrices) +
         ",\"bars\":" + list_json(section.bars) + ",\"lines\":" + list_json(section.lines) +
         ",\"tables\":" + list_json(section.tables) + '}';
}

/// JSON in a form that may stand in an element of a page. A "<" can occur only inside its texts. It is written
/// differently there: neither "</script" nor "<!--" is left.
std::string inside_element(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string data_json(const std::vector<ReportSection>& sections) {
  std::string out = "[";
  for (const ReportSection& section : sections) {
    if (out.size() > 1) out += ",\n";
    out += to_json(section);
  }
  return out + ']';
}

std::string palette_css() {
  std::string out = ":root {";
  for (std::size_t i = 0; i < detail::kPalette.size(); ++i)
    detail::append_text(out, " --series-{}: {};", i, detail::kPalette[i]);
  for (std::size_t i = 0; i < detail::kHeatStops.size(); ++i)
    detail::append_text(out, " --heat-{}: rgb({}, {}, {});", i, detail::kHeatStops[i].red, detail::kHeatStops[i].green,
                        detail::kHeatStops[i].blue);
  return out + " }\n";
}

/// Text of any bytes as UTF-8.
std::string utf8(const std::string& text) { return ordered_json::parse(dump(text)).get<std::string>(); }

}  // namespace

std::string report_lacks() {
#ifdef SLUICE_D3_MISSING
  return "d3 (" SLUICE_D3_MISSING "; Debian: node-d3-zoom, node-d3-scale, node-d3-axis)";
#else
  return {};
#endif
}

std::string report_html(const std::vector<ReportSection>& sections, const std::string& title) {
  SLUICE_ASSERT(report_lacks().empty(), report_lacks());
  const std::string head = detail::escaped(utf8(title));
  const std::string palette = palette_css();
  const std::string data = inside_element(data_json(sections));
  const std::string licences = detail::escaped(detail::page_licences());
  struct Slot {
    std::string_view mark;
    std::string_view text;
  };
  const std::array slots{Slot{"{{title}}", head},
                         Slot{"{{palette}}", palette},
                         Slot{"{{style}}", detail::page_css()},
                         Slot{"{{data}}", data},
                         Slot{"{{library}}", detail::page_library()},
                         Slot{"{{program}}", detail::page_program()},
                         Slot{"{{licences}}", licences}};
  // Once from front to back, because inserted text may contain marks.
  std::string out;
  std::string_view rest = detail::page_html();
  while (true) {
    const std::size_t at = rest.find("{{");
    out += rest.substr(0, at);
    if (at == rest.npos) return out;
    rest.remove_prefix(at);
    const auto slot =
        std::find_if(slots.begin(), slots.end(), [&](const Slot& each) { return rest.starts_with(each.mark); });
    SLUICE_ASSERT(slot != slots.end(), fmt::format("an unknown mark: {}", rest.substr(0, 20)));
    out += slot->text;
    rest.remove_prefix(slot->mark.size());
  }
}

}  // namespace sluice
