#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Says when a transfer runs: by a model, or as it was measured.
struct TimelineTransfer {
  std::int64_t from = 0;     ///< sender
  std::int64_t to = 0;       ///< receiver
  std::int64_t size = 0;     ///< 0 if the schedule has no sizes, as in a tree
  std::int64_t step = -1;    ///< step of the transfer; -1 in a tree or a program
  double start = 0;          ///< time when the sender begins
  double sender_free = 0;    ///< time when the sender can begin another transfer
  double receive_start = 0;  ///< time when the receiver begins
  double end = 0;            ///< time when the receiver has all of it
  std::int64_t offset = -1;  ///< start of the piece in its message, or in the data of a program; -1: unknown

  friend bool operator==(const TimelineTransfer&, const TimelineTransfer&) = default;
};

/// Says when each transfer of a schedule runs; simulations compute it, and pictures and traces show it.
struct Timeline {
  std::string problem;                      ///< "redistribute", "exchange", ...; for people
  std::string algorithm;                    ///< name of the planner's algorithm, for people
  std::int64_t senders = 0;                 ///< number of senders
  std::int64_t receivers = 0;               ///< number of receivers
  bool same_nodes = false;                  ///< sender i and receiver i are one machine, as in a tree
  std::string unit;                         ///< unit of the times: "s", or empty for the unit of the schedule
  std::vector<TimelineTransfer> transfers;  ///< in order of their start
  double length = 0;                        ///< time when all is done; no transfer ends later
};

/// Sorts the transfers by their starts, and raises the length to the end of the last transfer if it is less.
void sort_by_start(Timeline& timeline);

/// Returns `timeline` with its times counted from `origin` on, multiplied by `factor`, and in `unit`. The length is
/// multiplied.
[[nodiscard]] Timeline scaled(Timeline timeline, double factor, std::string_view unit, double origin = 0);

}  // namespace sluice
