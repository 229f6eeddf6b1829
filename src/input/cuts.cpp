#include "sluice/input/cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

void check_cuts(const Cuts& cuts, std::int64_t processes, const std::string& where) {
  const std::vector<std::int64_t>& at = cuts.at;
  if (at.empty()) throw InputError(where, "no cuts", "0 first, and the extent last");
  if (static_cast<std::int64_t>(at.size()) > kMostBlocksOfCuts + 1)
    throw InputError(where, count_text(at.size() - 1, "block"), fmt::format("at most {}", kMostBlocksOfCuts));
  if (at.front() != 0) throw InputError(where, fmt::format("a first cut at {}", at.front()), "0");
  const auto falls = std::adjacent_find(at.begin(), at.end(), std::greater_equal{});
  if (falls != at.end())
    throw InputError(where, fmt::format("a cut at {} behind one at {}", *std::next(falls), *falls),
                     "cuts that rise, up to the extent");
  const std::vector<std::int64_t>& owners = cuts.owners;
  if (owners.empty()) return;
  if (owners.size() != at.size() - 1)
    throw InputError(where, fmt::format("{} owners of {}", owners.size(), count_text(at.size() - 1, "block")),
                     "one per block");
  for (const std::int64_t owner : owners) {
    if (owner < 0 || owner >= processes)
      throw InputError(where, fmt::format("process {} as the owner of a block", owner),
                       index_text(processes, "process"));
  }
}

}  // namespace

IrregularBlocks::IrregularBlocks(Cuts cuts, std::int64_t processes, const std::string& where)
    : cuts_((check_cuts(cuts, processes, where), std::move(cuts))), processes_(processes) {
  const auto blocks = static_cast<std::size_t>(count());
  by_owner_.resize(blocks);
  std::iota(by_owner_.begin(), by_owner_.end(), 0);
  std::ranges::stable_sort(by_owner_, {}, [&](std::int64_t number) { return owner(number); });
  local_begins_.resize(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const bool follows = i > 0 && owner(by_owner_[i - 1]) == owner(by_owner_[i]);
    const std::int64_t before = follows ? by_owner_[i - 1] : 0;
    local_begins_[static_cast<std::size_t>(by_owner_[i])] =
        follows ? local_begins_[static_cast<std::size_t>(before)] + begin(before + 1) - begin(before) : 0;
  }
}

std::int64_t IrregularBlocks::block_of(GlobalIndex global) const {
  return std::ranges::upper_bound(cuts_.at, global.value) - cuts_.at.begin() - 1;
}

LocalIndex IrregularBlocks::local(GlobalIndex global) const {
  const std::int64_t number = block_of(global);
  return LocalIndex(local_begins_[static_cast<std::size_t>(number)] + global.value - begin(number));
}

GlobalIndex IrregularBlocks::global(Coordinate process, LocalIndex local) const {
  const std::span<const std::int64_t> own = blocks_of(process);
  const auto begins = [&](std::int64_t number) { return local_begins_[static_cast<std::size_t>(number)]; };
  const std::int64_t number = *std::prev(std::ranges::upper_bound(own, local.value, {}, begins));
  return GlobalIndex(begin(number) + local.value - begins(number));
}

std::span<const std::int64_t> IrregularBlocks::blocks_of(Coordinate process) const {
  const auto owner_of = [&](std::int64_t number) { return owner(number); };
  const auto first = std::ranges::lower_bound(by_owner_, process, {}, owner_of);
  const auto last = std::ranges::upper_bound(by_owner_, process, {}, owner_of);
  return {first, last};
}

std::int64_t IrregularBlocks::local_extent(Coordinate process) const {
  const std::span<const std::int64_t> own = blocks_of(process);
  if (own.empty()) return 0;
  return local_begins_[static_cast<std::size_t>(own.back())] + begin(own.back() + 1) - begin(own.back());
}

std::int64_t IrregularBlocks::largest_local_extent() const {
  std::int64_t result = 0;
  for (std::int64_t number = 0; number < count(); ++number)
    result = std::max(result, local_begins_[static_cast<std::size_t>(number)] + begin(number + 1) - begin(number));
  return result;
}

}  // namespace sluice
