#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "apps/compare/mpi_exchange.hpp"
#include "apps/compare/redistribution_methods.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::compare {
namespace {

/// Pieces of memory that repeat: the list, `times` times, each time `stride` bytes further on.
struct Pieces {
  struct Piece {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Piece> list;
  std::int64_t times = 1;
  std::int64_t stride = 0;
  bool of_words = false;  ///< all are of 8 bytes
};

/// Positions 0 .. extent - 1 of the runs, in indices of `step` bytes, from `offset` on.
Pieces pieces_of(IndexRuns runs, std::int64_t extent, std::int64_t step, std::int64_t offset) {
  Pieces pieces;
  runs.extent = extent;
  runs.for_each([&](const IndexRun& run) {
    const Pieces::Piece next{offset + run.from.value * step, run.length * step};
    if (!pieces.list.empty() && pieces.list.back().offset + pieces.list.back().bytes == next.offset) {
      pieces.list.back().bytes += next.bytes;
    } else {
      pieces.list.push_back(next);
    }
  });
  pieces.of_words =
      std::all_of(pieces.list.begin(), pieces.list.end(), [](const Pieces::Piece& piece) { return piece.bytes == 8; });
  return pieces;
}

/// A message in this rank's part of the array. Dimensions that are there as a whole are part of an index of the next.
struct Box {
  struct Level {
    IndexRuns runs;
    std::int64_t step = 0;  ///< bytes from an index to the next
  };
  std::vector<Level> outer;   ///< slowest first
  std::array<Pieces, 2> row;  ///< in the fastest dimension: the whole periods, and the rest
};

Box box_of(const RedistributionPart& part, bool outgoing, const RedistributionPart::Peer& peer) {
  Box box;
  std::vector<MessageLevel> levels = message_levels(part, outgoing, peer.process);
  // In a transposed target elements are rows of their own.
  bool inner = levels.front().step == 1;
  if (!inner) {
    box.row[0].list = {{0, part.job.element_size}};
    box.row[0].of_words = part.job.element_size == 8;
  }
  for (MessageLevel& level : levels) {
    const IndexRuns& runs = level.runs;
    const std::int64_t step = level.step * part.job.element_size;
    if (!inner) {
      box.outer.insert(box.outer.begin(), {std::move(level.runs), step});
    } else if (runs.count() < level.extent) {
      inner = false;
      const std::int64_t periods = runs.extent / runs.period;
      box.row[0] = pieces_of(runs, periods > 0 ? runs.period : 0, step, 0);
      box.row[0].times = periods;
      box.row[0].stride = runs.from_stride * step;
      box.row[1] = pieces_of(runs, runs.extent - periods * runs.period, step, periods * box.row[0].stride);
    }
  }
  if (inner) box.row[0].list = {{0, peer.bytes}};  // the part as a whole
  return box;
}

/// memcpy, for sizes where the call would take longer than the copy: two moves that may overlap.
template <std::size_t Width>
void copy_ends(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::array<std::byte, Width> head;
  std::array<std::byte, Width> tail;
  std::memcpy(head.data(), from, Width);
  std::memcpy(tail.data(), from + bytes - Width, Width);
  std::memcpy(to, head.data(), Width);
  std::memcpy(to + bytes - Width, tail.data(), Width);
}

inline void copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes > 64 || bytes < 4) return void(std::memcpy(to, from, static_cast<std::size_t>(bytes)));
  if (bytes > 32) return copy_ends<32>(to, from, bytes);
  if (bytes > 16) return copy_ends<16>(to, from, bytes);
  if (bytes >= 8) return copy_ends<8>(to, from, bytes);
  copy_ends<4>(to, from, bytes);
}

/// Calls visit(offset in the part, bytes) for every piece of the message, in order; `at` is where index 0 of the first
/// of the outer levels is.
template <class Visit>
void for_each_piece(const Box& box, std::span<const Box::Level> outer, std::int64_t at, Visit&& visit) {
  if (!outer.empty()) {
    outer.front().runs.for_each([&](const IndexRun& run) {
      for (std::int64_t i = 0; i < run.length; ++i)
        for_each_piece(box, outer.subspan(1), at + (run.from.value + i) * outer.front().step, visit);
    });
    return;
  }
  for (const Pieces& pieces : box.row) {
    // Single words are the most common small pieces, and a compiler makes these loops fast.
    if (pieces.of_words && pieces.list.size() == 1) {
      std::int64_t from = at + pieces.list.front().offset;
      for (std::int64_t time = 0; time < pieces.times; ++time, from += pieces.stride) visit(from, 8);
      continue;
    }
    std::int64_t from = at;
    for (std::int64_t time = 0; time < pieces.times; ++time, from += pieces.stride) {
      if (pieces.of_words) {
        for (const Pieces::Piece& piece : pieces.list) visit(from + piece.offset, 8);
      } else {
        for (const Pieces::Piece& piece : pieces.list) visit(from + piece.offset, piece.bytes);
      }
    }
  }
}

/// All messages of one direction, one after the other in a buffer of ours.
class PackedMessages {
 public:
  /// Throws InputError when they are beyond int together.
  PackedMessages(const RedistributionPart& part, bool outgoing) {
    for (const RedistributionPart::Peer& peer : outgoing ? part.receivers : part.senders) {
      if (peer.bytes > std::numeric_limits<int>::max() - placed_.bytes) {
        throw InputError("size",
                         fmt::format("more than {} on rank {}", count_text(placed_.bytes, "byte"), part.comm.rank()),
                         "at most 2^31 - 1 for a method that sends all at once");
      }
      placed_.add(peer.rank, peer.bytes);
      boxes_.push_back(box_of(part, outgoing, peer));
    }
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(placed_.bytes));
  }

  [[nodiscard]] const PlacedMessages& placed() const { return placed_; }
  [[nodiscard]] std::byte* data() { return buffer_.get(); }

  void pack(const std::byte* source) {
    std::byte* packed = buffer_.get();
    for (const Box& box : boxes_) {
      for_each_piece(box, box.outer, 0, [&](std::int64_t offset, std::int64_t bytes) {
        copy(packed, source + offset, bytes);
        packed += bytes;
      });
    }
  }
  void unpack(std::byte* target) const {
    const std::byte* packed = buffer_.get();
    for (const Box& box : boxes_) {
      for_each_piece(box, box.outer, 0, [&](std::int64_t offset, std::int64_t bytes) {
        copy(target + offset, packed, bytes);
        packed += bytes;
      });
    }
  }

 private:
  std::vector<Box> boxes_;
  PlacedMessages placed_;
  std::unique_ptr<std::byte[]> buffer_;
};

class Packed final : public Method {
 public:
  Packed(const std::string& name, const RedistributionPart& part) {
    prepare_together(part.comm, [&] {
      sends_ = std::make_unique<PackedMessages>(part, true);
      receives_ = std::make_unique<PackedMessages>(part, false);
    });
    exchange_ = make_mpi_exchange(name, part.comm, sends_->placed(), receives_->placed());
  }

  void execute(const void* source, void* target) override {
    sends_->pack(static_cast<const std::byte*>(source));
    exchange_->execute(sends_->data(), receives_->data());
    receives_->unpack(static_cast<std::byte*>(target));
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return sends_->placed().bytes + receives_->placed().bytes; }

 private:
  std::unique_ptr<PackedMessages> sends_;
  std::unique_ptr<PackedMessages> receives_;
  std::unique_ptr<Method> exchange_;
};

}  // namespace

std::unique_ptr<Method> make_packed(const std::string& name, const RedistributionPart& part) {
  return std::make_unique<Packed>(name, part);
}

}  // namespace sluice::compare
