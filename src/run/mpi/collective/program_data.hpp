#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "run/mpi/elements/element_data.hpp"
#include "schedule/own_part.hpp"
#include "schedule/range_map.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

/// The places of the bytes of a rank's part of a program in memory. The ranges that a rank has at the start lie one
/// after the other in the user's memory. The ranges that it must have at the end lie in the result likewise. Data that
/// arrives is written to its place in the result. If it is not wanted there, it goes to memory that is allocated for
/// it: no rank holds the whole array. The rank's own elements are combined from their place.
///
/// A message that lies in several places is packed before it is sent, and unpacked when it has arrived. A message to be
/// combined arrives in a buffer; but if nothing has been combined at its place yet, it arrives at its place, and the
/// own elements are combined with it there.
class ProgramData final : public ElementData {
 public:
  /// `shape`: the program without its operations; `part`: of `rank`. `operation`: its elements are the part's elements.
  /// For bytes that are only moved, it is MPI_BYTE with any operation.
  ProgramData(const ElementOperation& operation, const Program& shape, std::int64_t rank, const OwnPart& part);

  /// The longest message that comes to a buffer, elements.
  [[nodiscard]] std::int64_t longest_buffered() const { return longest_buffered_; }
  /// Whether the own elements of `rank` may be in its result (MPI_IN_PLACE); `shape`: the program, without operations.
  [[nodiscard]] static bool may_be_in_place(const Program& shape, std::int64_t rank);

  void use(const void* own, void* result) override;
  void finish() override;

  // ---- Whole messages.

  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t count) override;
  void arrived(std::size_t end, const Look& look) override;
  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t count) override;
  void sent(std::size_t end) override;

  // ---- Messages in parts, without buffers.

  void pack(std::size_t end, std::int64_t begin, std::int64_t count, std::byte* to) override;
  void unpack(std::size_t end, std::int64_t begin, std::int64_t count, const std::byte* from) override;

 private:
  enum class Place : std::uint8_t { kOwn, kResult, kHeld };
  /// The place of an element of the array: `shift` elements further on in `place`.
  struct Home {
    Place place = Place::kResult;
    std::int64_t shift = 0;
    friend bool operator==(const Home&, const Home&) = default;
  };
  /// A part of a message that is together in memory.
  struct Piece {
    Place place = Place::kResult;
    std::int64_t at = 0;     ///< elements from the start of the place
    std::int64_t own = 0;    ///< of a combine: offset in the rank's own elements
    std::int64_t count = 0;  ///< elements
    bool first = false;      ///< of a combine: nothing has been combined with the rank's own elements yet
    bool lower = false;      ///< as OwnPart::Range
    OwnPart::OwnTurn own_turn = OwnPart::OwnTurn::kWithMessage;  ///< likewise
  };
  using Message = std::vector<Piece>;

  /// Finds a place for data that arrives and is not in the result.
  void find_homes(const Program& shape, std::int64_t rank, const OwnPart& part);
  void place_messages(const OwnPart& part, bool in_place);
  static void add(Message& message, const Piece& piece);

  [[nodiscard]] std::byte* in(const Piece& piece) const { return base(piece.place) + piece.at * extent(); }
  [[nodiscard]] std::byte* base(Place place) const;
  /// Whether a received message arrives at its place, not in a buffer.
  [[nodiscard]] bool direct(std::size_t end) const;
  /// `scratch`: `other` itself if it may be written to; null: a buffer is taken if one is needed.
  void combine(const Piece& piece, const std::byte* other, std::byte* scratch, const Look& look);
  /// use(piece, elements before it in the part) for what lies in a part of a message.
  template <class Use>
  static void for_part(const Message& message, std::int64_t begin, std::int64_t count, Use use);

  /// Elements of a part of a message that are only moved.
  void put(const std::byte* from, std::byte* to, std::int64_t count) const;

  [[nodiscard]] std::byte* take(std::int64_t count);
  void give_back(std::byte* buffer);
  void move_own();

  std::vector<OwnPart::Own> ends_;
  std::vector<Message> messages_;  ///< by end
  std::int64_t longest_buffered_ = 0;

  sluice::detail::RangeMap<Home> homes_;
  std::int64_t own_begin_ = 0;  ///< the element of the array that the own ones begin with
  std::int64_t own_count_ = 0;
  std::int64_t held_count_ = 0;
  bool commutative_ = true;
  bool streams_ = false;    ///< parts of messages are written past the cache
  bool moves_own_ = false;  ///< the own elements are moved first to the places that others come to, because they are
                            ///< forwarded together
  Message own_moves_;       ///< then; otherwise elements that are in the result unchanged. Piece::own: the source
  std::int64_t own_in_result_ = 0;  ///< where they are if in place

  std::byte* own_ = nullptr;  ///< never written through
  std::byte* result_ = nullptr;
  std::byte* held_ = nullptr;
  bool own_in_place_ = false;
  std::vector<std::byte*> buffers_;                       ///< by end: the buffer of its message
  std::map<const std::byte*, std::int64_t> sizes_;        ///< of buffers, elements
  std::multimap<std::int64_t, std::byte*> free_buffers_;  ///< by the elements that fit
  std::mutex mutex_;                                      ///< of buffers, because a progress thread may ask for a place
};

}  // namespace sluice::mpi::detail
