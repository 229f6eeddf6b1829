#include "plan/exchange/at_speeds.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "input/distinct_messages.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/time_bound.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kTooLong = std::numeric_limits<std::int64_t>::max();

/// What `size` units take; kTooLong beyond int64.
std::int64_t time_at(std::int64_t size, std::int64_t speed) { return transfer_time(size, speed).value_or(kTooLong); }

/// A piece in its step.
struct PlacedPiece {
  std::size_t step = 0;
  Piece* piece = nullptr;
  std::int64_t planned = 0;  ///< its time
};

/// Gives out the `left` units that rounding down left of a message. First they fill pieces that are shorter than their
/// steps. The rest goes, one unit a piece, to the pieces that lengthen their steps least.
void give_out(std::int64_t left, std::int64_t speed, std::vector<PlacedPiece>& pieces,
              std::vector<std::int64_t>& durations) {
  for (PlacedPiece& each : pieces) {
    const std::int64_t room = size_within(durations[each.step], speed) - each.piece->size;
    const std::int64_t taken = std::min(left, room);
    each.piece->size += taken;
    left -= taken;
    if (left == 0) return;
  }
  // Each of these is as long as its step, and takes a unit at most.
  using Longer = std::pair<std::int64_t, std::size_t>;  // by how much, which piece
  std::vector<Longer> longer;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PlacedPiece& each = pieces[i];
    if (each.piece->size != size_within(each.planned, speed)) continue;  // it took some
    longer.emplace_back(time_at(each.piece->size + 1, speed) - durations[each.step], i);
  }
  SLUICE_ASSERT(std::cmp_less_equal(left, longer.size()), "less than a unit is left for each piece");
  std::partial_sort(longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(left), longer.end());
  for (std::size_t i = 0; i < as_size(left); ++i) {
    PlacedPiece& each = pieces[longer[i].second];
    ++each.piece->size;
    durations[each.step] = std::max(durations[each.step], time_at(each.piece->size, speed));
  }
}

}  // namespace

std::int64_t SpeedDemand::time_of(const Piece& piece) const { return time_at(piece.size, speeds[as_size(piece.edge)]); }

double cost(const SpeedDemand& demand, const PieceSteps& steps) {
  std::int64_t transmission = 0;
  for (const std::vector<Piece>& step : steps) {
    std::int64_t longest = 0;
    for (const Piece& piece : step) longest = std::max(longest, demand.time_of(piece));
    transmission += longest;
  }
  return static_cast<double>(transmission) + demand.times.setup * static_cast<double>(steps.size());
}

SpeedDemand make_speed_demand(const Traffic& traffic, std::int64_t max_transfers, double setup,
                              const NetworkSpeeds& speeds) {
  const Traffic in_time = traffic_in_time(traffic, speeds);
  SpeedDemand demand{make_demand(in_time, max_transfers, setup), {}, {}};
  for (const Message& message : distinct_messages(traffic)) {
    demand.sizes.push_back(message.size);
    demand.speeds.push_back(speeds.between(message.from, message.to));
  }
  SLUICE_ASSERT(demand.sizes.size() == demand.times.edges.size(), "an edge for each message");
  return demand;
}

double backbone_bound(const Demand& times, const NetworkSpeeds& speeds) {
  if (speeds.backbone.empty() || times.edges.empty()) return 0;
  std::int64_t volume = 0, longest = 0;
  for (const Edge& edge : times.edges) {
    volume += edge.weight;
    longest = std::max(longest, edge.weight);
  }
  return sluice::backbone_bound(speeds.backbone, times.setup, volume, longest, eta(times).steps);
}

PieceSteps cut_to_sizes(const SpeedDemand& demand, PieceSteps steps) {
  std::vector<std::int64_t> durations(steps.size(), 0);  // as far as sizes are known
  std::vector<std::int64_t> left = demand.sizes;
  std::vector<std::size_t> first(demand.sizes.size() + 1, 0);
  for (const std::vector<Piece>& step : steps)
    for (const Piece& piece : step) first[as_size(piece.edge) + 1] += piece.size > 0 ? 1 : 0;
  for (std::size_t e = 1; e < first.size(); ++e) first[e] += first[e - 1];
  std::vector<PlacedPiece> placed(first.back());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (Piece& piece : steps[s]) {
      if (piece.size == 0) continue;
      const std::size_t e = as_size(piece.edge);
      placed[next[e]++] = {s, &piece, piece.size};
      piece.size = std::min(left[e], size_within(piece.size, demand.speeds[e]));
      left[e] -= piece.size;
      durations[s] = std::max(durations[s], demand.time_of(piece));
    }
  }
  for (std::size_t e = 0; e < left.size(); ++e) {
    if (left[e] == 0) continue;
    std::vector<PlacedPiece> pieces(placed.begin() + static_cast<std::ptrdiff_t>(first[e]),
                                    placed.begin() + static_cast<std::ptrdiff_t>(first[e + 1]));
    give_out(left[e], demand.speeds[e], pieces, durations);
  }
  return steps;
}

PieceSteps fit_to_backbone(const SpeedDemand& demand, PieceSteps steps, const std::vector<BackboneChange>& backbone) {
  PieceSteps result;
  std::int64_t transmission = 0;
  for (std::vector<Piece>& step : steps) {
    std::erase_if(step, [](const Piece& piece) { return piece.size == 0; });
    std::stable_sort(step.begin(), step.end(),
                     [&](const Piece& a, const Piece& b) { return demand.time_of(a) > demand.time_of(b); });
    for (std::size_t done = 0; done < step.size();) {
      std::size_t count = step.size() - done;
      if (!backbone.empty()) {
        const double begin =
            static_cast<double>(transmission) + demand.times.setup * static_cast<double>(result.size());
        count = as_size(std::min(static_cast<std::int64_t>(count), max_transfers_at(backbone, begin)));
      }
      const auto from = step.begin() + static_cast<std::ptrdiff_t>(done);
      transmission += demand.time_of(*from);
      result.emplace_back(from, from + static_cast<std::ptrdiff_t>(count));
      done += count;
    }
  }
  return result;
}

StepSchedule make_schedule(const SpeedDemand& demand, const Traffic& traffic, PieceSteps steps,
                           const NetworkSpeeds& speeds) {
  StepSchedule schedule = make_schedule_in_order(demand.times, traffic, std::move(steps));
  for (Step& step : schedule.steps) {
    step.duration = 0;
    for (const Transfer& transfer : step.transfers)
      step.duration = std::max(step.duration, time_at(transfer.size, speeds.between(transfer.from, transfer.to)));
  }
  schedule.speeds = speeds;
  return schedule;
}

}  // namespace sluice::detail
