#include "run/mpi/network/stream.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Pieces on their way, for the network to be filled while one is handed over.
constexpr std::size_t kUnderWay = 2;
constexpr std::size_t kAhead = 4;
/// At least this many pieces within `limits.seconds` tell the rate.
constexpr std::size_t kEnoughInTime = 5;

class Outgoing {
 public:
  Outgoing(Channel& channel, int to, const StreamLimits& limits)
      : channel_(channel),
        to_(to),
        limits_(limits),
        start_s_(MPI_Wtime()),
        piece_(std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(limits.piece_bytes))) {}

  /// Whether all is sent, a message of nothing at the end.
  bool done() {
    while (!under_way_.empty() && under_way_.front().test()) under_way_.pop_front();
    while (!ended_ && under_way_.size() < kUnderWay) {
      ended_ = is_enough();
      send(ended_ ? 0 : limits_.piece_bytes);
    }
    return ended_ && under_way_.empty();
  }

 private:
  [[nodiscard]] bool is_enough() const {
    const double passed_s = MPI_Wtime() - start_s_;
    const bool long_enough =
        passed_s >= limits_.seconds && (sent_ >= limits_.least_bytes || passed_s >= limits_.most_seconds);
    return long_enough || sent_ >= limits_.most_bytes;
  }
  void send(int bytes) {
    sent_ += bytes;
    under_way_.emplace_back(channel_, piece_);
    under_way_.back().send_synchronous(piece_->data(), bytes, to_, Tag::kMeasure);
  }

  Channel& channel_;
  int to_;
  StreamLimits limits_;
  double start_s_;
  std::int64_t sent_ = 0;
  std::shared_ptr<std::vector<std::byte>> piece_;
  std::deque<Pending> under_way_;
  bool ended_ = false;
};

class Incoming {
 public:
  Incoming(Channel& channel, int from, const StreamLimits& limits)
      : channel_(channel),
        from_(from),
        limits_(limits),
        start_s_(MPI_Wtime()),
        memory_(std::make_shared<std::vector<std::byte>>(kAhead * static_cast<std::size_t>(limits.piece_bytes))) {
    while (requests_.size() < kAhead) listen();
  }

  /// Whether the last, empty message has come. Pieces come in the order of posting their receives.
  bool done() {
    while (!over_) {
      MPI_Status status;
      if (!requests_.front().test(&status)) return false;
      requests_.pop_front();
      int bytes = 0;
      SLUICE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
      over_ = bytes == 0;
      if (over_) break;
      came_.push_back(MPI_Wtime());
      listen();
    }
    return true;
  }

  [[nodiscard]] double rate() const { return rate_of(came_, start_s_, limits_); }

 private:
  void listen() {
    requests_.emplace_back(channel_, memory_);
    std::byte* const at = memory_->data() + posted_++ % kAhead * static_cast<std::size_t>(limits_.piece_bytes);
    requests_.back().receive(at, limits_.piece_bytes, from_, Tag::kMeasure);
  }

  Channel& channel_;
  int from_;
  StreamLimits limits_;
  double start_s_;
  std::shared_ptr<std::vector<std::byte>> memory_;
  std::deque<Pending> requests_;
  std::size_t posted_ = 0;
  std::vector<double> came_;
  bool over_ = false;
};

}  // namespace

double rate_of(std::span<const double> came_s, double start_s, const StreamLimits& limits) {
  const auto in_time =
      static_cast<std::size_t>(std::ranges::upper_bound(came_s, start_s + limits.seconds) - came_s.begin());
  const std::size_t pieces = in_time >= kEnoughInTime ? in_time : came_s.size();
  if (pieces < 2) return 0;
  const std::size_t first = pieces / 3;
  const auto rate = [&](std::size_t count, double since) {
    const double span = came_s[pieces - 1] - since;
    return span > 0 ? static_cast<double>(count) * limits.piece_bytes / span : 0;
  };
  return std::min(rate(pieces - 1 - first, came_s[first]), rate(pieces, start_s));
}

double stream(Channel& channel, const StreamEnds& ends, const StreamLimits& limits) {
  std::unique_ptr<Incoming> in;
  std::unique_ptr<Outgoing> out;
  if (ends.from != MPI_PROC_NULL) in = std::make_unique<Incoming>(channel, ends.from, limits);
  if (ends.to != MPI_PROC_NULL) out = std::make_unique<Outgoing>(channel, ends.to, limits);
  channel.wait_until([&] {
    const bool sent = !out || out->done();
    const bool received = !in || in->done();
    return sent && received;
  });
  return in ? in->rate() : 0;
}

}  // namespace sluice::mpi::detail
