#pragma once

#include <bitset>
#include <string>

#include "pmpi/take/taken_calls.hpp"

namespace sluice::pmpi {

/// What the environment asks for: docs/how-to/drop-in-mpi.md and docs/how-to/record.md name the variables.
struct Settings {
  std::string record;             ///< SLUICE_RECORD: a folder; empty: nothing is recorded
  double record_interval_s = 10;  ///< SLUICE_RECORD_INTERVAL
  std::string platform;           ///< SLUICE_PLATFORM: a file; empty: none
  bool probe = false;             ///< SLUICE_PROBE=1
  bool log = false;               ///< SLUICE_LOG=1
  bool always = false;            ///< SLUICE_TAKE=always
  bool reproducible = false;      ///< SLUICE_REPRODUCIBLE=1
  std::bitset<kTakenCalls.size()> calls = ~std::bitset<kTakenCalls.size()>();  ///< SLUICE_CALLS

  [[nodiscard]] bool takes(Taken call) const { return calls[index_of(call)]; }
};

/// All settings as one text, to compare.
[[nodiscard]] std::string to_text(const Settings& settings);

/// Throws InputError that names the variable, for an invalid value.
[[nodiscard]] Settings read_settings();

}  // namespace sluice::pmpi
