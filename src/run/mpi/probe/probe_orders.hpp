#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// A measurement between two ranks.
struct Order {
  enum class Kind : std::int64_t {
    kPing,   ///< `count` round trips of a byte: the typical time of one
    kTrain,  ///< `count` messages of `bytes` one after the other, and an answer: the time of all that
  };
  int from = 0;
  int to = 0;
  Kind kind = Kind::kPing;
  std::int64_t bytes = 1;
  std::int64_t count = 1;
};

/// Ranks that measure what rank 0 orders: it alone decides what comes next, the others need to know nothing.
class Orders {
 public:
  explicit Orders(Channel& channel) : channel_(channel) {}

  /// Rank 0: has the orders carried out at once and returns their times in seconds. @pre every rank in one order at
  /// most
  std::vector<double> run(const std::vector<Order>& orders);
  double run(const Order& order) { return run(std::vector{order}).front(); }
  /// Rank 0: there are no more orders.
  void end();
  /// The other ranks: carries orders out until the end.
  void serve();

 private:
  /// Carries out this rank's side of an order; returns the time, if this rank measures.
  double carry_out(const Order& order);
  double ping(const Order& order);
  void pong(const Order& order);
  double send_train(const Order& order);
  void receive_train(const Order& order);

  /// Memory for `bytes` bytes.
  std::shared_ptr<std::byte[]> room(std::size_t bytes);

  Channel& channel_;
  std::shared_ptr<std::byte[]> memory_;
  std::size_t memory_bytes_ = 0;
};

}  // namespace sluice::mpi::detail
