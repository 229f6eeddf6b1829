#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/compare/redistribution_part.hpp"

namespace sluice::compare {

/// A rank's parts of the two arrays of a redistribution, filled with functions of the global index, so that every byte
/// of the target can be checked afterwards.
class ArrayContents {
 public:
  /// Allocates both parts and fills the source.
  explicit ArrayContents(const RedistributionPart& part);

  [[nodiscard]] const std::byte* source() const { return source_.get(); }
  [[nodiscard]] std::byte* target() { return target_.get(); }

  /// Fills the target with what no redistribution writes.
  void reset_target();
  /// Compares every byte of the target with the source's element that belongs there, outside the moved box with what
  /// reset_target wrote. Returns what the first wrong element is, or "".
  [[nodiscard]] std::string check_target() const;

 private:
  /// What each local index of a level contributes to the position in the whole array; levels from the slowest in
  /// storage.
  struct Level {
    std::vector<std::int64_t> own;     ///< in the array that is held
    std::vector<std::int64_t> origin;  ///< of the target: in the source array; -1 outside the box
  };

  /// Element number `position` of an array, from a stream of its own.
  void write(std::byte* element, std::int64_t position, std::uint64_t salt) const;
  /// Whether what is at `origin` of the source array moves; -1: it is outside the box.
  [[nodiscard]] bool moves(std::int64_t origin) const;

  RedistributionProblem problem_;
  std::int64_t element_size_;
  std::optional<ScaleAndAdd> scaled_;
  std::vector<Level> source_levels_;
  std::vector<Level> target_levels_;
  std::unique_ptr<std::byte[]> source_;
  std::unique_ptr<std::byte[]> target_;
};

}  // namespace sluice::compare
