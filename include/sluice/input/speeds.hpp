#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Describes networks with nodes of different speeds, and with a backbone that carries more at some times than at
/// others.
namespace sluice {

/// Gives the speed 1 in millionths. All speeds are kept in millionths, exactly. At speed 1 a unit of size takes a unit
/// of time.
inline constexpr std::int64_t kSpeedOfOne = 1'000'000;
inline constexpr std::int64_t kMostSpeed = 1'000'000 * kSpeedOfOne;  ///< largest speed of a node, in millionths
inline constexpr std::size_t kMostBackboneChanges = 1000;            ///< most entries of NetworkSpeeds::backbone

/// Changes k: from `time` on, until the next change, steps that begin have at most `max_transfers` transfers.
struct BackboneChange {
  double time = 0;                 ///< in the unit of the sizes, as a set-up; at least 0
  std::int64_t max_transfers = 1;  ///< k, at least 1

  friend bool operator==(const BackboneChange&, const BackboneChange&) = default;
};

/// Gives the speed of each node, and k of the backbone at each time.
///
/// A transfer of `size` units between a sender of speed s and a receiver of speed r takes ceil(size / min(s, r)) units
/// of time. Time and size have one unit, as everywhere in a schedule; if sizes have decimals, it is 10^-decimals. A
/// step begins when all earlier steps have ended. It lasts for its set-up and then as long as its longest transfer. It
/// may have as many transfers as the backbone carries when it begins, and keeps them until it ends.
struct NetworkSpeeds {
  std::vector<std::int64_t> senders;    ///< speed of each sender, in millionths; empty: 1 each
  std::vector<std::int64_t> receivers;  ///< speed of each receiver, in millionths; empty: 1 each
  /// Changes by rising times, the first at 0. Empty: k never changes.
  std::vector<BackboneChange> backbone;

  /// Returns true if nothing is given: all speeds are 1, and k never changes.
  [[nodiscard]] bool empty() const { return senders.empty() && receivers.empty() && backbone.empty(); }
  /// Returns the largest k of the backbone; 0 if `backbone` is empty.
  [[nodiscard]] std::int64_t most_transfers() const;
  [[nodiscard]] std::int64_t least_transfers() const;  ///< returns the smallest k; 0 if `backbone` is empty
  /// Returns the speed of a transfer, in millionths. @pre both are in range
  [[nodiscard]] std::int64_t between(std::int64_t sender, std::int64_t receiver) const;

  friend bool operator==(const NetworkSpeeds&, const NetworkSpeeds&) = default;
};

/// Returns the time that `size` units take at a speed of `millionths`; nothing if it does not fit an int64. @pre size
/// >= 0, millionths >= 1
[[nodiscard]] std::optional<std::int64_t> transfer_time(std::int64_t size, std::int64_t millionths);

/// Returns the largest number of units that take no longer than `time`, at most 2^63 - 1. @pre time >= 0, millionths >=
/// 1
[[nodiscard]] std::int64_t size_within(std::int64_t time, std::int64_t millionths);

/// Returns the k of a step that begins at `time`. @pre `backbone` is not empty and begins at 0, time >= 0
[[nodiscard]] std::int64_t max_transfers_at(const std::vector<BackboneChange>& backbone, double time);

/// Returns what is wrong with `speeds` for this number of senders and receivers, and what was expected; nothing if all
/// is right.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> speeds_fault(const NetworkSpeeds& speeds,
                                                                              std::int64_t senders,
                                                                              std::int64_t receivers);

/// Throws InputError naming `where` unless there is a speed for each node, or none, and all are in range. Times of the
/// backbone must begin at 0 and rise, k must be at least 1, and there are at most kMostBackboneChanges changes.
void check_speeds(const NetworkSpeeds& speeds, std::int64_t senders, std::int64_t receivers, const std::string& where);

/// Returns `value` in millionths; nothing unless it is a number from 0.000001 to 1000000 with at most 6 decimals.
[[nodiscard]] std::optional<std::int64_t> speed_in_millionths(double value);

/// Reads a file of speeds (docs/reference/schedule.md), as strictly as read_schedule. Times are in the unit of the
/// user's sizes. check_speeds checks whether the numbers fit a traffic.
///
///     {"schema": "sluice.speeds/1", "senders": [1, 0.5], "receivers": [1, 2],
///      "backbone": [{"time": 0, "max_transfers": 2}, {"time": 100, "max_transfers": 1}]}
///
/// Throws InputError; `where` is "FILE:LINE", or "FILE" for the whole.
[[nodiscard]] NetworkSpeeds read_speeds(std::istream& in, const std::string& file);
/// Reads a file of speeds from `path`.
[[nodiscard]] NetworkSpeeds read_speeds(const std::string& path);

}  // namespace sluice
