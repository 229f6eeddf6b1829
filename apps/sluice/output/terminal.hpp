#pragma once

#include <cstddef>
#include <string>

/// What the command prints for people, and on what.
namespace sluice::command {

/// What the command line says of it; before it is read, everything may be printed.
struct Manners {
  bool quiet = false;            ///< no tables and no notes; files and errors only
  bool progress = true;          ///< bars and lines of progress, where they are customary
  bool output_is_taken = false;  ///< a file goes to standard output: nothing else may
};

/// The manners of this process.
[[nodiscard]] Manners& manners();

/// Prints `text` to standard output, lines folded to the width of a terminal, unless it is to be quiet or a file goes
/// there. Throws InputError as print() does.
void tell(const std::string& text);

/// Prints "note: TEXT" to standard error, unless it is to be quiet.
void note(const std::string& text);

/// Keeps "warning: TEXT", that a result may not be what was meant, for print_warnings.
void warn(const std::string& text);
/// Prints the warnings to standard error, even if it is to be quiet. This comes after the result, so that a refusal is
/// one line alone.
void print_warnings();

/// Whether a bar may be drawn: standard error is a terminal that can clear a line (TERM is not "dumb"), and progress is
/// wanted.
[[nodiscard]] bool shows_progress();

/// "error:", in red where standard error is a terminal with colours and NO_COLOR is not set.
[[nodiscard]] std::string error_word();

/// Columns of the terminal that standard output is, or standard error; 0 if it is none.
enum class Stream { kOutput, kError };
[[nodiscard]] std::size_t terminal_width(Stream stream = Stream::kOutput);

/// `text` with lines longer than `width` folded at blanks. What is left goes below the second column of the line if it
/// has one (two blanks or more before it), otherwise further right than its first word. A command that is folded gets
/// the backslash that a shell wants. What does not fit behind its indentation gets less; a word wider than all is left
/// whole. 0: nothing is folded.
[[nodiscard]] std::string fold(const std::string& text, std::size_t width);
/// Folds a help: joins the lines of each paragraph, and fills it anew.
[[nodiscard]] std::string fold_help(const std::string& help, std::size_t width);

}  // namespace sluice::command
