#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "schedule/foreign/checks.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

/// What is in a chunk: nothing, what a rank had at the start, or a sum of two contents.
using Content = std::int32_t;
constexpr Content kNothingThere = -1;

std::uint64_t mixed(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// 128 random bits of a summand; of a sum, the sum of its bits: equal for equal summands in any order.
struct ContentHash {
  std::uint64_t low = 0, high = 0;
  ContentHash& operator+=(const ContentHash& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

class DataCheck {
 public:
  DataCheck(const PlacedSchedule& schedule, const PlacedCells& cells, Collective problem)
      : schedule_(schedule),
        cells_(cells),
        problem_(problem),
        contents_(static_cast<std::size_t>(cells.count()), kNothingThere) {
    first_.push_back(0);
    for (std::int64_t rank = 0; rank < schedule.ranks; ++rank) {
      Content next = first_.back();
      names_.push_back(0);
      for (const PlacedCells::Part& part : cells.at_start(rank)) {
        names_.back() = part.name;
        for (std::int64_t i = 0; i < part.count; ++i) contents_[static_cast<std::size_t>(part.cell + i)] = next++;
      }
      first_.push_back(next);
    }
    for (std::int64_t rank = 0; rank < schedule.ranks; ++rank) {
      const std::int64_t parts = schedule.parts_of_chunk;
      for (const auto& [input, output] : schedule.memory[static_cast<std::size_t>(rank)].copied) {
        const auto gpu = static_cast<std::int32_t>(rank);
        const std::int64_t from = cells.of({gpu, PlacedRange::Buffer::kInput, false, input * parts, parts});
        const std::int64_t to = cells.of({gpu, PlacedRange::Buffer::kOutput, false, output * parts, parts});
        for (std::int64_t i = 0; i < parts; ++i)
          contents_[static_cast<std::size_t>(to + i)] = contents_[static_cast<std::size_t>(from + i)];
      }
    }
  }

  void run(std::span<const std::int32_t> order) {
    under_way_.resize(schedule_.connections.size());
    for (const std::int32_t operation : order) execute(schedule_.operations[static_cast<std::size_t>(operation)]);
  }

  void compare(std::vector<Violation>& faults) const {
    const bool sums = combines(problem_);
    std::map<std::int64_t, ContentHash> wanted;  // of a name
    for (std::int64_t rank = 0; rank < schedule_.ranks; ++rank) {
      for (const PlacedCells::Part& part : cells_.at_end(rank)) {
        for (std::int64_t i = 0; i < part.count; ++i) {
          const Content content = contents_[static_cast<std::size_t>(part.cell + i)];
          const std::int64_t name = part.name + i;
          if (sums) {
            const auto [place, added] = wanted.try_emplace(name);
            for (std::int64_t from = 0; added && from < schedule_.ranks; ++from)
              place->second += hash_of(start(from, name));
            if (hash_of(content) == place->second) continue;
          } else if (content == start(cells_.owner(name), name)) {
            continue;
          }
          report(rank, part.cell + i, name, content, faults);
        }
      }
    }
  }

 private:
  /// What `rank` has of a name at the start.
  [[nodiscard]] Content start(std::int64_t rank, std::int64_t name) const {
    const auto at = static_cast<std::size_t>(rank);
    return first_[at] + static_cast<Content>(name - names_[at]);
  }
  [[nodiscard]] Content starts() const { return first_.back(); }

  [[nodiscard]] ContentHash hash_of(Content content) const {
    if (content >= starts()) return sums_[static_cast<std::size_t>(content - starts())].hash;
    const auto seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(content));
    return {mixed(seed), mixed(seed ^ 0x5851f42d4c957f2dU)};
  }

  Content sum(Content a, Content b) {
    Sum result{a, b, hash_of(a)};
    result.hash += hash_of(b);
    sums_.push_back(result);
    return starts() + static_cast<Content>(sums_.size()) - 1;
  }

  void execute(const PlacedOperation& operation) {
    const PlacedRange* range = schedule_.ranges.data() + operation.ranges;
    value_.clear();
    bool first = true;
    if (operation.receives >= 0) {
      auto& messages = under_way_[static_cast<std::size_t>(operation.receives)];
      value_ = std::move(messages.front());
      messages.pop_front();
      first = false;
    }
    for (std::uint32_t i = 0; i < operation.source_count; ++i, ++range) {
      const auto from = static_cast<std::size_t>(cells_.of(*range));
      for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(range->count); ++chunk) {
        if (first)
          value_.push_back(contents_[from + chunk]);
        else
          value_[chunk] = sum(value_[chunk], contents_[from + chunk]);
      }
      first = false;
    }
    for (std::uint32_t i = 0; i < operation.target_count; ++i, ++range)
      std::copy(value_.begin(), value_.end(), contents_.begin() + cells_.of(*range));
    if (operation.sends >= 0) under_way_[static_cast<std::size_t>(operation.sends)].push_back(value_);
  }

  /// The summands of a content, each with how often it occurs, as far as they can be counted.
  [[nodiscard]] std::map<Content, std::int64_t> summands(Content content) const {
    constexpr int kMostVisits = 1 << 20;
    constexpr std::int64_t kMany = std::int64_t{1} << 40;
    std::map<Content, std::int64_t> open{{content, 1}};
    for (int visits = 0; visits < kMostVisits && open.rbegin()->first >= starts(); ++visits) {
      const auto [largest, times] = *open.rbegin();
      open.erase(largest);
      const Sum& each = sums_[static_cast<std::size_t>(largest - starts())];
      for (const Content part : {each.a, each.b}) open[part] = std::min(kMany, open[part] + times);
    }
    return open;
  }

  void report(std::int64_t rank, std::int64_t cell, std::int64_t name, Content content,
              std::vector<Violation>& faults) const {
    const std::int64_t parts = schedule_.parts_of_chunk;
    const std::string where =
        fmt::format("{} {}, {} {}", schedule_.named ? "rank" : "GPU", rank, schedule_.named ? "chunk" : "output chunk",
                    cells_.output_chunk(rank, cell) / parts);
    const std::map<Content, std::int64_t> found = summands(content);
    std::vector<std::string> more;
    std::vector<char> is_there(static_cast<std::size_t>(schedule_.ranks), 0);
    std::int64_t ranks = 0;
    const std::int64_t owner = combines(problem_) ? -1 : cells_.owner(name);
    for (const auto& [summand, times] : found) {
      if (summand == kNothingThere) {
        if (found.size() > 1) more.emplace_back("what nobody wrote");
        continue;
      }
      if (summand >= starts()) continue;
      const auto from = std::upper_bound(first_.begin(), first_.end(), summand) - first_.begin() - 1;
      const std::int64_t theirs =
          names_[static_cast<std::size_t>(from)] + summand - first_[static_cast<std::size_t>(from)];
      if (theirs != name || (owner >= 0 && from != owner)) {
        more.push_back(fmt::format("chunk {} of rank {}", theirs / parts, from));
        continue;
      }
      ++ranks;
      is_there[static_cast<std::size_t>(from)] = 1;
      if (times > 1)
        more.push_back(fmt::format("rank {} {}", from, times == 2 ? "twice" : fmt::format("{} times", times)));
    }
    std::string text;
    if (combines(problem_)) {
      text = fmt::format("{} of {}", ranks, count_text(schedule_.ranks, "rank"));
      for (std::int64_t from = 0; from < schedule_.ranks && ranks > 0; ++from) {
        if (is_there[static_cast<std::size_t>(from)] == 0) more.push_back(fmt::format("rank {} missing", from));
      }
    } else {
      text = fmt::format("{} chunk {} of rank {}", ranks > 0 ? "has more than" : "lacks", name / parts, owner);
    }
    constexpr std::size_t kShown = 4;
    for (std::size_t i = 0; i < std::min(more.size(), kShown); ++i) text += ", " + more[i];
    if (more.size() > kShown) text += fmt::format(", {} more", more.size() - kShown);
    std::string line = fmt::format("{}: {}", where, text);
    // Parts of a chunk have mostly the same fault.
    if (!faults.empty() && faults.back().reason == line) return;
    faults.push_back({-1, rank, std::move(line)});
  }

  struct Sum {
    Content a, b;
    ContentHash hash;
  };

  const PlacedSchedule& schedule_;
  const PlacedCells& cells_;
  Collective problem_;
  std::vector<Content> contents_;
  std::vector<Content> first_;       ///< of each rank, what it has at the start first
  std::vector<std::int64_t> names_;  ///< of that
  std::vector<Sum> sums_;
  std::vector<std::deque<std::vector<Content>>> under_way_;
  std::vector<Content> value_;
};

}  // namespace

void check_data(const PlacedSchedule& schedule, const PlacedCells& cells, std::span<const std::int32_t> order,
                Collective problem, std::vector<Violation>& faults) {
  DataCheck check(schedule, cells, problem);
  check.run(order);
  check.compare(faults);
}

}  // namespace sluice::detail
