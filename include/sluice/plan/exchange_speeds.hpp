#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/speeds.hpp"
#include "sluice/plan/exchange.hpp"

/// Speeds of nodes and a backbone over time, as programs give them to a problem of exchange.
namespace sluice {

/// Makes NetworkSpeeds of lists of numbers.
///
///  - `sender_speeds`, `receiver_speeds`: speed of each node
///  - `backbone_times`: time of each change of the backbone
///  - `backbone_max_transfers`: k from each of these times on
///
/// Throws InputError naming "speeds" for a number that speed_in_millionths refuses, and naming "backbone" for lists of
/// different lengths. check_speeds checks the rest.
[[nodiscard]] NetworkSpeeds speeds_of(const std::vector<double>& sender_speeds,
                                      const std::vector<double>& receiver_speeds,
                                      const std::vector<double>& backbone_times,
                                      const std::vector<std::int64_t>& backbone_max_transfers);

/// Puts `speeds` into a problem that has its traffic. Times are given in the unit of the sizes that the user writes,
/// and are converted to the unit of the traffic. max_transfers becomes the largest k of the backbone, if one is given.
/// Throws InputError naming `where` as check_speeds does.
void set_speeds(ExchangeProblem& problem, NetworkSpeeds speeds, const std::string& where);

}  // namespace sluice
