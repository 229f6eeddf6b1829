#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::mpi::detail {

class OrderedCarrier;

/// Says when the messages of an OrderedCarrier may start. This class is the mode `local`: every message starts at once,
/// in its turn, which is enough for correctness. Derived classes hold messages back, so that the network carries no
/// more than it should.
///
/// Messages are counted as in the carrier's lists. Called by one carrier, from its thread.
class Gate {
 public:
  Gate() = default;
  virtual ~Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Whether messages are added to the lists while they are carried out.
  [[nodiscard]] virtual bool grows() const { return false; }
  /// Whether a piece counts as sent only once its receiver has begun to take it (MPI_Issend).
  [[nodiscard]] virtual bool synchronous() const { return false; }

  /// An execution begins; nothing has been started.
  virtual void begin(OrderedCarrier& /*carrier*/) {}
  /// Moves the gate's own messages on, between any two looks for data. True: something happened.
  virtual bool progress(OrderedCarrier& /*carrier*/) { return false; }
  /// Whether the first piece of an outgoing message may go; asked again until it may.
  virtual bool may_start(std::size_t /*send*/) { return true; }
  /// A piece has been sent, or has come.
  virtual void sent(std::size_t /*send*/, std::int64_t /*bytes*/) {}
  virtual void received(std::size_t /*receive*/, std::int64_t /*bytes*/) {}
  /// Whether the execution is over on this rank; asked again, until it is, when all messages of the lists are done.
  virtual bool finish() { return true; }
};

}  // namespace sluice::mpi::detail
