#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/redistribute/message_copies.hpp"
#include "run/mpi/runtime/message_part.hpp"

namespace sluice::mpi::detail {

/// Messages that share the rows of an array in short runs. Together they fill the rows of a target, or the rows of a
/// source are dealt out to them. They are copied together, in the order of the array, as far as all of them have data,
/// or room.
class RowsTogether {
 public:
  enum class Side { kSource, kTarget };

  /// Whether messages suit this: they have the same rows, share them without gaps on that side, and their runs are so
  /// short that it pays.
  [[nodiscard]] static bool suits(Side side, std::span<const CopyRows> messages);

  /// Before an execution.
  void begin();
  /// Bytes of a message, from its first one on, that have been copied.
  [[nodiscard]] std::int64_t copied(std::size_t message) const;

 protected:
  struct Member {
    CopyRows rows;
    std::int64_t row = 0;   ///< the place on the other side where the present row begins
    CopyAxis::Cursor at{};  ///< in the present row
    std::int64_t left = 0;  ///< bytes of the present row that are left
  };

  /// @pre suits(side, messages)
  RowsTogether(Side side, std::span<const CopyRows> messages);

  /// Goes on to the nearest end of a message: calls fill(row, columns) for what is next of each row. `end_of(message)`:
  /// its end in bytes.
  template <class EndOf, class Fill>
  void go_on(EndOf end_of, Fill fill);

  struct Columns {
    std::int64_t begin = 0;  ///< bytes of the array's row
    std::int64_t end = 0;
  };

  std::vector<Member> members_;

 private:
  struct Place {
    std::int64_t row = 0;
    std::int64_t column = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };

  void begin_row();
  [[nodiscard]] Place place_of(const CopyRows& rows, std::int64_t bytes) const;

  Side side_;
  Columns all_;
  Place next_;
};

/// For a target. Each message alone would have every line of the target read into the cache and written back. So what
/// all of them have for a piece of a row is first put together in the nearest cache, and the piece is written past the
/// cache.
class RowAssembly : public RowsTogether {
 public:
  /// @pre suits(Side::kTarget, messages)
  explicit RowAssembly(std::span<const CopyRows> messages) : RowsTogether(Side::kTarget, messages) {}

  /// Copies what can be copied of each message's arrived bytes: from copied() on, or from before. For a message that
  /// comes from an array instead: byte 0 of the array, and all bytes of the message.
  void advance(std::span<const MessagePart> arrived, std::byte* target);
};

/// For a source. Each message alone would read lines from memory for runs that are too short for the processor to read
/// ahead. Together they read the source from one end to the other.
class RowSplit : public RowsTogether {
 public:
  /// @pre suits(Side::kSource, messages)
  explicit RowSplit(std::span<const CopyRows> messages) : RowsTogether(Side::kSource, messages) {}

  /// Copies what all messages have room for: from copied() on, or from before. For a message that goes to an array
  /// instead: byte 0 of the array, and all bytes of the message.
  void advance(std::span<const MessageRoom> room, const std::byte* source);
};

}  // namespace sluice::mpi::detail
