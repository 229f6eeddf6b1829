#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A transfer and when it runs: by a model, or as it was measured.
struct TimelineTransfer {
  std::int64_t from = 0;     ///< sender
  std::int64_t to = 0;       ///< receiver
  std::int64_t size = 0;     ///< 0 where the schedule has none, as in a tree
  std::int64_t step = -1;    ///< which step it is of; -1 in a tree or a program
  double start = 0;          ///< when the sender begins
  double sender_free = 0;    ///< when the sender can begin another
  double receive_start = 0;  ///< when the receiver begins
  double end = 0;            ///< when the receiver has all of it
  std::int64_t offset = -1;  ///< where it begins in its message, or in the data of a program; -1: not known

  friend bool operator==(const TimelineTransfer&, const TimelineTransfer&) = default;
};

/// When each transfer of a schedule runs: what simulations compute, and pictures and traces show.
struct Timeline {
  std::string problem;                      ///< "redistribute", "exchange", ...; for people
  std::string algorithm;                    ///< what planned it; for people
  std::int64_t senders = 0;                 ///< how many
  std::int64_t receivers = 0;               ///< how many
  bool same_nodes = false;                  ///< sender i and receiver i are one machine, as in a tree
  std::string unit;                         ///< of the times: "s", or empty for the unit of the schedule
  std::vector<TimelineTransfer> transfers;  ///< in order of their start
  double length = 0;                        ///< when all is done; no transfer ends later
};

/// Puts the transfers into the order of their starts, and makes the length at least the time at which the last one
/// ends.
void sort_by_start(Timeline& timeline);

/// `timeline` with its times counted from `origin` on, multiplied by `factor`, and in `unit`. The length is multiplied.
[[nodiscard]] Timeline scaled(Timeline timeline, double factor, std::string_view unit, double origin = 0);

}  // namespace sluice
