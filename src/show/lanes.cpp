#include "show/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::detail {

namespace {

/// The lanes of one side; `lanes` gets how many each node has.
std::vector<std::int64_t> place(const Timeline& timeline, std::int64_t nodes, std::int64_t TimelineTransfer::*node,
                                double TimelineTransfer::*start, double TimelineTransfer::*end,
                                std::vector<std::int64_t>& lanes) {
  const std::vector<TimelineTransfer>& transfers = timeline.transfers;
  std::vector<std::size_t> order(transfers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return transfers[a].*start < transfers[b].*start; });
  // Sums of times that follow each other are not exact.
  constexpr double kRounding = 1e-9;
  const double rounding = kRounding * timeline.length;
  std::vector<std::vector<double>> free_at(static_cast<std::size_t>(nodes));
  std::vector<std::int64_t> result(transfers.size());
  for (const std::size_t i : order) {
    const TimelineTransfer& each = transfers[i];
    std::vector<double>& of_node = free_at[static_cast<std::size_t>(each.*node)];
    auto lane =
        std::find_if(of_node.begin(), of_node.end(), [&](double free) { return free <= each.*start + rounding; });
    if (lane == of_node.end()) lane = of_node.insert(lane, 0);
    *lane = each.*end;
    result[i] = lane - of_node.begin();
  }
  lanes.assign(static_cast<std::size_t>(nodes), 1);
  for (std::size_t n = 0; n < free_at.size(); ++n)
    lanes[n] = std::max<std::int64_t>(1, static_cast<std::int64_t>(free_at[n].size()));
  return result;
}

}  // namespace

Lanes lanes_of(const Timeline& timeline) {
  Lanes lanes;
  lanes.send = place(timeline, timeline.senders, &TimelineTransfer::from, &TimelineTransfer::start,
                     &TimelineTransfer::sender_free, lanes.sends);
  lanes.receive = place(timeline, timeline.receivers, &TimelineTransfer::to, &TimelineTransfer::receive_start,
                        &TimelineTransfer::end, lanes.receives);
  return lanes;
}

}  // namespace sluice::detail
