#include "sluice/plan/exchange_speeds.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "input/speeds_json.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

NetworkSpeeds speeds_of(const std::vector<double>& sender_speeds, const std::vector<double>& receiver_speeds,
                        const std::vector<double>& backbone_times,
                        const std::vector<std::int64_t>& backbone_max_transfers) {
  detail::WrittenSpeeds written;
  written.senders = sender_speeds;
  written.receivers = receiver_speeds;
  const std::string bad = written.bad_speed();
  if (!bad.empty()) throw InputError("speeds", bad, detail::kSpeedExpected);
  const std::size_t changes = backbone_times.size();
  if (changes != backbone_max_transfers.size())
    throw InputError(
        "backbone",
        fmt::format("{} and {} numbers of transfers", count_text(changes, "time"), backbone_max_transfers.size()),
        "as many of both");
  NetworkSpeeds speeds = written.read([](const auto& /*time*/) { return 0.0; });
  for (std::size_t i = 0; i < changes; ++i) speeds.backbone.push_back({backbone_times[i], backbone_max_transfers[i]});
  return speeds;
}

void set_speeds(ExchangeProblem& problem, NetworkSpeeds speeds, const std::string& where) {
  check_speeds(speeds, problem.traffic.senders, problem.traffic.receivers, where);
  for (BackboneChange& change : speeds.backbone)
    change.time = move_decimal_point(change.time, problem.traffic.decimals);
  if (!speeds.backbone.empty()) problem.max_transfers = speeds.most_transfers();
  problem.speeds = std::move(speeds);
}

}  // namespace sluice
