#pragma once

#include <string>

/// The studies of the verb `study`: each writes its files into an existing folder, once all is computed, prints what
/// came out, and returns the exit status. `quick`: fewer measurements; studies that measure nothing are the same.
namespace sluice::command {

/// Tables 1 to 19 of Desprez et al. 1997 beside ours.
int study_redistribute_tables(const std::string& folder, bool quick);

/// Figures 2 to 4 of Desprez et al. 1997: time against the size of the vector, on the ranks of this job.
int study_redistribute_paragon(const std::string& folder, bool quick);

}  // namespace sluice::command
