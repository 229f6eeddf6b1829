#include "run/mpi/reduce/piece_elements.hpp"

#include <algorithm>
#include <utility>

namespace sluice::mpi::detail {

void PieceElements::Room::include(std::int64_t from, std::int64_t to) {
  const bool empty = begin == end;
  begin = empty ? from : std::min(begin, from);
  end = empty ? to : std::max(end, to);
}

std::vector<PieceElements::Part> PieceElements::parts_of(std::int64_t begin, std::int64_t end,
                                                         std::size_t receives) const {
  std::vector<Part> parts{{begin, end, true}};
  for (std::size_t i = 0; i < receives; ++i) {
    const PieceReceive& receive = program_.receives[i];
    if (!receive.combine || receive.begin >= end || begin >= receive.end) continue;
    std::vector<Part> cut;
    for (const Part& part : parts) {
      const std::int64_t from = std::clamp(receive.begin, part.begin, part.end);
      const std::int64_t to = std::clamp(receive.end, part.begin, part.end);
      if (!part.first || from == to) {
        cut.push_back(part);
        continue;
      }
      if (part.begin < from) cut.push_back({part.begin, from, true});
      cut.push_back({from, to, false});
      if (to < part.end) cut.push_back({to, part.end, true});
    }
    parts = std::move(cut);
  }
  return parts;
}

bool PieceElements::has_gathered(std::size_t receives, std::int64_t begin, std::int64_t end) const {
  return std::any_of(
      program_.receives.begin(), program_.receives.begin() + static_cast<std::ptrdiff_t>(receives),
      [&](const PieceReceive& receive) { return !receive.combine && receive.begin < end && begin < receive.end; });
}

PieceElements::PieceElements(const ElementOperation& operation, PieceProgram program, bool root)
    : ElementData(operation), program_(std::move(program)), root_(root), received_(program_.receives.size(), nullptr) {
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const PieceReceive& receive = program_.receives[i];
    (receive.combine ? combined_ : gathered_).include(receive.begin, receive.end);
    if (!receive.combine) gathers_ = true;
    parts_.push_back(receive.combine ? parts_of(receive.begin, receive.end, i) : std::vector<Part>());
  }
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const PieceReceive& receive = program_.receives[i];
    const bool may_be_in_place = root_ && !gathers_;
    if (receive.combine && (may_be_in_place || !direct(i))) longest_ = std::max(longest_, receive.end - receive.begin);
  }
  for (const PieceSend& send : program_.sends) {
    std::vector<Part> parts = parts_of(send.begin, send.end, send.after);
    std::erase_if(parts, [](const Part& part) { return !part.first; });
    const bool untouched = parts.size() == 1 && parts.front().begin == send.begin && parts.front().end == send.end;
    sources_.push_back(has_gathered(send.after, send.begin, send.end) ? Source::kGathered
                       : untouched                                    ? Source::kOwn
                                                                      : Source::kCombined);
    if (sources_.back() == Source::kCombined) combined_.include(send.begin, send.end);
    alone_.push_back(std::move(parts));
  }
  if (root_ && !gathers_) {
    combined_ = {0, all(), nullptr};
    return;
  }
  combined_.at = allocate(combined_.end - combined_.begin);
  if (root_) {
    gathered_ = {0, all(), nullptr};
  } else if (gathers_) {
    gathered_.include(program_.begin, program_.end);
    gathered_.at = allocate(gathered_.end - gathered_.begin);
  }
}

std::vector<std::size_t> PieceElements::awaited(std::size_t send) const {
  const PieceSend& what = program_.sends[send];
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < what.after; ++i) {
    const PieceReceive& receive = program_.receives[i];
    if (receive.begin < what.end && what.begin < receive.end) result.push_back(i);
  }
  return result;
}

void PieceElements::use(const void* own, void* result) {
  own_ = static_cast<const std::byte*>(own);
  if (!root_) return;
  (gathers_ ? gathered_ : combined_).at = static_cast<std::byte*>(result);
  own_in_place_ = !gathers_ && own == MPI_IN_PLACE;
  if (!gathers_ || own != MPI_IN_PLACE) return;
  if (kept_own_ == nullptr) kept_own_ = allocate(all());
  copy(gathered_.at, kept_own_, all());
  own_ = kept_own_;
}

void PieceElements::add_share() {
  const std::int64_t count = program_.end - program_.begin;
  const bool alone = combined_.begin == combined_.end;
  if (count == 0) return;
  copy(alone ? in_own(program_.begin) : in(combined_, program_.begin), in(gathered_, program_.begin), count);
}

void PieceElements::finish() {
  if (!root_) return;
  if (gathers_) {
    add_share();
  } else if (program_.receives.empty() && !own_in_place_) {
    copy(own_, combined_.at, all());
  }
}

std::byte* PieceElements::incoming(std::size_t receive, std::int64_t /*count*/, std::int64_t /*note*/) {
  const PieceReceive& what = program_.receives[receive];
  if (!what.combine) return in(gathered_, what.begin);
  if (direct(receive)) return in(combined_, what.begin);
  const std::scoped_lock lock(mutex_);
  if (free_buffers_.empty()) free_buffers_.push_back(allocate(longest_));
  received_[receive] = free_buffers_.back();
  free_buffers_.pop_back();
  return received_[receive];
}

void PieceElements::arrived(std::size_t receive, const std::function<void()>& look) {
  const PieceReceive& what = program_.receives[receive];
  if (!what.combine) return;
  if (direct(receive)) {
    apply(in_own(what.begin), in(combined_, what.begin), what.end - what.begin, look);
    return;
  }
  for (const Part& part : parts_[receive]) {
    const std::byte* other = received_[receive] + (part.begin - what.begin) * extent();
    const std::int64_t count = part.end - part.begin;
    if (part.first && !own_in_place_) {
      copy(other, in(combined_, part.begin), count);
      other = in_own(part.begin);
    }
    apply(other, in(combined_, part.begin), count, look);
  }
  const std::scoped_lock lock(mutex_);
  free_buffers_.push_back(received_[receive]);
}

TreeMessage PieceElements::outgoing(std::size_t send) {
  const std::int64_t begin = program_.sends[send].begin;
  switch (sources_[send]) {
    case Source::kOwn:
      return {in_own(begin), 0, 0};
    case Source::kCombined:
      for (const Part& part : alone_[send]) copy(in_own(part.begin), in(combined_, part.begin), part.end - part.begin);
      return {in(combined_, begin), 0, 0};
    case Source::kGathered:
      add_share();
      break;
  }
  return {in(gathered_, begin), 0, 0};
}

}  // namespace sluice::mpi::detail
