#include "run/mpi/probe/probe_orders.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "run/mpi/probe/probe_statistics.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kOrderTag = 1;
constexpr int kResultTag = 2;
constexpr int kReadyTag = 3;
constexpr int kPingTag = 4;
constexpr int kTrainTag = 5;
constexpr int kAnswerTag = 6;
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

void send(const Communicator& comm, const void* data, int bytes, int to, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Isend(data, bytes, MPI_BYTE, to, tag, comm.get(), &request));
  wait_watchfully(request);
}

void receive(const Communicator& comm, void* data, int bytes, int from, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Irecv(data, bytes, MPI_BYTE, from, tag, comm.get(), &request));
  wait_watchfully(request);
}

}  // namespace

void wait_watchfully(MPI_Request& request) {
#ifdef SMPI_H
  SLUICE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
#else
  wait_for(request);
  request = MPI_REQUEST_NULL;
#endif
}

void wait_aside(MPI_Request& request) {
#ifdef SMPI_H
  SLUICE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
#else
  constexpr std::chrono::microseconds kBetweenLooks(100);
  for (int done = 0;;) {
    SLUICE_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    std::this_thread::sleep_for(kBetweenLooks);
  }
#endif
}

std::vector<double> Orders::run(const std::vector<Order>& orders) {
  std::vector<double> times(orders.size(), 0);
  for (const Order& order : orders) {
    const Words words = words_of(order);
    // The one that answers first: it is there when the other one begins.
    for (const int rank : {order.to, order.from})
      if (rank != comm_.rank()) send(comm_, words.data(), sizeof words, rank, kOrderTag);
  }
  for (std::size_t i = 0; i < orders.size(); ++i)
    if (orders[i].from == comm_.rank() || orders[i].to == comm_.rank()) times[i] = carry_out(orders[i]);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i].from == comm_.rank()) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    SLUICE_MPI(MPI_Irecv(&times[i], 1, MPI_DOUBLE, orders[i].from, kResultTag, comm_.get(), &request));
    wait_aside(request);
  }
  return times;
}

void Orders::end() {
  Order last;
  last.from = -1;
  const Words words = words_of(last);
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (rank != comm_.rank()) send(comm_, words.data(), sizeof words, rank, kOrderTag);
}

void Orders::serve() {
  while (true) {
    Words words{};
    MPI_Request request = MPI_REQUEST_NULL;
    SLUICE_MPI(MPI_Irecv(words.data(), sizeof words, MPI_BYTE, 0, kOrderTag, comm_.get(), &request));
    wait_aside(request);
    const Order order = order_of(words);
    if (order.from < 0) return;
    const double seconds = carry_out(order);
    if (order.from == comm_.rank()) send(comm_, &seconds, sizeof seconds, 0, kResultTag);
  }
}

double Orders::carry_out(const Order& order) {
  const bool measures = order.from == comm_.rank();
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
  char byte = 0;
  std::vector<double> samples;
  for (std::int64_t i = 0; i < kWarmUp + order.count; ++i) {
    const double start = MPI_Wtime();
    send(comm_, &byte, 1, order.to, kPingTag);
    receive(comm_, &byte, 1, order.to, kPingTag);
    if (i >= kWarmUp) samples.push_back(MPI_Wtime() - start);
  }
  return typical(std::move(samples));
}

void Orders::pong(const Order& order) {
  char byte = 0;
  for (std::int64_t i = 0; i < kWarmUp + order.count; ++i) {
    receive(comm_, &byte, 1, order.from, kPingTag);
    send(comm_, &byte, 1, order.from, kPingTag);
  }
}

double Orders::send_train(const Order& order) {
  const auto bytes = static_cast<std::size_t>(order.bytes);
  if (memory_.size() < bytes) memory_.resize(bytes);
  receive(comm_, nullptr, 0, order.to, kReadyTag);
  MPI_Request answer = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Irecv(nullptr, 0, MPI_BYTE, order.to, kAnswerTag, comm_.get(), &answer));
  std::vector<MPI_Request> requests(under_way(bytes), MPI_REQUEST_NULL);
  const double start = MPI_Wtime();
  for (std::int64_t i = 0; i < order.count; ++i) {
    MPI_Request& request = requests[static_cast<std::size_t>(i) % requests.size()];
    if (request != MPI_REQUEST_NULL) wait_watchfully(request);
    SLUICE_MPI(
        MPI_Isend(memory_.data(), static_cast<int>(bytes), MPI_BYTE, order.to, kTrainTag, comm_.get(), &request));
  }
  for (MPI_Request& request : requests)
    if (request != MPI_REQUEST_NULL) wait_watchfully(request);
  wait_watchfully(answer);
  return MPI_Wtime() - start;
}

void Orders::receive_train(const Order& order) {
  const auto bytes = static_cast<std::size_t>(order.bytes);
  const std::size_t ahead = under_way(bytes);
  if (memory_.size() < ahead * bytes) memory_.resize(ahead * bytes);
  std::vector<MPI_Request> requests(ahead, MPI_REQUEST_NULL);
  const auto listen = [&](std::size_t slot) {
    SLUICE_MPI(MPI_Irecv(memory_.data() + slot * bytes, static_cast<int>(bytes), MPI_BYTE, order.from, kTrainTag,
                         comm_.get(), &requests[slot]));
  };
  const auto count = static_cast<std::size_t>(order.count);
  for (std::size_t i = 0; i < ahead && i < count; ++i) listen(i);
  send(comm_, nullptr, 0, order.from, kReadyTag);
  for (std::size_t i = 0; i < count; ++i) {
    wait_watchfully(requests[i % ahead]);
    if (i + ahead < count) listen(i % ahead);
  }
  send(comm_, nullptr, 0, order.from, kAnswerTag);
}

}  // namespace sluice::mpi::detail
