#pragma once

#include <istream>
#include <string>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// Reads a file of arrays, JSON of schema sluice.arrays/1: those of a batch, in their order. Layouts, shapes and sizes
/// of elements are as they stand there. `file` names it in messages. Throws InputError, with the line, for anything
/// that is not of that schema, and for no array.
[[nodiscard]] std::vector<ArrayInput> read_arrays(std::istream& in, const std::string& file);

}  // namespace sluice
