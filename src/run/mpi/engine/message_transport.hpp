#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <memory>
#include <vector>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/withdraw.hpp"

namespace sluice::mpi::detail {

/// Carries whole messages of any length between this rank and others, each in as many calls of MPI as it takes, one
/// after the other. It does not know their order. A message of kAnyCount begins with an envelope that has its size and
/// its first bytes.
class MessageTransport {
 public:
  /// Hears that messages are done, by their ends, in calls of finish, wait and look_at_one.
  class Ends {
   public:
    virtual ~Ends() = default;
    virtual void sent(std::size_t end, std::int64_t bytes) = 0;
    virtual void received(std::size_t end, std::int64_t bytes) = 0;
  };

  /// `type`: of the elements; of messages of kAnyCount it must be MPI_BYTE.
  MessageTransport(Channel& channel, MPI_Datatype type);
  MessageTransport(const MessageTransport&) = delete;
  MessageTransport& operator=(const MessageTransport&) = delete;

  /// `data`, which lives as long as MPI may use it, says where the messages to come lie. Reserves room for `messages`
  /// messages under way at once.
  void begin(const std::shared_ptr<Data>& data, std::size_t messages) {
    memory_->data = data;
    leftover_.front().requests.reserve(messages);
  }
  /// Between two ranks, no message may be sent or received while one is in pieces that go the same way.
  void send(std::size_t end, int to, std::int64_t count);
  void receive(std::size_t end, int from, std::int64_t count);
  /// Whether a message from or to that rank has pieces which MPI has not been given.
  [[nodiscard]] bool in_pieces(bool send, int peer) const;
  [[nodiscard]] bool any_under_way() const { return !requests_.empty(); }
  [[nodiscard]] std::int64_t bytes_of_element() const { return size_; }

  /// Goes on with what has come to an end, and hears word of failures, which it throws; returns whether there was
  /// anything. @pre any_under_way()
  bool finish(Ends& ends);
  /// Under simulation: returns when anything has come to an end. @pre any_under_way()
  void wait(Ends& ends);
  /// Under simulation: looks at one message that is the next to come from its sender, alternating between senders;
  /// false: there is none.
  bool look_at_one(Ends& ends);

  /// What MPI works on, for withdraw, without the ranks that this one sends to and receives from; `running`: in an
  /// execution.
  [[nodiscard]] Withdrawn withdrawn(bool running) noexcept;

 private:
  /// The start of a message of kAnyCount: what fits goes along.
  struct Envelope {
    static constexpr std::int64_t kRoom = 3064;
    std::int64_t count = 0;
    std::array<std::byte, kRoom> data{};
  };
  static constexpr std::size_t kNoEnvelope = std::numeric_limits<std::size_t>::max();

  /// A message on its way; one piece of it is with MPI.
  struct Active {
    bool send = false;
    std::size_t end = 0;
    int peer = MPI_PROC_NULL;
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::int64_t count = 0;
    std::int64_t begun = 0;              ///< elements given to MPI so far
    std::size_t envelope = kNoEnvelope;  ///< the envelope in use
    bool opened = true;                  ///< receive: not the envelope that is awaited

    [[nodiscard]] bool in_pieces() const { return !opened || begun < count; }
  };

  /// What MPI works on, besides the data's memory.
  struct Memory {
    std::shared_ptr<Data> data;
    std::deque<Envelope> envelopes;  ///< a deque, because MPI works on its elements
  };

  /// Called when a request is complete: goes on with its message, or ends it.
  void go_on(std::size_t at, Ends& ends);
  void next_piece(std::size_t at);
  void add(const Active& active);
  /// Takes away the places of messages that have ended.
  void remove_ended();
  [[nodiscard]] std::size_t take_envelope();
  void give_back(std::size_t envelope) { free_envelopes_.push_back(envelope); }

  Channel& channel_;
  MPI_Datatype type_;
  std::shared_ptr<Memory> memory_;
  std::list<Leftover> leftover_;  ///< made beforehand, for withdraw_all
  std::int64_t extent_ = 1;
  std::int64_t size_ = 1;
  std::vector<MPI_Request> requests_;
  std::vector<Active> active_;  ///< of each request
  int in_pieces_ = 0;           ///< the number of messages that go in pieces
  std::vector<int> completed_;  ///< room for what MPI_Testsome says
  std::vector<MPI_Status> statuses_;
  std::vector<std::size_t> free_envelopes_;
  std::size_t looks_ = 0;
};

}  // namespace sluice::mpi::detail
