#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// A transfer with the time it takes somewhere: by a model, in a simulation.
struct TimelineTransfer {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t size = 0;   ///< 0 where the schedule has none, as in a tree
  std::int64_t step = -1;  ///< which step it is of; -1 in a tree or a program
  double start = 0;        ///< when the sender begins
  double sender_free = 0;  ///< when the sender can begin another
  double receive_start = 0;
  double end = 0;  ///< when the receiver has all of it

  friend bool operator==(const TimelineTransfer&, const TimelineTransfer&) = default;
};

/// What happens when: of what simulations compute and pictures show.
struct Timeline {
  std::string problem;
  std::string algorithm;
  std::int64_t senders = 0;
  std::int64_t receivers = 0;
  bool same_nodes = false;                  ///< sender i and receiver i are one machine, as in a tree
  std::string unit;                         ///< of the times: "s", or empty for the unit of the schedule
  std::vector<TimelineTransfer> transfers;  ///< in order of their start
  double length = 0;                        ///< when all is done; no transfer ends later
};

}  // namespace sluice
