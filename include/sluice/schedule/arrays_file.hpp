#pragma once

#include <istream>
#include <string>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// Reads a file of arrays, JSON of schema sluice.arrays/1: the arrays of a batch, in their order, with layouts, shapes
/// and sizes of elements as the file has them. `file` names it in messages. Throws InputError, with the line, for a
/// text that does not fit the schema, and for no array.
[[nodiscard]] std::vector<ArrayInput> read_arrays(std::istream& in, const std::string& file);

/// Reads the file `path`, or standard input for "-". Throws InputError as above, and if it cannot be read.
[[nodiscard]] std::vector<ArrayInput> read_arrays(const std::string& path);

}  // namespace sluice
