#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
/// Instead of "coordinate" the first line may say "array" (dense, column by column); instead of "integer", "real" or
/// "pattern" (every entry is 1); instead of "general", "symmetric" (the file has the lower triangle, which counts at
/// both places). Complex matrices are refused. The words of the first line may be in any case; blank lines, lines of
/// comments (%) and blanks around numbers are skipped; lines end with LF or CR LF.
///
/// ".csv" or ".tsv", dense: one line per sender, each with the same number of sizes. The first line decides what
/// separates them: semicolons, commas or tabs. A first line of names, one for each column (each begins with a letter,
/// in quotes or not, or is empty), is skipped; a size in quotes is refused. Blanks around numbers, blank lines at the
/// end and CR LF are fine.
///
///     3,1,0
///     0,0,2
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

/// Reads a file; `path` ends in ".mtx", ".csv" or ".tsv", in any case, or is "-": standard input, which is Matrix
/// Market if it begins with a percent sign.
[[nodiscard]] Traffic read_traffic(const std::string& path);

/// Reads a whole file held in memory; `name` stands for it in messages.
[[nodiscard]] Traffic read_matrix_market(std::string_view text, const std::string& name,
                                         std::int64_t most_messages = kMostTrafficMessages);
/// The same for CSV.
[[nodiscard]] Traffic read_traffic_csv(std::string_view text, const std::string& name,
                                       std::int64_t most_messages = kMostTrafficMessages);

}  // namespace sluice
