#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "input/shown_text.hpp"
#include "sluice/error.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/read_file.hpp"

/// Layouts and shapes as people write them.
namespace sluice {

namespace {

constexpr auto kLayoutForms = "GRID:BLOCK, such as 16:3, 4x4:64x64 or, with cuts, 4:0,10,35,100";

/// Calls visit for each part of a text between separators.
template <class Visit>
void for_each_part(std::string_view text, char separator, Visit&& visit) {
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    visit(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

/// A number; an error shows `whole`, the text it is part of.
std::int64_t parse_part_of(std::string_view text, const std::string& whole, const std::string& where) {
  try {
    return parse_size(std::string(text), where);
  } catch (const InputError& error) {
    if (text.size() == whole.size()) throw;
    throw InputError(where, fmt::format("{} in '{}'", error.found(), detail::shown(whole)), error.expected());
  }
}

std::vector<std::int64_t> parse_separated(std::string_view text, char separator, const std::string& whole,
                                          const std::string& where) {
  std::vector<std::int64_t> result;
  for_each_part(text, separator, [&](std::string_view part) { result.push_back(parse_part_of(part, whole, where)); });
  return result;
}

/// "0,10,35,100", or "0,10,35,100@1,0,1".
Cuts parse_cuts(std::string_view text, const std::string& whole, const std::string& where) {
  const std::size_t at = text.find('@');
  Cuts cuts{parse_separated(text.substr(0, at), ',', whole, where), {}};
  if (at != std::string_view::npos) cuts.owners = parse_separated(text.substr(at + 1), ',', whole, where);
  return cuts;
}

/// The text without the white space beside its signs. Between two numbers one blank stays, and is later found to be an
/// error.
std::string without_white_space(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto is_sign = [](char c) { return c == ':' || c == 'x' || c == ',' || c == '@'; };
  std::string result;
  bool spaced = false;
  for (const char c : text) {
    if (is_space(c)) {
      spaced = true;
      continue;
    }
    if (spaced && !result.empty() && !is_sign(result.back()) && !is_sign(c)) result += ' ';
    spaced = false;
    result += c;
  }
  return result;
}

}  // namespace

Layout parse_layout(const std::string& text, const std::string& where) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos)
    throw InputError(where, fmt::format("'{}'", detail::shown(text)), kLayoutForms);
  const std::string_view parts = text;
  Layout layout{parse_separated(parts.substr(0, colon), 'x', text, where), {}};
  std::vector<Cuts> cuts;
  bool has_cuts = false;
  for_each_part(parts.substr(colon + 1), 'x', [&](std::string_view part) {
    const bool is_cut = part.find_first_of(",@") != std::string_view::npos;
    has_cuts = has_cuts || is_cut;
    cuts.push_back(is_cut ? parse_cuts(part, text, where) : Cuts{});
    layout.block.push_back(is_cut ? 1 : parse_part_of(part, text, where));
  });
  if (has_cuts) layout.cuts = std::move(cuts);
  // The checks of grid, block and cuts alone are the checks of a distribution of any shape.
  (void)Distribution(layout, layout.shape_of_cuts(), {}, where);
  return layout;
}

Layout read_layout(const std::string& text, const std::string& where) {
  if (!text.starts_with('@')) return parse_layout(text, where);
  const std::string path = text.substr(1);
  const FileContents contents = read_file(path, "a file with a layout");
  return parse_layout(without_white_space(contents.text()), shown_path(path));
}

std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& where) {
  std::vector<std::int64_t> shape = parse_separated(text, 'x', text, where);
  if (shape.size() > kMaxDimensions) throw InputError(where, count_text(shape.size(), "dimension"), "1 to 7");
  return shape;
}

std::string to_string(const Layout& layout) {
  std::string text = fmt::format("{}:", fmt::join(layout.grid, "x"));
  for (std::size_t d = 0; d < layout.block.size(); ++d) {
    if (d > 0) text += 'x';
    if (layout.cut_extent(d) < 0) {
      text += fmt::format("{}", layout.block[d]);
      continue;
    }
    const Cuts& cuts = layout.cuts[d];
    text += fmt::format("{}", fmt::join(cuts.at, ","));
    if (!cuts.owners.empty()) text += fmt::format("@{}", fmt::join(cuts.owners, ","));
  }
  return text;
}

}  // namespace sluice
