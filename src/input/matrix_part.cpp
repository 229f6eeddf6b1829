#include "sluice/input/matrix_part.hpp"

#include <fmt/format.h>

#include "sluice/error.hpp"

namespace sluice {

std::string part_text(MatrixPart part, bool unit_diagonal) {
  if (part == MatrixPart::kWhole) return "";
  return fmt::format("{}{}", unit_diagonal ? "strictly " : "", part == MatrixPart::kUpper ? "upper" : "lower");
}

std::pair<MatrixPart, bool> parse_part(const std::string& text, const std::string& where) {
  for (const MatrixPart part : {MatrixPart::kWhole, MatrixPart::kUpper, MatrixPart::kLower}) {
    for (const bool unit_diagonal : {false, true})
      if (text == part_text(part, unit_diagonal)) return {part, unit_diagonal && part != MatrixPart::kWhole};
  }
  throw InputError(where, fmt::format("'{}'", text), "upper, lower, strictly upper or strictly lower");
}

MatrixPart part_of_side(const std::string& side, bool unit_diagonal, const PartNames& names) {
  if (side == "upper") return MatrixPart::kUpper;
  if (side == "lower") return MatrixPart::kLower;
  if (!side.empty()) throw InputError(names.part, fmt::format("'{}'", side), "upper or lower");
  if (unit_diagonal)
    throw InputError(names.unit_diagonal, fmt::format("no {}", names.part),
                     fmt::format("{} upper or lower", names.part));
  return MatrixPart::kWhole;
}

}  // namespace sluice
