#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/call_log.hpp"
#include "run/mpi/runtime/notice_board.hpp"
#include "run/mpi/runtime/plan_cache.hpp"
#include "run/mpi/runtime/progress_thread.hpp"
#include "run/mpi/runtime/turns.hpp"

namespace sluice::mpi {
struct HostNetwork;
}

namespace sluice::mpi::detail {

class Channel;
struct TransferLog;

/// A short message of the ranks of a job: they arrange with it when data may go. The kind defines what the numbers
/// mean.
struct Control {
  std::int64_t kind = 0;  ///< at least 0
  std::int64_t number = 0;
  std::int64_t rank = 0;
  std::int64_t bytes = 0;
  std::int64_t execution = 0;  ///< of the sender, if one rank can be ahead of the other
};

/// Why a job was given up, and by whom.
struct Failure {
  int rank = -1;  ///< the rank that failed
  /// The execution of the job that failed, counted from 1; 0 is the constructor. Executions before it end as usual.
  std::int64_t execution = 0;
  bool input = false;  ///< a bad argument: the text has the three parts of an InputError, each with a '\0' behind it
  std::string text;
};

/// Thrown where a channel is opened in a context that died on another rank before that rank opened the channel: the
/// other rank will open it in a new context.
struct ContextDied {};

/// Throws on a rank that is told of it: InputError if a bad argument was the reason, otherwise JobError. `work`: what
/// was given up.
[[noreturn]] void throw_failure(const Failure& failure, const char* work);

/// An execution that has been started, and moves on whenever its rank waits for something.
class Progressing {
 public:
  virtual ~Progressing() = default;
  /// Does what can be done without waiting: nothing else that has been started is moved on meanwhile.
  virtual void progress() noexcept = 0;
};

/// The platform that the environment of rank 0 names, as JSON text on rank 0; empty if there is none, or if it does not
/// fit.
struct GivenPlatform {
  bool was_read = false;
  std::string text;
};

/// Requests that MPI has not ended, and the memory that they read or write.
struct Leftover {
  std::vector<MPI_Request> requests;
  std::shared_ptr<const void> memory;
};

/// What the user wants of all jobs of a communicator (sluice/run/mpi/settings.hpp).
struct Settings {
  std::size_t kept_plans = 64;
  bool agreed_arguments = false;
  bool calls_in_order = false;
};

/// What all jobs of a user's communicator share: a communicator of the library's own, the control messages between its
/// ranks, the memory that ranks of a node share, plans, and a thread that makes progress. It is made with the first job
/// and kept as an attribute of the user's communicator; it ends with it, and with the last job, at the latest with
/// MPI_Finalize.
///
/// There is one communicator of MPI for each communicator of the user, with any number of jobs: jobs take tags of it
/// (Channel). It is made without what the user has attached to theirs. Making it takes two collectives on the user's
/// communicator, MPI_Ibarrier and MPI_Comm_create; no job sends anything there. Broadcasts that end inside clusters by
/// MPI's own take one more for each way of dividing the ranks.
///
/// Making a communicator is MPI's own affair: a rank that fails there leaves the others to what their MPI does.
///
/// Control messages of all jobs come by one tag. Each names its channel: it is put into the box of that channel, or
/// kept until the channel is opened here, or dropped if it is closed already.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// Collective for the first job of a communicator, and for the first after the context has died or is full
  /// (most_channels); all ranks see that at once. Throws InputError before anything is sent: for MPI_COMM_NULL, for an
  /// intercommunicator, and if MPI is not running.
  static std::shared_ptr<Context> of(MPI_Comm user);

  /// Collective; for `of`. `settings`: of the context before, if there was one.
  Context(MPI_Comm user, std::shared_ptr<Settings> settings);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Whether MPI is still there to be called: not after MPI_Finalize.
  [[nodiscard]] bool alive() const;
  /// Throws InputError if not.
  void check_alive() const;
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// The lowest rank on the node of this rank; it identifies the node.
  [[nodiscard]] int first_of_node() const { return first_of_node_; }
  [[nodiscard]] bool one_node() const { return node_size_ == size_; }
  /// Whether the node has more ranks than processors, so that a rank that waits should give up its processor.
  [[nodiscard]] bool crowded() const { return processors_ > 0 && node_size_ > processors_; }
  /// The processors of the node that its ranks may run on; 0 if they are unknown.
  [[nodiscard]] int processors() const { return processors_; }

  /// The order of the collectives of MPI's own in comm().
  [[nodiscard]] Turns& turns() { return turns_; }
  /// A communicator of some of the ranks for collectives of MPI's own, and the order of these.
  struct Part {
    MPI_Comm comm = MPI_COMM_NULL;
    Turns turns;
  };
  /// The ranks that give the same `color`, in the order of `order`. Made once for each key; a collective of MPI's own
  /// then, when its turn in comm() has come.
  [[nodiscard]] Part& part(const std::string& key, int color, int order);

  [[nodiscard]] Arena& arena() { return arena_; }
  /// It is connected where the ranks of the node share memory and are not too many.
  [[nodiscard]] NoticeBoard& board() { return board_; }
  /// Whether all ranks can read what each of them puts up there.
  [[nodiscard]] bool shares_memory() const { return one_node() && board_.connected(); }
  /// What this rank has begun, for the other ranks of its node to read, and what they have begun.
  [[nodiscard]] CallLog& call_log() { return call_log_; }
  [[nodiscard]] PlanCache& plans() { return plans_; }
  [[nodiscard]] Settings& settings() { return *settings_; }
  /// The network between the hosts, once this rank knows it (learn_network).
  [[nodiscard]] std::shared_ptr<const HostNetwork>& network() { return network_; }
  [[nodiscard]] GivenPlatform& given_platform() { return given_platform_; }
  /// Where executions that begin now record when their transfers ran; null if they do not.
  [[nodiscard]] TransferLog* log() const { return log_; }
  void log_to(TransferLog* log) { log_ = log; }
  /// Null if MPI was started without support for threads. Throws std::system_error if the system refuses a thread.
  [[nodiscard]] ProgressThread* progress_thread();

  // ---- Control messages

  /// Receives the control messages that have arrived and passes them to their channels. Throws MpiError.
  void poll();
  /// MPI_Testsome that also receives a control message in the same call, because each call to MPI can cost a rank its
  /// time slice where ranks share cores. The caller calls deal_out_arrived() as soon as it has noted which requests
  /// have ended. The last of `requests` is a place for a request of the context's; `completed` and `statuses` have room
  /// for as many. Returns what MPI_Testsome returns; `count` does not include that last request, and is 0 if none has
  /// ended. Throws MpiError only before it has called MPI_Testsome.
  int test_some(std::span<MPI_Request> requests, int& count, std::span<int> completed, std::span<MPI_Status> statuses);
  void deal_out_arrived();
  /// Takes word of failures that ranks of this node have put up in the memory they share: one load for each of them
  /// where there is none. Returns false where that may not be all there is: ranks are on several nodes, share no
  /// memory, or have told too much.
  [[nodiscard]] bool hear_by_memory();
  /// To any rank, the own one included, without waiting.
  void send(int to, std::int64_t channel, const Control& control);
  /// Tells a rank that this rank receives nothing more of that channel from it (withdraw).
  void tell_let_go(int to, std::int64_t channel);
  void tell_sends_no_more(int to, std::int64_t channel);
  /// Whether everything sent has left this rank.
  bool sent();

  // ---- Channels

  /// The number of a new channel: the same on all ranks, as jobs are made in the same order everywhere.
  [[nodiscard]] std::int64_t take_number() noexcept;
  void open(Channel& channel);
  /// `settled`: all ranks know what became of it.
  void close(const Channel& channel, bool settled) noexcept;
  /// The channels whose work has parts that have channels of their own (Enclosing).
  [[nodiscard]] std::vector<Channel*>& enclosing() { return enclosing_; }
  [[nodiscard]] bool settled(std::int64_t channel) const { return settled_ == channel; }
  /// Tells every rank that the channel is given up here in that execution because of `why`, and waits for nobody.
  /// `dead_from`: the context ends there; kNever: it lives on. It ends if channels from this number on may not be
  /// opened on all ranks. It also ends if MPI's own collective may be unfinished, which must not meet one of another
  /// job.
  void tell_failure(std::int64_t channel, const std::exception_ptr& why, std::int64_t execution,
                    std::int64_t dead_from) noexcept;
  /// Whether failed jobs have left too much memory behind on this rank, so that the context is to be replaced.
  [[nodiscard]] bool worn_out() const { return arena_.kept_until_end() >= kMostBlocksLeft; }
  /// All ranks have agreed to replace it: the next job gets a new one.
  void replace() noexcept { dead_from_ = std::min(dead_from_, channels()); }
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  /// Channels opened on this rank so far.
  [[nodiscard]] std::int64_t channels() const { return channels_; }
  /// How many channels have tags. Tags are not used twice: a job that failed may have left messages behind, and a later
  /// job with the same tags would take them for its own. Later jobs get a new context.
  [[nodiscard]] std::int64_t most_channels() const { return most_channels_; }
  [[nodiscard]] bool dead() const { return dead_from_ < kNever; }
  /// The first channel that is not opened in this context on all ranks, as far as this one knows.
  [[nodiscard]] std::int64_t dead_from() const { return dead_from_; }

  // ---- Executions that have been started

  void add(Progressing& job);
  void remove(Progressing& job) noexcept;
  /// Advances what has been started, except `but`. It does so in other contexts too, because another rank may wait for
  /// that before it does its part of what is waited for here. Throws std::logic_error inside Progressing::progress().
  void progress(const Progressing* but);

  /// Keeps a leftover, in a list of its own, until MPI has ended its requests. `leftover` was made beforehand, so that
  /// nothing can fail here.
  void keep(std::list<Leftover>& leftover) noexcept;

  /// A call of a job holds one, and so does a job's destructor to its end. Only the thread that holds it reads and
  /// writes what a context and its jobs consist of, except what mutex_ guards. Calls by several threads at a time are
  /// an error of the program.
  class Entry {
   public:
    /// Throws InputError if another thread holds one; waits for one that only moves on what has been started.
    Entry(Context& context, const char* work);
    /// Waits for any other thread, as a destructor cannot throw. In a forked process, where there are no other threads,
    /// it does without the entry that one of them held.
    explicit Entry(Context& context) noexcept;
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Context& context_;
    bool holds_ = true;
  };

 private:
  static constexpr std::size_t kListening = 4;
  static constexpr std::size_t kTextRoom = 424;
  static constexpr std::size_t kMostBlocksLeft = 8;
  /// A control message as it travels; what follows `control` only with word of a failure.
  struct Wire {
    std::int64_t channel = 0;
    Control control;
    std::int64_t closed_from = 0;  ///< where the context ends: the first turn that must not begin any more
    std::array<char, kTextRoom> text{};
  };
  struct Incoming {
    Wire wire;
    MPI_Request request = MPI_REQUEST_NULL;
    bool arrived = false;  ///< and not dealt out yet
    int from = 0;
  };
  struct Outgoing {
    Wire wire;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  /// Keeps what MPI has not sent yet, of all contexts that have ended, until it is sent.
  static void keep_outgoing(std::list<Outgoing>& outgoing) noexcept;
  /// Messages for a channel that is not open on this rank yet.
  struct Early {
    std::deque<std::pair<int, Control>> messages;
    std::optional<Failure> failure;
  };
  friend void end_all_contexts() noexcept;
  friend struct ContextRegistry;

  /// How many words of failure are kept for MPI to send, as nobody waits until they are sent.
  static constexpr std::size_t kGoodbyes = 32;

  /// The first thing that a context does: waits until all ranks have come to make it. Throws InputError on all ranks if
  /// one has as many contexts as it may have.
  void wait_for_all(MPI_Comm user);
  void post(int to, std::int64_t channel, const Control& control);
  /// post() for who holds mutex_.
  void post_locked(int to, std::int64_t channel, const Control& control);
  void progress_own(const Progressing* but) noexcept;
  /// As progress_own, in all other contexts without a call inside.
  void progress_others() noexcept;
  void visit() noexcept;
  void listen();
  void poll_listening();
  void arrive(Incoming& incoming, const MPI_Status& status);
  void deal_out(const Incoming& incoming);
  void hear_failure(int from, const Wire& wire);
  /// Waits a little for a lower rank that tells this one that the channel was given up, or that the context dies of it.
  [[nodiscard]] bool is_told_below(std::int64_t channel, bool dies);
  /// The context ends with channel `from`, because `channel` was given up in that execution. `closed_from` is the first
  /// of turns() that must not begin.
  void die(std::int64_t from, std::int64_t channel, std::int64_t execution, std::int64_t closed_from);
  /// The turn that this execution of the channel has taken; the next turn if it has taken none.
  [[nodiscard]] std::int64_t turn_of(const Turns& turns, std::int64_t channel, std::int64_t execution) const;
  void reap() noexcept;
  void end() noexcept;

  MPI_Comm user_ = MPI_COMM_NULL;  ///< that it is attached to; guarded by the registry
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  Turns turns_;
  std::map<std::string, Part> parts_;
  int first_of_node_ = 0;
  int node_size_ = 1;
  int processors_ = 0;
  std::int64_t dead_from_ = kNever;
  bool failed_ = false;  ///< a job has failed on some rank, so word of a failure may be on its way
  Arena arena_;
  NoticeBoard board_;                   ///< in the arena
  CallLog call_log_;                    ///< in the arena
  std::shared_ptr<Settings> settings_;  ///< shared with the contexts before and after this one
  PlanCache plans_;
  std::shared_ptr<const HostNetwork> network_;
  GivenPlatform given_platform_;
  TransferLog* log_ = nullptr;
  std::optional<ProgressThread> thread_;
  std::recursive_mutex entry_;
  int calls_ = 0;                     ///< inside one another, of the thread that holds entry_
  std::atomic<int> visitors_ = 0;     ///< other threads that try entry_, or hold it
  std::atomic<unsigned> visits_ = 0;  ///< begun and ended

  std::mutex mutex_;  ///< of control messages: a progress thread looks for them, too
  std::array<Incoming, kListening> incoming_;
  std::size_t next_ = 0;          ///< of incoming_: what comes next comes there
  std::list<Outgoing> outgoing_;  ///< a list, as MPI reads from its elements until they are sent
  std::int64_t channels_ = 0;     ///< opened so far
  std::int64_t most_channels_ = 0;
  std::unordered_map<std::int64_t, Channel*> live_;
  std::unordered_map<std::int64_t, Early> early_;
  std::int64_t settled_ = -1;                           ///< the channel closed last of those that all ranks know about
  std::list<std::array<Wire, kGoodbyes>> goodbyes_{1};  ///< one; a list, so that it can outlast the context
  std::size_t goodbyes_said_ = 0;
  /// Which rank told this one that a channel was given up.
  struct Told {
    std::int64_t channel = -1;  ///< the last one
    int by = 0;                 ///< the lowest rank
    void hear(std::int64_t of, int from) {
      if (channel != of || from < by) *this = {of, from};
    }
  };
  Told told_;
  Told told_dead_;  ///< and that the context ends with it

  std::vector<Channel*> enclosing_;
  std::list<Progressing*> active_;
  bool moving_on_ = false;  ///< those in the list
  std::list<Leftover> leftovers_;
};

}  // namespace sluice::mpi::detail
