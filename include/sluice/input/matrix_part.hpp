#pragma once

#include <string>
#include <utility>

namespace sluice {

/// Which elements of a matrix, or of a box of M x N elements in it, move; i is the row, j the column, both from 0.
///
/// Where the box is not square, the diagonal is the one that ends in the last element, and a part may be a trapezoid,
/// as in ScaLAPACK's PxTRMR2D: i <= j + max(0, M - N) is the upper part, i >= j - max(0, N - M) the lower one. Together
/// the two cover the box, and they overlap.
enum class MatrixPart {
  kWhole,  ///< all elements
  kUpper,  ///< those on and above the diagonal
  kLower,  ///< those on and below the diagonal
};

/// "upper", "lower", and "strictly upper", "strictly lower" without the diagonal; "" for kWhole.
[[nodiscard]] std::string part_text(MatrixPart part, bool unit_diagonal);
/// Returns what part_text wrote, and whether the diagonal is left out. Throws InputError, naming `where`, for anything
/// else.
[[nodiscard]] std::pair<MatrixPart, bool> parse_part(const std::string& text, const std::string& where);

/// What the two options of a part are called in an InputError.
struct PartNames {
  std::string part = "part";                    ///< which side
  std::string unit_diagonal = "unit_diagonal";  ///< whether the diagonal is left out
};

/// Returns the part that options ask for: `side` is "upper" or "lower", or empty for kWhole. Throws InputError for
/// anything else, and for a diagonal that is left out of the whole.
[[nodiscard]] MatrixPart part_of_side(const std::string& side, bool unit_diagonal, const PartNames& names = {});

}  // namespace sluice
