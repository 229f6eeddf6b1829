#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "sluice/timing/simgrid.hpp"
#include "timing/message_sequence.hpp"

/// The requests and answers of sluice-simgrid, written and read by its two sides.
namespace sluice::detail {

struct SimgridRequest {
  SimgridMachine machine;
  std::string who_needs;       ///< what hosts are for, in the words of an error where they are too few
  SimulatedMessages messages;  ///< between positions of hosts; not their transfers
};

/// As text, only for a program of the same build. Times are seconds.
void write_simgrid_request(std::ostream& out, const SimgridMachine& machine, const std::string& who_needs,
                           const SimulatedMessages& messages);
void write_simgrid_times(std::ostream& out, const MessageTimes& times);
/// Throw InputError for incomplete input.
[[nodiscard]] SimgridRequest read_simgrid_request(std::istream& in);
[[nodiscard]] MessageTimes read_simgrid_times(std::istream& in, std::size_t count);

}  // namespace sluice::detail
