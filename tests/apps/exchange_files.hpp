#pragma once

#include <string>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {

/// Writes small traffic files of every kind into `folder`: sparse.mtx (with duplicates), dense.mtx, real.csv, wide.csv.
/// Their names.
std::vector<std::string> write_traffic_files(const Folder& folder);

}  // namespace sluice::testing
