#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/redistribute/message_copies.hpp"
#include "run/mpi/redistribute/own_messages.hpp"
#include "run/mpi/redistribute/rows_together.hpp"
#include "sluice/run/mpi/element_combine.hpp"

namespace sluice::mpi::detail {

/// How a rank's messages of one array are copied.
struct ArrayCopies {
  ArrayCopies(const Participation& part, const OwnSteps& own, std::size_t array);

  MessageCopies packing;
  MessageCopies unpacking;
  MessageCopies moving;      ///< what the rank sends itself, or none
  MessageCopies passing_on;  ///< its messages follow the messages of `packing`

  /// Messages that RowsTogether suits.
  struct Together {
    std::vector<std::size_t> messages;
    bool moving = false;  ///< with what the rank sends itself
  };
  std::vector<Together> unpacked_together;
  std::vector<Together> packed_together;
};

/// The part of the messages that goes between the user's two memories of one array.
class ArrayTransport {
 public:
  /// `combine`: empty, or what arriving elements of `element_size` bytes do to the target's elements. Both must stay.
  ArrayTransport(const ArrayCopies& copies, std::int64_t element_size, const ElementCombine& combine);

  /// Before an execution.
  void begin(const void* source, void* target);

  /// See Data; for the array's copy number `copy` (OwnMessages::Piece).
  [[nodiscard]] const std::byte* outgoing(std::size_t copy, std::int64_t offset, std::int64_t bytes) const {
    const auto at = outgoing_copy(copy).contiguous(offset, offset + bytes);
    return at ? outgoing_from(copy) + at->first : nullptr;
  }
  void pack(std::size_t copy, std::int64_t offset, std::int64_t bytes, std::byte* buffer) const {
    outgoing_copy(copy).copy(offset, offset + bytes, outgoing_from(copy), 0, buffer, offset);
  }
  [[nodiscard]] std::byte* incoming(std::size_t copy, std::int64_t offset, std::int64_t bytes) const {
    if (*combine_) return nullptr;
    const auto at = copies_->unpacking[copy].contiguous(offset, offset + bytes);
    return at ? target_ + at->second : nullptr;
  }
  void unpack(std::size_t copy, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) const {
    put(copies_->unpacking[copy], offset, offset + bytes, buffer, offset);
  }
  /// From now on in this execution, the functions below alone pack and unpack the messages in the lists of `copies`.
  /// What the rank sends itself is included if it belongs to a list.
  void begin_together();
  void pack_together(std::size_t list, std::span<MessageRoom> room);
  void unpack_together(std::size_t list, std::span<MessagePart> arrived);
  /// The lists; none if elements are combined.
  [[nodiscard]] std::span<const ArrayCopies::Together> packed_together() const { return packed_; }
  [[nodiscard]] std::span<const ArrayCopies::Together> unpacked_together() const { return unpacked_; }
  bool work();

 private:
  [[nodiscard]] BoxCopy outgoing_copy(std::size_t copy) const {
    const std::size_t packed = copies_->packing.size();
    return copy < packed ? copies_->packing[copy] : copies_->passing_on[copy - packed];
  }
  [[nodiscard]] const std::byte* outgoing_from(std::size_t copy) const {
    return copy < copies_->packing.size() ? source_ : target_;
  }
  /// Bytes begin .. end - 1 of a message, from where it has byte `from_origin`, to the target.
  void put(const BoxCopy& message, std::int64_t begin, std::int64_t end, const std::byte* from,
           std::int64_t from_origin) const;

  const ArrayCopies* copies_;
  std::int64_t element_size_;
  const ElementCombine* combine_;
  std::span<const ArrayCopies::Together> packed_;
  std::span<const ArrayCopies::Together> unpacked_;
  std::vector<RowSplit> splits_;         ///< of each list of `packed_`
  std::vector<RowAssembly> assemblies_;  ///< of each list of `unpacked_`
  std::vector<MessageRoom> room_;        ///< of all messages of one list
  std::vector<MessagePart> arrived_;
  BoxCopy move_;
  std::int64_t to_move_ = 0;
  std::int64_t moved_ = 0;
  const std::byte* source_ = nullptr;
  std::byte* target_ = nullptr;
};

/// The messages of one execution between the user's memories of all arrays. A message is what its arrays have for it,
/// one after the other.
class Transport {
 public:
  /// `own` must stay.
  Transport(const OwnSteps& own, std::vector<ArrayTransport> arrays) : own_(own), arrays_(std::move(arrays)) {}

  /// Before an execution: a pointer for each array.
  void begin(std::span<const void* const> sources, std::span<void* const> targets);

  /// See Data; for a message.
  [[nodiscard]] const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) const;
  void pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) const;
  [[nodiscard]] std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) const;
  void unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) const;
  /// Null if there are several arrays, whose messages are merged.
  [[nodiscard]] ArrayTransport* only_array() { return arrays_.size() == 1 ? &arrays_.front() : nullptr; }
  bool work();

 private:
  const OwnSteps& own_;
  std::vector<ArrayTransport> arrays_;
  std::size_t working_ = 0;  ///< the array whose move within this rank is under way
};

/// A Transport as Data by transfers, which are the ends of OwnSteps::part.
class Transfers final : public Data {
 public:
  Transfers(Transport& transport, const OwnSteps& own);

  const std::byte* outgoing(std::size_t end, std::int64_t offset, std::int64_t bytes) override {
    return transport_.outgoing(places_[end].message, places_[end].offset + offset, bytes);
  }
  void pack(std::size_t end, std::int64_t offset, std::int64_t bytes, std::byte* buffer) override {
    transport_.pack(places_[end].message, places_[end].offset + offset, bytes, buffer);
  }
  std::byte* incoming(std::size_t end, std::int64_t offset, std::int64_t bytes) override {
    return transport_.incoming(places_[end].message, places_[end].offset + offset, bytes);
  }
  void unpack(std::size_t end, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) override {
    transport_.unpack(places_[end].message, places_[end].offset + offset, bytes, buffer);
  }
  Together together() override {
    if (!sent_together_.empty() || !received_together_.empty()) transport_.only_array()->begin_together();
    return {sent_together_, received_together_};
  }
  void pack_together(std::size_t list, std::span<MessageRoom> room) override {
    transport_.only_array()->pack_together(list, room);
  }
  void unpack_together(std::size_t list, std::span<MessagePart> arrived) override {
    transport_.only_array()->unpack_together(list, arrived);
  }
  bool work() override { return transport_.work(); }

 private:
  /// Where the first byte of a transfer is.
  struct Place {
    std::size_t message = 0;
    std::int64_t offset = 0;
  };

  Transport& transport_;
  std::vector<Place> places_;  ///< by end
  std::vector<std::vector<std::size_t>> sent_together_;
  std::vector<std::vector<std::size_t>> received_together_;
};

}  // namespace sluice::mpi::detail
