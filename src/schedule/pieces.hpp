#pragma once

#include <algorithm>
#include <cstdint>

/// How messages are cut into pieces, which jobs send and simulations of jobs know.
namespace sluice::detail {

constexpr int kMostWindow = 1024;

/// How messages travel unless the options say.
struct UsualPieces {
  std::int64_t chunk_bytes = 32 << 10;
  int window = 2;
  int ahead = 2;  ///< receives posted beyond the window

  /// The window for pieces of another length: together they have equally many bytes, if that is at least one piece.
  [[nodiscard]] constexpr int window_of(std::int64_t bytes) const {
    return static_cast<int>(std::clamp<std::int64_t>(window * chunk_bytes / bytes, 1, kMostWindow));
  }
};

/// For the mode `local`, which need not know how far a message has come. `packed`: pieces are packed into buffers.
[[nodiscard]] constexpr UsualPieces usual_pieces_of_local(bool packed) {
  return packed ? UsualPieces{64 << 10, 4, 0} : UsualPieces{1 << 20, 16, 0};
}

/// How many bytes of a message a receiver still misses when it lets the next one go, unless the options say otherwise.
constexpr std::int64_t kUsualEarlyBytes = 32 << 10;
/// As kUsualEarlyBytes, for a redistribution whose messages have `mean_bytes` on the mean. With 32 KiB, a whole piece,
/// redistributions with long messages take 2 to 4 % longer. With 8 KiB, redistributions with shorter messages take 1 to
/// 6 % longer. See docs/reference/results.md, "Redistributions on shaped links".
[[nodiscard]] constexpr std::int64_t early_bytes_of_redistribution(double mean_bytes) {
  constexpr double kLong = 384 << 10;
  return mean_bytes < kLong ? kUsualEarlyBytes : 8 << 10;
}

/// The length of all pieces of a message but the last, which may be shorter: at most `chunk_bytes`, and a multiple of
/// `granule` if that is not longer. They are of about equal size: a short piece at the end would wait as long as a full
/// one for its turn. @pre all are at least 1
[[nodiscard]] constexpr std::int64_t piece_bytes(std::int64_t message_bytes, std::int64_t chunk_bytes,
                                                 std::int64_t granule) {
  if (granule > chunk_bytes) granule = 1;
  const std::int64_t longest = chunk_bytes / granule * granule;
  const std::int64_t pieces = message_bytes / longest + (message_bytes % longest != 0 ? 1 : 0);
  const std::int64_t even = message_bytes / pieces + (message_bytes % pieces != 0 ? 1 : 0);
  return std::min(longest, (even + granule - 1) / granule * granule);
}

}  // namespace sluice::detail
