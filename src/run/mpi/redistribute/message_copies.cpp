#include "run/mpi/redistribute/message_copies.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "run/mpi/runtime/copy_bytes.hpp"

namespace sluice::mpi::detail {

using sluice::detail::Positions;

MessageCopies::MessageCopies(const Participation& part, CopyKind kind, std::span<const Rank> peers) : kind_(kind) {
  if (peers.empty()) return;
  fetches_ =
      kind != CopyKind::kUnpack &&
      outgrows_cache((kind == CopyKind::kPassOn ? part.target_elements() : part.source_elements()) * part.element_size);
  streams_ = (kind == CopyKind::kUnpack || kind == CopyKind::kMove) &&
             outgrows_cache(part.target_elements() * part.element_size);
  const RedistributionProblem& problem = part.problem;
  const bool at_receiver = kind == CopyKind::kUnpack || kind == CopyKind::kPassOn;
  const Distribution& other = at_receiver ? problem.from() : problem.to();
  const Distribution& here = at_receiver ? problem.to() : problem.from();
  const Rank own(at_receiver ? part.receiver : part.sender);
  dimensions_ = levels_ = problem.dimensions();
  const auto dimension = [&](std::size_t level) {
    return part.order == StorageOrder::kRowMajor ? level : dimensions_ - 1 - level;
  };

  axes_.reserve(dimensions_ + 1);
  axes_.resize(dimensions_);
  slots_.resize(peers.size() * dimensions_);
  std::vector<Coordinate> met;  // in a dimension, sorted; a slot is a place among them
  std::vector<std::vector<std::shared_ptr<const Positions>>> positions(problem.has_part() ? dimensions_ : 0);
  for (std::size_t level = 0; level < dimensions_; ++level) {
    const std::size_t d = dimension(level);
    const auto coordinate_in = [&](const Distribution& grid, Rank process) {
      return Coordinate(process.value / grid.rank_step(d) % grid.axis(d).processes);
    };
    const auto coordinate = [&](Rank peer) { return coordinate_in(other, peer); };
    const Coordinate at = coordinate_in(here, own);
    met.clear();
    met.reserve(peers.size());
    std::ranges::transform(peers, std::back_inserter(met), coordinate);
    std::ranges::sort(met);
    met.erase(std::unique(met.begin(), met.end()), met.end());
    for (std::size_t m = 0; m < peers.size(); ++m) {
      const auto place = std::ranges::lower_bound(met, coordinate(peers[m])) - met.begin();
      slots_[m * dimensions_ + level] = static_cast<std::uint32_t>(place);
    }
    axes_[level].reserve(met.size());
    for (const Coordinate peer : met) {
      const AxisPattern& pattern = problem.axis(d);
      const IndexRuns runs = at_receiver ? pattern.runs(peer, at) : pattern.runs(at, peer);
      axes_[level].push_back(copy_axis(runs, kind));
      if (problem.has_part()) positions[level].push_back(std::make_shared<const Positions>(runs));
    }
  }

  const auto steps = [&](bool dense, const PartStorage& storage) {
    Steps result{};
    for (std::size_t level = 0; level < dimensions_ && !dense; ++level) result[level] = storage.steps[dimension(level)];
    return result;
  };
  from_step_ = steps(kind == CopyKind::kUnpack, kind == CopyKind::kPassOn ? part.target : part.source);
  to_step_ = steps(kind == CopyKind::kPack || kind == CopyKind::kPassOn, part.target);
  const std::int64_t in_target = kind == CopyKind::kPassOn ? from_step_[dimensions_ - 1] : to_step_[dimensions_ - 1];
  if (kind != CopyKind::kPack && in_target != 0 && in_target != part.element_size) {
    element_bytes_ = part.element_size;
    axes_.push_back({scaled(one_position(), element_bytes_)});
  } else {
    for (CopyAxis& axis : axes_.back()) axis = scaled(std::move(axis), part.element_size);
  }
  if (!problem.has_part()) {
    merge_levels();
    return;
  }
  const sluice::detail::PartEdge edge =
      sluice::detail::part_edge(problem.part(), problem.unit_diagonal(), problem.axis(0).extent(),
                                problem.axis(1).extent(), /*inner_rows=*/dimension(1) == 0);
  for (std::size_t m = 0; m < size(); ++m)
    rows_.emplace_back(positions[0][slots_[2 * m]], positions[1][slots_[2 * m + 1]], edge, part.element_size);
}

void MessageCopies::merge_levels() {
  if (by_element()) return;
  // Only if a row ends where the next one begins: not over gaps. Not for a part of one row: with a single row, the step
  // from one row to the next does not tell.
  while (levels_ > 1 && axes_[levels_ - 1].size() == 1 && axes_[levels_ - 1].front().contiguous()) {
    const CopyAxis::Run& run = axes_[levels_ - 1].front().runs.front();
    if (run.from != 0 || run.to != 0) return;
    const std::int64_t row = axes_[levels_ - 1].front().count;
    const std::size_t next = levels_ - 2;
    if ((from_step_[next] != 0 && from_step_[next] != row) || (to_step_[next] != 0 && to_step_[next] != row)) return;
    for (CopyAxis& axis : axes_[next]) axis = scaled(std::move(axis), row);
    --levels_;
  }
}

BoxCopy MessageCopies::operator[](std::size_t message) const {
  const std::uint32_t* slot = slots_.data() + message * dimensions_;
  std::array<BoxCopy::Level, kMaxDimensions> levels;
  std::int64_t dense = by_element() ? element_bytes_ : 1;
  for (std::size_t l = levels_; l-- > 0;) {
    const CopyAxis& axis = axes_[l][slot[l]];
    levels[l] = {&axis, from_step_[l] != 0 ? from_step_[l] : dense, to_step_[l] != 0 ? to_step_[l] : dense};
    dense *= axis.count;
  }
  BoxCopy box;
  for (std::size_t l = 0; l < levels_; ++l) box.push(levels[l]);
  if (by_element()) box.push({&axes_.back().front(), 1, 1});
  if (!rows_.empty()) box.cut_to(rows_[message], kind_);
  box.pass_cache(fetches_, streams_);
  return box;
}

std::optional<CopyRows> MessageCopies::rows(std::size_t message) const {
  if (by_element() || !rows_.empty() || levels_ > 2) return std::nullopt;
  static const CopyAxis& kOneRow = *new CopyAxis(one_position());  // never destroyed
  const std::uint32_t* slot = slots_.data() + message * dimensions_;
  CopyRows result{&kOneRow, &axes_[levels_ - 1][slot[levels_ - 1]], 0, 0};
  if (levels_ == 1) return result;
  result.slow = &axes_[0][slot[0]];
  result.from_step = from_step_[0] != 0 ? from_step_[0] : result.fast->count;
  result.to_step = to_step_[0] != 0 ? to_step_[0] : result.fast->count;
  return result;
}

}  // namespace sluice::mpi::detail
