#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// Copies of the target in chains: copy t forwards to copy t + heads what it got, one step later.
///
/// Problem: the given steps bring everything to `heads` copies; the result brings it to `copies` copies, in chains of L
/// = ceil(copies / heads). Step i of the result has the transfers of the given step i, and what each copy but the last
/// of a chain got in step i - 1. So a process sends and receives at most once a step, as in the given steps, and NS
/// grows by L - 1. A step lasts as long as the longest of the L given ones that meet in it: with the longest first, TC
/// grows by (L - 1) times the longest. If steps are cut into pieces of at most x, TC grows by (L - 1) x, and each piece
/// costs a set-up. Several x are tried, which cut the longest step into 1, 2, .., 64, 128, ... equal parts; the x of
/// least total is taken.
///
/// Deterministic. O((steps + pieces) log steps).
struct Pipeline {
  std::int64_t longest = 0;  ///< x
  Cost cost;
};
/// `durations`: of the given steps, none 0. `most_steps`: the limit after cutting.
[[nodiscard]] Pipeline best_pipeline(std::span<const std::int64_t> durations, std::int64_t chain, double setup,
                                     std::int64_t most_steps);

/// `targets`: processes of one copy; sender first_passing + j is receiver j. None of the steps is empty.
struct Chains {
  std::int64_t copies = 1;
  std::int64_t heads = 1;
  std::int64_t targets = 0;
  std::int64_t first_passing = 0;

  [[nodiscard]] std::int64_t length() const { return (copies + heads - 1) / heads; }
};
/// `has(receiver, sender)`: whether the last of a chain has what that sender sends, and gets nothing of it.
[[nodiscard]] std::vector<Step> passed_on(std::vector<Step> steps, const Chains& chains, std::int64_t longest,
                                          const std::function<bool(std::int64_t, std::int64_t)>& has);

}  // namespace sluice::detail
