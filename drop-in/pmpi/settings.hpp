#pragma once

#include <cstdint>
#include <string>

namespace sluice::pmpi {

/// What the environment asks for: docs/how-to/drop-in.md names the variables.
struct Settings {
  std::string record;             ///< SLUICE_RECORD: a folder; empty: nothing is recorded
  double record_interval_s = 10;  ///< SLUICE_RECORD_INTERVAL
  std::string platform;           ///< SLUICE_PLATFORM: a file; empty: none
  bool probe = false;             ///< SLUICE_PROBE=1
  bool log = false;               ///< SLUICE_LOG=1
  bool always = false;            ///< SLUICE_TAKE=always
  bool reproducible = false;      ///< SLUICE_REPRODUCIBLE=1
  // SLUICE_CALLS: those that may be taken.
  bool bcast = true;
  bool reduce = true;
  bool alltoall = true;
  bool alltoallv = true;
  bool neighbor_alltoallv = true;

  [[nodiscard]] bool any_call() const { return bcast || reduce || alltoall || alltoallv || neighbor_alltoallv; }
};

/// All of them as one text, to compare.
[[nodiscard]] std::string to_text(const Settings& settings);

/// Throws InputError, where = the variable, for a value that is none.
[[nodiscard]] Settings read_settings();

}  // namespace sluice::pmpi
