#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "input/positions.hpp"

namespace sluice::mpi::detail {

/// The rows of a message of a triangle or trapezoid: which positions of the fast dimension each position of the slow
/// one has, and where its bytes begin in the message.
///
/// Memory: eight bytes for every 32 rows, besides what the messages of a coordinate share; the bytes of a row are found
/// by stepping over at most 31 of them, O(log runs) each.
class PartRows {
 public:
  /// A row: the positions first .. last - 1 of the message's fast dimension, maybe none.
  struct Row {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  /// The row that has a byte, and what is before it.
  struct Place {
    std::int64_t row = 0;
    std::int64_t begin = 0;  ///< the message's byte that it begins with
  };

  PartRows(std::shared_ptr<const sluice::detail::Positions> slow, std::shared_ptr<const sluice::detail::Positions> fast,
           sluice::detail::PartEdge edge, std::int64_t element_size);

  [[nodiscard]] std::int64_t element_size() const { return element_size_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] Row row(std::int64_t number) const {
    const std::int64_t below = fast_->below(slow_->at(number) + edge_.shift);
    return edge_.below ? Row{0, below} : Row{below, fast_->count()};
  }
  /// @pre 0 <= byte < bytes()
  [[nodiscard]] Place find(std::int64_t byte) const;

 private:
  static constexpr std::int64_t kRowsApart = 32;

  std::shared_ptr<const sluice::detail::Positions> slow_;
  std::shared_ptr<const sluice::detail::Positions> fast_;
  sluice::detail::PartEdge edge_;
  std::int64_t element_size_;
  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> begins_;  ///< of rows 0, 32, 64, ...
};

}  // namespace sluice::mpi::detail
