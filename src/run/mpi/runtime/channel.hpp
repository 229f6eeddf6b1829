#pragma once

#include <mpi.h>

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

/// What a tag is for. Between two ranks messages of one tag arrive in the order in which they are sent.
enum class Tag {
  kData,
  kSizes,       ///< who sends how much to whom
  kCollective,  ///< agreements and the like
  kMeasure,
  kOrder,  ///< what rank 0 has measured, and what comes of it
  kResult,
  kReady,
  kAnswer,
  kLocalData,  ///< what goes by links inside a cluster, beside the data
};

/// What a job takes of the context: tags that no other job has, control messages, and the promise that no rank waits
/// for one that has given up. Whoever waits does so by wait() or looks by check(), which throw as soon as a rank has
/// given the job up.
class Channel {
 public:
  /// `number`: taken of the context. `work`: what errors call that which is given up, a literal. Local.
  Channel(std::shared_ptr<Context> context, std::int64_t number, const char* work);
  /// Local. What still comes is dropped.
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

  /// To any rank, the own one included, without waiting.
  void send(int to, const Control& control) { context_->send(to, number_, control); }
  struct Received {
    int from = 0;
    Control control;
  };
  /// What came next, if anything has. Throws as check().
  std::optional<Received> poll();
  /// Whether everything sent has left this rank.
  [[nodiscard]] bool sent() { return context_->sent(); }

  /// The number of the next agreement by memory: the same on all ranks.
  [[nodiscard]] std::int64_t next_round() { return rounds_++; }

  /// For an execution that has been started.
  [[nodiscard]] Turns::Turn take_turn(Turns& turns);
  /// The number of the turn which that execution took there; nullopt: none, or it has not been started here.
  [[nodiscard]] std::optional<std::int64_t> turn_of(const Turns& turns, std::int64_t execution) const;
  /// Context::part, when its turn has come. Throws as check().
  [[nodiscard]] Context::Part& part(const std::string& key, int color, int order);

  // ---- Failure

  /// Looks whether another rank has given the job up, and throws what that means here: InputError, where it came from a
  /// bad argument, else JobError.
  void check();
  /// check() before something is started. A rank that failed leaves what it has sent, and where it receives, soon after
  /// having said so (withdraw): nothing may be started with it by one that comes later. On one host that word is in
  /// memory which all ranks see; between hosts it is a message, which may still be on its way.
  void check_at_start();
  /// check_at_start() where that costs no look at MPI, else as check_known(): for what begins inside an execution.
  void check_by_memory();
  /// MPI_Testsome that looks for such word as well, see Context::test_some; throws as check(). What completes with word
  /// that its sender has given up counts as not come.
  int test_some(std::span<MPI_Request> requests, int& count, std::span<int> completed, std::span<MPI_Status> statuses);
  /// Whether the request has ended; throws as check().
  [[nodiscard]] bool test(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE);
  /// check() at the end of something: without another look where the last one was by test_some or test, and found
  /// something.
  void check_at_end();
  /// Waits for the request, moves on what else has been started meanwhile, and throws as check(). The request is as it
  /// was then.
  void wait(MPI_Request& request);
  /// The same, while others are measured: looks only now and then, and leaves the processor to them.
  void wait_aside(MPI_Request& request);
  /// The same as wait(), until `done()`.
  template <class Done>
  void wait_until(Done&& done) {
    // Every look is work for MPI, and keeps others from theirs where ranks share a core; word of a failure can wait.
    constexpr unsigned kLooksBetweenChecks = 8;
    unsigned looks = 0;
    for (Patience patience; !done(); patience.look_again()) {
      if (++looks % kLooksBetweenChecks == 0) check();
      move_on_others();
    }
  }
  /// While something else is waited for: check(), and moves on what has been started.
  void look_on() {
    check();
    move_on_others();
  }
  /// Moves on what has been started, but for what waits.
  void move_on_others() { context_->progress(owner_); }

  /// This rank goes on no more because of `why`: tells every rank, unless they know, and waits for nobody. `dies`: see
  /// Context::tell_failure.
  void give_up(const std::exception_ptr& why, std::int64_t execution, bool dies) noexcept;
  /// All ranks know, and throw.
  void settle() noexcept { settled_ = true; }
  /// Whether that is so; then the next failure is one that they do not know.
  [[nodiscard]] bool take_settled() noexcept { return std::exchange(settled_, false); }
  [[nodiscard]] bool failed() const { return given_up_ || is_now(); }
  /// The next execution begins. A failure of a later one does not keep this one from its end.
  void next_execution() { ++execution_; }
  /// The next one has begun, or is about to, as far as failures go.
  [[nodiscard]] std::int64_t execution() const { return execution_; }
  /// From now on it lasts even if the context dies.
  void made() { made_ = true; }
  /// Throws what a job throws when it is used again after it has thrown.
  void refuse_if_failed() const;

  /// To any rank: this one, which has given up, receives nothing from it any more.
  void tell_let_go(int to) { context_->tell_let_go(to, number_); }
  /// Whether that rank has told this one so.
  [[nodiscard]] bool let_go(int rank) const { return let_go_.contains(rank); }
  /// How many ranks have.
  [[nodiscard]] std::size_t let_go_by() const { return let_go_.size(); }

  /// Who waits, so that wait() does not move it on.
  void set_owner(const Progressing* owner) { owner_ = owner; }

  /// Throws if a rank has given the job up, as far as it is known here.
  void throw_if_failed() const;
  /// check() without looking.
  void check_known() const;

  // ---- For the context
  void put(int from, const Control& control) { box_.push_back({from, control}); }
  void put(Failure failure);
  void put_let_go(int from) { let_go_.insert(from); }

 private:
  [[nodiscard]] bool is_now() const { return failure_ && failure_->execution <= execution_; }

  std::shared_ptr<Context> context_;
  const char* work_;
  std::int64_t number_ = 0;
  int first_tag_ = 0;
  const Progressing* owner_ = nullptr;
  std::deque<Received> box_;
  std::optional<Failure> failure_;  ///< of another rank
  std::unordered_set<int> let_go_;  ///< ranks that receive nothing from this one any more
  std::int64_t execution_ = 0;
  std::int64_t rounds_ = 0;
  struct TakenTurn {
    const Turns* turns = nullptr;
    std::int64_t execution = 0;
    std::int64_t number = 0;
  };
  std::vector<TakenTurn> turns_;  ///< the last one of each
  bool looked_ = false;           ///< and found something, by the last look
  bool made_ = false;
  bool given_up_ = false;
  bool settled_ = false;
};

/// While it lives, channels opened in the same context are those of a part of this one's work: they are given up with
/// it.
class Enclosing {
 public:
  explicit Enclosing(Channel& channel);
  ~Enclosing();
  Enclosing(const Enclosing&) = delete;
  Enclosing& operator=(const Enclosing&) = delete;

 private:
  Context& context_;
};

/// A request of the library's own and the memory it is about. Where it is destroyed before it has ended, because
/// somebody gave up, the context keeps the memory for as long as MPI may use it.
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
