#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input/shown_text.hpp"
#include "schedule/foreign/comment_collective.hpp"
#include "schedule/foreign/lines.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"

namespace sluice::detail {

namespace {

struct Move {
  std::int64_t step = 0;
  std::int32_t from = 0, to = 0, chunk = 0, line = 0;
  bool adds = false;
};

class MovesReader {
 public:
  MovesReader(std::istream& in, const std::string& file) : lines_(in, file), builder_(file) {}

  PlacedSchedule read() {
    PlacedSchedule& to = builder_.schedule;
    to.format = PlacedFormat::kMoves;
    to.named = to.in_place = true;
    to.out_of_place = false;
    bool has_header = false;
    while (lines_.next()) {
      const std::string_view text = lines_.text();
      const std::size_t begin = text.find_first_not_of(" \t");
      if (begin == std::string_view::npos) continue;
      if (text[begin] == '#') {
        if (moves_.empty() && !to.problem) take_comment_collective(text.substr(begin + 1), builder_);
        continue;
      }
      if (has_header)
        take_move(text);
      else
        take_header(text);
      has_header = true;
    }
    if (moves_.empty()) lines_.fail("no move", "one at least");
    return place_moves();
  }

 private:
  static constexpr std::size_t kFields = 5;

  std::array<std::string_view, kFields> fields(std::string_view text) const {
    std::array<std::string_view, kFields> result;
    for (std::size_t field = 0; field < kFields; ++field) {
      const std::size_t comma = text.find(',');
      if ((comma == std::string_view::npos) != (field + 1 == kFields))
        lines_.fail(fmt::format("`{}`", shown(lines_.text())), "step,from,to,chunk,op");
      std::string_view one = text.substr(0, comma);
      one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
      one = one.substr(0, one.find_last_not_of(" \t") + 1);
      result[field] = one;
      if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
    }
    return result;
  }

  void take_header(std::string_view text) const {
    constexpr std::array<std::string_view, kFields> kHeader{"step", "from", "to", "chunk", "op"};
    if (fields(text) != kHeader) lines_.fail(fmt::format("`{}`", shown(text)), "step,from,to,chunk,op");
  }

  std::int64_t number(std::string_view text, const char* what, std::int64_t most) const {
    const auto value = whole_number(text, 0, most);
    if (!value) lines_.fail(fmt::format("{} {}", what, shown(text)), fmt::format("an integer from 0 to {}", most));
    return *value;
  }

  void take_move(std::string_view text) {
    const auto [step, from, to, chunk, op] = fields(text);
    Move move;
    move.step = number(step, "step", std::int64_t{1} << 62);
    move.from = static_cast<std::int32_t>(number(from, "from", kMostPlacedRanks - 1));
    move.to = static_cast<std::int32_t>(number(to, "to", kMostPlacedRanks - 1));
    move.chunk = static_cast<std::int32_t>(number(chunk, "chunk", kMostPlacedChunks - 1));
    move.line = static_cast<std::int32_t>(lines_.line());
    if (move.from == move.to) lines_.fail(fmt::format("a move from {} to itself", from), "two ranks");
    move.adds = op == "add";
    if (!move.adds && op != "copy") lines_.fail(fmt::format("op {}", shown(op)), "copy or add");
    if (2 * static_cast<std::int64_t>(moves_.size()) >= kMostPlacedOperations)
      lines_.fail(fmt::format("move {}", moves_.size() + 1), fmt::format("at most {}", kMostPlacedOperations / 2));
    ranks_ = std::max({ranks_, move.from + std::int64_t{1}, move.to + std::int64_t{1}});
    builder_.schedule.chunks = std::max(builder_.schedule.chunks, move.chunk + std::int64_t{1});
    moves_.push_back(move);
  }

  /// What a step sends is what was there before it: each rank sends first, then receives.
  PlacedSchedule place_moves() {
    PlacedSchedule& to = builder_.schedule;
    to.ranks = ranks_;
    to.memory.resize(static_cast<std::size_t>(ranks_));
    std::stable_sort(moves_.begin(), moves_.end(), [](const Move& a, const Move& b) { return a.step < b.step; });
    std::vector<std::vector<std::uint32_t>> of_rank(static_cast<std::size_t>(ranks_));
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      of_rank[static_cast<std::size_t>(moves_[i].from)].push_back(static_cast<std::uint32_t>(i));
      of_rank[static_cast<std::size_t>(moves_[i].to)].push_back(static_cast<std::uint32_t>(i));
    }
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      const std::vector<std::uint32_t>& own = of_rank[static_cast<std::size_t>(rank)];
      builder_.add_worker(rank, 0, 0);
      for (std::size_t begin = 0, end = 0; begin < own.size(); begin = end) {
        while (end < own.size() && moves_[own[end]].step == moves_[own[begin]].step) ++end;
        for (std::size_t i = begin; i < end; ++i) {
          if (moves_[own[i]].from == rank) add_send(moves_[own[i]]);
        }
        for (std::size_t i = begin; i < end; ++i) {
          if (moves_[own[i]].to == rank) add_receive(moves_[own[i]]);
        }
      }
    }
    return builder_.finish(lines_.line());
  }

  PlacedOperation& add(PlacedOperation::Kind kind, const Move& move) {
    PlacedOperation& added = builder_.add(kind, builder_.schedule.workers.back().operation_count, move.line);
    added.amount = 1;
    return added;
  }
  void add_send(const Move& move) {
    add(PlacedOperation::Kind::kSend, move).sends = builder_.connection(move.from, move.to, 0);
    builder_.source({move.from, PlacedRange::Buffer::kInput, false, move.chunk, 1});
  }
  void add_receive(const Move& move) {
    add(PlacedOperation::Kind::kReceive, move).receives = builder_.connection(move.from, move.to, 0);
    const PlacedRange place{move.to, PlacedRange::Buffer::kInput, false, move.chunk, 1};
    if (move.adds) builder_.source(place);
    builder_.target(place);
  }

  TextLines lines_;
  PlacedBuilder builder_;
  std::vector<Move> moves_;
  std::int64_t ranks_ = 0;
};

}  // namespace

PlacedSchedule read_moves(std::istream& in, const std::string& file) { return MovesReader(in, file).read(); }

}  // namespace sluice::detail
