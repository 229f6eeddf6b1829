#include "run/mpi/redistribute/copy_axis.hpp"

#include <algorithm>
#include <utility>

namespace sluice::mpi::detail {

CopyAxis::Cursor CopyAxis::seek(std::int64_t position) const {
  const std::int64_t shifted = position + lead;
  const std::int64_t period = shifted / per_period;
  const std::int64_t rest = shifted - period * per_period;
  const auto after = std::ranges::upper_bound(runs, rest, {}, &Run::first);
  const auto run = static_cast<std::size_t>(after - runs.begin()) - 1;
  return {run, rest - runs[run].first, period * from_stride, period * to_stride};
}

namespace {

/// Exchanges the roles: as if the receiver's part were the sender's.
IndexRuns from_receiver(IndexRuns runs) {
  for (IndexRun& run : runs.runs) std::swap(run.from, run.to);
  std::swap(runs.from_stride, runs.to_stride);
  return runs;
}

}  // namespace

CopyAxis copy_axis(const IndexRuns& runs, CopyKind kind) {
  if (kind == CopyKind::kPassOn) return copy_axis(from_receiver(runs), CopyKind::kPack);
  CopyAxis axis;
  axis.count = runs.count();
  if (axis.count == 0) return axis;
  axis.lead = runs.runs.front().first < 0 ? -runs.runs.front().first : 0;
  axis.per_period = 0;
  for (const IndexRun& run : runs.runs) axis.per_period += run.length;
  const bool repeats = axis.count + axis.lead > axis.per_period;
  axis.from_stride = !repeats ? 0 : kind == CopyKind::kUnpack ? axis.per_period : runs.from_stride;
  axis.to_stride = !repeats ? 0 : kind == CopyKind::kPack ? axis.per_period : runs.to_stride;

  std::int64_t first = 0;
  axis.runs.reserve(runs.runs.size());
  for (const IndexRun& run : runs.runs) {
    const std::int64_t from = kind == CopyKind::kUnpack ? first - axis.lead : run.from.value;
    const std::int64_t to = kind == CopyKind::kPack ? first - axis.lead : run.to.value;
    CopyAxis::Run* last = axis.runs.empty() ? nullptr : &axis.runs.back();
    if (last != nullptr && last->from + last->length == from && last->to + last->length == to) {
      last->length += run.length;
    } else {
      axis.runs.push_back({first, run.length, from, to});
    }
    first += run.length;
  }
  CopyAxis::Run& run = axis.runs.front();
  if (axis.runs.size() == 1 &&
      (!repeats || (axis.from_stride == axis.per_period && axis.to_stride == axis.per_period))) {
    run = {0, axis.count, run.from + axis.lead, run.to + axis.lead};
    axis.lead = axis.from_stride = axis.to_stride = 0;
    axis.per_period = axis.count;
  }
  const bool same = std::ranges::all_of(axis.runs, [&](const CopyAxis::Run& r) { return r.length == run.length; });
  axis.uniform = same ? run.length : 0;
  return axis;
}

CopyAxis one_position() {
  CopyAxis axis;
  axis.runs.push_back({0, 1, 0, 0});
  axis.count = axis.uniform = 1;
  return axis;
}

CopyAxis scaled(CopyAxis axis, std::int64_t factor) {
  for (CopyAxis::Run& run : axis.runs) {
    run.first *= factor;
    run.length *= factor;
    run.from *= factor;
    run.to *= factor;
  }
  axis.per_period = axis.count == 0 ? 1 : axis.per_period * factor;
  axis.count *= factor;
  axis.lead *= factor;
  axis.from_stride *= factor;
  axis.to_stride *= factor;
  axis.uniform *= factor;
  axis.granule *= factor;
  return axis;
}

}  // namespace sluice::mpi::detail
