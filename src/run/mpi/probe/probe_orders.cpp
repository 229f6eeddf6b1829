#include "run/mpi/probe/probe_orders.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "run/mpi/probe/probe_statistics.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kWarmUp = 2;

/// How many messages of a train are under way at once: so many that a long link is filled, and two at least, so that
/// one is always ready when another one ends.
std::size_t under_way(std::size_t bytes) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  constexpr std::size_t kLeast = 2;
  constexpr std::size_t kMost = 400;
  return std::clamp(kBytes / bytes, kLeast, kMost);
}

/// An order as it travels; `from` < 0: the end.
using Words = std::array<std::int64_t, 5>;

Words words_of(const Order& order) {
  return {order.from, order.to, static_cast<std::int64_t>(order.kind), order.bytes, order.count};
}

Order order_of(const Words& words) {
  return {static_cast<int>(words[0]), static_cast<int>(words[1]), static_cast<Order::Kind>(words[2]), words[3],
          words[4]};
}

}  // namespace

std::shared_ptr<std::byte[]> Orders::room(std::size_t bytes) {
  if (memory_bytes_ < bytes) {
    memory_.reset(new std::byte[bytes]());
    memory_bytes_ = bytes;
  }
  return memory_;
}

std::vector<double> Orders::run(const std::vector<Order>& orders) {
  for (const Order& order : orders) {
    const auto words = std::make_shared<const Words>(words_of(order));
    // The one that answers first: it is there when the other one begins.
    for (const int rank : {order.to, order.from})
      if (rank != channel_.rank()) send_and_wait(channel_, words, words->data(), sizeof(Words), rank, Tag::kOrder);
  }
  const auto times = std::make_shared<std::vector<double>>(orders.size(), 0);
  for (std::size_t i = 0; i < orders.size(); ++i)
    if (orders[i].from == channel_.rank() || orders[i].to == channel_.rank()) (*times)[i] = carry_out(orders[i]);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i].from == channel_.rank()) continue;
    Pending result(channel_, times);
    result.receive(&(*times)[i], sizeof(double), orders[i].from, Tag::kResult);
    result.wait_aside();
  }
  return *times;
}

void Orders::end() {
  Order last;
  last.from = -1;
  const auto words = std::make_shared<const Words>(words_of(last));
  for (int rank = 0; rank < channel_.size(); ++rank)
    if (rank != channel_.rank()) send_and_wait(channel_, words, words->data(), sizeof(Words), rank, Tag::kOrder);
}

void Orders::serve() {
  while (true) {
    const auto words = std::make_shared<Words>();
    Pending next(channel_, words);
    next.receive(words->data(), sizeof(Words), 0, Tag::kOrder);
    next.wait_aside();
    const Order order = order_of(*words);
    if (order.from < 0) return;
    const auto seconds = std::make_shared<const double>(carry_out(order));
    if (order.from == channel_.rank()) send_and_wait(channel_, seconds, seconds.get(), sizeof(double), 0, Tag::kResult);
  }
}

double Orders::carry_out(const Order& order) {
  const bool measures = order.from == channel_.rank();
  const bool pings = order.kind == Order::Kind::kPing;
  if (measures) return pings ? ping(order) : send_train(order);
  if (pings) {
    pong(order);
  } else {
    receive_train(order);
  }
  return 0;
}

double Orders::ping(const Order& order) {
  const std::shared_ptr<std::byte[]> byte = room(1);
  std::vector<double> samples;
  for (std::int64_t i = 0; i < kWarmUp + order.count; ++i) {
    const double start = MPI_Wtime();
    send_and_wait(channel_, byte, byte.get(), 1, order.to, Tag::kMeasure);
    receive_and_wait(channel_, byte, byte.get(), 1, order.to, Tag::kMeasure);
    if (i >= kWarmUp) samples.push_back(MPI_Wtime() - start);
  }
  return typical(std::move(samples));
}

void Orders::pong(const Order& order) {
  const std::shared_ptr<std::byte[]> byte = room(1);
  for (std::int64_t i = 0; i < kWarmUp + order.count; ++i) {
    receive_and_wait(channel_, byte, byte.get(), 1, order.from, Tag::kMeasure);
    send_and_wait(channel_, byte, byte.get(), 1, order.from, Tag::kMeasure);
  }
}

double Orders::send_train(const Order& order) {
  const auto bytes = static_cast<std::size_t>(order.bytes);
  const std::shared_ptr<std::byte[]> memory = room(bytes);
  receive_and_wait(channel_, nullptr, nullptr, 0, order.to, Tag::kReady);
  Pending answer(channel_, nullptr);
  answer.receive(nullptr, 0, order.to, Tag::kAnswer);
  std::deque<Pending> train;
  const std::size_t most = under_way(bytes);
  const double start = MPI_Wtime();
  for (std::int64_t i = 0; i < order.count; ++i) {
    if (train.size() == most) {
      train.front().wait();
      train.pop_front();
    }
    train.emplace_back(channel_, memory);
    train.back().send(memory.get(), static_cast<int>(bytes), order.to, Tag::kMeasure);
  }
  for (Pending& each : train) each.wait();
  answer.wait();
  return MPI_Wtime() - start;
}

void Orders::receive_train(const Order& order) {
  const auto bytes = static_cast<std::size_t>(order.bytes);
  const std::size_t ahead = under_way(bytes);
  const std::shared_ptr<std::byte[]> memory = room(ahead * bytes);
  std::deque<Pending> train;
  const auto count = static_cast<std::size_t>(order.count);
  std::size_t posted = 0;
  const auto listen = [&] {
    train.emplace_back(channel_, memory);
    train.back().receive(memory.get() + posted++ % ahead * bytes, static_cast<int>(bytes), order.from, Tag::kMeasure);
  };
  while (posted < ahead && posted < count) listen();
  send_and_wait(channel_, nullptr, nullptr, 0, order.from, Tag::kReady);
  for (std::size_t i = 0; i < count; ++i) {
    train.front().wait();
    train.pop_front();
    if (posted < count) listen();
  }
  send_and_wait(channel_, nullptr, nullptr, 0, order.from, Tag::kAnswer);
}

}  // namespace sluice::mpi::detail
