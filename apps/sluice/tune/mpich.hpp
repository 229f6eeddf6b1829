#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/sluice/tune/library.hpp"

/// MPICH's selection of algorithms: what the library itself has, and with rules of ours.
namespace sluice::command {

/// The selection that a library file has built in, as text (JSON).
struct MpichSelection {
  std::string file;
  std::string text;
};

/// The selection of `file`, or, if that is empty, of the first MPICH of the loader's folders. Throws InputError where
/// there is none, or where a file has none that has all collectives that can be tuned.
[[nodiscard]] MpichSelection read_mpich_selection(const std::string& file);

/// What it takes for a call of `bytes` in a communicator of one rank per host, for a built-in operation and enough
/// elements; nothing if that is none of library_algorithms.
[[nodiscard]] std::optional<LibraryChoice> mpich_default(const MpichSelection& selection, Call call, std::int64_t ranks,
                                                         std::int64_t bytes);

/// The whole selection with `sizes` for communicators of `ranks`: the rest stays as it was, other communicators too.
/// Reductions by operations that do not commute, or of the program's own, are left alone, and calls in place.
[[nodiscard]] std::string mpich_rules(const MpichSelection& selection, const std::vector<TunedSize>& sizes,
                                      std::int64_t ranks);

}  // namespace sluice::command
