#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"

/// Carries out what one rank does in a tree: it receives messages, does something with each (combines it in a
/// reduction, keeps it in a broadcast), and sends what is ready. It knows nothing of trees, elements or bytes: it has
/// the rank's receives and sends, each in the order of the plan, which receives each send waits for, and an object that
/// says where messages lie and what to do with them.
///
/// A receive is posted when the one before it has arrived, so that a sender whose message is long waits for its turn:
/// this is how the plan's one port is kept. Meanwhile the operation may work on the message before. MPI moves messages
/// while somebody calls it, so somebody does during a long operation: a progress thread, or the operation itself,
/// which looks at the network between its parts.
///
/// No deadlock: a message waits for messages of its sender's own subtree (its path, in a broadcast) only, and between
/// two ranks messages are received in the order in which they are sent. Where receives wait for sends, in other ways
/// through the ranks, whoever makes them has to see to it; it is enough that all would pass even if each receive were
/// posted when the one before it is done.
namespace sluice::mpi::detail {

/// For messages whose size only the sender knows: they carry it, and a note.
inline constexpr std::int64_t kAnyCount = -1;

struct TreeReceive {
  int from = 0;
  std::int64_t count = 0;  ///< elements, or kAnyCount
  bool combine = false;    ///< TreeData::arrived may take long
  /// Receives and sends that must be done before this one is posted; with `combine`, before TreeData::arrived.
  std::vector<std::size_t> after = {};
  std::vector<std::size_t> after_sends = {};
};

struct TreeSend {
  int to = 0;
  std::int64_t count = 0;          ///< elements, or kAnyCount; the receiver must say the same
  std::vector<std::size_t> after;  ///< receives that must be done
  /// The next send may start so many seconds after this one, and the next to the same rank so many; any when this one
  /// is complete.
  double port_s = std::numeric_limits<double>::infinity();
  double connection_s = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> after_sends = {};  ///< sends that must be done
};

/// What a send of kAnyCount brings along.
struct TreeMessage {
  const std::byte* data = nullptr;
  std::int64_t count = 0;  ///< used for kAnyCount alone
  std::int64_t note = 0;   ///< the same: the receiver gets it as it is
};

/// Where messages lie, and what to do with them. Receives and sends are named by their position. incoming, outgoing,
/// sent and welcome may be called by the progress thread while arrived() of another message is running.
class TreeData {
 public:
  TreeData() = default;
  TreeData(const TreeData&) = delete;
  TreeData& operator=(const TreeData&) = delete;
  virtual ~TreeData() = default;

  /// Where a message of `count` elements goes; the place must last until arrived() has returned.
  virtual std::byte* incoming(std::size_t receive, std::int64_t count, std::int64_t note) = 0;
  /// The message is there. `look`, empty if nobody needs it to be called, lets MPI make progress.
  virtual void arrived(std::size_t receive, const std::function<void()>& look) = 0;
  /// What to send, asked for when all it waits for is done; the place must last until sent().
  virtual TreeMessage outgoing(std::size_t send) = 0;
  virtual void sent(std::size_t /*send*/) {}
  /// Any order only: whether this message could be used now.
  virtual bool welcome(std::size_t /*receive*/) { return true; }
};

class TreeExecutor {
 public:
  struct Limits {
    MPI_Datatype type = MPI_BYTE;  ///< of the elements; of kAnyCount it must be MPI_BYTE
    /// Receives posted at once, in order. Messages up to `short_bytes` do not count, as MPI sends them without asking.
    int receives = 1;
    std::int64_t short_bytes = 4096;
    int ahead = 2;  ///< messages posted, or there and not yet done; at least 1
    int sends = 1;  ///< under way at once
    /// Sends keep their pace even if those before them are complete: for their sender short messages are at once.
    bool keep_pace = false;
    /// A send that waits may be overtaken by later ones to other ranks.
    bool overtake = false;
    /// Receives whatever comes first of what is welcome, one message per sender at a time, instead of the given order.
    bool any_order = false;
    bool may_sleep = false;  ///< waiting ranks leave their processor to others: where ranks outnumber processors
  };

  /// `thread`: null, or what makes progress during arrived().
  TreeExecutor(Channel& channel, std::shared_ptr<TreeData> data, std::vector<TreeReceive> receives,
               std::vector<TreeSend> sends, const Limits& limits, ProgressThread* thread);
  TreeExecutor(const TreeExecutor&) = delete;
  TreeExecutor& operator=(const TreeExecutor&) = delete;

  /// Begins to receive and send everything.
  void begin();
  /// Does what can be done without waiting, one message's arrived() at most. Throws what the data throws, MpiError, and
  /// as Channel::check.
  Advance advance();
  /// Ends the execution before it is over, if one is running: nothing more is written to where messages lie, as far as
  /// MPI lets itself be stopped. What it still works on lives on with the data. Nothing can begin any more.
  void abandon() noexcept;

 private:
  /// The start of a message of kAnyCount: what fits goes along.
  struct Envelope {
    static constexpr std::int64_t kRoom = 3056;
    std::int64_t count = 0;
    std::int64_t note = 0;
    std::array<std::byte, kRoom> data{};
  };
  enum class Stage : std::uint8_t { kWaiting, kPosted, kArrived };

  /// The sends to one rank, which go in their order.
  struct SendQueue {
    std::vector<std::size_t> sends;
    std::size_t next = 0;  ///< the first that has not begun
    int under_way = 0;
    double free = 0;  ///< when the next may start though others are under way
    [[nodiscard]] std::size_t head() const { return sends[next]; }
  };

  /// A message on its way, of which one piece is with MPI.
  struct Active {
    bool send = false;
    std::size_t number = 0;
    SendQueue* queue = nullptr;  ///< of a send
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::int64_t count = 0;
    std::int64_t begun = 0;              ///< elements given to MPI so far
    std::size_t envelope = kNoEnvelope;  ///< the one in use
    bool opened = true;                  ///< receive: not the envelope that is awaited
  };
  static constexpr std::size_t kNoEnvelope = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool finished() const { return done_ == receives_.size() && sent_ == sends_.size(); }
  /// Tests, posts and starts what can be. Returns whether anything has come to pass.
  bool step(bool look = true);
  /// Takes away the places of messages that have ended.
  void remove_ended();
  bool test();
  bool post_receives();
  bool post_any();
  bool start_sends();
  /// Whether a message from or to that rank has pieces which MPI has not been given: none may come between.
  [[nodiscard]] bool in_pieces(bool send, int peer) const;
  /// The number of a send among all operations, behind the receives.
  [[nodiscard]] std::size_t operation_of(std::size_t send) const { return receives_.size() + send; }
  /// An operation is done: those that wait for it hear.
  void tell_waiting(std::size_t operation) {
    for (const std::size_t waiting : frees_[operation]) --missing_[waiting];
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
  /// The request of the message that is to come first from some sender, each in turn; how many there are if none is.
  [[nodiscard]] std::size_t next_expected();
  void post(std::size_t receive);
  void begin(SendQueue& queue);
  /// One request is complete: goes on with its message, or ends it.
  void go_on(std::size_t at);
  void next_piece(std::size_t at);
  void add(const Active& active);
  [[nodiscard]] std::size_t take_envelope();
  void give_back(std::size_t envelope);
  [[nodiscard]] bool is_short(const TreeReceive& receive) const;
  /// The message of open_ that is there and whose turn it is.
  [[nodiscard]] std::deque<std::size_t>::iterator next_arrived();
  /// Does what is to be done with it.
  void handle(std::size_t number);

  /// What MPI works on, besides the data's memory.
  struct Memory {
    std::shared_ptr<TreeData> data;
    std::deque<Envelope> envelopes;  ///< a deque, as MPI works on its elements
  };

  Channel& channel_;
  std::shared_ptr<Memory> memory_;
  std::list<Leftover> leftover_;  ///< made beforehand, for abandon
  bool withdrawn_ = false;
  std::vector<TreeReceive> receives_;
  std::vector<TreeSend> sends_;
  Limits limits_;
  ProgressThread* thread_;
  std::int64_t extent_ = 1;
  std::int64_t size_ = 1;
  bool may_be_in_pieces_ = false;                ///< a message may take several calls of MPI
  std::vector<std::vector<std::size_t>> frees_;  ///< by operation: those that wait for it
  std::map<int, std::vector<std::size_t>> by_sender_;
  std::vector<SendQueue> queues_;  ///< by receiver

  // Of one execution.
  bool running_ = false;
  std::optional<TransferTrace> trace_;  ///< where it is recorded
  std::vector<Stage> stage_;            ///< by receive
  std::deque<std::size_t> open_;        ///< posted or arrived, as they were posted
  std::size_t next_receive_ = 0;        ///< in order: the first that is not posted
  std::map<int, std::size_t> next_of_;  ///< any order: by sender, position in by_sender_
  int long_posted_ = 0;                 ///< longer than short_bytes
  int posted_from_ = MPI_PROC_NULL;     ///< the sender of the last
  std::size_t done_ = 0;
  std::vector<std::size_t> missing_;  ///< by operation: those it waits for that are not done yet
  std::size_t begun_ = 0;             ///< sends
  std::size_t sent_ = 0;
  double port_free_ = 0;  ///< when the next send may start though others are under way
  std::vector<MPI_Request> requests_;
  std::vector<Active> active_;  ///< of each request
  std::size_t looks_ = 0;       ///< where machines are simulated
  std::vector<int> completed_;  ///< room for what MPI_Testsome says
  std::vector<MPI_Status> statuses_;
  std::vector<std::size_t> free_envelopes_;
  double last_operation_s_;  ///< how long arrived() took last; infinite at first
};

}  // namespace sluice::mpi::detail
