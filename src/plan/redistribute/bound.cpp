#include "plan/redistribute/bound.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

#include "plan/step_rule.hpp"
#include "sluice/checked.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

namespace {

using LengthsOfProcess = std::vector<std::int64_t>;  ///< message lengths of a process, falling
using Profiles = std::vector<LengthsOfProcess>;

constexpr double kMaximumLengths = 2e7;
constexpr double kMaximumMessages = 1e8;  // to ask all processes for; some seconds

template <class MessagesOf>
Profiles distinct_profiles(std::int64_t processes, MessagesOf&& messages_of) {
  std::set<LengthsOfProcess> distinct;
  for (std::int64_t process = 0; process < processes; ++process) {
    LengthsOfProcess profile;
    for (const AxisMessage& message : messages_of(Coordinate(process))) profile.push_back(message.count);
    std::ranges::sort(profile, std::ranges::greater{});
    distinct.insert(std::move(profile));
  }
  return {distinct.begin(), distinct.end()};
}

/// On whole slices processes of one residue share a profile: one process of each residue is enough.
Profiles sender_profiles(const AxisPattern& pattern) {
  const bool whole = whole_slices(pattern) > 0;
  return distinct_profiles(whole ? paper_grid(pattern).row_period() : pattern.from().processes,
                           [&](Coordinate p) { return pattern.sends(pattern.from().absolute(p.value)); });
}

Profiles receiver_profiles(const AxisPattern& pattern) {
  const bool whole = whole_slices(pattern) > 0;
  return distinct_profiles(whole ? paper_grid(pattern).column_period() : pattern.to().processes,
                           [&](Coordinate q) { return pattern.receives(pattern.to().absolute(q.value)); });
}

/// The largest i-th largest length for each i, over all products of one profile a dimension.
void raise_by_products(std::span<const Profiles> dimensions, const LengthsOfProcess& product,
                       LengthsOfProcess& largest) {
  if (dimensions.empty()) {
    LengthsOfProcess sorted = product;
    std::ranges::sort(sorted, std::ranges::greater{});
    if (largest.size() < sorted.size()) largest.resize(sorted.size(), 0);
    for (std::size_t i = 0; i < sorted.size(); ++i) largest[i] = std::max(largest[i], sorted[i]);
    return;
  }
  for (const LengthsOfProcess& profile : dimensions.front()) {
    LengthsOfProcess longer;
    longer.reserve(product.size() * profile.size());
    for (const std::int64_t a : product) {
      for (const std::int64_t b : profile) longer.push_back(a * b);
    }
    raise_by_products(dimensions.subspan(1), longer, largest);
  }
}

double lengths_of_products(std::span<const Profiles> dimensions) {
  double result = 1;
  for (const Profiles& profiles : dimensions) {
    double lengths = 0;
    for (const LengthsOfProcess& profile : profiles) lengths += static_cast<double>(profile.size());
    result *= lengths;
  }
  return result;
}

std::int64_t largest_degree(std::span<const Profiles> dimensions) {
  std::int64_t result = 1;
  for (const Profiles& profiles : dimensions) {
    std::size_t degree = 0;
    for (const LengthsOfProcess& profile : profiles) degree = std::max(degree, profile.size());
    result = checked::multiply(result, static_cast<std::int64_t>(degree), "bound on steps");
  }
  return result;
}

std::int64_t largest_load(std::span<const Profiles> dimensions) {
  std::int64_t result = 1;
  for (const Profiles& profiles : dimensions) {
    std::int64_t load = 0;
    for (const LengthsOfProcess& profile : profiles) {
      load = std::max(load, std::accumulate(profile.begin(), profile.end(), std::int64_t{0}));
    }
    result *= load;  // at most the number of elements, which fits
  }
  return result;
}

Cost bound_of_profiles(std::span<const Profiles> senders, std::span<const Profiles> receivers) {
  Cost bound;
  bound.steps = std::max(largest_degree(senders), largest_degree(receivers));
  if (lengths_of_products(senders) + lengths_of_products(receivers) > kMaximumLengths) {
    bound.transmission = std::max(largest_load(senders), largest_load(receivers));
    return bound;
  }
  LengthsOfProcess largest;
  raise_by_products(senders, {1}, largest);
  raise_by_products(receivers, {1}, largest);
  for (const std::int64_t length : largest) {
    bound.transmission = checked::add(bound.transmission, length, "bound on transmission");
  }
  return bound;
}

/// How many messages the processes whose profiles are needed have at most.
double messages_to_ask_for(const AxisPattern& pattern) {
  const CommunicationGrid grid = paper_grid(pattern);
  const bool whole = whole_slices(pattern) > 0;
  const auto senders = static_cast<double>(whole ? grid.row_period() : grid.senders());
  const auto receivers = static_cast<double>(whole ? grid.column_period() : grid.receivers());
  const auto extent = static_cast<double>(pattern.extent());
  return std::min(senders * static_cast<double>(grid.max_messages_of_sender()), senders + extent) +
         std::min(receivers * static_cast<double>(grid.max_messages_of_receiver()), receivers + extent);
}

/// What holds without examining any process: the largest degrees of the grid, if it is complete, and average loads.
Cost bound_of_grids(std::span<const AxisPattern> axes) {
  std::int64_t sends = 1, receives = 1, sender_load = 1, receiver_load = 1;
  const auto rounded_up = [](std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); };
  for (const AxisPattern& pattern : axes) {
    if (pattern.extent() >= pattern.slice()) {
      const CommunicationGrid grid = paper_grid(pattern);
      sends = checked::multiply(sends, grid.max_messages_of_sender(), "bound on steps");
      receives = checked::multiply(receives, grid.max_messages_of_receiver(), "bound on steps");
    }
    sender_load *= rounded_up(pattern.extent(), pattern.from().processes);  // at most the number of elements
    receiver_load *= rounded_up(pattern.extent(), pattern.to().processes);
  }
  return {std::max(sends, receives), std::max(sender_load, receiver_load), 0};
}

}  // namespace

Cost whole_message_bound(std::span<const AxisPattern> axes, double setup) {
  Cost bound;
  double messages = 0;
  for (const AxisPattern& pattern : axes) messages += messages_to_ask_for(pattern);
  if (messages > kMaximumMessages) {
    bound = bound_of_grids(axes);
  } else {
    std::vector<Profiles> senders, receivers;
    for (const AxisPattern& pattern : axes) {
      senders.push_back(sender_profiles(pattern));
      receivers.push_back(receiver_profiles(pattern));
    }
    bound = bound_of_profiles(senders, receivers);
  }
  return priced(bound.steps, bound.transmission, setup);
}

}  // namespace sluice::detail
