#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// A plan as a packing: steps of given durations, and in each the pieces it carries. Pieces come and go one by one, and
/// all changes since a point can be taken back.
///
/// Every vertex has a set of bits, its busy steps, and a table of the pieces in them: memory 4 (lefts + rights) bytes
/// per step. Steps are places 0, 1, ..; the durations of two places have no order.
class Packing {
 public:
  /// A packing for at most `most_steps` steps, without steps. `demand` is referred to. @pre fits(demand, most_steps)
  Packing(const Demand& demand, std::int32_t most_steps);
  /// Whether the tables stay within 512 MiB.
  [[nodiscard]] static bool fits(const Demand& demand, std::int64_t most_steps);

  /// Takes all pieces and steps away.
  void clear();
  /// Adds a step without pieces; its place, or -1 if there are too many.
  std::int32_t add_step(std::int64_t duration);
  /// The whole of another plan, in place of this one. False if it has too many steps.
  bool load(const PieceSteps& steps);
  [[nodiscard]] PieceSteps pieces() const;

  [[nodiscard]] std::int64_t transmission() const { return transmission_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double cost() const {
    return static_cast<double>(transmission_) + demand_.setup * static_cast<double>(steps_);
  }
  /// One beyond the last place of a step in use.
  [[nodiscard]] std::int32_t places() const { return places_; }
  [[nodiscard]] bool in_use(std::int32_t step) const { return (open_[word(step)] & bit(step)) != 0; }
  [[nodiscard]] std::int64_t duration(std::int32_t step) const { return duration_[as_size(step)]; }

  /// What was taken out of a step: size and edge.
  using Removed = std::vector<std::pair<std::int64_t, std::int32_t>>;
  /// Takes a step away; appends what it carried to `removed`.
  void remove_step(std::int32_t step, Removed& removed);
  /// Lets a step last `duration`, less than before; appends what its pieces had beyond that.
  void shorten_step(std::int32_t step, std::int64_t duration, Removed& removed);
  /// Sizes of the pieces of a step, in no order.
  void sizes_of(std::int32_t step, std::vector<std::int64_t>& sizes);
  /// Lets every step last as long as its longest piece; removes steps without pieces. This cannot be undone.
  void tighten();

  /// Packs `size` of `edge` without making any step longer, as far as that goes; returns what is left over. It tries,
  /// in this order: pieces of the edge that have room to grow; the shortest step that is long enough and free at both
  /// ends; such a step made by exchanging two steps along a path (exchange_paths() below); the longest free step, which
  /// takes a part.
  std::int64_t insert(std::int32_t edge, std::int64_t size);
  /// Packs all of `size`. The rest that insert() leaves is packed at the least cost: in a step that becomes longer,
  /// maybe after two steps are exchanged along a path, or in a new step. False if that costs `limit` or more, or there
  /// are too many steps; part of `size` may then be packed.
  bool insert_all(std::int32_t edge, std::int64_t size, double limit);

  /// Fetches what insert_all reads first of an edge that comes soon, because large tables are in no cache. Before that
  /// call expect_ends().
  void expect_ends(std::int32_t edge) const { __builtin_prefetch(&demand_.edges[as_size(edge)]); }
  void expect(std::int32_t edge) const {
    __builtin_prefetch(&busy_[left_of(edge) * words_]);
    __builtin_prefetch(&busy_[right_of(edge) * words_]);
    __builtin_prefetch(&first_[as_size(edge)]);
  }

  /// Whether insert looks for paths. Take two steps, one free at one end of an edge, the other at its other end: the
  /// pieces in them form paths and cycles. The path that begins at an end of the edge does not lead to the other end,
  /// because the graph is bipartite. Exchanging the steps of its pieces frees one step at both ends.
  void exchange_paths(bool yes) { exchange_paths_ = yes; }

  /// From here on changes can be undone.
  void mark();
  void undo();
  void keep();

  /// Work since the last call, in the unit of Budget.
  std::int64_t take_work() { return std::exchange(work_, 0); }

 private:
  struct Item {
    std::int32_t edge = 0;
    std::int32_t step = 0;
    std::int32_t next = -1;  ///< the next item of the same edge
    std::int64_t size = 0;
  };
  struct Change {
    enum class Kind : std::uint8_t { kDuration, kOpened, kClosed, kAdded, kRemoved, kResized, kExchanged };
    Kind kind = Kind::kDuration;
    std::int32_t what = 0;    ///< step or item
    std::int32_t other = 0;   ///< kExchanged: the other step
    std::int64_t before = 0;  ///< duration or size; kExchanged: where its items begin in exchanged_
  };
  struct Place {
    std::int64_t duration = 0;
    std::int32_t step = 0;
  };
  struct Pair {
    std::int64_t price = 0;
    std::int32_t into = 0;  ///< the step that becomes free at both ends
    std::int32_t other = 0;
    std::int32_t from = 0;  ///< the vertex where the path begins
  };

  [[nodiscard]] static std::size_t word(std::int32_t step) { return as_size(step) / 64; }
  [[nodiscard]] static std::uint64_t bit(std::int32_t step) { return std::uint64_t{1} << (as_size(step) % 64); }
  [[nodiscard]] std::size_t left_of(std::int32_t edge) const { return as_size(demand_.edges[as_size(edge)].left); }
  [[nodiscard]] std::size_t right_of(std::int32_t edge) const {
    return as_size(demand_.lefts) + as_size(demand_.edges[as_size(edge)].right);
  }
  [[nodiscard]] std::int32_t& item_at(std::size_t vertex, std::int32_t step) {
    return at_[as_size(step) * vertices_ + vertex];
  }
  [[nodiscard]] std::uint64_t* busy(std::size_t vertex) { return &busy_[vertex * words_]; }
  [[nodiscard]] std::size_t words_in_use() const { return (as_size(places_) + 63) / 64; }

  void set_duration(std::int32_t step, std::int64_t duration);
  void open(std::int32_t step);
  void close(std::int32_t step);
  void attach(std::int32_t item);
  void detach(std::int32_t item);
  void add(std::int32_t edge, std::int32_t step, std::int64_t size);
  void remove(std::int32_t item);
  void resize(std::int32_t item, std::int64_t size);
  void exchange(const std::vector<std::int32_t>& items, std::int32_t a, std::int32_t b);
  void note(Change change) {
    if (marked_) changes_.push_back(change);
  }
  template <class Visit>
  void each_free(std::int32_t edge, Visit visit);
  void half_free(std::int32_t edge);
  [[nodiscard]] bool follow(const Pair& pair, std::int64_t limit, std::int64_t size);
  bool insert_by_path(std::int32_t edge, std::int64_t size);

  const Demand& demand_;
  std::size_t vertices_, stride_, words_;
  bool limited_;  ///< whether a step can have more than k pieces
  bool exchange_paths_ = true;
  std::vector<std::int64_t> duration_;
  std::vector<std::int32_t> count_;
  std::vector<std::uint64_t> open_, busy_;
  std::vector<std::int32_t> at_;  ///< by step and vertex: the item there, -1 if none
  std::vector<Item> items_;
  std::vector<std::int32_t> unused_, first_;  ///< items; the first of each edge
  std::int32_t places_ = 0;
  std::int64_t steps_ = 0, transmission_ = 0;
  bool marked_ = false;
  std::vector<Change> changes_;
  std::vector<std::int32_t> exchanged_, gone_;
  std::int64_t work_ = 0;
  std::int64_t lookup_ = 0;                    ///< work of a look into a table
  std::vector<Place> free_left_, free_right_;  ///< of half_free
  std::vector<Pair> pairs_;
  std::vector<std::int32_t> path_, best_path_;
  std::int64_t growth_into_ = 0, growth_other_ = 0;  ///< of follow
};

}  // namespace sluice::detail
