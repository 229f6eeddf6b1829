#include "redistribute_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

void RedistributeOptions::add_to(CLI::App& verb, const std::string& shape_help) {
  verb.add_option("--from", from, "source layout (needed), GRID:BLOCK: 16:3, or 4x4:64x64 in two dimensions")
      ->option_text("LAYOUT");
  verb.add_option("--to", to, "target layout (needed)")->option_text("LAYOUT");
  verb.add_option("--shape", shape, shape_help)->option_text("N[xM..]");
  verb.add_option("--element-bytes", element_bytes, "size of an element")->option_text("BYTES [8]");
  verb.add_option("--setup", setup, "price of a step in elements: total = transmission + ALPHA * steps")
      ->option_text("ALPHA [1]");
  verb.add_option("--time-limit", time_limit, "most time for auto to plan; no planner of this problem needs it yet")
      ->option_text("SECONDS [1]");
}

RedistributeTask read(const RedistributeOptions& options) {
  constexpr auto kLayout = "GRID:BLOCK, such as 16:3 or 4x4:64x64";
  if (options.from.empty()) throw InputError("--from", "no layout", kLayout);
  if (options.to.empty()) throw InputError("--to", "no layout", kLayout);
  Layout from = parse_layout(options.from, "--from");
  Layout to = parse_layout(options.to, "--to");
  std::vector<std::int64_t> shape;
  if (!options.shape.empty()) shape = parse_shape(options.shape, "--shape");
  constexpr std::int64_t kLargestElement = std::int64_t{1} << 40;
  const std::int64_t element_bytes = parse_count(options.element_bytes, "--element-bytes", 1, kLargestElement);
  const double setup = parse_number(options.setup, "--setup");
  (void)parse_number(options.time_limit, "--time-limit");
  RedistributionProblem problem = make_problem(from, to, shape, "--to", "--shape");
  checked::multiply(problem.size(), element_bytes, "number of bytes");
  if (shape.empty()) {
    for (const AxisPattern& axis : problem.axes()) shape.push_back(axis.extent());
  }
  return {std::move(from),   std::move(to), std::move(shape),
          element_bytes,     setup,         {options.from, options.to, options.shape},
          std::move(problem)};
}

std::string RedistributeTask::title() const {
  return fmt::format("redistribute {} -> {}: {}{} elements of {} {} ({}), {} senders, {} receivers", input.from,
                     input.to, input.shape.empty() ? "one slice of " : "", fmt::join(shape, "x"), element_bytes,
                     element_bytes == 1 ? "byte" : "bytes", bytes_text(problem.size() * element_bytes),
                     problem.from().processes(), problem.to().processes());
}

RedistributionProblem make_problem(const Layout& from, const Layout& to, const std::vector<std::int64_t>& shape,
                                   const std::string& where_to, const std::string& where_shape) {
  if (to.dimensions() != from.dimensions()) {
    throw InputError(where_to, fmt::format("'{}' of {} dimensions", to_string(to), to.dimensions()),
                     fmt::format("{} dimensions, as the source layout {} has", from.dimensions(), to_string(from)));
  }
  if (shape.empty()) return one_slice(from, to);
  if (shape.size() != from.dimensions()) {
    throw InputError(where_shape, fmt::format("{} dimensions", shape.size()),
                     fmt::format("{}, as the layouts have", from.dimensions()));
  }
  return {Distribution(from, shape, {}, where_shape), Distribution(to, shape, {}, where_shape)};
}

double parse_number(const std::string& text, const std::string& where) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  constexpr std::array<std::pair<std::string_view, double>, 7> kSuffixes{
      {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}}};
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  const auto* const found =
      std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const auto& entry) { return entry.first == suffix; });
  if (error == std::errc() && found != kSuffixes.end()) {
    value *= found->second;
    if (std::isfinite(value) && value >= 0) return value;
  }
  throw InputError(where, fmt::format("'{}'", text), "a number of at least 0");
}

std::int64_t parse_count(const std::string& text, const std::string& where, std::int64_t least, std::int64_t most) {
  const std::int64_t value = parse_size(text, where);
  if (value < least || value > most)
    throw InputError(where, fmt::format("'{}'", text), fmt::format("{} to {}", least, most));
  return value;
}

std::string redistribute_algorithms() {
  std::string result;
  for (const Algorithm& algorithm : algorithms("redistribute")) result += fmt::format("{}, ", algorithm.name);
  return result + kWalkerOtto + ", auto";
}

void check_algorithm(const std::string& name, const std::string& where) {
  if (name == "auto" || name == kWalkerOtto) return;
  for (const Algorithm& algorithm : algorithms("redistribute"))
    if (name == algorithm.name) return;
  throw InputError(where, fmt::format("'{}'", name), "one of " + redistribute_algorithms());
}

std::string redistribute_algorithms_help() {
  using Align = TextTable::Align;
  TextTable table({{"Algorithm", Align::kLeft}, {"Guarantee", Align::kLeft}, {"Planning", Align::kLeft}});
  for (const Algorithm& algorithm : algorithms("redistribute")) {
    table.add_row({std::string(algorithm.name), std::string(algorithm.guarantee), std::string(algorithm.cost)});
  }
  table.add_row({kWalkerOtto, "none; two stages through blocks of lcm(r, s), a comparison", "twice stepwise"});
  table.add_row({"auto", "the cheapest by total of what applies", ""});
  return table.text();
}

std::int64_t count_messages(const RedistributionProblem& problem, std::int64_t limit) {
  // A message is one message in each dimension. Dimensions without any come first: all the others count for nothing
  // then.
  for (const AxisPattern& axis : problem.axes())
    if (axis.extent() == 0) return 0;
  std::int64_t result = 1;
  for (const AxisPattern& axis : problem.axes()) {
    std::int64_t messages = 0;
    for (std::int64_t p = 0; p < axis.from().processes; ++p) {
      messages += static_cast<std::int64_t>(axis.sends(Coordinate(p)).size());
      if (messages > limit / result) return limit + 1;
    }
    result *= messages;
  }
  return result;
}

}  // namespace sluice::command
