#pragma once

#include <cstdint>
#include <vector>

#include "sluice/schedule/placed_schedule.hpp"

namespace sluice::detail {

/// Numbers the chunks of all buffers of a schedule, and says what a collective wants to be in them. Buffers that are in
/// one place share their numbers.
class PlacedCells {
 public:
  /// `problem`: nullopt if nothing is known of the data. `in_place`: whether output and input are in one place.
  PlacedCells(const PlacedSchedule& schedule, std::optional<Collective> problem, bool in_place, std::int64_t root);

  /// An upper limit of the number of chunks, for every collective; 2^62 if it is beyond that.
  [[nodiscard]] static std::int64_t total(const PlacedSchedule& schedule);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t of(const PlacedRange& range) const {
    const Bases& bases = bases_[static_cast<std::size_t>(range.rank)];
    return (range.buffer == PlacedRange::Buffer::kInput    ? bases.input
            : range.buffer == PlacedRange::Buffer::kOutput ? bases.output
                                                           : bases.scratch) +
           range.first;
  }

  /// Chunks that a rank has at the start, and must have at the end: numbers of the first and how many.
  struct Part {
    std::int64_t cell = 0;
    std::int64_t count = 0;
    std::int64_t name = 0;  ///< of the first chunk, in the array of a Program of this collective
  };
  [[nodiscard]] std::vector<Part> at_start(std::int64_t rank) const;
  [[nodiscard]] std::vector<Part> at_end(std::int64_t rank) const;
  /// The rank whose chunk of this name is wanted at the end, if the collective does not combine.
  [[nodiscard]] std::int64_t owner(std::int64_t name) const;
  /// The number of names: chunks of the array.
  [[nodiscard]] std::int64_t names() const { return names_; }
  /// The number of a chunk within the output of a rank, for messages.
  [[nodiscard]] std::int64_t output_chunk(std::int64_t rank, std::int64_t cell) const {
    return cell - bases_[static_cast<std::size_t>(rank)].output;
  }

 private:
  struct Bases {
    std::int64_t input = 0, output = 0, scratch = 0;
  };

  const PlacedSchedule& schedule_;
  std::optional<Collective> problem_;
  std::int64_t root_;
  std::int64_t array_;  ///< chunks of PlacedSchedule::chunks, in parts
  std::int64_t block_;  ///< of them for a rank
  std::int64_t names_;
  std::int64_t count_ = 0;
  std::vector<Bases> bases_;
};

}  // namespace sluice::detail
