#pragma once

#include <CLI/App.hpp>
#include <string>

#include "sluice/input/traffic_file.hpp"

/// Files of traffic on the command line, the same for every verb.
namespace sluice::command {

/// What a CSV file holds, as typed; empty where it was not.
struct TrafficFormatInput {
  std::string format;
  std::string names;

  void add_to(CLI::App& verb);
  /// Throws InputError for words that are none of those offered.
  [[nodiscard]] TrafficFormat read() const;
};

/// Reads the traffic in `file`, and prints on standard error, once for all ranks, what else its text could be. Throws
/// InputError. `taken_for` becomes what it was taken for, such as "edges, ranks from 0".
[[nodiscard]] Traffic take_traffic(const std::string& file, const TrafficFormat& format, std::string& taken_for);
/// Prints a note of what an edge list was taken for.
[[nodiscard]] Traffic take_traffic(const std::string& file, const TrafficFormat& format);

}  // namespace sluice::command
