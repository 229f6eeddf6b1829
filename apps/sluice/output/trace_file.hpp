#pragma once

#include <string>

#include "apps/sluice/output/result_json.hpp"
#include "sluice/schedule/timeline.hpp"

namespace sluice::command {

/// Whether a file of JSON without "schema" is a trace, as chrome_trace writes it.
[[nodiscard]] bool is_trace(const ResultValue& file);

/// The timeline that `file` is the trace of. Throws InputError for what chrome_trace does not write.
[[nodiscard]] Timeline timeline_of_trace(const ResultValue& file);

/// Reads the timeline of the trace at `path`. Throws InputError as timeline_of_trace does.
[[nodiscard]] Timeline read_trace(const std::string& path);

}  // namespace sluice::command
