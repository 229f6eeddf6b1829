#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/traffic.hpp"

/// Reads from a file who sends how much to whom. The extension says which of two formats the file has.
///
/// ".mtx", Matrix Market coordinate: row = sender, column = receiver, counted from 1, in any order. Several entries of
/// one pair add up.
///
///     %%MatrixMarket matrix coordinate integer general
///     % senders, receivers, entries; then one entry a line
///     2 3 3
///     1 1 3
///     1 2 1
///     2 3 2
///
/// The first line may have other words:
///
///  - "array" instead of "coordinate": dense, column by column
///  - "unsigned-integer", "real", "double" or "pattern" (every entry is 1) instead of "integer"
///  - "symmetric" instead of "general": the file has the lower triangle, which counts at both places
///
/// Complex matrices are refused. The words of the first line may be in any case. Blank lines, lines of comments (%) and
/// blanks around numbers are skipped; lines end with LF or CR LF.
///
/// ".csv" or ".tsv", a matrix: one line per sender, each with the same number of sizes. The first line decides the
/// separator: semicolons, commas, tabs, '|' or blanks. All lines may end with a separator. Lines that begin with # are
/// comments. Blanks around numbers, blank lines at the end, CR LF and a byte order mark are accepted; a size in quotes
/// is refused.
///
///     3,1,0
///     0,0,2
///
/// A first line of names, one for each column, is skipped, and so is a first column of names of the rows. Names begin
/// with a letter or stand in quotes; the first line may leave out the name of the column of names. If the first line
/// begins with an empty name or a name such as "rank" or "node", the first column has names. This holds even if these
/// are 0, 1, 2, .. or the names of the columns. A row or column named "total" is refused.
///
/// ".csv" or ".tsv", an edge list: one line per message, with its sender, its receiver and its size. The names of the
/// columns show this format, in any order: from, src, source, sender or row; to, dst, dest, receiver, target or col;
/// size, bytes, count, value or weight. They stand in the first line or in a comment above it. A first column that
/// numbers the lines is skipped. Several messages of a pair add up. Ranks are counted from 0 if one of them is 0, from
/// 1 otherwise. There are as many senders as receivers, up to the largest rank.
///
///     src,dst,bytes
///     0,1,1000
///     1,2,2000
///
/// A text that could be two of these formats is refused unless a TrafficFormat says which it is. If one of them is more
/// likely, it is taken, with a warning.
///
/// Sizes are numbers of at least 0: 12, 2.5, 1e3 (whole ones in an "integer" matrix). Rows and columns of zeros still
/// count as senders and receivers; entries of size 0 do not become messages.
///
/// Sizes with a fraction are kept exactly, as integers in units of 10^-decimals. The decimals are the fewest that hold
/// every size; 0 if all are whole. If their total would then exceed 2^62, or the decimals kMaxDecimals, as many
/// decimals as fit are kept and every size is rounded to the nearest (halves up). A file is refused if that would make
/// a size 0. A total of whole units may be up to 2^63 - 1.
///
/// Throws InputError; `where` is "FILE:LINE" for a fault in a file, or "FILE" if it cannot be read at all. No part of a
/// file is skipped or repaired. Numbers of rows and columns are at most 2^31 - 1. Memory is proportional to the file,
/// whatever its first lines claim: its text, and about 24 bytes for each message. That is at most 2.3 GB by the limits
/// below; a file beyond one of them is refused.
namespace sluice {

inline constexpr std::int64_t kMostTrafficMessages = 50'000'000;  ///< most messages of one file
/// Most bytes of one file, or on standard input.
inline constexpr std::int64_t kMostTrafficFileBytes = std::int64_t{1} << 30;

/// Says how to read a CSV file. Values that are not given are found from its text.
struct TrafficFormat {
  /// Says what the lines are.
  enum class Kind {
    kFound,   ///< what the text says
    kMatrix,  ///< rows of sizes
    kEdges,   ///< sender, receiver and size
  };
  Kind kind = Kind::kFound;                         ///< format of the lines
  std::optional<bool> column_names = std::nullopt;  ///< says that the first line names the columns
  /// Says that the first column names the rows. In an edge list it is then skipped.
  std::optional<bool> row_names = std::nullopt;

  friend bool operator==(const TrafficFormat&, const TrafficFormat&) = default;
};

/// Says how a file was understood.
struct TrafficReading {
  std::string taken_for = {};              ///< "edges, ranks from 0"; empty if there is nothing but sizes
  std::vector<std::string> warnings = {};  ///< each a line "FILE:LINE: ..", on other meanings that the text could have
};

/// Reads a file of traffic.
///
///  - `path`: ends in ".mtx", ".csv" or ".tsv", in any case, or is "-": standard input, which is Matrix Market if it
///    begins with a percent sign
///  - `format`: for CSV only
///  - `reading`: gets how the file was understood
///
/// Throws InputError, also for a `format` with Matrix Market.
[[nodiscard]] Traffic read_traffic(const std::string& path, const TrafficFormat& format, TrafficReading& reading);
/// Reads a file of traffic, finds its format, and prints warnings on standard error.
[[nodiscard]] Traffic read_traffic(const std::string& path);

/// Reads Matrix Market held in memory; `name` stands for it in messages.
[[nodiscard]] Traffic read_matrix_market(std::string_view text, const std::string& name,
                                         std::int64_t most_messages = kMostTrafficMessages);
/// Reads CSV held in memory; `name` stands for it in messages.
[[nodiscard]] Traffic read_traffic_csv(std::string_view text, const std::string& name, const TrafficFormat& format,
                                       TrafficReading& reading, std::int64_t most_messages = kMostTrafficMessages);
/// Reads CSV held in memory, finds its format, and ignores warnings.
[[nodiscard]] Traffic read_traffic_csv(std::string_view text, const std::string& name,
                                       std::int64_t most_messages = kMostTrafficMessages);

}  // namespace sluice
