#pragma once

#include <string>

#include "redistribute_options.hpp"

namespace sluice::command {

struct RunOptions {
  RedistributeOptions problem;
  std::string algorithm = "auto";
  std::string method = "all";
  std::string repetitions = "9";
  std::string json;
};

/// Redistributes on the ranks of this job by every method asked for, and prints what it took. Collective; throws
/// InputError on all ranks.
int run_redistribute(const RunOptions& options);

}  // namespace sluice::command
