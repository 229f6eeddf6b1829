#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "run/mpi/runtime/message_part.hpp"
#include "schedule/own_part.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

using sluice::detail::kAnyCount;
using sluice::detail::OwnPart;

/// What the messages of a rank's part consist of: it knows places, and no order.
///
/// A message is named by its end: a position in OwnPart::ends. Where messages become known while they are carried out
/// (ListedMessages), both directions are counted together, in the order of becoming known. Parts of messages are in the
/// unit of OwnPart::Own::count: elements, or bytes if nothing is combined.
///
/// What carries messages touches the user's memory only by pack() and unpack(), and gives MPI the addresses that
/// outgoing() and incoming() return. So the memory may be one that only MPI and this class can use.
///
/// There are two ways of carrying a message. Each calls its functions between the begin and the end of an execution.
///
/// In parts (OrderedCarrier, MemoryCarrier): outgoing(), incoming(), pack() and unpack(), on the thread that
/// carries out the job. Each byte is packed or sent once, and received or unpacked once, if lists are not packed
/// together.
///
/// Whole (ReadyCarrier): for a send, outgoing(), then sent(); for a receive, incoming(), then arrived(). All are of the
/// whole message, and return a place: who needs a buffer has one. A message of kAnyCount goes in parts besides, see
/// sent_count(). While arrived() is running, the progress thread may call any function but arrived().
class Data {
 public:
  using Look = std::function<void()>;

  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  virtual ~Data() = default;

  /// The place of a part of a message to be sent, if it lies there in a row; otherwise null, and pack() is called. It
  /// must stay until MPI has sent the part.
  virtual const std::byte* outgoing(std::size_t /*end*/, std::int64_t /*begin*/, std::int64_t /*count*/) {
    return nullptr;
  }
  /// As outgoing(), for a message that comes and unpack().
  virtual std::byte* incoming(std::size_t /*end*/, std::int64_t /*begin*/, std::int64_t /*count*/) { return nullptr; }
  /// Copies a part to `to`, one element after the other. Unless overridden, all bytes lie where outgoing() says.
  virtual void pack(std::size_t end, std::int64_t begin, std::int64_t count, std::byte* to) {
    if (count > 0) std::memcpy(to, checked(outgoing(end, begin, count)), static_cast<std::size_t>(count));
  }
  /// Puts a part that has come, one element after the other, to its place, or combines it with what is there. Unless
  /// overridden, all bytes lie where incoming() says.
  virtual void unpack(std::size_t end, std::int64_t begin, std::int64_t count, const std::byte* from) {
    if (count > 0) std::memcpy(checked(incoming(end, begin, count)), from, static_cast<std::size_t>(count));
  }

  /// Lists of messages that had better be packed, or unpacked, at the same time; none is in two of them.
  struct Together {
    std::span<const std::vector<std::size_t>> sends;  ///< ends
    std::span<const std::vector<std::size_t>> receives;
  };
  /// Who asks for these lists in an execution packs and unpacks their messages only by the calls below, in bytes.
  virtual Together together() { return {}; }
  /// Packs what it can of the messages of list number `list`. `room` is where the next bytes of each may go; its
  /// `bytes` become the bytes that are there.
  virtual void pack_together(std::size_t /*list*/, std::span<MessageRoom> /*room*/) {}
  /// Unpacks what it can. `arrived` is what is there of each message from the first needed byte on; its `bytes` become
  /// the bytes that are no longer needed.
  virtual void unpack_together(std::size_t /*list*/, std::span<MessagePart> /*arrived*/) {}

  /// The execution is over on this rank.
  virtual void finish() {}
  /// Bytes held beyond the user's.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }

  /// Does a part of the work that needs no communication, a few dozen microseconds; false: nothing is left of it.
  virtual bool work() { return false; }

  /// The message is there, or all of it has been sent: its place is no longer used. `look`, empty if it need not be
  /// called, lets MPI make progress.
  virtual void arrived(std::size_t /*end*/, const Look& /*look*/) {}
  virtual void sent(std::size_t /*end*/) {}
  /// If receives may come in any order: whether this message could be used now.
  virtual bool welcome(std::size_t /*end*/) { return true; }

  /// The number of bytes of a send of kAnyCount, asked for before its place. Its first bytes go by pack().
  virtual std::int64_t sent_count(std::size_t /*end*/) { return 0; }
  /// The number of bytes of a receive of kAnyCount, told before its place is asked for. Its first bytes come by
  /// unpack().
  virtual void expect(std::size_t /*end*/, std::int64_t /*count*/) {}

 private:
  template <class Byte>
  static Byte* checked(Byte* place) {
    SLUICE_ASSERT(place != nullptr, "a message that has no place, and that nothing packs or unpacks");
    return place;
  }
};

}  // namespace sluice::mpi::detail
