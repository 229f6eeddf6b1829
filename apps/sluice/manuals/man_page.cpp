#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "apps/sluice/manuals/parts.hpp"

namespace sluice::manuals {

namespace {

using Lines = std::vector<std::string>;

/// `text` as roff prints it. Hyphens belong to options and file names: users copy them as they are.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        out += "\\(ga";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A line of text: one that begins with a dot is no request.
std::string text_line(std::string_view text) { return (text.starts_with('.') ? "\\&" : "") + escaped(text) + '\n'; }

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

/// "NAME [auto]": words in capitals are for the user to replace, "auto" and "any" stay.
std::string value_text(const std::string& text) {
  std::string out;
  bool italic = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool part_of_word = std::isupper(static_cast<unsigned char>(text[i])) != 0;
    const bool replaced = part_of_word && text.find('[') >= i;
    if (replaced != italic) out += replaced ? "\\fI" : "\\fR";
    italic = replaced;
    out += escaped(text.substr(i, 1));
  }
  return italic ? out + "\\fR" : out;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// To be printed as it stands: a row of a table, a command.
bool is_verbatim(std::string_view line) { return line.starts_with(' ') || line.find("  ") != line.npos; }

/// Where the columns of a table begin, by its head.
std::vector<std::size_t> columns_of(std::string_view head) {
  std::vector<std::size_t> columns{0};
  for (std::size_t i = 2; i < head.size(); ++i)
    if (head[i] != ' ' && head[i - 1] == ' ' && head[i - 2] == ' ') columns.push_back(i);
  return columns;
}

std::string cell(std::string_view row, const std::vector<std::size_t>& columns, std::size_t column) {
  const std::size_t from = columns[column];
  if (from >= row.size()) return {};
  const std::size_t to = column + 1 < columns.size() ? columns[column + 1] : row.npos;
  std::string_view text = row.substr(from, to == row.npos ? to : to - from);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

/// A table of algorithms as a list: the first cell of a row names it, the others are told with the head of their
/// column.
std::string table(const Lines& rows) {
  const std::vector<std::size_t> columns = columns_of(rows.front());
  std::string out;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::string more;
    for (std::size_t column = 1; column < columns.size(); ++column) {
      const std::string text = cell(rows[i], columns, column);
      if (!text.empty()) more += text_line(cell(rows.front(), columns, column) + ": " + text + '.');
    }
    out += ".TP\n" + bold(cell(rows[i], columns, 0)) + '\n' + more;
  }
  return out;
}

std::string as_they_stand(const Lines& lines) {
  std::string out = ".RS 2\n.EX\n";
  const std::size_t indent = std::min(lines.front().find_first_not_of(' '), lines.front().size());
  for (const std::string& line : lines) out += text_line(line.substr(std::min(indent, line.find_first_not_of(' '))));
  return out + ".EE\n.RE\n";
}

/// A name with what is told of it below, in sentences.
std::string told_of(const std::string& name, const Lines& lines) {
  std::string out = ".TP\n" + bold(name) + '\n';
  for (const std::string& line : lines) out += text_line(line.substr(line.find_first_not_of(' ')));
  return out;
}

/// An indented one.
bool is_sentence(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != line.npos && first > 0 && std::isupper(static_cast<unsigned char>(line[first])) != 0 &&
         line.find("  ", first) == line.npos;
}

/// Paragraphs of --help.
std::string body(const Lines& lines) {
  std::string out;
  bool text_above = false;  // in the same paragraph
  const auto lines_from = [&](std::size_t begin, const auto& belongs) {
    std::size_t end = begin;
    while (end < lines.size() && !lines[end].empty() && belongs(lines[end])) ++end;
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (std::size_t i = 0; i < lines.size();) {
    const bool verbatim = is_verbatim(lines[i]);
    const Lines run = lines_from(i, [&](const std::string& line) { return is_verbatim(line) == verbatim; });
    i += run.size();
    if (run.empty()) {
      text_above = false;
      ++i;
    } else if (run.size() == 1 && !verbatim && i < lines.size() && is_sentence(lines[i])) {
      const Lines below = lines_from(i, [](const std::string& line) { return line.starts_with(' '); });
      i += below.size();
      out += told_of(run.front(), below);
    } else if (!verbatim) {
      if (!out.empty() && !text_above) out += ".PP\n";
      for (const std::string& line : run) out += text_line(line);
      text_above = true;
    } else {
      out += run.size() > 1 && !run.front().starts_with(' ') ? table(run) : as_they_stand(run);
      text_above = false;
    }
  }
  return out;
}

/// What --help says below the options, by the sections of a manual page.
struct Sections {
  Lines description, algorithms, status, examples;
};

Sections sections_of(const std::string& footer) {
  constexpr std::string_view kStatus = "Exit status: ";
  Sections result;
  Lines* section = &result.description;
  for (const std::string& line : lines_of(footer)) {
    if (line == "Example:" || line == "Examples:") {
      section = &result.examples;
    } else if (line.starts_with(kStatus)) {
      section = &result.status;
      section->push_back(line.substr(kStatus.size()));
    } else if (line.starts_with("Algorithm  ")) {
      section = &result.algorithms;
      section->push_back(line);
    } else if (line.empty() && section != &result.description) {
      section = &result.description;
    } else {
      section->push_back(line);
    }
  }
  return result;
}

std::string option_entry(const PartOption& option) {
  std::string out = ".TP\n";
  for (const std::string& name : option.names) out += (&name == option.names.data() ? "" : ", ") + bold(name);
  if (!option.text.empty()) out += (option.names.empty() ? "" : " ") + value_text(option.text);
  return out + '\n' + text_line(option.about);
}

/// A sentence as part of one.
std::string phrase(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

std::string section(std::string_view title, const std::string& content) {
  return content.empty() ? "" : fmt::format(".SH {}\n{}", title, content);
}

std::string reference(const std::string& name) { return ".BR " + escaped(name) + " (1)"; }

std::string command_of(const Part& part) { return part.words.empty() ? "sluice" : "sluice " + words_of(part); }

std::string synopsis(const Part& part) {
  std::string out = bold(command_of(part)) + " [\\fIOPTIONS\\fR]";
  for (const PartOption& word : part.positionals) out += " [" + value_text(word.text) + ']';
  if (!part.parts.empty() && part.positionals.empty()) out += part.words.empty() ? " \\fIVERB\\fR" : " \\fIPROBLEM\\fR";
  out += '\n';
  if (!part.parts.empty() && !part.positionals.empty())
    out += ".br\n" + bold(command_of(part)) + " \\fIPROBLEM\\fR [\\fIOPTIONS\\fR]\n";
  return out;
}

std::string list_of_parts(const Part& part) {
  std::string out;
  for (const PartName& each : part.parts)
    out += ".TP\n" + bold(each.name) + '\n' + text_line(each.about + ':') +
           reference(page_name(part) + '-' + each.name) + '\n';
  return out;
}

std::string options_of(const Part& part) {
  std::string out;
  for (const PartOption& word : part.positionals) out += option_entry(word);
  for (const PartOption& option : part.options) out += option_entry(option);
  return out;
}

struct Entry {
  std::string_view name;
  std::string_view about;
};

/// What is installed beside the command, for who has the manual pages alone. docs/how-to/drop-in-mpi.md,
/// docs/how-to/drop-in-scalapack.md and docs/explanation/run.md say more.
constexpr std::array kLibraries{
    Entry{"libsluice_pmpi.so",
          "Carries out MPI's collectives by plans where that is faster, or records who sends how much to whom, as "
          "traffic "
          "files that plan, compare and run exchange read."},
    Entry{"libsluice_scalapack.so", "Carries out ScaLAPACK's p?gemr2d, p?gemr2do, p?trmr2d and p?trmr2do."}};
constexpr const char* kPreloaded =
    "  mpirun -np 16 env LD_PRELOAD=libsluice_pmpi.so SLUICE_RECORD=record ./program\n"
    "  mpirun -np 8 env LD_PRELOAD=libsluice_scalapack.so ./program\n";
constexpr std::array kVariables{
    Entry{"SLUICE_PLATFORM=FILE",
          "The network, a file of sluice probe. Of jobs of the library on rank 0, where they are given none; of "
          "libsluice_pmpi.so on all ranks."},
    Entry{"SLUICE_PLATFORM_CACHE=FILE", "Jobs keep there what they measured, for the next run on the same hosts."},
    Entry{"SLUICE_MEASURE=0", "Jobs measure nothing: hosts are taken to be alike."},
    Entry{"SLUICE_LOG=1", "What was found, or, of libsluice_pmpi.so, a table of calls at the end, on standard error."},
    Entry{"SLUICE_RECORD=DIR", "libsluice_pmpi.so records what is sent into this folder, and takes no call."},
    Entry{"SLUICE_RECORD_INTERVAL=SECONDS", "How often it renews these files; 10 unless set."},
    Entry{"SLUICE_CALLS=A,B,..",
          "The calls that it may take: bcast, reduce, allreduce, reduce_scatter_block, allgather, scatter, gather, "
          "alltoall, alltoallv, neighbor_alltoallv, neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, "
          "allgatherv, reduce_scatter, or none; all unless set."},
    Entry{"SLUICE_TAKE=always", "It takes every call that it can, also where MPI is faster: for tests."},
    Entry{"SLUICE_PROBE=1", "It measures the network at MPI_Init, for about 5 seconds."},
    Entry{"SLUICE_REPRODUCIBLE=1", "It takes reductions by a rule: the same result to the last bit in every job."},
    Entry{"SLUICE_LAB=DIR", "Where the scripts of the lab are, for the studies exchange-lab and others of its kind."},
    Entry{"NO_COLOR", "No colours, whatever it is set to."}};
constexpr std::array kFiles{
    Entry{"share/doc/sluice/examples",
          "Below the folder that Sluice is installed to: the files studies/... of the examples. "
          "Run these in that folder, and write elsewhere."}};

template <class Entries>
std::string entries(const Entries& all) {
  std::string out;
  for (const Entry& each : all) out += ".TP\n" + bold(each.name) + '\n' + text_line(each.about);
  return out;
}

/// The pages above, which name the pages of this problem or verb.
std::string see_also(const Part& part) {
  std::string out;
  if (part.words.empty()) return out;
  out += reference("sluice");
  if (part.words.size() > 1) out += " ,\n" + reference("sluice-" + part.words.front());
  return out + '\n';
}

/// The first paragraph of the description, for who has this page alone.
std::string opening(const Part& part) {
  if (part.words.empty()) return {};
  const auto sentence = [](std::string text) {
    if (!text.ends_with('.')) text += '.';
    return text;
  };
  std::string out = text_line(
      "Sluice plans and runs the communication of parallel programs. A plan says which message is sent when, so that "
      "no port and no link has to carry more at once than it can.");
  const std::string& of_verb = part.words.size() > 1 ? part.verb_about : part.about;
  out += "The verb " + bold(part.words.front()) + ": " + text_line(sentence(of_verb));
  if (part.words.size() > 1) out += "The problem " + bold(part.words.back()) + ": " + text_line(sentence(part.about));
  return out;
}

}  // namespace

std::string page_name(const Part& part) {
  std::string name = "sluice";
  for (const std::string& word : part.words) name += '-' + word;
  return name;
}

std::string man_page(const Part& part, const std::string& date, const std::string& version) {
  const Sections sections = sections_of(part.footer);
  std::string title = page_name(part);
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string out =
      fmt::format(".\\\" {}\n.TH {} 1 {} \"sluice {}\" \"User Commands\"\n", kMadeFrom, escaped(title), date, version);
  out += section("NAME", escaped(page_name(part)) + " \\- " + text_line(phrase(part.about)));
  out += section("SYNOPSIS", synopsis(part));
  std::string description = opening(part);
  const std::string more = body(sections.description);
  if (!description.empty() && !more.empty() && !more.starts_with('.')) description += ".PP\n";
  description += more;
  out += section("DESCRIPTION", description);
  out += section(part.words.empty() ? "VERBS" : "PROBLEMS", list_of_parts(part));
  out += section("OPTIONS", options_of(part));
  out += section("ALGORITHMS", body(sections.algorithms));
  out += section("EXIT STATUS", body(sections.status));
  if (part.words.empty()) {
    out += section("LIBRARIES FOR PROGRAMS AS THEY ARE",
                   text_line("Preloaded, they are called in place of MPI or ScaLAPACK:") +
                       as_they_stand(lines_of(kPreloaded)) + entries(kLibraries));
    out += section("ENVIRONMENT", entries(kVariables));
    out += section("FILES", entries(kFiles));
  }
  out += section("EXAMPLES", body(sections.examples));
  out += section("SEE ALSO", see_also(part));
  return out;
}

}  // namespace sluice::manuals
