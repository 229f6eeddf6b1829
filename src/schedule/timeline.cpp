#include "sluice/schedule/timeline.hpp"

#include <algorithm>

namespace sluice {

void sort_by_start(Timeline& timeline) {
  std::stable_sort(timeline.transfers.begin(), timeline.transfers.end(),
                   [](const TimelineTransfer& a, const TimelineTransfer& b) { return a.start < b.start; });
  for (const TimelineTransfer& each : timeline.transfers)
    timeline.length = std::max({timeline.length, each.end, each.sender_free});
}

Timeline scaled(Timeline timeline, double factor, std::string_view unit, double origin) {
  for (TimelineTransfer& each : timeline.transfers)
    for (double TimelineTransfer::*time : {&TimelineTransfer::start, &TimelineTransfer::sender_free,
                                           &TimelineTransfer::receive_start, &TimelineTransfer::end})
      each.*time = (each.*time - origin) * factor;
  timeline.length *= factor;
  timeline.unit = unit;
  return timeline;
}

}  // namespace sluice
