#include "run/mpi/engine/chain_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/slot_chains.hpp"

namespace sluice::mpi::detail {
namespace {

/// The transfers of a schedule that go over a link, in steps of their own.
struct OverLink {
  StepSchedule schedule;
  std::vector<std::size_t> numbers;  ///< by transfer: its number in the whole schedule
  bool fits = true;                  ///< no step has more than the link carries
};

OverLink over(const SharedLink& link, const StepSchedule& schedule) {
  OverLink result;
  std::size_t number = 0;
  for (const Step& step : schedule.steps) {
    Step of_link;
    for (const Transfer& transfer : step.transfers) {
      if (std::ranges::binary_search(link.from, transfer.from) && std::ranges::binary_search(link.to, transfer.to)) {
        of_link.transfers.push_back(transfer);
        result.numbers.push_back(number);
      }
      ++number;
    }
    result.fits = result.fits && static_cast<std::int64_t>(of_link.transfers.size()) <= link.max_transfers;
    result.schedule.steps.push_back(std::move(of_link));
  }
  return result;
}

}  // namespace

sluice::detail::Lists<std::uint32_t> waits_in_chain(const StepSchedule& schedule, std::int64_t slots,
                                                    std::span<const SharedLink> links) {
  std::vector<const Transfer*> transfers;
  for (const Step& step : schedule.steps)
    for (const Transfer& transfer : step.transfers) transfers.push_back(&transfer);
  std::vector<std::vector<std::uint32_t>> waits(transfers.size());
  const auto add = [&](std::size_t transfer, std::size_t before) {
    if (transfers[transfer]->to == transfers[before]->to) return;
    std::vector<std::uint32_t>& known = waits[transfer];
    if (std::ranges::find(known, before) == known.end()) known.push_back(static_cast<std::uint32_t>(before));
  };
  if (slots > 0) {
    const std::vector<std::size_t> before = sluice::detail::transfers_before(schedule, slots);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != sluice::detail::kFirstOfSlot) add(i, before[i]);
  }
  for (const SharedLink& link : links) {
    if (!link.limits()) continue;
    const OverLink of_link = over(link, schedule);
    if (!of_link.fits) continue;
    const std::vector<std::size_t> before = sluice::detail::transfers_before(of_link.schedule, link.max_transfers);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != sluice::detail::kFirstOfSlot) add(of_link.numbers[i], of_link.numbers[before[i]]);
  }
  sluice::detail::Lists<std::uint32_t> result;
  for (const std::vector<std::uint32_t>& each : waits) result.add(each);
  return result;
}

}  // namespace sluice::mpi::detail
