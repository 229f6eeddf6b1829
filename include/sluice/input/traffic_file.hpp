#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/traffic.hpp"

/// Reads from a file who sends how much to whom. The extension tells which of two formats it has:
///
/// ".mtx", Matrix Market coordinate: row = sender, column = receiver, counted from 1; any order, several entries of one
/// pair add up.
///
///     %%MatrixMarket matrix coordinate integer general
///     % senders, receivers, entries; then one entry a line
///     2 3 3
///     1 1 3
///     1 2 1
///     2 3 2
///
/// Instead of "coordinate" the first line may say "array" (dense, column by column); instead of "integer",
/// "unsigned-integer", "real", "double" or "pattern" (every entry is 1); instead of "general", "symmetric" (the file
/// has the lower triangle, which counts at both places). Complex matrices are refused. The words of the first line may
/// be in any case; blank lines, lines of comments (%) and blanks around numbers are skipped; lines end with LF or CR
/// LF.
///
/// ".csv" or ".tsv", a matrix: one line per sender, each with the same number of sizes. The first line decides what
/// separates them: semicolons, commas, tabs, '|' or blanks. All lines may end with a separator. Lines that begin with #
/// are comments. Blanks around numbers, blank lines at the end, CR LF and a byte order mark are fine; a size in quotes
/// is refused.
///
///     3,1,0
///     0,0,2
///
/// A first line of names, one for each column, is skipped, and so is a first column of names of the rows: names begin
/// with a letter or stand in quotes; the first line may leave out the name of the column of names. If the first line
/// begins with an empty name or one such as "rank" or "node", the first column is one of names even if these are
/// 0, 1, 2, .. or the names of the columns. A row or column named "total" is refused.
///
/// ".csv" or ".tsv", an edge list: one line per message, with its sender, its receiver and its size. The names of the
/// columns tell it, in any order: from, src, source, sender or row; to, dst, dest, receiver, target or col; size,
/// bytes, count, value or weight. They stand in the first line or in a comment above it. A first column that numbers
/// the lines is skipped. Several messages of a pair add up. Ranks are counted from 0 if one of them is 0, from 1
/// otherwise; there are as many senders as receivers, up to the largest rank.
///
///     src,dst,bytes
///     0,1,1000
///     1,2,2000
///
/// A text that could be two of these is refused unless a TrafficFormat tells which it is; if one of them is more
/// likely, it is taken, with a warning.
///
/// Sizes are numbers of at least 0: 12, 2.5, 1e3 (whole ones in an "integer" matrix). Rows and columns of zeros still
/// count as senders and receivers; entries of size 0 do not become messages.
///
/// Sizes with a fraction are kept exactly, as integers in units of 10^-decimals: with the fewest decimals that hold
/// every size, 0 if all are whole. If their total would then exceed 2^62, or the decimals kMaxDecimals, as many
/// decimals as fit are kept and every size is rounded to the nearest (halves up); a file in which that would make a
/// size 0 is refused. A total of whole units may be up to 2^63 - 1.
///
/// Throws InputError, where = "FILE:LINE" for what is wrong in a file ("FILE" if it cannot be read at all): no part of
/// a file is skipped or repaired. Numbers of rows and columns are at most 2^31 - 1. Memory is proportional to the file,
/// whatever its first lines claim: its text, and some 24 bytes for each message, together at most 2.3 GB by the limits
/// below; a file beyond one of them is refused.
namespace sluice {

inline constexpr std::int64_t kMostTrafficMessages = 50'000'000;              ///< of one file
inline constexpr std::int64_t kMostTrafficFileBytes = std::int64_t{1} << 30;  ///< of one file, or on standard input

/// How a CSV file is to be read. What is not told is found from its text.
struct TrafficFormat {
  /// What the lines are.
  enum class Kind {
    kFound,   ///< what the text says
    kMatrix,  ///< rows of sizes
    kEdges,   ///< sender, receiver and size
  };
  Kind kind = Kind::kFound;                         ///< see Kind
  std::optional<bool> column_names = std::nullopt;  ///< whether the first line names the columns
  /// Whether the first column names the rows. In an edge list it is skipped then.
  std::optional<bool> row_names = std::nullopt;

  friend bool operator==(const TrafficFormat&, const TrafficFormat&) = default;
};

/// What a file was taken for.
struct TrafficReading {
  std::string taken_for = {};              ///< "edges, ranks from 0"; empty if there is nothing but sizes
  std::vector<std::string> warnings = {};  ///< "FILE:LINE: ..", each a line, of what the text could be as well
};

/// Reads a file; `path` ends in ".mtx", ".csv" or ".tsv", in any case, or is "-": standard input, which is Matrix
/// Market if it begins with a percent sign. Throws InputError for a `format` beside Matrix Market, too.
[[nodiscard]] Traffic read_traffic(const std::string& path, const TrafficFormat& format, TrafficReading& reading);
/// Finds the format from the file, and prints warnings on standard error.
[[nodiscard]] Traffic read_traffic(const std::string& path);

/// Reads a whole file held in memory; `name` stands for it in messages.
[[nodiscard]] Traffic read_matrix_market(std::string_view text, const std::string& name,
                                         std::int64_t most_messages = kMostTrafficMessages);
/// Reads CSV held in memory.
[[nodiscard]] Traffic read_traffic_csv(std::string_view text, const std::string& name, const TrafficFormat& format,
                                       TrafficReading& reading, std::int64_t most_messages = kMostTrafficMessages);
/// Finds the format of CSV held in memory; leaves warnings out.
[[nodiscard]] Traffic read_traffic_csv(std::string_view text, const std::string& name,
                                       std::int64_t most_messages = kMostTrafficMessages);

}  // namespace sluice
