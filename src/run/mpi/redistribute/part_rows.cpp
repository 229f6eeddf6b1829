#include "run/mpi/redistribute/part_rows.hpp"

#include <algorithm>
#include <utility>

namespace sluice::mpi::detail {

PartRows::PartRows(std::shared_ptr<const sluice::detail::Positions> slow,
                   std::shared_ptr<const sluice::detail::Positions> fast, sluice::detail::PartEdge edge,
                   std::int64_t element_size)
    : slow_(std::move(slow)), fast_(std::move(fast)), edge_(edge), element_size_(element_size) {
  for (std::int64_t number = 0; number < slow_->count(); ++number) {
    if (number % kRowsApart == 0) begins_.push_back(bytes_);
    const Row each = row(number);
    bytes_ += (each.last - each.first) * element_size_;
  }
}

PartRows::Place PartRows::find(std::int64_t byte) const {
  // The last row that begins at or before it: empty rows that begin there come before the row that has it.
  const auto after = std::ranges::upper_bound(begins_, byte);
  Place place{(after - begins_.begin() - 1) * kRowsApart, *(after - 1)};
  for (;; ++place.row) {
    const Row each = row(place.row);
    const std::int64_t end = place.begin + (each.last - each.first) * element_size_;
    if (byte < end) return place;
    place.begin = end;
  }
}

}  // namespace sluice::mpi::detail
