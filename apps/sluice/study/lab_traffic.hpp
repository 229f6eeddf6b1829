#pragma once

#include <array>
#include <string_view>

namespace sluice::command {

/// Traffic of an application, a Matrix Market file of studies/traffic.
struct LabTraffic {
  std::string_view name;  ///< "lulesh"
  std::string_view text;
};

/// By name.
extern const std::array<LabTraffic, 5> kLabTraffic;

}  // namespace sluice::command
