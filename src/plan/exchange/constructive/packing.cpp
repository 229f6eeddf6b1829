#include "plan/exchange/constructive/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kMostTable = std::int64_t{1} << 27;  // entries: 512 MiB
constexpr std::size_t kMostPairs = 8;                       // of steps tried for a path, if no step may grow
constexpr std::size_t kMostGrowingPairs = 12;               // if steps may grow
constexpr std::size_t kLongestPath = 4096;
/// Work of one step of a set, in the unit of Budget.
constexpr std::int64_t kLook = 2;
constexpr std::size_t kPiecesAhead = 8;  // pieces that are fetched before they are read

}  // namespace

bool Packing::fits(const Demand& demand, std::int64_t most_steps) {
  return most_steps + 64 <= kMostTable / (std::int64_t{demand.lefts} + demand.rights);
}

Packing::Packing(const Demand& demand, std::int32_t most_steps)
    : demand_(demand),
      vertices_(as_size(demand.lefts) + as_size(demand.rights)),
      stride_((as_size(most_steps) + 63) / 64 * 64),
      words_(stride_ / 64),
      limited_(demand.max_transfers < std::min(demand.lefts, demand.rights)),
      duration_(stride_),
      count_(stride_),
      open_(words_),
      first_(demand.edges.size()) {
  busy_.resize(vertices_ * words_);
  at_.resize(vertices_ * stride_, -1);
  // A look-up at a random place costs more in a larger table.
  lookup_ = at_.size() >> 23U != 0 ? 30 : at_.size() >> 21U != 0 ? 20 : 10;
  clear();
}

void Packing::clear() {
  std::fill(duration_.begin(), duration_.end(), 0);
  std::fill(count_.begin(), count_.end(), 0);
  for (std::vector<std::uint64_t>* bits : {&open_, &busy_}) std::fill(bits->begin(), bits->end(), 0);
  std::fill_n(at_.begin(), as_size(places_) * vertices_, -1);  // beyond there is nothing
  std::fill(first_.begin(), first_.end(), -1);
  work_ += static_cast<std::int64_t>(at_.size() / 4 + first_.size() / 4);
  items_.clear();
  unused_.clear();
  changes_.clear();
  marked_ = false;
  places_ = 0;
  steps_ = transmission_ = 0;
}

void Packing::set_duration(std::int32_t step, std::int64_t duration) {
  std::int64_t& now = duration_[as_size(step)];
  note({Change::Kind::kDuration, step, 0, now});
  transmission_ += duration - now;
  now = duration;
}

void Packing::open(std::int32_t step) {
  note({Change::Kind::kOpened, step, 0, 0});
  open_[word(step)] |= bit(step);
  places_ = std::max(places_, step + 1);
  ++steps_;
}

void Packing::close(std::int32_t step) {
  note({Change::Kind::kClosed, step, 0, 0});
  open_[word(step)] &= ~bit(step);
  --steps_;
}

void Packing::attach(std::int32_t item) {
  const Item& it = items_[as_size(item)];
  for (const std::size_t vertex : {left_of(it.edge), right_of(it.edge)}) {
    item_at(vertex, it.step) = item;
    busy(vertex)[word(it.step)] |= bit(it.step);
  }
  ++count_[as_size(it.step)];
  work_ += 2 * lookup_;
}

void Packing::detach(std::int32_t item) {
  const Item& it = items_[as_size(item)];
  for (const std::size_t vertex : {left_of(it.edge), right_of(it.edge)}) {
    item_at(vertex, it.step) = -1;
    busy(vertex)[word(it.step)] &= ~bit(it.step);
  }
  --count_[as_size(it.step)];
  work_ += 2 * lookup_;
}

void Packing::add(std::int32_t edge, std::int32_t step, std::int64_t size) {
  std::int32_t item = static_cast<std::int32_t>(items_.size());
  if (unused_.empty()) {
    items_.emplace_back();
  } else {
    item = unused_.back();
    unused_.pop_back();
  }
  items_[as_size(item)] = {edge, step, first_[as_size(edge)], size};
  first_[as_size(edge)] = item;
  attach(item);
  note({Change::Kind::kAdded, item, 0, 0});
}

void Packing::remove(std::int32_t item) {
  detach(item);
  std::int32_t* link = &first_[as_size(items_[as_size(item)].edge)];
  while (*link != item) link = &items_[as_size(*link)].next;
  *link = items_[as_size(item)].next;
  if (marked_) {
    gone_.push_back(item);  // its number is not given away as long as it may come back
    note({Change::Kind::kRemoved, item, 0, 0});
  } else {
    unused_.push_back(item);
  }
}

void Packing::resize(std::int32_t item, std::int64_t size) {
  note({Change::Kind::kResized, item, 0, items_[as_size(item)].size});
  items_[as_size(item)].size = size;
}

void Packing::exchange(const std::vector<std::int32_t>& items, std::int32_t a, std::int32_t b) {
  if (marked_) {
    note({Change::Kind::kExchanged, a, b, static_cast<std::int64_t>(exchanged_.size())});
    exchanged_.insert(exchanged_.end(), items.begin(), items.end());
  }
  for (const std::int32_t item : items) detach(item);
  for (const std::int32_t item : items) {
    std::int32_t& step = items_[as_size(item)].step;
    step = step == a ? b : a;
    attach(item);
  }
}

void Packing::mark() {
  keep();
  marked_ = true;
}

void Packing::keep() {
  unused_.insert(unused_.end(), gone_.begin(), gone_.end());
  gone_.clear();
  changes_.clear();
  exchanged_.clear();
  marked_ = false;
}

void Packing::undo() {
  marked_ = false;
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    const std::int32_t item = change.what;
    switch (change.kind) {
      case Change::Kind::kDuration:
        set_duration(change.what, change.before);
        break;
      case Change::Kind::kOpened:
        close(change.what);
        break;
      case Change::Kind::kClosed:
        open(change.what);
        break;
      case Change::Kind::kAdded:
        detach(item);
        first_[as_size(items_[as_size(item)].edge)] = items_[as_size(item)].next;
        unused_.push_back(item);
        break;
      case Change::Kind::kRemoved:
        items_[as_size(item)].next = first_[as_size(items_[as_size(item)].edge)];
        first_[as_size(items_[as_size(item)].edge)] = item;
        attach(item);
        break;
      case Change::Kind::kResized:
        items_[as_size(item)].size = change.before;
        break;
      case Change::Kind::kExchanged:
        path_.assign(exchanged_.begin() + change.before, exchanged_.end());
        exchanged_.resize(static_cast<std::size_t>(change.before));
        exchange(path_, change.what, change.other);
        break;
    }
  }
  gone_.clear();
}

std::int32_t Packing::add_step(std::int64_t duration) {
  std::int32_t step = 0;
  for (; step < places_ && in_use(step);) ++step;
  if (as_size(step) >= stride_) return -1;
  open(step);
  set_duration(step, duration);
  return step;
}

bool Packing::load(const PieceSteps& steps) {
  clear();
  for (const std::vector<Piece>& pieces : steps) {
    std::int64_t duration = 0;
    for (const Piece& piece : pieces) duration = std::max(duration, piece.size);
    if (duration == 0) continue;
    if (as_size(places_) >= stride_) return false;
    const std::int32_t step = places_;
    open(step);
    set_duration(step, duration);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i + 2 * kPiecesAhead < pieces.size()) expect_ends(pieces[i + 2 * kPiecesAhead].edge);
      if (i + kPiecesAhead < pieces.size()) expect(pieces[i + kPiecesAhead].edge);
      if (pieces[i].size > 0) add(pieces[i].edge, step, pieces[i].size);
    }
  }
  return true;
}

PieceSteps Packing::pieces() const {
  PieceSteps steps(as_size(places_));
  for (std::size_t s = 0; s < steps.size(); ++s) steps[s].reserve(as_size(count_[s]));
  for (std::int32_t edge = 0; as_size(edge) < first_.size(); ++edge) {
    if (as_size(edge) + kPiecesAhead < first_.size()) {
      if (const std::int32_t next = first_[as_size(edge) + kPiecesAhead]; next >= 0)
        __builtin_prefetch(&items_[as_size(next)]);
    }
    for (std::int32_t item = first_[as_size(edge)]; item >= 0; item = items_[as_size(item)].next)
      steps[as_size(items_[as_size(item)].step)].push_back({edge, items_[as_size(item)].size});
  }
  return steps;
}

void Packing::remove_step(std::int32_t step, Removed& removed) {
  for (std::size_t u = 0; u < as_size(demand_.lefts); ++u) {
    const std::int32_t item = item_at(u, step);
    if (item < 0) continue;
    removed.emplace_back(items_[as_size(item)].size, items_[as_size(item)].edge);
    remove(item);
  }
  work_ += lookup_ * demand_.lefts;
  set_duration(step, 0);
  close(step);
}

void Packing::shorten_step(std::int32_t step, std::int64_t duration, Removed& removed) {
  for (std::size_t u = 0; u < as_size(demand_.lefts); ++u) {
    const std::int32_t item = item_at(u, step);
    if (item < 0 || items_[as_size(item)].size <= duration) continue;
    removed.emplace_back(items_[as_size(item)].size - duration, items_[as_size(item)].edge);
    resize(item, duration);
  }
  work_ += lookup_ * demand_.lefts;
  set_duration(step, duration);
}

void Packing::sizes_of(std::int32_t step, std::vector<std::int64_t>& sizes) {
  sizes.clear();
  for (std::size_t u = 0; u < as_size(demand_.lefts); ++u) {
    const std::int32_t item = item_at(u, step);
    if (item >= 0) sizes.push_back(items_[as_size(item)].size);
  }
  work_ += lookup_ * demand_.lefts;
}

void Packing::tighten() {
  SLUICE_ASSERT(!marked_, "a packing that may be undone");
  std::vector<std::int64_t> longest(as_size(places_), 0);
  for (const std::int32_t begin : first_) {
    for (std::int32_t item = begin; item >= 0; item = items_[as_size(item)].next) {
      std::int64_t& least = longest[as_size(items_[as_size(item)].step)];
      least = std::max(least, items_[as_size(item)].size);
    }
  }
  work_ += lookup_ * static_cast<std::int64_t>(items_.size());
  for (std::int32_t step = 0; step < places_; ++step) {
    if (!in_use(step)) continue;
    set_duration(step, longest[as_size(step)]);
    if (longest[as_size(step)] == 0) close(step);
  }
  while (places_ > 0 && !in_use(places_ - 1)) --places_;
}

/// Calls visit(step) for the steps in use that are free at both ends of an edge and may carry one more piece.
template <class Visit>
void Packing::each_free(std::int32_t edge, Visit visit) {
  const std::uint64_t* left = busy(left_of(edge));
  const std::uint64_t* right = busy(right_of(edge));
  for (std::size_t w = 0; w < words_in_use(); ++w) {
    for (std::uint64_t free = open_[w] & ~(left[w] | right[w]); free != 0; free &= free - 1) {
      const auto step = static_cast<std::int32_t>(w * 64 + as_size(std::countr_zero(free)));
      work_ += kLook;
      if (!limited_ || count_[as_size(step)] < demand_.max_transfers) visit(step);
    }
  }
  work_ += kLook * static_cast<std::int64_t>(words_in_use());
}

/// Steps in use that are free at one end of an edge only, the shortest first.
void Packing::half_free(std::int32_t edge) {
  const std::uint64_t* left = busy(left_of(edge));
  const std::uint64_t* right = busy(right_of(edge));
  free_left_.clear();
  free_right_.clear();
  for (std::size_t w = 0; w < words_in_use(); ++w) {
    const auto list = [&](std::uint64_t steps, std::vector<Place>& places) {
      for (; steps != 0; steps &= steps - 1) {
        const auto step = static_cast<std::int32_t>(w * 64 + as_size(std::countr_zero(steps)));
        places.push_back({duration_[as_size(step)], step});
      }
    };
    list(open_[w] & ~left[w] & right[w], free_left_);
    list(open_[w] & left[w] & ~right[w], free_right_);
  }
  const auto shorter = [](const Place& a, const Place& b) {
    return a.duration != b.duration ? a.duration < b.duration : a.step < b.step;
  };
  std::sort(free_left_.begin(), free_left_.end(), shorter);
  std::sort(free_right_.begin(), free_right_.end(), shorter);
  work_ += 8 * kLook * static_cast<std::int64_t>(free_left_.size() + free_right_.size());
}

/// Whether the steps of a pair can be exchanged along the path from pair.from, making both longer by less than `limit`
/// (1: not at all) in all, `size` in pair.into included. Leaves the path and both growths behind.
bool Packing::follow(const Pair& pair, std::int64_t limit, std::int64_t size) {
  path_.clear();
  growth_other_ = 0;
  growth_into_ = std::max<std::int64_t>(0, size - duration_[as_size(pair.into)]);
  std::int32_t step = pair.into;
  std::size_t vertex = as_size(pair.from);
  while (growth_into_ + growth_other_ < limit && path_.size() <= kLongestPath) {
    const std::int32_t item = item_at(vertex, step);
    work_ += 2 * lookup_;
    if (item < 0) {
      if (!limited_) return true;
      // An odd path leaves one piece less in `into`, which gets the new one, and one more in `other`.
      const std::int32_t fuller = path_.size() % 2 == 0 ? pair.into : pair.other;
      return count_[as_size(fuller)] < demand_.max_transfers;
    }
    path_.push_back(item);
    const Item& it = items_[as_size(item)];
    const bool leaves = step == pair.into;
    std::int64_t& growth = leaves ? growth_other_ : growth_into_;
    const std::int32_t next = leaves ? pair.other : pair.into;
    growth = std::max(growth, it.size - duration_[as_size(next)]);
    vertex = vertex == left_of(it.edge) ? right_of(it.edge) : left_of(it.edge);
    step = next;
  }
  return false;
}

bool Packing::insert_by_path(std::int32_t edge, std::int64_t size) {
  half_free(edge);
  std::size_t tried = 0;
  std::size_t beside = 0;
  const auto attempt = [&](const Pair& pair) {
    if (duration_[as_size(pair.into)] < size) return false;
    ++tried;
    if (!follow(pair, 1, size)) return false;
    exchange(path_, pair.into, pair.other);
    add(edge, pair.into, size);
    return true;
  };
  // Pairs of similar durations are the likeliest to be exchanged; the shortest that are long enough come first.
  for (std::size_t i = 0; i < free_left_.size() && tried < kMostPairs; ++i) {
    while (beside < free_right_.size() && free_right_[beside].duration < free_left_[i].duration) ++beside;
    const std::size_t from = beside > 0 ? beside - 1 : 0;
    for (std::size_t j = from; j < std::min(beside + 1, free_right_.size()) && tried < kMostPairs; ++j) {
      const std::int32_t a = free_left_[i].step;
      const std::int32_t b = free_right_[j].step;
      if (attempt({0, a, b, static_cast<std::int32_t>(right_of(edge))})) return true;
      if (duration_[as_size(a)] < size && attempt({0, b, a, static_cast<std::int32_t>(left_of(edge))})) return true;
    }
  }
  return false;
}

std::int64_t Packing::insert(std::int32_t edge, std::int64_t size) {
  for (std::int32_t item = first_[as_size(edge)]; item >= 0 && size > 0; item = items_[as_size(item)].next) {
    const Item& it = items_[as_size(item)];
    const std::int64_t more = std::min(size, duration_[as_size(it.step)] - it.size);
    work_ += lookup_;
    if (more <= 0) continue;
    size -= more;
    resize(item, it.size + more);
  }
  while (size > 0) {
    std::int32_t enough = -1;
    std::int32_t longest = -1;
    each_free(edge, [&](std::int32_t step) {
      const std::int64_t duration = duration_[as_size(step)];
      if (duration >= size) {
        if (enough < 0 || duration < duration_[as_size(enough)]) enough = step;
      } else if (longest < 0 || duration > duration_[as_size(longest)]) {
        longest = step;
      }
    });
    if (enough >= 0) {
      add(edge, enough, size);
      return 0;
    }
    if (exchange_paths_ && insert_by_path(edge, size)) return 0;
    if (longest < 0 || duration_[as_size(longest)] == 0) break;
    const std::int64_t part = duration_[as_size(longest)];
    add(edge, longest, part);
    size -= part;
  }
  return size;
}

bool Packing::insert_all(std::int32_t edge, std::int64_t size, double limit) {
  size = insert(edge, size);
  if (size == 0) return true;
  constexpr double kLongest = 4e18;
  // The cost of adding the piece is how much longer steps become. A new step also costs a set-up.
  const double most = std::min({limit, demand_.setup + static_cast<double>(size) + 1, kLongest});
  auto best = static_cast<std::int64_t>(std::ceil(most));
  std::int32_t into = -1;  // a step, or an item that grows
  bool grows = false;
  each_free(edge, [&](std::int32_t step) {
    const std::int64_t growth = size - duration_[as_size(step)];
    if (growth >= best) return;
    best = growth;
    into = step;
  });
  for (std::int32_t item = first_[as_size(edge)]; item >= 0; item = items_[as_size(item)].next) {
    const Item& it = items_[as_size(item)];
    const std::int64_t growth = it.size + size - duration_[as_size(it.step)];
    work_ += lookup_;
    if (growth >= best) continue;
    best = growth;
    into = item;
    grows = true;
  }
  Pair chosen;
  bool by_path = false;
  std::int64_t growth_into = 0;
  std::int64_t growth_other = 0;
  if (exchange_paths_) {
    half_free(edge);
    pairs_.clear();
    const auto offer = [&](const Place& step, const Place& other, std::size_t from) {
      const std::int64_t apart =
          step.duration > other.duration ? step.duration - other.duration : other.duration - step.duration;
      const std::int64_t price = std::max<std::int64_t>(0, size - step.duration) + apart / 4;
      if (price < best) pairs_.push_back({price, step.step, other.step, static_cast<std::int32_t>(from)});
    };
    for (const Place& a : free_left_) {
      for (const Place& b : free_right_) {
        offer(a, b, right_of(edge));
        offer(b, a, left_of(edge));
      }
    }
    work_ += kLook * static_cast<std::int64_t>(free_left_.size() * free_right_.size());
    const std::size_t count = std::min(kMostGrowingPairs, pairs_.size());
    std::partial_sort(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(count), pairs_.end(),
                      [](const Pair& a, const Pair& b) {
                        if (a.price != b.price) return a.price < b.price;
                        return a.into != b.into ? a.into < b.into : a.other < b.other;
                      });
    for (std::size_t i = 0; i < count && best > 0; ++i) {
      if (!follow(pairs_[i], best, size)) continue;
      best = growth_into_ + growth_other_;
      growth_into = growth_into_;
      growth_other = growth_other_;
      chosen = pairs_[i];
      by_path = true;
      std::swap(path_, best_path_);
    }
  }
  if (by_path) {
    if (growth_into > 0) set_duration(chosen.into, duration_[as_size(chosen.into)] + growth_into);
    if (growth_other > 0) set_duration(chosen.other, duration_[as_size(chosen.other)] + growth_other);
    exchange(best_path_, chosen.into, chosen.other);
    add(edge, chosen.into, size);
    return true;
  }
  if (into >= 0 && grows) {
    const Item& it = items_[as_size(into)];
    const std::int64_t whole = it.size + size;
    if (whole > duration_[as_size(it.step)]) set_duration(it.step, whole);
    resize(into, whole);
    return true;
  }
  if (into < 0) {
    if (demand_.setup + static_cast<double>(size) >= limit) return false;
    into = add_step(size);
    if (into < 0) return false;
  }
  if (duration_[as_size(into)] < size) set_duration(into, size);
  add(edge, into, size);
  return true;
}

}  // namespace sluice::detail
