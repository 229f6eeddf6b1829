#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "input/random_cuts.hpp"
#include "sluice/run/mpi/redistribution.hpp"

/// Random redistributions, and what they must do, worked out index by index without the library's arithmetic.
namespace sluice::mpi::testing {

using Indices = std::vector<std::int64_t>;

/// The arguments of a Redistribution.
struct Case {
  Indices shape;
  Layout from;
  Layout to;
  std::int64_t element_size = 8;
  RedistributionOptions options;

  /// The shape of the target as it is stored.
  [[nodiscard]] Indices to_shape() const { return options.to_shape.empty() ? in_target(shape) : options.to_shape; }
  /// Numbers of the source's dimensions in the order of the target's, and the other way round.
  [[nodiscard]] Indices in_target(Indices numbers) const {
    if (options.transpose) std::ranges::reverse(numbers);
    return numbers;
  }
  [[nodiscard]] Indices extent() const { return options.extent.empty() ? shape : options.extent; }
};

inline std::string to_text(const Case& c) {
  std::ostringstream out;
  const auto list = [&](const char* name, const auto& values) {
    out << ' ' << name << '=';
    for (std::size_t i = 0; i < values.size(); ++i) out << (i > 0 ? "," : "") << values[i];
  };
  out << to_string(c.from) << " -> " << to_string(c.to) << " element=" << c.element_size
      << " column_major=" << (c.options.order == StorageOrder::kColumnMajor) << " algorithm=" << c.options.algorithm
      << " mode=" << to_string(c.options.mode) << " chunk=" << c.options.chunk_bytes << " window=" << c.options.window
      << " shared_from=" << c.options.shared_from_bytes << " part=" << static_cast<int>(c.options.part)
      << " unit=" << c.options.unit_diagonal << " transpose=" << c.options.transpose;
  list("shape", c.shape);
  list("to_shape", c.options.to_shape);
  list("from_first", c.options.from_first);
  list("to_first", c.options.to_first);
  list("from_start", c.options.from_start);
  list("to_start", c.options.to_start);
  list("extent", c.options.extent);
  out << " copies=" << c.options.from_replicas << ',' << c.options.to_replicas << " forward=" << c.options.forward;
  list("from_ranks", c.options.from_ranks);
  list("to_ranks", c.options.to_ranks);
  list("source_leading", c.options.source_leading);
  list("target_leading", c.options.target_leading);
  return out.str();
}

/// Byte `byte` of element `linear` of an array told apart by `salt`.
inline std::byte byte_of(std::int64_t linear, std::int64_t byte, std::uint64_t salt) {
  std::uint64_t z =
      (static_cast<std::uint64_t>(linear) * 31 + static_cast<std::uint64_t>(byte) / 8 + salt) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9ULL;
  z ^= z >> 32;
  return static_cast<std::byte>(z >> (8 * (static_cast<std::uint64_t>(byte) % 8)));
}

/// One rank's part of an array: the global index of each local one, by dealing out the blocks.
class Part {
 public:
  Part(const Layout& layout, const Indices& shape, const Indices& first, const std::vector<int>& ranks, int rank,
       StorageOrder order, const Indices& leading = {})
      : shape_(shape), order_(order), leading_(leading), owned_(shape.size()) {
    std::int64_t process = -1;
    std::int64_t processes = 1;
    for (const std::int64_t p : layout.grid) processes *= p;
    for (std::int64_t p = 0; p < processes; ++p) {
      if ((ranks.empty() ? static_cast<int>(p) : ranks[static_cast<std::size_t>(p)]) == rank) process = p;
    }
    if (process < 0) return;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const std::int64_t coordinate = process % layout.grid[d];
      process /= layout.grid[d];
      for (std::int64_t g = 0; g < shape[d]; ++g) {
        const std::int64_t owner = sluice::testing::owner_by_walking(layout, d, g, first.empty() ? 0 : first[d]);
        if (owner == coordinate) owned_[d].push_back(g);
      }
    }
  }

  [[nodiscard]] std::int64_t size() const {
    std::int64_t size = 1;
    for (const Indices& owned : owned_) size *= static_cast<std::int64_t>(owned.size());
    return size;
  }
  [[nodiscard]] Indices shape() const {
    Indices result;
    for (const Indices& owned : owned_) result.push_back(static_cast<std::int64_t>(owned.size()));
    return result;
  }
  /// Elements from the first to behind the last one.
  [[nodiscard]] std::int64_t extent() const {
    std::int64_t result = 0;
    for_each([&](std::int64_t place, const Indices& /*global*/) { result = std::max(result, place + 1); });
    return result;
  }
  /// Calls visit(place, global indices) in order of storage.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::int64_t n = size();
    const std::size_t dimensions = shape_.size();
    Indices global(dimensions);
    for (std::int64_t local = 0; local < n; ++local) {
      std::int64_t rest = local;
      std::int64_t place = 0;
      std::int64_t step = 1;
      for (std::size_t k = 0; k < dimensions; ++k) {
        const bool row_major = order_ == StorageOrder::kRowMajor;
        const std::size_t d = row_major ? dimensions - 1 - k : k;
        const auto extent = static_cast<std::int64_t>(owned_[d].size());
        global[d] = owned_[d][static_cast<std::size_t>(rest % extent)];
        place += rest % extent * step;
        rest /= extent;
        if (k + 1 < dimensions) step *= leading_.empty() ? extent : leading_[row_major ? d - 1 : d];
      }
      visit(place, global);
    }
  }
  [[nodiscard]] std::int64_t linear(const Indices& global) const {
    std::int64_t result = 0;
    for (std::size_t d = 0; d < shape_.size(); ++d) result = result * shape_[d] + global[d];
    return result;
  }

 private:
  Indices shape_;
  StorageOrder order_;
  Indices leading_;
  std::vector<Indices> owned_;
};

inline std::int64_t processes_of(const Layout& layout) {
  std::int64_t product = 1;
  for (const std::int64_t p : layout.grid) product *= p;
  return product;
}

/// The ranks of the copy that `rank` is in; of the first copy if it is in none. `ranks` has the ranks of all copies of
/// a grid.
inline std::vector<int> ranks_of_copy(const Layout& layout, std::vector<int> ranks, std::int64_t copies, int rank) {
  if (copies == 1) return ranks;
  const std::int64_t processes = processes_of(layout);
  for (std::int64_t p = 0; ranks.empty() || std::ssize(ranks) < copies * processes; ++p)
    ranks.push_back(static_cast<int>(p));
  const auto at = std::ranges::find(ranks, rank) - ranks.begin();
  const std::int64_t copy = at == std::ssize(ranks) ? 0 : at / processes;
  return {ranks.begin() + copy * processes, ranks.begin() + (copy + 1) * processes};
}

/// A rank's parts of the two arrays.
inline Part source_part(const Case& c, int rank) {
  const RedistributionOptions& o = c.options;
  const std::vector<int> ranks = ranks_of_copy(c.from, o.from_ranks, o.from_replicas, rank);
  return {c.from, c.shape, o.from_first, ranks, rank, o.order, o.source_leading};
}
inline Part target_part(const Case& c, int rank) {
  const RedistributionOptions& o = c.options;
  const std::vector<int> ranks = ranks_of_copy(c.to, o.to_ranks, o.to_replicas, rank);
  return {c.to, c.to_shape(), o.to_first, ranks, rank, o.order, o.target_leading};
}

/// Whether position (i, j) of a box moves, by ScaLAPACK's definition of its trapezoids.
inline bool in_part(const Case& c, const Indices& position) {
  if (c.options.part == MatrixPart::kWhole) return true;
  const Indices extent = c.extent();
  const std::int64_t unit = c.options.unit_diagonal ? 1 : 0;
  const std::int64_t i = position[0], j = position[1];
  return c.options.part == MatrixPart::kUpper ? i <= j + std::max<std::int64_t>(0, extent[0] - extent[1]) - unit
                                              : i >= j - std::max<std::int64_t>(0, extent[1] - extent[0]) + unit;
}

/// Calls visit(place in the target, indices in the source) for each element of a rank's target that moves.
template <class Visit>
void for_each_moved(const Case& c, int rank, Visit&& visit) {
  const RedistributionOptions& o = c.options;
  const Indices extent = c.extent();
  const Indices to_start = o.to_start.empty() ? Indices(c.shape.size(), 0) : c.in_target(o.to_start);
  target_part(c, rank).for_each([&](std::int64_t place, const Indices& in_target) {
    const Indices g = c.in_target(in_target);
    Indices source = g;
    Indices at = g;
    for (std::size_t d = 0; d < g.size(); ++d) {
      const std::int64_t position = g[d] - to_start[d];
      if (position < 0 || position >= extent[d]) return;
      at[d] = position;
      source[d] = position + (o.from_start.empty() ? 0 : o.from_start[d]);
    }
    if (!in_part(c, at)) return;
    visit(place, source);
  });
}

/// The arrays of one rank: the source filled, the target filled with something else, and what the target must become;
/// gaps are filled, too.
struct Arrays {
  std::vector<std::byte> source;
  std::vector<std::byte> target;
  std::vector<std::byte> expected;
};

inline Arrays make_arrays(const Case& c, int rank, std::uint64_t salt = 0) {
  const Part from = source_part(c, rank);
  const Part to = target_part(c, rank);
  const std::int64_t size = c.element_size;
  Arrays arrays;
  arrays.source.resize(static_cast<std::size_t>(from.extent() * size), std::byte{0x5a});
  arrays.target.resize(static_cast<std::size_t>(to.extent() * size), std::byte{0xa5});
  const auto fill = [&](std::vector<std::byte>& bytes, std::int64_t place, std::int64_t linear, std::uint64_t with) {
    for (std::int64_t b = 0; b < size; ++b)
      bytes[static_cast<std::size_t>(place * size + b)] = byte_of(linear, b, with);
  };
  from.for_each([&](std::int64_t place, const Indices& g) { fill(arrays.source, place, from.linear(g), salt); });
  to.for_each([&](std::int64_t place, const Indices& g) { fill(arrays.target, place, to.linear(g), ~salt); });
  arrays.expected = arrays.target;
  for_each_moved(c, rank, [&](std::int64_t place, const Indices& source) {
    fill(arrays.expected, place, from.linear(source), salt);
  });
  return arrays;
}

/// Draws from a generator that is the same on all ranks, and everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : generator_(seed) {}
  /// low .. high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// 0 .. n - 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(between(0, static_cast<std::int64_t>(n) - 1)); }
  bool chance(std::int64_t one_in) { return between(1, one_in) == 1; }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[below(i + 1)]);
  }
  /// `count` different ones of 0 .. size - 1, in any order.
  std::vector<int> ranks(std::int64_t count, int size) {
    std::vector<int> all(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    shuffle(all);
    all.resize(static_cast<std::size_t>(count));
    return all;
  }

 private:
  std::mt19937_64 generator_;
};

inline Layout random_layout(Draw& draw, std::size_t dimensions, int size, std::int64_t max_block) {
  Layout layout;
  std::int64_t room = size;
  for (std::size_t d = 0; d < dimensions; ++d) {
    layout.grid.push_back(draw.between(1, room));
    room /= layout.grid.back();
    layout.block.push_back(draw.between(1, max_block));
  }
  // The first dimension would get most of the processes.
  for (std::size_t d = dimensions; d-- > 1;) {
    std::swap(layout.grid[d], layout.grid[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(d)))]);
  }
  return layout;
}

/// Dimensions 1 to 4 unless given, extents with tails, or none at all, sub-arrays, first processes, permuted and
/// disjoint grids.
inline Case random_case(Draw& draw, int size, std::int64_t given_dimensions = 0) {
  Case c;
  const auto dimensions = static_cast<std::size_t>(given_dimensions > 0 ? given_dimensions : draw.between(1, 4));
  const std::int64_t longest = std::vector<std::int64_t>{900, 60, 17, 9}[dimensions - 1];
  const std::int64_t max_block = std::max<std::int64_t>(2, longest / 4);
  c.from = random_layout(draw, dimensions, size, draw.chance(2) ? 3 : max_block);
  c.to = random_layout(draw, dimensions, size, draw.chance(2) ? 3 : max_block);
  c.element_size = draw.one_of<std::int64_t>({1, 3, 8, 16});
  RedistributionOptions& o = c.options;
  for (std::size_t d = 0; d < dimensions; ++d) {
    c.shape.push_back(draw.chance(12) ? draw.between(0, 2) : draw.between(1, longest));
  }
  if (draw.chance(2)) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      o.from_first.push_back(draw.between(0, c.from.grid[d] - 1));
      o.to_first.push_back(draw.between(0, c.to.grid[d] - 1));
    }
  }
  if (draw.chance(2)) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      o.to_shape.push_back(draw.between(0, longest));
      o.extent.push_back(draw.between(0, std::min(c.shape[d], o.to_shape[d])));
      o.from_start.push_back(draw.between(0, c.shape[d] - o.extent[d]));
      o.to_start.push_back(draw.between(0, o.to_shape[d] - o.extent[d]));
    }
  }
  if (draw.chance(2)) o.from_ranks = draw.ranks(processes_of(c.from), size);
  if (draw.chance(2)) o.to_ranks = draw.ranks(processes_of(c.to), size);
  if (draw.chance(4) && processes_of(c.from) + processes_of(c.to) <= size) {
    const std::vector<int> all = draw.ranks(size, size);
    o.from_ranks.assign(all.begin(), all.begin() + processes_of(c.from));
    o.to_ranks.assign(all.end() - processes_of(c.to), all.end());
  }
  if (draw.chance(2)) o.order = StorageOrder::kColumnMajor;
  if (draw.chance(3)) {
    o.transpose = true;
    std::ranges::reverse(o.to_shape);
    std::ranges::reverse(o.to_start);
  }
  o.algorithm = draw.one_of<std::string>({"auto", "stepwise", "greedy", "caterpillar"});
  o.chunk_bytes = draw.one_of<std::int64_t>({1 << 17, 1, 2, 7, 64, 100});
  if (o.chunk_bytes < 7) {
    // Not more pieces than a test has time for.
    for (std::size_t d = 0; d < dimensions; ++d) o.chunk_bytes = std::max(o.chunk_bytes, c.shape[d] / 8);
  }
  o.shared_from_bytes = draw.one_of<std::int64_t>({-1, -1, 0, 4096});
  o.window = static_cast<int>(draw.one_of<std::int64_t>({1, 2, 4, 9}));
  o.mode = draw.one_of<ExchangeMode>({ExchangeMode::kAuto, ExchangeMode::kChain, ExchangeMode::kLocal});
  return c;
}

/// A triangle or trapezoid of such a matrix.
inline Case random_part(Draw& draw, int size) {
  Case c = random_case(draw, size, 2);
  c.options.part = draw.chance(2) ? MatrixPart::kUpper : MatrixPart::kLower;
  c.options.unit_diagonal = draw.chance(2);
  return c;
}

/// Blocks of any sizes in some dimensions of such a case, on one side at least, by any algorithm that can plan them.
inline Case random_irregular(Draw& draw, int size) {
  Case c = draw.chance(4) ? random_part(draw, size) : random_case(draw, size, draw.between(1, 3));
  const auto between = [&](std::int64_t low, std::int64_t high) { return draw.between(low, high); };
  const auto cut = [&](Layout& layout, const Indices& shape, Indices& first) {
    sluice::testing::cut_at_random(between, layout, shape);
    for (std::size_t d = 0; d < first.size(); ++d)
      if (layout.cut_extent(d) >= 0) first[d] = 0;
  };
  while (!c.from.has_cuts() && !c.to.has_cuts()) {
    if (!draw.chance(3)) cut(c.from, c.shape, c.options.from_first);
    if (!draw.chance(3)) cut(c.to, c.to_shape(), c.options.to_first);
  }
  c.options.algorithm = draw.one_of<std::string>({"auto", "auto", "stepwise", "greedy", "coloring", "oggp", "ggp"});
  return c;
}

/// Gives a rank's parts gaps of its own, in some dimensions, or in none. `draw` may differ between ranks.
inline void add_gaps(Case& c, int rank, Draw& draw) {
  const bool row_major = c.options.order == StorageOrder::kRowMajor;
  const auto leading = [&](const Part& part) {
    Indices result = part.shape();
    result.erase(row_major ? result.begin() : result.end() - 1);
    for (std::int64_t& room : result) {
      if (!draw.chance(3)) room += draw.between(1, 5);
    }
    return draw.chance(8) ? Indices{} : result;
  };
  c.options.source_leading = leading(source_part(c, rank));
  c.options.target_leading = leading(target_part(c, rank));
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// A copy of a communicator. No plan is kept for it.
class Comm {
 public:
  explicit Comm(MPI_Comm of = MPI_COMM_WORLD) { MPI_Comm_dup(of, &comm_); }
  ~Comm() { MPI_Comm_free(&comm_); }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// The rank and the size in MPI_COMM_WORLD.
inline int rank() { return rank_in(MPI_COMM_WORLD); }
inline int size() { return size_of(MPI_COMM_WORLD); }

/// As many copies of the arrays of a random case as there are ranks for, at least two of one of them.
/// With `apart` no rank has a part of both, which takes three ranks.
inline Case random_copies(Draw& draw, bool apart) {
  Case c;
  std::int64_t from_room = size(), to_room = size();
  do {
    const std::int64_t of = std::max<std::int64_t>(1, size() / draw.between(1, 4));
    c = draw.chance(3) ? random_part(draw, static_cast<int>(of)) : random_case(draw, static_cast<int>(of));
    from_room = apart ? draw.between(1, std::max(1, size() - 1)) : size();
    to_room = apart ? size() - from_room : size();
    c.options.from_replicas = draw.between(0, from_room / processes_of(c.from));
    c.options.to_replicas = draw.between(0, to_room / processes_of(c.to));
  } while (c.options.from_replicas < 1 || c.options.to_replicas < 1 ||
           (c.options.from_replicas == 1 && c.options.to_replicas == 1));
  RedistributionOptions& o = c.options;
  const std::int64_t senders = o.from_replicas * processes_of(c.from);
  const std::int64_t receivers = o.to_replicas * processes_of(c.to);
  o.from_ranks.clear();
  o.to_ranks.clear();
  if (apart) {
    const std::vector<int> all = draw.ranks(size(), size());
    o.from_ranks.assign(all.begin(), all.begin() + senders);
    o.to_ranks.assign(all.end() - receivers, all.end());
  } else {
    if (draw.chance(2)) o.from_ranks = draw.ranks(senders, size());
    if (draw.chance(2)) o.to_ranks = draw.ranks(receivers, size());
  }
  o.algorithm = draw.one_of<std::string>({"auto", "oggp", "greedy"});
  o.forward = !draw.chance(4);
  return c;
}

/// The first byte that differs between two arrays, or "".
inline std::string difference(std::span<const std::byte> found, std::span<const std::byte> expected) {
  if (found.size() != expected.size()) return "sizes differ";
  const auto at = std::ranges::mismatch(found, expected).in1 - found.begin();
  if (at == static_cast<std::ptrdiff_t>(found.size())) return "";
  return "byte " + std::to_string(at) + " of " + std::to_string(found.size());
}

}  // namespace sluice::mpi::testing
