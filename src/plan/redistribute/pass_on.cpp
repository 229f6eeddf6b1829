#include "plan/redistribute/pass_on.hpp"

#include <algorithm>
#include <utility>

#include "sluice/schedule/cost.hpp"

namespace sluice::detail {
namespace {

std::int64_t parts_of(std::int64_t duration, std::int64_t longest) { return (duration + longest - 1) / longest; }

/// Cuts a step into pieces of nearly equal size; none lasts longer than `longest`.
void cut(const Step& step, std::int64_t longest, std::vector<Step>& pieces) {
  const std::int64_t parts = parts_of(step.duration, longest);
  const std::int64_t piece = parts_of(step.duration, parts);
  for (std::int64_t begin = 0; begin < step.duration; begin += piece) {
    Step& part = pieces.emplace_back();
    for (const Transfer& transfer : step.transfers) {
      const std::int64_t size = std::min(piece, transfer.size - begin);
      if (size <= 0) continue;
      part.transfers.push_back({transfer.from, transfer.to, transfer.offset + begin, size});
      part.duration = std::max(part.duration, size);
    }
  }
}

}  // namespace

Pipeline best_pipeline(std::span<const std::int64_t> durations, std::int64_t chain, double setup,
                       std::int64_t most_steps) {
  constexpr std::int64_t kOneByOne = 64;
  Pipeline best;
  if (durations.empty()) return best;
  const std::int64_t top = *std::max_element(durations.begin(), durations.end());
  std::int64_t transmission = 0;
  for (const std::int64_t duration : durations) transmission += duration;
  for (std::int64_t parts = 1; parts <= top; parts = parts < kOneByOne ? parts + 1 : 2 * parts) {
    const std::int64_t longest = parts_of(top, parts);
    std::int64_t steps = 0;
    std::int64_t longest_piece = 0;
    for (const std::int64_t duration : durations) {
      const std::int64_t piece = parts_of(duration, parts_of(duration, longest));
      steps += parts_of(duration, piece);
      longest_piece = std::max(longest_piece, piece);
    }
    if (parts > 1 && steps > most_steps) break;
    const Cost cost = priced(steps + chain - 1, transmission + (chain - 1) * longest_piece, setup);
    if (parts == 1 || cost.total < best.cost.total) best = {longest, cost};
    if (chain == 1) break;
  }
  return best;
}

std::vector<Step> passed_on(std::vector<Step> steps, const Chains& chains, std::int64_t longest,
                            const std::function<bool(std::int64_t, std::int64_t)>& has) {
  const std::int64_t chain = chains.length();
  if (chain == 1) return steps;
  std::vector<Step> heads;
  for (const Step& step : steps) cut(step, longest, heads);
  std::ranges::stable_sort(heads, [](const Step& a, const Step& b) { return a.duration > b.duration; });
  steps.assign(heads.size() + static_cast<std::size_t>(chain - 1), {});
  for (std::size_t i = 0; i < heads.size(); ++i) {
    for (const Transfer& transfer : heads[i].transfers) {
      std::int64_t from = transfer.from;
      std::int64_t to = transfer.to;
      for (std::size_t later = 0; to < chains.copies * chains.targets; ++later) {
        if (has(to, transfer.from)) break;  // the last of the chain
        Step& step = steps[i + later];
        step.transfers.push_back({from, to, transfer.offset, transfer.size});
        step.duration = std::max(step.duration, transfer.size);
        from = chains.first_passing + to;
        to += chains.heads * chains.targets;
      }
    }
  }
  std::erase_if(steps, [](const Step& step) { return step.transfers.empty(); });
  return steps;
}

}  // namespace sluice::detail
