#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/waiting.hpp"

namespace sluice::mpi::detail {

/// The purpose of a tag. Between two ranks, messages with the same tag arrive in the order of sending.
enum class Tag {
  kData,
  kSizes,       ///< who sends how much to whom
  kCollective,  ///< agreements and the like
  kMeasure,
  kOrder,  ///< what rank 0 has measured, and what follows from it
  kResult,
  kReady,
  kAnswer,
  kLocalData,  ///< data that goes over links inside a cluster
};

/// What a job gets from the context: tags that no other job has, control messages, and the promise that no rank waits
/// for one that has given up. A rank waits only by wait(), or calls check() meanwhile; both throw as soon as another
/// rank has given the job up.
class Channel {
 public:
  /// `number` comes from Context::take_number. `work` is the name of the job in errors, a literal. Local.
  Channel(std::shared_ptr<Context> context, std::int64_t number, const char* work);
  /// Local. Messages that arrive later are dropped.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// How many channels of a context have tags of their own.
  [[nodiscard]] static std::int64_t with_own_tags();

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] MPI_Comm comm() const { return context_->comm(); }
  [[nodiscard]] int rank() const { return context_->rank(); }
  [[nodiscard]] int size() const { return context_->size(); }
  [[nodiscard]] int tag(Tag tag) const { return first_tag_ + static_cast<int>(tag); }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const char* work() const { return work_; }

  // ---- Control messages

  /// Sends to any rank, this one included, without waiting.
  void send(int to, const Control& control) { context_->send(to, number_, control); }
  struct Received {
    int from = 0;
    Control control;
  };
  /// The next message, if one has arrived. Throws as check().
  std::optional<Received> poll();
  /// Whether everything sent has left this rank.
  [[nodiscard]] bool sent() { return context_->sent(); }

  /// The number of the next agreement by memory: the same on all ranks.
  [[nodiscard]] std::int64_t next_round() { return rounds_++; }

  /// Takes a turn for an execution that has been started.
  [[nodiscard]] Turns::Turn take_turn(Turns& turns);
  /// The number of the turn that this execution took there; nullopt if it took none, or has not been started here.
  [[nodiscard]] std::optional<std::int64_t> turn_of(const Turns& turns, std::int64_t execution) const;
  /// Waits for its turn and returns Context::part. Throws as check().
  [[nodiscard]] Context::Part& part(const std::string& key, int color, int order);

  // ---- Failure

  /// Checks whether another rank has given the job up, and throws the matching exception: InputError if the cause was a
  /// bad argument, otherwise JobError.
  void check();
  /// Like check(). Returns true if the call was slow enough that MPI probably made progress; MPI offers no call that
  /// tells.
  bool check_moves();
  /// check() before MPI's own collective is started, because a collective that some rank does not start never ends. A
  /// rank that failed withdraws from its sends and receives soon after its word of failure (withdraw). On one host that
  /// word is in memory which all ranks see. Between hosts it is a message, which may still be on its way.
  void check_at_start();
  /// Like check_at_start() if that costs no call of MPI, otherwise like check_known(): for executions, which look while
  /// they wait.
  void check_by_memory();
  /// MPI_Testsome that also looks for word of failures, see Context::test_some. Throws as check(). A message with the
  /// word that its sender has given up counts as not come.
  int test_some(std::span<MPI_Request> requests, int& count, std::span<int> completed, std::span<MPI_Status> statuses);
  /// Whether the request has ended; throws as check().
  [[nodiscard]] bool test(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE);
  /// check() at the end of an execution. It does not call MPI again if the last call was test_some or test and found
  /// that a request had ended.
  void check_at_end();
  /// Waits for the request, and meanwhile advances other executions that have been started. Throws as check(), and then
  /// leaves the request as it is.
  void wait(MPI_Request& request);
  /// As wait(), while other ranks measure or one rank plans for all: calls MPI only now and then, and leaves the
  /// processor to these ranks.
  void wait_aside(MPI_Request& request);
  /// As wait(), until `done()`.
  template <class Done>
  void wait_until(Done&& done) {
    // Every look costs MPI time, which other ranks on the same core lose; word of a failure can wait.
    constexpr unsigned kLooksBetweenChecks = 8;
    unsigned looks = 0;
    for (Patience patience; !done(); patience.look_again()) {
      if (++looks % kLooksBetweenChecks == 0) check();
      move_on_others();
    }
  }
  /// For a rank that waits for something else: check(), and advances what has been started.
  void look_on() {
    check();
    move_on_others();
  }
  /// Advances the executions that have been started, except the waiting one.
  void move_on_others() { context_->progress(owner_); }

  /// This rank gives the job up because of `why`. It tells every rank, unless they know already, and waits for none.
  /// `dies`: whether the context ends (Context::tell_failure).
  void give_up(const std::exception_ptr& why, std::int64_t execution, bool dies) noexcept;
  /// Notes that all ranks know of the failure and throw.
  void settle() noexcept { settled_ = true; }
  /// Whether an agreement has failed as all ranks know, so that none of them has gone on behind it.
  [[nodiscard]] bool nobody_went_on() const noexcept { return settled_; }
  /// Whether settle() was called; the next failure is then one that the others do not know.
  [[nodiscard]] bool take_settled() noexcept { return std::exchange(settled_, false); }
  [[nodiscard]] bool failed() const { return given_up_ || is_now(); }
  /// The next execution begins. A failure of a later one does not keep this one from its end.
  void next_execution() { ++execution_; }
  /// Tells the ranks of the node that this execution moves `bytes`; for jobs whose executions may differ in size.
  void begin_call(std::int64_t bytes);
  /// For a rank that waits for others. Throws MpiError of the class MPI_ERR_TRUNCATE if a rank of the node is in
  /// another call or in this call with another size, or has left the communicator.
  void check_calls();
  /// The next execution counts as begun, for failures.
  [[nodiscard]] std::int64_t execution() const { return execution_; }
  /// The job has been made: from now on its channel lasts even if the context dies.
  void made() { made_ = true; }
  /// Throws what a job throws when it is used again after it has thrown.
  void refuse_if_failed() const;

  // For withdraw(), which says when each is told.
  /// Tells a rank that this one receives nothing more from it.
  void tell_let_go(int to) { context_->tell_let_go(to, number_); }
  /// Tells a rank that this one sends it nothing more.
  void tell_sends_no_more(int to) { context_->tell_sends_no_more(to, number_); }
  /// Whether that rank has told this one that it receives nothing more from it.
  [[nodiscard]] bool let_go(int rank) const { return let_go_.contains(rank); }
  /// Whether that rank has told this one that it sends it nothing more.
  [[nodiscard]] bool sends_no_more(int rank) const { return sends_no_more_.contains(rank); }
  /// How often ranks have told this one either.
  [[nodiscard]] std::size_t words_of_withdrawal() const { return let_go_.size() + sends_no_more_.size(); }
  /// Withdrawal is over: from now on the context answers ranks that say later that they send no more.
  void set_withdrawn() { withdrawn_ = true; }
  [[nodiscard]] bool withdrawn() const { return withdrawn_; }

  /// Sets the execution that waits, so that wait() does not move it on.
  void set_owner(const Progressing* owner) { owner_ = owner; }

  /// Throws if this rank knows that a rank has given the job up.
  void throw_if_failed() const;
  /// check() without looking.
  void check_known() const;

  // ---- For the context
  void put(int from, const Control& control) { box_.push_back({from, control}); }
  void put(Failure failure);
  void put_let_go(int from) { let_go_.insert(from); }
  void put_sends_no_more(int from) { sends_no_more_.insert(from); }

 private:
  [[nodiscard]] bool is_now() const { return failure_ && failure_->execution <= execution_; }

  std::shared_ptr<Context> context_;
  const char* work_;
  std::int64_t number_ = 0;
  int first_tag_ = 0;
  const Progressing* owner_ = nullptr;
  std::deque<Received> box_;
  std::optional<Failure> failure_;         ///< of another rank
  std::unordered_set<int> let_go_;         ///< ranks that receive nothing more from this one
  std::unordered_set<int> sends_no_more_;  ///< ranks that send nothing more to this one
  bool withdrawn_ = false;
  std::int64_t execution_ = 0;
  CallLog::Call call_;            ///< the present one, begun by begin_call
  std::int64_t call_number_ = 0;  ///< 0: there is none
  unsigned differences_ = 0;      ///< looks in a row that found another call
  std::int64_t rounds_ = 0;
  struct TakenTurn {
    const Turns* turns = nullptr;
    std::int64_t execution = 0;
    std::int64_t number = 0;
  };
  std::vector<TakenTurn> turns_;  ///< the last one of each
  bool looked_ = false;           ///< and found something, by the last look
  /// How long a look takes that finds nothing: the least so far.
  std::chrono::steady_clock::duration idle_look_ = std::chrono::steady_clock::duration::max();
  bool made_ = false;
  bool given_up_ = false;
  bool settled_ = false;
};

/// While an object of this class lives, channels that are opened in its context belong to parts of the work of
/// `channel`, and are given up with it.
class Enclosing {
 public:
  explicit Enclosing(Channel& channel);
  ~Enclosing();
  Enclosing(const Enclosing&) = delete;
  Enclosing& operator=(const Enclosing&) = delete;

 private:
  Context& context_;
};

/// A request of the library's own and the memory that it reads or writes. If it is destroyed before the request has
/// ended, because a rank gave up, the context keeps the memory for as long as MPI may use it.
class Pending {
 public:
  Pending(Channel& channel, std::shared_ptr<const void> memory);
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void send(const void* data, int bytes, int to, Tag tag);
  void send_synchronous(const void* data, int bytes, int to, Tag tag);
  void receive(void* data, int bytes, int from, Tag tag);
  void wait() { channel_.wait(request_); }
  /// Whether it has ended; throws as Channel::check. Simulated ranks, whose looks cost time, wait.
  [[nodiscard]] bool advance();
  void wait_aside() { channel_.wait_aside(request_); }
  /// Whether it has ended.
  [[nodiscard]] bool test(MPI_Status* status = MPI_STATUS_IGNORE);

 private:
  Channel& channel_;
  std::list<Leftover> leftover_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool receives_ = false;
};

/// A message; waits until `data`, which lies in `memory`, may be used again. Throw as Channel::check.
void send_and_wait(Channel& channel, std::shared_ptr<const void> memory, const void* data, int bytes, int to, Tag tag);
void receive_and_wait(Channel& channel, std::shared_ptr<const void> memory, void* data, int bytes, int from, Tag tag);

}  // namespace sluice::mpi::detail
