#pragma once

#include <string>
#include <utility>

namespace sluice {

/// Says which elements of a matrix, or of a box of M x N elements in it, move; i is the row, j the column, both from 0.
///
/// If the box is not square, the diagonal is the one that ends in the last element, and a part may be a trapezoid, as
/// in ScaLAPACK's PxTRMR2D. The upper part is i <= j + max(0, M - N), the lower part i >= j - max(0, N - M). Together
/// they cover the box, and they overlap.
enum class MatrixPart {
  kWhole,  ///< all elements
  kUpper,  ///< elements on and above the diagonal
  kLower,  ///< elements on and below the diagonal
};

/// Returns the text of a part: "upper", "lower", and "strictly upper", "strictly lower" without the diagonal; "" for
/// kWhole.
[[nodiscard]] std::string part_text(MatrixPart part, bool unit_diagonal);
/// Reads a text of part_text; returns the part, and true if the diagonal is left out. Throws InputError, naming
/// `where`, for another text.
[[nodiscard]] std::pair<MatrixPart, bool> parse_part(const std::string& text, const std::string& where);

/// Names the two options of a part in an InputError.
struct PartNames {
  std::string part = "part";                    ///< option of the side
  std::string unit_diagonal = "unit_diagonal";  ///< option that leaves out the diagonal
};

/// Returns the part that options ask for. `side` is "upper" or "lower", or empty for kWhole. Throws InputError for
/// another side, and for `unit_diagonal` without a side.
[[nodiscard]] MatrixPart part_of_side(const std::string& side, bool unit_diagonal, const PartNames& names = {});

}  // namespace sluice
