#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/options/timeline.hpp"
#include "apps/sluice/run/methods.hpp"

namespace sluice::command {

/// What a run was about.
struct RunSubject {
  std::string problem;               ///< "redistribute", "exchange"
  std::string title;                 ///< one line
  std::int64_t largest_part = 0;     ///< bytes of source that a rank has at most; extra memory is told in percent of it
  double bound_s = 0;                ///< seconds that every execution takes at least; 0: not known
  std::int64_t max_transfers = 0;    ///< k, where the problem has one
  std::vector<std::string> notes{};  ///< lines below the title
};

/// Prints the times of all methods, or what was wrong, or writes sluice.run/1 to `output.json` ("-": instead of the
/// table; empty: not at all). Collective; returns the exit status.
int show_run(const RunSubject& subject, const compare::Comparison& comparison, const RunMethods& output);

/// Throws InputError on all ranks if a file that is asked for cannot be written.
void check_outputs(const std::string& json, const TimelineOutput& timeline);

/// If `output` asks for a picture or a trace, `comparison` is verified and nothing interrupted it: writes when each
/// transfer of the first method ran in the comparison that `record` returns. Collective; throws InputError on all
/// ranks, also if there was no transfer.
void write_timeline(const TimelineOutput& output, const std::string& problem, const compare::Comparison& comparison,
                    const std::function<compare::Comparison()>& record);

}  // namespace sluice::command
