#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/engine/carrier.hpp"
#include "run/mpi/engine/data.hpp"
#include "run/mpi/engine/end_waits.hpp"
#include "run/mpi/engine/message_transport.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "schedule/own_part.hpp"

/// Moves the messages of a tree or a program by MPI: it receives them, hands each to the data (which combine or keep
/// it), and sends what is ready. It knows nothing of trees, elements or bytes. It has the rank's part of the plan.
///
/// A receive is posted when the previous message has arrived, so that a sender whose message is long waits for its
/// turn: this keeps the plan's one port. Meanwhile the operation may work on the previous message. MPI moves messages
/// only while it is called. So during a long operation a progress thread calls it, or the operation itself, which looks
/// at the network between its parts.
///
/// No deadlock: a message waits only for messages of its sender's own subtree (its path, in a broadcast), and between
/// two ranks messages are received in the order of sending. If receives wait for sends, in other ways through the
/// ranks, their maker has to prevent deadlock. It is enough that all would pass even if each receive were posted when
/// the previous one is done.
namespace sluice::mpi::detail {

class ReadyCarrier final : public Carrier, private MessageTransport::Ends {
 public:
  struct Limits {
    MPI_Datatype type = MPI_BYTE;  ///< of the elements; of kAnyCount it must be MPI_BYTE
    /// Receives posted at once, in order. Messages up to `short_bytes` do not count, because MPI sends them without
    /// asking.
    int receives = 1;
    std::int64_t short_bytes = 4096;
    int ahead = 2;  ///< messages posted, or there and not yet done; at least 1
    int sends = 1;  ///< under way at once
    /// The pace of every send, if the part states none. Any send may start `port_s` seconds after it, or when fewer
    /// than `sends` are under way; a send to the same rank `connection_s` seconds after it, or when that has none under
    /// way.
    SendPace pace = {std::numeric_limits<double>::infinity(), 0};
    /// Sends keep their pace even if earlier ones are complete: for their sender short messages complete at once.
    bool keep_pace = false;
    /// A send that waits may be overtaken by later ones to other ranks, and a message to be combined by later ones that
    /// do not wait for it.
    bool overtake = false;
    /// Receives whatever welcome message comes first, one message per sender at a time, instead of the given order.
    bool any_order = false;
  };

  /// `thread`: null, or what makes progress during Data::arrived().
  ReadyCarrier(Channel& channel, OwnPart part, const Limits& limits, ProgressThread* thread);

  void begin(const std::shared_ptr<Data>& data, TransferTrace* trace) override;
  /// One message's Data::arrived() at most. Throws also what the data throws.
  Advance advance() override;
  [[nodiscard]] std::optional<Withdrawn> abandon() noexcept override;
  [[nodiscard]] std::int64_t buffer_bytes() const override { return 0; }

 private:
  enum class Stage : std::uint8_t { kWaiting, kPosted, kArrived };

  /// The sends to one rank, which go in their order.
  struct SendQueue {
    std::vector<std::size_t> sends;  ///< ends
    std::size_t next = 0;            ///< the first that has not begun
    int under_way = 0;
    double free = 0;  ///< when the next may start though others are under way
    [[nodiscard]] std::size_t head() const { return sends[next]; }
  };

  [[nodiscard]] bool finished() const { return done_ == receives_.size() && sent_ == sends_; }
  /// Tests, posts and starts what can be. Returns whether anything has come to pass.
  bool step(bool look = true);
  bool post_receives();
  bool post_any();
  bool start_sends();
  [[nodiscard]] const SendPace& pace_of(std::size_t send) const {
    return part_.pace.empty() ? limits_.pace : part_.pace[send];
  }
  [[nodiscard]] bool may_post(std::size_t receive) const;
  /// When the next send to a rank may start, 0 if at once.
  [[nodiscard]] double free_at(const SendQueue& queue) const;
  [[nodiscard]] bool may_start(const SendQueue& queue) const;
  /// The one whose first send is to start now; null if none.
  [[nodiscard]] SendQueue* next_queue();
  /// Seconds until a send may start that nothing but pace keeps; infinite if there is none.
  [[nodiscard]] double paced_for() const;
  /// Under simulation: until something can have come to pass.
  void wait_simulated();
  void post(std::size_t receive);
  void begin(SendQueue& queue);
  void sent(std::size_t number, std::int64_t bytes) override;
  void received(std::size_t number, std::int64_t bytes) override;
  [[nodiscard]] bool is_short(const OwnPart::Own& receive) const;
  /// The message of open_ that is there and whose turn it is.
  [[nodiscard]] std::deque<std::size_t>::iterator next_arrived();
  /// Does what is to be done with it.
  void handle(std::size_t number);

  Channel& channel_;
  OwnPart part_;
  Limits limits_;
  ProgressThread* thread_;
  MessageTransport transport_;
  EndWaits waits_;
  std::vector<std::size_t> receives_;  ///< ends, in their order
  std::size_t sends_ = 0;              ///< how many
  std::map<int, std::vector<std::size_t>> by_sender_;
  std::vector<SendQueue> queues_;      ///< by receiver
  std::vector<std::size_t> queue_of_;  ///< by end: of a send

  // State of one execution.
  bool running_ = false;
  Data* data_ = nullptr;
  TransferTrace* trace_ = nullptr;
  std::vector<Stage> stage_;            ///< by end: of a receive
  std::deque<std::size_t> open_;        ///< posted or arrived, in the order of posting
  std::size_t next_receive_ = 0;        ///< in order: the first of receives_ that is not posted
  std::map<int, std::size_t> next_of_;  ///< any order: by sender, position in by_sender_
  int long_posted_ = 0;                 ///< longer than short_bytes
  int posted_from_ = MPI_PROC_NULL;     ///< the sender of the last
  std::size_t done_ = 0;
  std::size_t begun_ = 0;  ///< sends
  std::size_t sent_ = 0;
  double port_free_ = 0;     ///< when the next send may start though others are under way
  double last_operation_s_;  ///< how long arrived() took last; infinite at first
};

}  // namespace sluice::mpi::detail
