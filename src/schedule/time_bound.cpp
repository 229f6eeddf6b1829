#include "sluice/schedule/time_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "input/distinct_messages.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {

namespace {

/// From `begin` until the next span begins, at most `rate` transfers run.
struct RateSpan {
  double begin = 0;
  std::int64_t rate = 0;
};

/// k+ of backbone_bound: each k holds for `delay` longer than the backbone says.
std::vector<RateSpan> rates_of(const std::vector<BackboneChange>& backbone, double delay) {
  std::vector<std::pair<double, std::int64_t>> ends;  // when, k
  for (std::size_t i = 1; i < backbone.size(); ++i)
    ends.emplace_back(backbone[i].time + delay, backbone[i - 1].max_transfers);
  std::vector<RateSpan> spans;
  std::multiset<std::int64_t> holding;
  for (std::size_t next = 0, ended = 0; next < backbone.size() || ended < ends.size();) {
    // A change that begins when another one ends comes first, so one always holds.
    const bool begins = next < backbone.size() && (ended == ends.size() || backbone[next].time <= ends[ended].first);
    const double time = begins ? backbone[next].time : ends[ended].first;
    if (begins)
      holding.insert(backbone[next++].max_transfers);
    else
      holding.erase(holding.find(ends[ended++].second));
    const std::int64_t rate = *holding.rbegin();
    if (!spans.empty() && spans.back().begin == time)
      spans.back().rate = rate;
    else if (spans.empty() || spans.back().rate != rate)
      spans.push_back({time, rate});
  }
  return spans;
}

/// The most that is sent until `end` if nothing is for `silent` of it.
double sent_until(double end, double silent, const std::vector<RateSpan>& spans) {
  std::vector<std::pair<std::int64_t, double>> lengths;  // rate, length
  for (std::size_t i = 0; i < spans.size() && spans[i].begin < end; ++i)
    lengths.emplace_back(spans[i].rate,
                         std::min(end, i + 1 < spans.size() ? spans[i + 1].begin : end) - spans[i].begin);
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  double left = end - silent, sent = 0;
  for (const auto& [rate, length] : lengths) {
    const double taken = std::min(left, length);
    if (taken <= 0) break;
    sent += static_cast<double>(rate) * taken;
    left -= taken;
  }
  return sent;
}

}  // namespace

Traffic traffic_in_time(const Traffic& traffic, const NetworkSpeeds& speeds) {
  check_speeds(speeds, traffic.senders, traffic.receivers, "speeds");
  Traffic result{traffic.senders, traffic.receivers, detail::distinct_messages(traffic), traffic.decimals};
  for (Message& message : result.messages) {
    const auto time = transfer_time(message.size, speeds.between(message.from, message.to));
    if (!time) checked::overflow("what a message takes");
    message.size = *time;
  }
  return result;
}

double backbone_bound(const std::vector<BackboneChange>& backbone, double setup, std::int64_t volume,
                      std::int64_t longest, std::int64_t steps) {
  const std::vector<RateSpan> spans = rates_of(backbone, setup + static_cast<double>(longest));
  const double silent = setup * static_cast<double>(steps);
  const double wanted = static_cast<double>(volume) * (1 - 1e-12);
  double low = silent, high = silent + static_cast<double>(volume);  // at least one transfer at a time
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (sent_until(middle, silent, spans) < wanted ? low : high) = middle;
  }
  constexpr double kSlack = 1e-6;
  constexpr double kExact = 1e9;  // doubles below it have room for kSlack
  return setup == std::floor(setup) && low < kExact ? std::ceil(low - kSlack) : low;
}

Cost lower_bound(const Traffic& traffic, std::int64_t max_transfers, double setup, const NetworkSpeeds& speeds) {
  const Traffic in_time = traffic_in_time(traffic, speeds);
  Cost bound = lower_bound(in_time, max_transfers, setup);
  if (speeds.backbone.empty() || in_time.messages.empty()) return bound;
  std::int64_t volume = 0, longest = 0;
  for (const Message& message : in_time.messages) {
    volume += message.size;  // lower_bound has added them up
    longest = std::max(longest, message.size);
  }
  bound.total = std::max(bound.total, backbone_bound(speeds.backbone, setup, volume, longest, bound.steps));
  return bound;
}

}  // namespace sluice
