#include "run/mpi/runtime/withdraw.hpp"

#include <algorithm>
#include <utility>

#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/waiting.hpp"

namespace sluice::mpi::detail {
namespace {

/// Whether any of them has come to its end, which MPI_REQUEST_NULL says afterwards.
bool any_ended(std::span<MPI_Request> requests) {
  bool ended = false;
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    int done = 0;
    // One that failed is null, too, or will never end.
    (void)MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    ended = ended || done != 0;
  }
  return ended;
}

/// What a rank that gives up has to hear and to say.
class Withdrawal {
 public:
  Withdrawal(Channel& channel, std::span<const Withdrawn> parts) : channel_(channel), parts_(parts) {
    for (const Withdrawn& part : parts) bytes_ += part.bytes;
  }

  /// Cancels what can be cancelled and waits for the rest.
  void run() {
    cancel_receives();
    // If it has not failed, it has ended well, and each peer knows that by itself.
    if (channel_.failed()) tell_peers();
    const double quiet = quiet_s(channel_.context(), bytes_);
    const double quiet_with_peers = kSimulated ? 0 : std::max(quiet, kLongest_s);
    double last_event = MPI_Wtime();
    for (Patience patience;; patience.look_again()) {
      if (move()) last_event = MPI_Wtime();
      if (over()) break;
      if (MPI_Wtime() > last_event + (all_peers_are_here() ? quiet_with_peers : quiet)) break;
    }
    channel_.set_withdrawn();
    (void)look();  // for sends that were let go
  }

 private:
  /// A call of MPI that failed may do better the next time. A peer that is not told waits as for one that says nothing.
  template <class Call>
  static void attempt(const Call& call) {
    for (int tries = 0; tries < 2; ++tries) {
      try {
        call();
        return;
      } catch (...) {
      }
    }
  }

  /// A rank that answers no more, though it said that it stays, has lost its network.
  static constexpr double kLongest_s = 30;

  void cancel_receives() {
    for (const Withdrawn& part : parts_) {
      for (std::size_t i = 0; i < part.requests.size(); ++i) {
        if (part.requests[i] != MPI_REQUEST_NULL && part.is_receive(i)) (void)MPI_Cancel(&part.requests[i]);
      }
    }
  }

  void tell_peers() {
    for (const Withdrawn& part : parts_) part.add_senders(unanswered_);
    std::vector<int> peers = unanswered_;
    for (const Withdrawn& part : parts_) part.add_receivers(peers);
    for (std::vector<int>* const list : {&unanswered_, &peers}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    for (const int peer : peers) attempt([&] { channel_.tell_sends_no_more(peer); });
  }

  /// Returns whether anything has happened.
  bool move() {
    bool moved = look();
    attempt([&] { channel_.context().poll(); });
    if (!any_receive()) {
      const std::size_t answered = std::erase_if(unanswered_, [&](int sender) {
        if (!channel_.sends_no_more(sender)) return false;
        attempt([&] { channel_.tell_let_go(sender); });
        return true;
      });
      moved = answered > 0 || moved;
    }
    return std::exchange(words_, channel_.words_of_withdrawal()) != words_ || moved;
  }

  bool look() {
    bool moved = false;
    for (const Withdrawn& part : parts_) moved = any_ended(part.requests) || moved;
    return moved;
  }

  [[nodiscard]] bool any_receive() const {
    return any_of([](const Withdrawn& part, std::size_t i) { return part.is_receive(i); });
  }
  [[nodiscard]] bool awaits_send(const Withdrawn& part, std::size_t i) const {
    const int receiver = part.peer(i);
    return receiver != MPI_PROC_NULL && !channel_.let_go(receiver);
  }
  [[nodiscard]] bool over() const {
    return unanswered_.empty() &&
           !any_of([&](const Withdrawn& part, std::size_t i) { return part.is_receive(i) || awaits_send(part, i); });
  }
  /// Whether each rank that this one waits for has given up as well, and stays until it is answered.
  [[nodiscard]] bool all_peers_are_here() const {
    return std::ranges::all_of(unanswered_, [&](int sender) { return channel_.sends_no_more(sender); }) &&
           !any_of([&](const Withdrawn& part, std::size_t i) {
             const bool awaited = part.is_receive(i) || awaits_send(part, i);
             return awaited && !channel_.sends_no_more(part.peer(i));
           });
  }
  /// Whether that holds for a request that has not ended.
  template <class Predicate>
  [[nodiscard]] bool any_of(const Predicate& holds) const {
    return std::ranges::any_of(parts_, [&](const Withdrawn& part) {
      for (std::size_t i = 0; i < part.requests.size(); ++i) {
        if (part.requests[i] != MPI_REQUEST_NULL && holds(part, i)) return true;
      }
      return false;
    });
  }

  Channel& channel_;
  std::span<const Withdrawn> parts_;
  std::int64_t bytes_ = 0;
  std::vector<int> unanswered_;  ///< senders that have not been told that this rank has let go
  std::size_t words_ = 0;        ///< heard so far
};

void stop(Channel& channel, std::span<const Withdrawn> parts) noexcept {
  try {
    Withdrawal(channel, parts).run();
  } catch (...) {
    // Without memory its peers wait as for a rank that says nothing.
  }
}

}  // namespace

double quiet_s(const Context& context, std::int64_t bytes) {
  if (kSimulated) return 0;
  // TCP repeats after 0.2 s, then after 0.4 s more. Word of a failure may come behind the bytes under way.
  struct Wait {
    double least_s, slowest_rate;
  };
  const Wait wait = context.one_node() ? Wait{0.25, 1e8} : Wait{0.8, 1e6};
  return wait.least_s + static_cast<double>(bytes) / wait.slowest_rate;
}

void withdraw(Channel& channel, std::span<const Withdrawn> parts) noexcept {
  if (channel.context().alive()) stop(channel, parts);
  for (const Withdrawn& part : parts) {
    if (part.leftover == nullptr) continue;
    for (const MPI_Request request : part.requests) {
      if (request != MPI_REQUEST_NULL) part.leftover->front().requests.push_back(request);
    }
    channel.context().keep(*part.leftover);
  }
}

}  // namespace sluice::mpi::detail
