#include "schedule/replica_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "schedule/cover.hpp"
#include "schedule/range_text.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

/// A message of one copy, by receiver, and where it begins in what that one gets.
struct PlacedPart {
  std::int64_t to;
  std::int64_t from;
  std::int64_t begin;
  std::int64_t end;
};

std::vector<PlacedPart> placed(const std::vector<Message>& messages) {
  std::vector<PlacedPart> parts;
  for (const Message& message : messages) parts.push_back({message.to, message.from, 0, message.size});
  std::ranges::sort(
      parts, [](const PlacedPart& a, const PlacedPart& b) { return std::tie(a.to, a.from) < std::tie(b.to, b.from); });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].to != parts[i - 1].to) continue;
    parts[i].begin = parts[i - 1].end;
    parts[i].end += parts[i].begin;
  }
  return parts;
}

/// Judges the pieces, sorted by (to, offset, step).
class ReplicaJudge {
 public:
  ReplicaJudge(const std::vector<SchedulePiece>& pieces, std::int64_t sources, std::int64_t targets,
               std::int64_t first_passing)
      : pieces_(pieces), sources_(sources), targets_(targets), first_passing_(first_passing) {}

  /// `parts`: null, or the parts that each process of one copy gets, with their senders.
  std::vector<Violation> run(std::int64_t receivers, const std::vector<PlacedPart>* parts) {
    for (const SchedulePiece& piece : pieces_) {
      if (piece.size == 0) continue;
      if (piece.from >= first_passing_) {
        check_passed_on(piece);
      } else if (parts != nullptr) {
        check_from_source(piece, *parts);
      }
    }
    std::map<std::int64_t, std::int64_t> sizes;  // by process of a copy: what it gets
    if (parts != nullptr) {
      for (const PlacedPart& part : *parts) sizes[part.to] = part.end;
    } else {
      for (const SchedulePiece& piece : pieces_) {
        std::int64_t& size = sizes[piece.to % targets_];
        size = std::max(size, piece.size == 0 ? 0 : piece.offset + piece.size);
      }
    }
    std::map<std::int64_t, std::int64_t> copies;  // that get anything
    for (auto first = pieces_.begin(); first != pieces_.end();) {
      const auto last =
          std::find_if(first, pieces_.end(), [&](const SchedulePiece& each) { return each.to != first->to; });
      const auto size = sizes.find(first->to % targets_);
      check_cover(first, last, size == sizes.end() ? 0 : size->second);
      ++copies[first->to % targets_];
      first = last;
    }
    for (const auto& [process, size] : sizes) {
      const std::int64_t without = receivers / targets_ - copies[process];
      if (size == 0 || without <= 0) continue;
      std::int64_t to = process;
      for (auto [first, last] = pieces_to(to); first != last; std::tie(first, last) = pieces_to(to)) to += targets_;
      report(-1, to, "what receiver {} gets, {}, is in no step{}", to, count_text(size, "unit"),
             without == 1 ? "" : fmt::format(", as for {} more of its copies", without - 1));
    }
    return std::move(violations_);
  }

 private:
  using Pieces = std::vector<SchedulePiece>::const_iterator;

  template <class... Args>
  void report(std::int64_t step, std::int64_t rank, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({step, rank, fmt::format(reason, std::forward<Args>(args)...)});
  }
  [[nodiscard]] std::pair<Pieces, Pieces> pieces_to(std::int64_t to) const {
    const auto first =
        std::ranges::lower_bound(pieces_, to, std::ranges::less{}, [](const SchedulePiece& piece) { return piece.to; });
    const auto last =
        std::ranges::upper_bound(pieces_, to, std::ranges::less{}, [](const SchedulePiece& piece) { return piece.to; });
    return {first, last};
  }

  void check_from_source(const SchedulePiece& piece, const std::vector<PlacedPart>& parts) {
    const std::pair wanted(piece.to % targets_, piece.from % sources_);
    const auto part = std::ranges::lower_bound(parts, wanted, std::ranges::less{},
                                               [](const PlacedPart& each) { return std::pair(each.to, each.from); });
    if (part == parts.end() || std::pair(part->to, part->from) != wanted) {
      report(piece.step, piece.from, "the traffic has no message from sender {} to receiver {}", piece.from, piece.to);
    } else if (piece.offset < part->begin || piece.offset + piece.size > part->end) {
      report(piece.step, piece.from, "units {} of what receiver {} gets are not sender {}'s, which has units {} of it",
             range_text(piece.offset, piece.offset + piece.size - 1), piece.to, piece.from,
             range_text(part->begin, part->end - 1));
    }
  }

  /// Whether the sender is a receiver that stands for the same process of another copy, and has got all of the piece.
  void check_passed_on(const SchedulePiece& piece) {
    const std::int64_t passing = piece.from - first_passing_;
    if (passing % targets_ != piece.to % targets_) {
      report(piece.step, piece.from, "receiver {} passes on to receiver {}, which is not the same process of a copy",
             passing, piece.to);
      return;
    }
    const auto [first, last] = pieces_to(passing);
    std::int64_t had = piece.offset;  // up to here
    const std::int64_t end = piece.offset + piece.size;
    // The last piece that begins at or before this one, and later ones.
    auto at = std::upper_bound(first, last, piece.offset,
                               [](std::int64_t offset, const SchedulePiece& each) { return offset < each.offset; });
    if (at != first) --at;
    for (; at != first && std::prev(at)->offset == at->offset; --at) {
    }
    for (; at != last && at->offset <= had && had < end; ++at)
      if (at->step < piece.step) had = std::max(had, at->offset + at->size);
    if (had < end)
      report(piece.step, piece.from,
             "receiver {} passes on units {} to receiver {} and has got unit {} in no step before", passing,
             range_text(piece.offset, end - 1), piece.to, had);
  }

  /// Checks whether the pieces [first, last), all to one receiver, cover [0, size) once.
  void check_cover(Pieces first, Pieces last, std::int64_t size) {
    const std::int64_t to = first->to;
    if (std::any_of(first, last, [](const SchedulePiece& piece) { return piece.size == 0; })) return;
    detail::check_cover(
        first, last, size,
        [&](const SchedulePiece& piece, std::int64_t begin, std::int64_t end) {
          report(piece.step, piece.from, "units {} to receiver {} are beyond the {} that it gets",
                 range_text(begin, end - 1), to, count_text(size, "unit"));
        },
        [&](std::int64_t begin, std::int64_t end) {
          report(-1, to, "units {} of what receiver {} gets are in no step", range_text(begin, end - 1), to);
        },
        [&](const SchedulePiece& piece, std::int64_t begin, std::int64_t end) {
          report(piece.step, piece.from, "units {} of what receiver {} gets were sent already",
                 range_text(begin, end - 1), to);
        });
  }

  const std::vector<SchedulePiece>& pieces_;
  std::int64_t sources_;
  std::int64_t targets_;
  std::int64_t first_passing_;
  std::vector<Violation> violations_;
};

}  // namespace

ReplicaPieces::ReplicaPieces(const StepSchedule& schedule)
    : schedule_(schedule), first_passing_(schedule.first_passing()) {}

std::string ReplicaPieces::count_fault(const Traffic* traffic) const {
  const std::int64_t from = schedule_.input->from_replicas;
  const std::int64_t to = schedule_.input->to_replicas;
  if (from < 1 || to < 1)
    return fmt::format("{} of the source, {} of the target, must be at least 1", count_text(from, "copy", "copies"),
                       to);
  if (schedule_.senders < 1 || schedule_.receivers < 1 || first_passing_ < 1 || first_passing_ % from != 0 ||
      schedule_.receivers % to != 0)
    return fmt::format("{} and {} are not {} of the source and {} of the target",
                       count_text(schedule_.senders, "sender"), count_text(schedule_.receivers, "receiver"),
                       count_text(from, "copy", "copies"), to);
  if (schedule_.decimals != 0) return "sizes with decimals beside copies of an array";
  if (traffic == nullptr) return "";
  if (first_passing_ / from != traffic->senders)
    return fmt::format("{} in a copy of the source, the traffic has {}",
                       count_text(first_passing_ / from, "process", "processes"), traffic->senders);
  if (schedule_.receivers / to != traffic->receivers)
    return fmt::format("{} in a copy of the target, the traffic has {}",
                       count_text(schedule_.receivers / to, "process", "processes"), traffic->receivers);
  return "";
}

void ReplicaPieces::set_roles(const std::vector<std::int64_t>& roles) {
  if (!sound_) return;
  for (std::int64_t s = 0; s < first_passing_; ++s)
    sender_of_receiver_.emplace_back(roles[static_cast<std::size_t>(s)], s);
  std::ranges::sort(sender_of_receiver_);
}

std::int64_t ReplicaPieces::process_that_sends(std::int64_t sender) const {
  if (sender < first_passing_) return sender;
  const std::pair<std::int64_t, std::int64_t> receiver(sender - first_passing_, 0);
  const auto self = std::ranges::lower_bound(sender_of_receiver_, receiver);
  return self != sender_of_receiver_.end() && self->first == receiver.first ? self->second : sender;
}

std::vector<Violation> ReplicaPieces::faults(std::vector<SchedulePiece>& pieces, const std::vector<Message>* messages,
                                             const Traffic* traffic) const {
  if (!sound_ || (messages != nullptr && traffic == nullptr)) return {};
  const auto key = [](const SchedulePiece& piece) { return std::tie(piece.to, piece.offset, piece.step); };
  std::ranges::sort(pieces, [&](const SchedulePiece& a, const SchedulePiece& b) { return key(a) < key(b); });
  const std::int64_t sources = first_passing_ / schedule_.input->from_replicas;
  const std::int64_t targets = schedule_.receivers / schedule_.input->to_replicas;
  ReplicaJudge judge(pieces, sources, targets, first_passing_);
  if (messages == nullptr) return judge.run(schedule_.receivers, nullptr);
  const std::vector<PlacedPart> parts = placed(*messages);
  return judge.run(schedule_.receivers, &parts);
}

}  // namespace sluice::detail
