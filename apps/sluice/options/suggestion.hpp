#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::command {

/// The words of `known` that `word` is most likely a slip of. They need the fewest letters to insert, remove, replace
/// or swap with their neighbour (optimal string alignment distance), and at most a third of the letters of `word`; or
/// one is the only one that begins with `word`. Returns all that are as near, in the order of `known`. Returns none if
/// they are more than three, as a list is no suggestion, and none if `word` is known. O(known * letters^2).
[[nodiscard]] std::vector<std::string> closest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean 'NAME'?", "; did you mean 'A' or 'B'?", or nothing: to be put behind what was expected.
[[nodiscard]] std::string did_you_mean(const std::vector<std::string>& names);

/// The same for those that are closest to `word`.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace sluice::command
