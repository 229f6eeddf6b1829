#include <algorithm>
#include <cctype>
#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "input/outermost_texts.hpp"
#include "input/text_scanner.hpp"
#include "schedule/foreign/lines.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"
#include "schedule/foreign/recognise.hpp"
#include "sluice/read_file.hpp"

namespace sluice {

namespace detail {

std::optional<std::int64_t> trace_rank(std::string_view word) {
  for (const std::string_view prefix : {"rank-", "p"}) {
    if (word.starts_with(prefix)) {
      word.remove_prefix(prefix.size());
      break;
    }
  }
  return whole_number(word, 0, kMostPlacedRanks - 1);
}

namespace {

/// What a text is by its first line that is no comment; nullopt: none of these formats.
std::optional<PlacedFormat> format_of_text(std::istream& in) {
  constexpr int kMostCommentLines = 1000;
  std::string line;
  bool in_comment = false;
  for (int count = 0; count < kMostCommentLines && std::getline(in, line); ++count) {
    std::string_view text = line;
    if (count == 0) text = without_byte_order_mark(text);
    if (in_comment || text.find("/*") != std::string_view::npos) {
      const std::size_t end = text.find("*/");
      in_comment = end == std::string_view::npos;
      text = in_comment ? std::string_view() : text.substr(end + 2);
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
    if (text.empty() || text.starts_with("//") || text.front() == '#') continue;
    if (text.starts_with("num_ranks")) return PlacedFormat::kGoal;
    std::string letters;
    std::copy_if(text.begin(), text.end(), std::back_inserter(letters),
                 [](unsigned char c) { return std::isspace(c) == 0; });
    if (letters == "step,from,to,chunk,op") return PlacedFormat::kMoves;
    const std::vector<std::string_view> words = words_in(text);
    if (words.size() > 1 && trace_rank(words[0]) && std::isalpha(static_cast<unsigned char>(words[1].front())) != 0)
      return PlacedFormat::kTrace;
    return std::nullopt;
  }
  return std::nullopt;
}

/// The first character that is no blank; 0 if there is none.
char first_character(std::istream& in) {
  constexpr int kMostBlanks = 1 << 16;
  for (int count = 0; count < kMostBlanks; ++count) {
    const int c = in.get();
    if (c < 0) return 0;
    if (std::isspace(c) == 0 && c != 0xef && c != 0xbb && c != 0xbf) return static_cast<char>(c);
  }
  return 0;
}

PlacedSchedule read_placed(PlacedFormat format, std::istream& in, const std::string& file) {
  switch (format) {
    case PlacedFormat::kMsccl:
      return read_msccl(in, file);
    case PlacedFormat::kMscclpp:
      return read_mscclpp(in, file);
    case PlacedFormat::kMoves:
      return read_moves(in, file);
    case PlacedFormat::kGoal:
      return read_goal(in, file);
    case PlacedFormat::kTrace:
      break;
  }
  return read_trace(in, file);
}

JudgedSchedule judged(AnySchedule schedule) {
  return std::visit([](auto&& each) { return JudgedSchedule(std::forward<decltype(each)>(each)); },
                    std::move(schedule));
}

}  // namespace
}  // namespace detail

JudgedSchedule read_judged_schedule(std::istream& in, const std::string& file) {
  detail::RewindBuffer buffer(in ? in.rdbuf() : nullptr);
  std::istream again(&buffer);
  std::optional<PlacedFormat> format;
  if (in) {
    const char first = detail::first_character(again);
    if (first == '<') {
      format = PlacedFormat::kMsccl;
    } else if (first != '{' && first != 0) {
      buffer.rewind_and_keep();
      again.clear();
      format = detail::format_of_text(again);
    }
    again.clear();
    if (first == '{') {
      buffer.rewind_and_keep();
      bool plan = false, own = false;
      const auto stream = detail::after_texts(again, buffer, [&](std::string_view name, std::string_view) {
        plan = name == "collective" || name == "colletive" || name == "protocol";
        own = name == "schema" || name == "type";
        return !plan && !own;
      });
      if (!plan) return detail::judged(read_any_schedule(*stream, file));
      return detail::read_mscclpp(*stream, file);
    }
  }
  buffer.rewind();
  if (!in) again.setstate(std::ios_base::badbit);
  if (!format) return detail::judged(read_any_schedule(again, file));
  return detail::read_placed(*format, again, file);
}

JudgedSchedule read_judged_schedule(const std::string& path) {
  JudgedSchedule schedule;
  with_stream(path, "a schedule",
              [&](std::istream& in, const std::string& name) { schedule = read_judged_schedule(in, name); });
  return schedule;
}

}  // namespace sluice
