#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/strict_json.hpp"
#include "sluice/input/speeds.hpp"

namespace sluice::detail {

/// NetworkSpeeds as they are read: the same fields in a file of speeds and in a schedule.
struct WrittenSpeeds {
  struct Change {
    WrittenNumber time;  ///< waits for the unit of the sizes
    std::int64_t max_transfers = 0;
  };

  std::vector<double> senders;
  std::vector<double> receivers;
  std::vector<Change> backbone;
  Change change;  ///< the change that is being read

  /// `change_shape`: the shape of change_fields().
  [[nodiscard]] std::vector<JsonField> fields(int change_shape);
  [[nodiscard]] std::vector<JsonField> change_fields();
  /// A change has been read.
  void add_change() { backbone.push_back(change); }
  /// The first invalid speed, as "0 of sender 3"; empty if there is none.
  [[nodiscard]] std::string bad_speed() const;
  /// `in_unit(WrittenNumber)`: a time in the unit of the sizes. @pre bad_speed() is empty
  template <class InUnit>
  [[nodiscard]] NetworkSpeeds read(InUnit in_unit) const {
    NetworkSpeeds speeds;
    for (const double speed : senders) speeds.senders.push_back(*speed_in_millionths(speed));
    for (const double speed : receivers) speeds.receivers.push_back(*speed_in_millionths(speed));
    for (const Change& each : backbone) speeds.backbone.push_back({in_unit(each.time), each.max_transfers});
    return speeds;
  }
};

inline constexpr const char* kSpeedExpected = "a number from 0.000001 to 1000000 of at most 6 decimals";

}  // namespace sluice::detail
