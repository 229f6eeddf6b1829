#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace sluice::detail {

/// Checks whether pieces cover a message of `size` units, [0, size), once. Otherwise it calls
///  - beyond(piece, begin, end): a piece has these units, but the message has not;
///  - gap(begin, end): no piece has these;
///  - again(piece, begin, end): a piece has these, and an earlier piece too.
/// @pre the pieces, which `piece_of` gives for what the iterators point to, are sorted by offset; they have an offset
/// and a size above 0, and no end overflows
template <class Iterator, class Beyond, class Gap, class Again, class PieceOf = std::identity>
void check_cover(Iterator first, Iterator last, std::int64_t size, const Beyond& beyond, const Gap& gap,
                 const Again& again, const PieceOf& piece_of = {}) {
  std::int64_t covered = 0;  // [0, covered) is in a piece, or was reported as missing
  for (auto each = first; each != last; ++each) {
    const auto& piece = piece_of(*each);
    const std::int64_t end = piece.offset + piece.size;
    if (end > size) beyond(*each, std::max(piece.offset, size), end);
    const std::int64_t inside_begin = std::min(piece.offset, size);
    const std::int64_t inside_end = std::min(end, size);
    if (inside_begin > covered) gap(covered, inside_begin);
    const std::int64_t again_end = std::min(covered, inside_end);
    if (inside_begin < again_end) again(*each, inside_begin, again_end);
    covered = std::max(covered, inside_end);
  }
  if (covered < size) gap(covered, size);
}

}  // namespace sluice::detail
