#pragma once

#include <string>

namespace sluice::command {

/// What `sluice probe` was asked for, as typed.
struct ProbeTask {
  std::string output;
  std::string tolerance = "0.3";
  std::string noise = "20us";
  std::string algorithm = "lowekamp";
  std::string time_budget;  ///< empty: not given
  bool thorough = false;
  std::string clusters;
  bool no_broadcasts = false;
  bool quick = false;
  std::string json;
};

/// Measures and writes. Collective.
int run_probe(const ProbeTask& task);

}  // namespace sluice::command
