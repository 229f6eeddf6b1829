#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/redistribute/message_copies.hpp"
#include "run/mpi/runtime/message_part.hpp"

namespace sluice::mpi::detail {

/// Messages that fill the same rows of the target between them, in short runs. Each alone would have every line of the
/// target read into the cache and written back; so what all of them have for a piece of a row is put together in the
/// nearest cache first, and the piece is written past it.
///
/// The messages need not arrive in step: rows are filled as far as all of them have come.
class RowAssembly {
 public:
  /// Whether messages of those rows are for this: all of the same rows, which they fill without gaps, in runs so short
  /// that it pays.
  [[nodiscard]] static bool suits(std::span<const CopyRows> messages);

  /// @pre suits(messages)
  explicit RowAssembly(std::span<const CopyRows> messages);

  /// Before an execution.
  void begin();
  /// Copies what can be of what has arrived of each message: from copied() on, or from before. Of one that comes
  /// from an array instead, byte 0 of the array, and all bytes of the message.
  void advance(std::span<const MessagePart> arrived, std::byte* target);
  /// Bytes of a message, from its first one on, that have been copied.
  [[nodiscard]] std::int64_t copied(std::size_t message) const;

 private:
  struct Member {
    CopyRows rows;
    CopyAxis::Cursor at;    ///< in the present row
    std::int64_t left = 0;  ///< bytes of it there
  };
  struct Place {
    std::int64_t row = 0;
    std::int64_t column = 0;  ///< byte of the target's row

    friend auto operator<=>(const Place&, const Place&) = default;
  };

  void begin_row();
  [[nodiscard]] Place place_of(const CopyRows& rows, std::int64_t bytes) const;
  /// The present row up to a column.
  void fill(std::int64_t end, std::span<const MessagePart> arrived, std::byte* target);

  std::vector<Member> members_;
  std::vector<const std::byte*> row_from_;  ///< of each: byte 0 of the present row
  std::int64_t first_ = 0;                  ///< the columns that they fill
  std::int64_t last_ = 0;
  Place next_;
};

}  // namespace sluice::mpi::detail
