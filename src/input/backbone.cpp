#include "sluice/input/backbone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice {
namespace {

void check_speed(double speed, const char* where) {
  if (!std::isfinite(speed) || speed <= 0)
    throw InputError(where, fmt::format("{} bytes/s", speed), "a finite speed above 0");
}

void check_count(std::int64_t count, const char* where) {
  if (count < 0) throw InputError(where, fmt::format("{}", count), "at least 0");
}

}  // namespace

BackboneModel model(const Backbone& backbone, std::int64_t senders, std::int64_t receivers) {
  check_speed(backbone.backbone_bytes_per_s, "speed of the backbone");
  check_speed(backbone.sender_link_bytes_per_s, "speed of a sender's link");
  check_speed(backbone.receiver_link_bytes_per_s, "speed of a receiver's link");
  if (!std::isfinite(backbone.latency_s) || backbone.latency_s < 0)
    throw InputError("latency", fmt::format("{} s", backbone.latency_s), "a finite time of at least 0");
  check_count(senders, "number of senders");
  check_count(receivers, "number of receivers");

  BackboneModel result;
  result.transfer_bytes_per_s =
      std::min({backbone.sender_link_bytes_per_s, backbone.receiver_link_bytes_per_s, backbone.backbone_bytes_per_s});
  constexpr double kRounding = 1e-9;
  const double fit = std::floor(backbone.backbone_bytes_per_s / result.transfer_bytes_per_s * (1 + kRounding));
  const std::int64_t nodes = std::min(senders, receivers);
  const bool nodes_are_fewer = static_cast<double>(nodes) <= fit;
  result.max_transfers = std::max<std::int64_t>(1, nodes_are_fewer ? nodes : static_cast<std::int64_t>(fit));
  result.setup_bytes = backbone.latency_s * result.transfer_bytes_per_s;
  if (!std::isfinite(result.setup_bytes))
    throw InputError("latency", fmt::format("{} s at {} bytes/s", backbone.latency_s, result.transfer_bytes_per_s),
                     "a set-up that is a finite number of bytes");
  return result;
}

}  // namespace sluice
