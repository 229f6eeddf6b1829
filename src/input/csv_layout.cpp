#include "input/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>

#include "input/decimal_number.hpp"
#include "input/shown_text.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

/// A rank that a list may well have; sizes beyond it are taken for sizes.
constexpr std::int64_t kSmallRank = 65535;
constexpr std::int64_t kLargestRank = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The first character of UTF-8 text of three bytes at most; 0 for a longer one, or for what is no UTF-8.
char32_t first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) < 0x80) return byte(0);
  if ((byte(0) & 0xe0) == 0xc0) return (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
  if ((byte(0) & 0xf0) == 0xe0) return (byte(0) & 0xfU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
  return 0;
}

/// Letters of any script, except scripts of four bytes. Sizes that were copied from elsewhere may contain digits of
/// other scripts, signs such as U+2212, which is a minus, and blanks such as U+00A0: these are no letters.
bool is_letter(char32_t character) {
  if (character < 0x80) return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  if (character < 0xc0) return false;
  if ((character >= 0x2000 && character < 0x2c00) || (character >= 0x3000 && character < 0x3040)) return false;
  constexpr char32_t kZeros[] = {0x660,  0x6f0,  0x7c0,  0x966,  0x9e6,  0xa66,  0xae6,  0xb66,  0xbe6,
                                 0xc66,  0xce6,  0xd66,  0xde6,  0xe50,  0xed0,  0xf20,  0x1040, 0x1090,
                                 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
                                 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10};
  return std::ranges::none_of(kZeros, [&](char32_t zero) { return character >= zero && character < zero + 10; });
}

/// A field without blanks and quotes around it.
struct Field {
  std::string_view text;
  bool quoted = false;

  [[nodiscard]] bool empty() const { return text.empty(); }
  /// Whether the field is a name: it begins with a letter and is neither "nan" nor "inf", which are invalid sizes.
  [[nodiscard]] bool is_name() const {
    if (!is_letter(first_character(text))) return false;
    for (const std::string_view no_name : {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity", "Infinity"})
      if (text == no_name) return false;
    return true;
  }
  /// A name of a row: quotes make a name of anything but a size that cannot be.
  [[nodiscard]] bool is_row_name() const { return is_name() || (quoted && number()); }
  [[nodiscard]] std::optional<DecimalNumber> number() const {
    const char* at = text.data();
    DecimalNumber number;
    if (text.empty() || !parse_decimal(at, text.data() + text.size(), number) || at != text.data() + text.size())
      return std::nullopt;
    return number;
  }
  /// A whole number that a rank can be.
  [[nodiscard]] std::optional<std::int64_t> whole() const {
    const auto found = number();
    if (!found || found->more || found->exponent < 0 || (found->negative && found->digits != 0)) return std::nullopt;
    const auto value = scaled(*found, 0);
    return value && *value <= kLargestRank ? value : std::nullopt;
  }
};

/// Takes the field at the beginning of `line`, and the separator behind it. False for the last field.
bool take_field(std::string_view& line, char separator, Field& field) {
  std::size_t start = 0;
  while (start < line.size() && line[start] != separator && is_blank(line[start])) ++start;
  if (separator == ' ')
    while (start < line.size() && is_blank(line[start])) ++start;
  const auto ends = [&](char c) { return separator == ' ' ? is_blank(c) : c == separator; };
  const char quote = start < line.size() && (line[start] == '"' || line[start] == '\'') ? line[start] : '\0';
  const std::size_t closed = quote == '\0' ? line.npos : line.find(quote, start + 1);
  std::size_t end = closed == line.npos ? start : closed;
  while (end < line.size() && !ends(line[end])) ++end;
  field.text = line.substr(start, end - start);
  while (!field.text.empty() && is_blank(field.text.back())) field.text.remove_suffix(1);
  field.quoted = quote != '\0';
  if (field.quoted) field.text.remove_prefix(1);
  if (field.quoted && !field.text.empty() && field.text.back() == quote) field.text.remove_suffix(1);
  if (separator == ' ')
    while (end < line.size() && is_blank(line[end])) ++end;
  const bool more = separator == ' ' ? end < line.size() : end != line.size();
  line.remove_prefix(more && separator != ' ' ? end + 1 : end);
  return more;
}

std::vector<Field> fields_of(std::string_view line, char separator) {
  line = separator == '\t' ? line.substr(0, line.find_last_not_of('\r') + 1) : trimmed(line);
  std::vector<Field> fields;
  for (bool more = true; more;) more = take_field(line, separator, fields.emplace_back());
  return fields;
}

/// Calls visit(line, its number from 1) for each line with something on it that is no comment.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!trimmed(line).empty() && !is_comment(line)) visit(line, number);
  }
}

bool has_outside_quotes(std::string_view line, char wanted) {
  char quote = '\0';
  for (const char c : line) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == wanted) {
      return true;
    }
  }
  return false;
}

/// The separator by the first line: the first of a semicolon, a comma, a tab and an upright bar that it has. If it has
/// none of these but blanks, and the second line has blanks too: blanks. Otherwise a comma.
Separator separator_of(std::string_view first, std::string_view second) {
  constexpr Separator kComma{',', "a comma"};
  for (const Separator each : {Separator{';', "a semicolon"}, kComma, Separator{'\t', "a tab"}, Separator{'|', "'|'"}})
    if (has_outside_quotes(trimmed(first), each.character)) return each;
  const auto has_blanks = [](std::string_view line) { return has_outside_quotes(trimmed(line), ' '); };
  const bool below = second.empty() || has_blanks(second);
  return has_blanks(first) && below ? Separator{' ', "blanks"} : kComma;
}

/// What the lines say; each is read once.
struct Survey {
  Separator separator{',', "a comma"};
  std::vector<Field> first;
  std::int64_t first_line = 0;
  std::int64_t second_line = 0;
  std::vector<Field> second;
  std::int64_t below = 0;  ///< the number of lines below the first
  // Properties of all these lines.
  bool trailing = true;      ///< the last field is empty
  bool row_names = true;     ///< the first field is a name
  bool counting = true;      ///< the first field is a whole number, one more than on the line above
  std::int64_t starts = -1;  ///< the first field of the first of these lines, if it is a whole number
  bool like_first = true;    ///< the first fields repeat the first line, without its first field
  bool like_names = true;    ///< the first fields repeat the first line
  bool ranks = true;         ///< there are three fields: two whole numbers and a size above 0
  std::int64_t largest_rank = 0;
  Field last;  ///< the first field of the last line
  std::int64_t last_line = 0;
  /// The last comment above the first line.
  std::string_view comment;

  void take_first(std::string_view line, std::int64_t number);
  void take_below(std::string_view line, std::int64_t number);
};

bool last_is_empty(std::string_view line, char separator) {
  while (!line.empty() && (line.back() == '\r' || (is_blank(line.back()) && line.back() != separator)))
    line.remove_suffix(1);
  return separator != ' ' && !line.empty() && line.back() == separator;
}

/// Whether a line could be one of an edge list, and its ranks.
bool is_edge(const std::vector<Field>& fields, std::size_t from, std::int64_t& largest_rank) {
  if (fields.size() != from + 3) return false;
  for (std::size_t i = from; i < from + 2; ++i) {
    const auto rank = fields[i].whole();
    if (!rank) return false;
    largest_rank = std::max(largest_rank, *rank);
  }
  const auto size = fields[from + 2].number();
  return size && size->digits != 0 && !size->negative;
}

void Survey::take_first(std::string_view line, std::int64_t number) {
  first = fields_of(line, separator.character);
  first_line = last_line = number;
}

void Survey::take_below(std::string_view line, std::int64_t number) {
  std::string_view rest = separator.character == '\t' ? line : trimmed(line);
  Field field;
  take_field(rest, separator.character, field);
  trailing = trailing && last_is_empty(line, separator.character);
  row_names = row_names && field.is_row_name();
  if (counting) {
    const auto value = field.quoted ? std::nullopt : field.whole();
    counting = value && (below == 0 || *value == starts + below);
    if (below == 0 && value) starts = *value;
  }
  const auto index = static_cast<std::size_t>(below);
  like_names = like_names && index < first.size() && first[index].text == field.text;
  like_first = like_first && index + 1 < first.size() && first[index + 1].text == field.text;
  if (below == 0) {
    second = fields_of(line, separator.character);
    second_line = number;
  }
  if (ranks) {
    std::vector<Field> fields = fields_of(line, separator.character);
    if (fields.size() == 4 && fields.back().empty()) fields.pop_back();
    ranks = is_edge(fields, 0, largest_rank);
  }
  last = field;
  last_line = number;
  ++below;
}

Survey survey_of(std::string_view text) {
  Survey survey;
  std::string_view lines[2];
  std::size_t found = 0;
  for (std::string_view rest = text; !rest.empty() && found < 2;) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (is_comment(line)) {
      if (found == 0) survey.comment = line;
    } else if (!trimmed(line).empty()) {
      lines[found++] = line;
    }
  }
  survey.separator = separator_of(lines[0], lines[1]);
  for_each_line(text, [&](std::string_view line, std::int64_t number) {
    if (survey.first_line == 0)
      survey.take_first(line, number);
    else
      survey.take_below(line, number);
  });
  if (survey.below == 0)
    survey.trailing = survey.row_names = survey.counting = survey.like_first = survey.like_names = survey.ranks = false;
  return survey;
}

// ---- edge lists

/// In lower case, the words of a name: letters and digits.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

constexpr int kSender = 0, kReceiver = 1, kSize = 2, kNoRole = -1;

/// What a column of an edge list with this name is.
int role_of(std::string_view name) {
  constexpr std::string_view kSenders[] = {"from", "src", "source", "sender", "row", "origin", "i"};
  constexpr std::string_view kReceivers[] = {"to",   "dst",    "dest", "destination", "receiver",
                                             "recv", "target", "col",  "column",      "j"};
  constexpr std::string_view kSizes[] = {"size", "sizes",  "bytes",  "nbytes", "count", "counts", "value", "val",
                                         "v",    "amount", "volume", "weight", "data",  "length", "units", "elements"};
  // A unit other than the byte: what the numbers are is for users to say.
  constexpr std::string_view kUnits[] = {"kb",        "mb",        "gb",  "kib",  "mib",  "gib",  "kilobytes",
                                         "megabytes", "gigabytes", "bit", "bits", "kbit", "mbit", "gbit"};
  int role = kNoRole;
  const auto is_one_of = [](const std::string& word, const auto& words) {
    return std::ranges::find(words, word) != std::ranges::end(words);
  };
  for (const std::string& word : words_of(name)) {
    if (is_one_of(word, kUnits)) return kNoRole;
    const int found = is_one_of(word, kSenders)     ? kSender
                      : is_one_of(word, kReceivers) ? kReceiver
                      : is_one_of(word, kSizes)     ? kSize
                                                    : kNoRole;
    if (found == kNoRole) continue;
    if (role != kNoRole && role != found) return kNoRole;
    role = found;
  }
  return role;
}

/// Whether a first column of this name numbers the lines.
bool names_numbers(const Field& field) {
  const std::vector<std::string> words = words_of(field.text);
  return field.empty() || (words.size() == 1 && (words[0] == "index" || words[0] == "id")) ||
         (words.size() == 2 && words[0] == "unnamed" && words[1] == "0");
}

/// The roles of the columns that these names stand above.
struct Roles {
  std::array<int, 3> of{kNoRole, kNoRole, kNoRole};
  bool numbered = false;    ///< the first column numbers the lines
  bool complete = false;    ///< each role once, and no other field
  bool any = false;         ///< at least one role
  bool both_ends = false;   ///< a sender and a receiver
  std::size_t columns = 0;  ///< without the column that numbers the lines
};

Roles roles_of(const std::vector<Field>& names) {
  Roles roles;
  roles.numbered = names.size() > 3 && names_numbers(names[0]);
  roles.columns = names.size() - (roles.numbered ? 1 : 0);
  std::array<int, 3> times{};
  for (std::size_t i = 0; i < roles.columns; ++i) {
    const std::string_view text = names[i + (roles.numbered ? 1 : 0)].text;
    const int role = text.size() == 1 && roles.columns != 3 ? kNoRole : role_of(text);
    if (i < roles.of.size()) roles.of[i] = role;
    if (role != kNoRole) ++times[static_cast<std::size_t>(role)];
  }
  roles.complete = roles.columns == 3 && times == std::array{1, 1, 1};
  roles.any = times != std::array{0, 0, 0};
  roles.both_ends = times[kSender] > 0 && times[kReceiver] > 0;
  return roles;
}

// ---- names

bool all_names(const std::vector<Field>& fields) {
  return std::ranges::all_of(fields, [](const Field& field) { return field.empty() || field.is_name(); }) &&
         std::ranges::any_of(fields, [](const Field& field) { return !field.empty(); });
}

/// 0, 1, 2, .. or 1, 2, 3, .. from the field `from` on; at least two of them.
bool counts(const std::vector<Field>& fields, std::size_t from) {
  if (fields.size() < from + 2) return false;
  const auto start = fields[from].whole();
  if (!start || *start > 1) return false;
  for (std::size_t i = from; i < fields.size(); ++i)
    if (const auto value = fields[i].whole(); !value || *value != *start + static_cast<std::int64_t>(i - from))
      return false;
  return true;
}

/// Names that tables have above a column of names.
bool names_rows(const Field& field) {
  constexpr std::string_view kWords[] = {"rank",  "node", "row",  "sender", "from",    "source", "src",
                                         "index", "id",   "name", "host",   "process", "origin"};
  const std::vector<std::string> words = words_of(field.text);
  if (words.size() == 1) return std::ranges::find(kWords, words[0]) != std::ranges::end(kWords);
  return names_numbers(field) || (words.size() == 2 && role_of(words[0]) == kSender && role_of(words[1]) == kReceiver);
}

bool names_a_total(const Field& field) {
  const std::vector<std::string> words = words_of(field.text);
  return field.is_name() && !words.empty() &&
         (words.back() == "total" || words.back() == "totals" || words == std::vector<std::string>{"sum"} ||
          words == std::vector<std::string>{"all"});
}

constexpr const char* kFormats = "--format edges or --format matrix, to tell which it is";
constexpr const char* kNames =
    "--names row,column, --names column, --names row or --names none, to tell where names are";

class LayoutFinder {
 public:
  LayoutFinder(const Survey& survey, const std::string& name, const TrafficFormat& format,
               std::vector<std::string>& warnings)
      : survey_(survey), name_(name), format_(format), warnings_(warnings) {}

  CsvLayout find() {
    layout_.separator = survey_.separator;
    find_column_names();
    drop_trailing();
    if (format_.kind == Kind::kEdges || (format_.kind == Kind::kFound && is_edge_list())) {
      take_edges();
      return layout_;
    }
    find_row_names();
    if (layout_.column_names) layout_.names = std::ssize(first_) - (layout_.row_names && !short_of_one_ ? 1 : 0);
    if (format_.kind == Kind::kFound) refuse_totals();
    return layout_;
  }

 private:
  using Kind = TrafficFormat::Kind;

  [[noreturn]] void fail(std::int64_t line, const std::string& found, const std::string& expected) const {
    throw InputError(fmt::format("{}:{}", name_, line), found, expected);
  }
  void warn(std::int64_t line, const std::string& text) {
    warnings_.push_back(fmt::format("{}:{}: {}", name_, line, text));
  }
  [[nodiscard]] std::int64_t first_sizes() const {
    return layout_.column_names ? survey_.second_line : survey_.first_line;
  }
  [[nodiscard]] std::int64_t rows() const { return survey_.below + (layout_.column_names ? 0 : 1); }

  /// Whether the first line could be names of columns behind a name of the column of names: "node,0,1,2".
  [[nodiscard]] bool has_named_corner() const {
    return first_[0].is_row_name() && survey_.below > 0 &&
           (counts(first_, 1) || (first_.size() > 2 && survey_.like_first));
  }

  void find_column_names() {
    first_ = survey_.first;
    if (first_.size() > 1 && first_.back().empty() && survey_.trailing) first_.pop_back();
    if (format_.column_names) {
      layout_.column_names = *format_.column_names;
      return;
    }
    if (all_names(first_)) {
      layout_.column_names = true;
    } else if (first_.size() > 1 && first_[0].empty() && survey_.below > 0) {
      layout_.column_names =
          std::ranges::none_of(first_.begin() + 1, first_.end(), [](const Field& field) { return field.empty(); });
    } else if (has_named_corner() && !format_.row_names) {
      if (survey_.row_names)
        fail(survey_.first_line, "0, 1, 2, .. behind a name, which could be sizes or names of columns", kNames);
      layout_.column_names = (survey_.counting && (survey_.starts == 0 || survey_.starts == 1)) || survey_.like_first;
    }
  }

  /// A separator at the end of every line.
  void drop_trailing() {
    if (survey_.below == 0) {
      layout_.trailing = !layout_.column_names && first_.size() > 1 && first_.back().empty();
    } else if (survey_.trailing) {
      const bool first_trails = survey_.first.size() != first_.size();
      layout_.trailing = first_trails || (layout_.column_names && survey_.second.size() == first_.size() + 1);
    }
    if (layout_.trailing && first_.back().empty()) first_.pop_back();
    second_ = survey_.second;
    if (layout_.trailing && !second_.empty()) second_.pop_back();
  }

  /// Whether the file is an edge list. Throws if that cannot be told.
  bool is_edge_list() {
    if (layout_.column_names) {
      const Roles roles = roles_of(first_);
      if (roles.complete) return true;
      if (roles.both_ends || (roles.any && roles.columns == 3 && !survey_.row_names))
        fail(survey_.first_line,
             "names that could be those of an edge list, though not a sender, a receiver and a size alone",
             "--format matrix; or columns such as from, to and bytes alone, with --format edges for other names");
    }
    const std::size_t columns = (layout_.column_names ? second_ : first_).size();
    if (columns == 3 && roles_of_comment().complete) return true;
    std::int64_t largest = survey_.largest_rank;
    const bool first_fits = layout_.column_names || is_edge(first_, 0, largest);
    if (rows() == 0 || !first_fits || !(survey_.ranks || survey_.below == 0) || largest > kSmallRank) return false;
    if (format_.row_names || format_.column_names == std::optional(true)) return false;
    constexpr const char* kCould = "3 columns that could be an edge list (sender, receiver, size)";
    if (rows() != 3 && rows() != 1 && largest <= rows() + 1) fail(first_sizes(), kCould, kFormats);
    warn(first_sizes(), fmt::format("{}; they are taken as a matrix. {}", kCould, kFormats));
    return false;
  }

  /// The roles by the names in the comment above the first line.
  [[nodiscard]] Roles roles_of_comment() const {
    std::string_view text = trimmed(survey_.comment);
    text = trimmed(text.substr(std::min(text.find_first_not_of('#'), text.size())));
    const Roles roles = roles_of(fields_of(text, survey_.separator.character));
    return roles.complete ? roles : roles_of(fields_of(text, ' '));
  }

  void take_edges() {
    layout_.edges = true;
    const Roles roles = layout_.column_names ? roles_of(first_) : roles_of_comment();
    if (roles.complete) layout_.roles = roles.of;
    layout_.row_names = format_.row_names.value_or(layout_.column_names && roles.numbered);
    const std::size_t fields = (layout_.column_names ? second_ : first_).size();
    if (const std::size_t columns = layout_.row_names ? 4 : 3; fields != columns && (rows() > 0))
      fail(first_sizes(), count_text(static_cast<std::int64_t>(fields), "column"),
           fmt::format("{} of an edge list: sender, receiver and size{}", columns,
                       layout_.row_names ? " behind a name" : ""));
  }

  void find_row_names() {
    const std::size_t columns = layout_.column_names ? second_.size() : first_.size();
    short_of_one_ = layout_.column_names && columns == first_.size() + 1;
    if (format_.row_names) {
      layout_.row_names = *format_.row_names;
      return;
    }
    const bool counting = survey_.counting && (survey_.starts == 0 || survey_.starts == 1);
    if (!layout_.column_names) return find_row_names_without_line();
    if (columns < 2) return;
    if (short_of_one_) {
      layout_.row_names = survey_.row_names || (counting && survey_.below > 1) || survey_.like_names;
      return;
    }
    if (survey_.row_names || survey_.like_first) {
      layout_.row_names = true;
    } else if (first_[0].empty() || names_rows(first_[0])) {
      if (!counting) fail(survey_.second_line, "a first column of numbers that could be names of the rows", kNames);
      layout_.row_names = true;
    } else if (counting && survey_.below > 1) {
      warn_of_column(columns, survey_.second_line);
    }
  }

  void find_row_names_without_line() {
    if (first_.size() < 2) return;
    if (first_[0].is_row_name() && (survey_.row_names || survey_.below == 0)) {
      layout_.row_names = true;
      return;
    }
    if (survey_.below == 0) return;
    const auto start = first_[0].quoted ? std::nullopt : first_[0].whole();
    if (start && *start <= 1 && survey_.counting && survey_.starts == *start + 1)
      warn_of_column(first_.size(), survey_.first_line);
    if (format_.column_names || !counts(first_, 0)) return;
    constexpr const char* kCould = "0, 1, 2, .. in the first line could be names of the columns";
    if (rows() == std::ssize(first_) + 1) fail(survey_.first_line, with_start(kCould, first_[0]), kNames);
    warn(survey_.first_line, fmt::format("{}; they are taken as sizes. {}", with_start(kCould, first_[0]), kNames));
  }

  /// Warns of a first column that counts, in a table of `columns` columns including it.
  void warn_of_column(std::size_t columns, std::int64_t line) {
    constexpr const char* kCould = "0, 1, 2, .. in the first column could be names of the rows";
    const Field& start = (layout_.column_names ? second_ : first_)[0];
    if (static_cast<std::int64_t>(columns) == rows() + 1) fail(line, with_start(kCould, start), kNames);
    warn(line, fmt::format("{}; they are taken as sizes. {}", with_start(kCould, start), kNames));
  }

  /// "1, 2, 3, .." if it starts with 1.
  static std::string with_start(std::string_view text, const Field& start) {
    return start.whole() == std::optional<std::int64_t>(1) ? fmt::format("1, 2, 3, ..{}", text.substr(11))
                                                           : std::string(text);
  }

  void refuse_totals() const {
    constexpr const char* kExpected = "sizes alone, without totals; --format matrix takes it as any other";
    const std::size_t behind = layout_.row_names && !short_of_one_ ? 1 : 0;
    if (layout_.column_names && first_.size() > behind + 1 && names_a_total(first_.back()))
      fail(survey_.first_line, fmt::format("a last column '{}'", shown(first_.back().text)), kExpected);
    if (layout_.row_names && survey_.below > 0 && rows() > 1 && names_a_total(survey_.last))
      fail(survey_.last_line, fmt::format("a last row '{}'", shown(survey_.last.text)), kExpected);
  }

  const Survey& survey_;
  const std::string& name_;
  const TrafficFormat& format_;
  std::vector<std::string>& warnings_;
  CsvLayout layout_;
  std::vector<Field> first_, second_;  ///< without what a trailing separator adds
  bool short_of_one_ = false;          ///< the first line has one field less than the lines below
};

}  // namespace

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != line.npos && line[first] == '#';
}

CsvLayout find_csv_layout(std::string_view text, const std::string& name, const TrafficFormat& format,
                          std::vector<std::string>& warnings) {
  const Survey survey = survey_of(text);
  if (survey.first_line == 0) throw InputError(name + ":1", "comments alone", "traffic");
  return LayoutFinder(survey, name, format, warnings).find();
}

}  // namespace sluice::detail
