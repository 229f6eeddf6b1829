#include "apps/sluice/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"

namespace sluice::command {

namespace {

constexpr std::size_t kNarrowest = 20;  // columns; below that nothing is legible, folded or not
constexpr std::size_t kFurther = 4;     // what is left of a line goes this much further right
constexpr std::size_t kColumn = 12;     // a line that begins further right is in a column

bool dumb() {
  const char* const term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb" || *term == '\0';
}

bool is_command(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  for (const std::string_view word : {"sluice ", "mpirun ", "sudo ", "smpirun "})
    if (line.substr(0, word.size()) == word) return true;
  return false;
}

/// Where the rest of a folded line goes.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (first > kColumn) return first;
  const std::size_t gap = line.find("  ", first);
  if (gap != line.npos) {
    const std::size_t second = std::min(line.find_first_not_of(' ', gap), line.size());
    if (second < line.size() && second <= width * 3 / 5) return second;
  }
  return first + kFurther < width / 2 ? first + kFurther : 0;
}

void append_folded(std::string& out, std::string_view line, std::size_t width) {
  const std::string_view ending = is_command(line) ? " \\" : "";
  std::size_t indent = hanging_indent(line, width);
  std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(blanks);
  if (blanks > width * 3 / 5) blanks = indent = kFurther + 2;
  for (;; blanks = indent) {
    // A long word moves to the left as far as it takes.
    const std::size_t word = std::min(line.find(' '), line.size());
    const std::size_t needed = word + (word < line.size() ? ending.size() : 0);
    blanks = std::min(blanks, needed < width ? width - needed : 0);
    out.append(blanks, ' ');
    std::size_t cut = line.size();
    if (blanks + line.size() > width) {
      cut = line.rfind(' ', width - blanks - std::min(ending.size(), width - blanks));
      if (cut == line.npos) cut = word;
    }
    const std::size_t next = line.find_first_not_of(' ', cut);
    if (next == line.npos) break;
    const std::string_view head = line.substr(0, cut);
    out.append(head.substr(0, head.find_last_not_of(' ') + 1)).append(ending).append("\n");
    line.remove_prefix(next);
  }
  out += line;
}

/// Whether a line is part of a text: no list, no table, no example.
bool is_prose(std::string_view line) {
  return !line.empty() && line.front() != ' ' && line.find("  ") == line.npos && !line.starts_with("Usage:");
}

std::vector<std::string>& warnings() {
  static std::vector<std::string> result;
  return result;
}

}  // namespace

Manners& manners() {
  static Manners result;
  return result;
}

void tell(const std::string& text) {
  if (manners().quiet || manners().output_is_taken) return;
  print(fold(text, terminal_width()));
}

void note(const std::string& text) {
  clear_progress();
  if (!manners().quiet) std::fprintf(stderr, "note: %s\n", text.c_str());
}

void warn(const std::string& text) { warnings().push_back(text); }

void print_warnings() {
  clear_progress();
  for (const std::string& each : warnings()) std::fprintf(stderr, "warning: %s\n", each.c_str());
  warnings().clear();
}

bool shows_progress() { return manners().progress && !manners().quiet && ::isatty(STDERR_FILENO) == 1 && !dumb(); }

std::string error_word() {
  const char* const no_color = std::getenv("NO_COLOR");
  const bool colours = ::isatty(STDERR_FILENO) == 1 && !dumb() && (no_color == nullptr || *no_color == '\0');
  return colours ? "\x1b[1;31merror:\x1b[0m" : "error:";
}

std::size_t terminal_width(Stream stream) {
  const int descriptor = stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO;
  struct winsize size {};
  if (::isatty(descriptor) != 1 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col == 0 ? 0 : std::max<std::size_t>(size.ws_col, kNarrowest);
}

std::string fold(const std::string& text, std::size_t width) {
  if (width == 0) return text;
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    append_folded(out, std::string_view(text).substr(start, end - start), width);
    if (end < text.size()) out += '\n';
    start = end + 1;
  }
  return out;
}

std::string fold_help(const std::string& help, std::size_t width) {
  if (width == 0) return help;
  std::string text;  // each paragraph in one line, and no two empty lines behind each other
  for (std::size_t start = 0; start < help.size();) {
    const std::size_t end = std::min(help.find('\n', start), help.size());
    const std::string_view line = std::string_view(help).substr(start, end - start);
    const std::string_view next = std::string_view(help).substr(std::min(end + 1, help.size()));
    const bool goes_on = is_prose(line) && is_prose(next.substr(0, next.find('\n')));
    const bool second_empty = line.empty() && text.ends_with("\n\n");
    if (!second_empty) text.append(line).append(end == help.size() ? "" : goes_on ? " " : "\n");
    start = end + 1;
  }
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = std::string_view(text).substr(start, end - start);
    while (is_prose(line) && line.size() > width) {
      std::size_t cut = line.rfind(' ', width);
      if (cut == line.npos) cut = std::min(line.find(' '), line.size());
      out.append(line.substr(0, cut)).append("\n");
      line.remove_prefix(std::min(cut + 1, line.size()));
    }
    out += fold(std::string(line), width);
    if (end < text.size()) out += '\n';
    start = end + 1;
  }
  return out;
}

}  // namespace sluice::command
