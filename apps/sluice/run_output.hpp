#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/compare/compare.hpp"
#include "timeline_output.hpp"

namespace sluice::command {

/// What a run was about.
struct RunSubject {
  std::string problem;               ///< "redistribute", "exchange"
  std::string title;                 ///< one line
  std::int64_t largest_part = 0;     ///< bytes of source that a rank has at most; extra memory is told in percent of it
  double bound_s = 0;                ///< no execution takes less; 0: not known
  std::int64_t max_transfers = 0;    ///< k, where the problem has one
  std::vector<std::string> notes{};  ///< lines below the title
};

/// Prints the times of all methods, or what was wrong, or writes sluice.run/1 to `json` ("-": instead of the table;
/// empty: not at all). Collective; returns the exit status.
int show_run(const RunSubject& subject, const compare::Comparison& comparison, const std::string& json);

/// Writes when the transfers ran of a comparison that was recorded, if it is verified. Collective; throws InputError on
/// all ranks, also if there were none.
void write_timeline(const TimelineOutput& output, const std::string& problem, const compare::Comparison& comparison);

}  // namespace sluice::command
