#include "scenarios.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "model_atomics.hpp"
#include "run/mpi/runtime/calls.hpp"
#include "run/mpi/runtime/leavers.hpp"
#include "run/mpi/runtime/notices.hpp"
#include "run/mpi/runtime/shared_ring.hpp"

namespace sluice::model {
namespace {

using Ring = mpi::detail::BasicSharedRing<ModelAtomics>;
using Sender = mpi::detail::BasicSharedRingSender<ModelAtomics>;
using Receiver = mpi::detail::BasicSharedRingReceiver<ModelAtomics>;
using Leavers = mpi::detail::BasicLeavers<ModelAtomics>;

/// Forgets what the thread found in the schedule before.
class EachAnew : public Scenario {
 public:
  void make() final {
    forget_what_was_found();
    make_memory();
  }
  virtual void make_memory() = 0;
};

struct RingShape {
  const char* name = "";
  std::int64_t receivers = 1;
  std::int64_t bytes = 1;
  std::int64_t part_bytes = 1;
  std::int64_t places = 2;
  std::int64_t executions = 2;
  bool in_pieces = false;     ///< a byte at a time, through room() and rest()
  bool leaves_early = false;  ///< the last receiver, after the first execution
  bool owner_waits = true;    ///< until all have left, before it uses the memory for something else
};

/// Thread 0 sends; when all have left, it makes another ring of the memory. The others receive, and leave.
class RingScenario final : public EachAnew {
 public:
  explicit RingScenario(const RingShape& shape) : shape_(shape) {}
  [[nodiscard]] const char* name() const override { return shape_.name; }
  [[nodiscard]] int threads() const override { return static_cast<int>(shape_.receivers) + 1; }

  void make_memory() override { ring_ = make_ring(shape_.receivers, shape_.part_bytes, shape_.places); }
  void run(int thread) override {
    if (thread == 0) {
      send();
    } else {
      receive(thread - 1);
    }
  }

 private:
  [[nodiscard]] Ring* make_ring(std::int64_t receivers, std::int64_t part_bytes, std::int64_t places) {
    Ring ring;
    ring.receivers = receivers;
    ring.part_bytes = part_bytes;
    ring.places = places;
    expect(ring.all_bytes() <= std::int64_t{sizeof memory_}, "too little memory in the scenario");
    return ring.put(memory_);
  }
  static int value(std::int64_t execution, std::int64_t offset) {
    return static_cast<int>(1 + 16 * execution + offset);
  }

  void send() {
    Sender sender(shape_.bytes);
    sender.connect(ring_);
    for (std::int64_t execution = 0; execution < shape_.executions; ++execution) {
      const auto write = [&](std::int64_t offset, std::int64_t bytes, ModelByte* place) {
        for (std::int64_t i = 0; i < bytes; ++i) place[i].write(value(execution, offset + i));
      };
      sender.begin();
      for (bool all = false; !all;) {
        bool some = false;
        if (shape_.in_pieces) {
          const auto room = sender.room();
          some = room.bytes > 0;
          write(room.offset, some ? 1 : 0, room.at);
          all = sender.fill_room(some ? 1 : 0);
        } else {
          const auto moved = sender.fill(write);
          some = moved.some;
          all = moved.all;
        }
        if (!some && !all) yield();
      }
    }
    while (shape_.owner_waits && !sender.all_left()) yield();
    Ring* const other = make_ring(1, 2, 1);
    for (int i = 0; i < 2; ++i) other->place(0)[i].write(255);
  }

  void receive(std::int64_t number) {
    Receiver end(shape_.bytes);
    end.connect(ring_, number);
    const bool early = shape_.leaves_early && number == shape_.receivers - 1;
    for (std::int64_t execution = 0; execution < (early ? 1 : shape_.executions); ++execution) {
      const auto check = [&](std::int64_t offset, std::int64_t bytes, const ModelByte* place) {
        for (std::int64_t i = 0; i < bytes; ++i)
          expect(place[i].read() == value(execution, offset + i), "another byte than was sent");
      };
      end.begin();
      for (bool all = false; !all;) {
        bool some = false;
        if (shape_.in_pieces) {
          const auto rest = end.rest();
          some = rest.bytes > 0;
          check(rest.offset, rest.bytes, rest.at);
          all = end.take_rest(rest.bytes);
        } else {
          const auto moved = end.take(check);
          some = moved.some;
          all = moved.all;
        }
        if (!some && !all) yield();
      }
    }
    // The destructor leaves.
  }

  RingShape shape_;
  Ring* ring_ = nullptr;
  alignas(Ring) ModelByte memory_[4 * sizeof(Ring) + 8 * mpi::detail::kCacheLine];
};

/// Threads 0 and 1 use memory and leave it; thread 2 owns it, and uses it for something else then.
class LeaversScenario final : public EachAnew {
 public:
  /// `awaited`: the ranks that the owner waits for.
  explicit LeaversScenario(std::int64_t awaited) : awaited_(awaited) {}
  [[nodiscard]] const char* name() const override { return "leavers"; }
  [[nodiscard]] int threads() const override { return 3; }
  void make_memory() override {
    leavers_ = new (memory_) Leavers;
    data_.write(1);
  }
  void run(int thread) override {
    if (thread < 2) {
      expect(data_.read() == 1, "memory that is used again is read");
      leavers_->leave();
      return;
    }
    while (!leavers_->all_left(awaited_)) yield();
    data_.write(2);
    (void)new (memory_) Leavers;
  }

 private:
  std::int64_t awaited_;
  Leavers* leavers_ = nullptr;
  alignas(Leavers) std::byte memory_[sizeof(Leavers)];
  ModelByte data_;
};

struct SmallSizes {
  static constexpr std::size_t kWords = 1;
  static constexpr std::size_t kRing = 2;
  static constexpr std::size_t kFailuresKept = 2;
  static constexpr std::size_t kMostFailureBytes = 8;
  static constexpr unsigned kLooksBetweenSearches = 1;
};
using Board = mpi::detail::BasicNoticeBoard<ModelAtomics, SmallSizes>;
using Notice = Board::Notice;

class BoardScenario : public EachAnew {
 public:
  BoardScenario(const char* name, int threads) : name_(name), threads_(threads) {}
  [[nodiscard]] const char* name() const final { return name_; }
  [[nodiscard]] int threads() const final { return threads_; }
  void make_memory() override {
    for (int i = 0; i < threads_; ++i) Board::make(memory_of(i));
  }
  void run(int thread) final {
    Board board;
    std::vector<Board::OfRank> others;
    for (int i = 0; i < threads_; ++i) {
      if (i != thread) others.push_back({i, memory_of(i)});
    }
    board.connect(memory_of(thread), others);
    use(thread, board);
  }

 protected:
  virtual void use(int thread, Board& board) = 0;

 private:
  [[nodiscard]] ModelByte* memory_of(int thread) { return memory_[static_cast<std::size_t>(thread)].data(); }

  const char* name_;
  int threads_;
  alignas(128) std::array<std::array<ModelByte, Board::kMemory>, 3> memory_;
};

/// All agree on the largest number, as often as the ring goes round.
class AgreeScenario final : public BoardScenario {
 public:
  AgreeScenario(const char* name, int threads, std::int64_t rounds) : BoardScenario(name, threads), rounds_(rounds) {}

 private:
  /// Rising, then falling, so that a number of another round is wrong whatever it is.
  [[nodiscard]] static std::uint64_t number_of(std::int64_t round, int thread) {
    const std::int64_t base = round % 2 == 0 ? 100 + round : 100 - round;
    return static_cast<std::uint64_t>(10 * base + (round + thread) % 3);
  }
  void use(int thread, Board& board) override {
    for (std::int64_t round = 1; round <= rounds_; ++round) {
      std::array<std::uint64_t, 1> number{number_of(round, thread)};
      std::uint64_t largest = 0;
      for (int i = 0; i < threads(); ++i) largest = std::max(largest, number_of(round, i));
      const Board::Subject subject{1, round};
      board.put_up(subject, number);
      for (std::size_t other = 0; other < board.others(); ++other) {
        Notice notice = board.read(other, subject, number);
        for (; notice == Notice::kNotYet; notice = board.read(other, subject, number)) yield();
        expect(notice == Notice::kThere, "a notice is lost");
      }
      expect(number[0] == largest, "not the largest number");
    }
  }

  std::int64_t rounds_;
};

/// Whoever is last to put up a notice sees the others'.
class LastSeesAllScenario final : public BoardScenario {
 public:
  LastSeesAllScenario() : BoardScenario("board: the last sees all", 2) {}
  void make_memory() override {
    BoardScenario::make_memory();
    found_ = {};
  }
  void end() override { expect(found_[0] || found_[1], "neither sees the other"); }

 private:
  void use(int thread, Board& board) override {
    std::array<std::uint64_t, 1> number{1};
    const Board::Subject subject{1, 1};
    board.put_up(subject, number);
    found_[static_cast<std::size_t>(thread)] = board.read(0, subject, number) == Notice::kThere;
  }

  std::array<bool, 2> found_{};
};

/// Thread 0 gives up agreements, and writes over its notices while thread 1 looks for one of them. The last is there
/// for ever, and found, unless a whole ring of others is put up after thread 1 begins to look.
class GivenUpScenario final : public BoardScenario {
 public:
  GivenUpScenario(const char* name, std::int64_t rounds, std::vector<std::int64_t> wanted, bool channels)
      : BoardScenario(name, 2), rounds_(rounds), wanted_(std::move(wanted)), channels_(channels) {}

 private:
  static constexpr auto kRing = static_cast<std::int64_t>(SmallSizes::kRing);
  [[nodiscard]] static std::uint64_t number_of(std::int64_t round) {
    return static_cast<std::uint64_t>(round % 2 == 0 ? 100 + round : 100 - round);
  }
  /// Three channels alternate and have rounds of the same numbers, if so asked.
  [[nodiscard]] Board::Subject subject_of(std::int64_t round) const {
    return channels_ ? Board::Subject{round % 3, (round + 2) / 3} : Board::Subject{1, round};
  }
  void use(int thread, Board& board) override {
    if (thread == 0) {
      for (std::int64_t round = 1; round <= rounds_; ++round) {
        const std::array<std::uint64_t, 1> number{number_of(round)};
        board.put_up(subject_of(round), number);
      }
      return;
    }
    for (const std::int64_t round : wanted_) {
      std::array<std::uint64_t, 1> number{0};
      board.put_up(subject_of(round), number);
      // A notice may be gone before the first look, which a rank that gives up agreements tells by a word of failure.
      int looks = 0;
      Notice notice = Notice::kNotYet;
      for (; notice == Notice::kNotYet && (round == rounds_ || looks < 3); ++looks) {
        notice = board.read(0, subject_of(round), number);
        if (notice == Notice::kNotYet) yield();
      }
      if (notice == Notice::kThere) expect(number[0] == number_of(round), "the number of another notice");
      if (round == rounds_ && rounds_ <= kRing + 1)
        expect(notice == Notice::kThere, "the last notice is said to be lost");
    }
  }

  std::int64_t rounds_;
  std::vector<std::int64_t> wanted_;
  bool channels_;
};

/// Thread 0 waits for a notice that thread 1 writes over before it can be read: it is told so, and does not wait for
/// ever.
class LostScenario final : public BoardScenario {
 public:
  LostScenario() : BoardScenario("board: a notice is lost", 2) {}
  void make_memory() override {
    BoardScenario::make_memory();
    set_word(&looked_, 0, {});
  }

 private:
  void use(int thread, Board& board) override {
    std::array<std::uint64_t, 1> number{7};
    if (thread == 0) {
      board.put_up({1, 1}, number);
      expect(board.read(0, {1, 1}, number) == Notice::kNotYet, "a notice that nobody has put up");
      store(&looked_, 1, Order::kRelease, {});
      Notice notice = Notice::kNotYet;
      while (notice == Notice::kNotYet) {
        notice = board.read(0, {1, 1}, number);
        if (notice == Notice::kNotYet) yield();
      }
      return;
    }
    while (load(&looked_, Order::kAcquire, {}) == 0) yield();
    for (std::int64_t round = 1; round <= 4; ++round) board.put_up({1, round}, number);
  }

  std::uint64_t looked_ = 0;
};

/// Thread 0 tells of failures, more than are kept. Thread 1 hears them in order, each as it was told, and all of them
/// unless it is said that some are lost.
class FailuresScenario final : public BoardScenario {
 public:
  FailuresScenario(const char* name, std::uint64_t words) : BoardScenario(name, 2), words_(words) {}

 private:
  void use(int thread, Board& board) override {
    if (thread == 0) {
      for (std::uint64_t word = 1; word <= words_; ++word) {
        // Words of different lengths, which must not be mixed.
        const auto bytes = std::as_bytes(std::span(&word, 1)).first(static_cast<std::size_t>(word));
        board.tell_failure(bytes);
      }
      return;
    }
    std::uint64_t last = 0, heard = 0;
    bool lost = false;
    while (last < words_) {
      const bool all = board.hear_failures([&](int from, std::span<const std::byte> bytes) {
        std::uint64_t word = 0;
        std::ranges::copy(bytes, std::as_writable_bytes(std::span(&word, 1)).begin());
        expect(from == 0 && word == bytes.size(), "not a word that was told");
        expect(word > last, "a word is heard again");
        last = word;
        ++heard;
      });
      lost = lost || !all;
      expect(lost || heard == last, "a word is lost and nobody says so");
      if (last < words_) yield();
    }
    // One that would be written over next counts as lost.
    expect(!lost || words_ >= SmallSizes::kFailuresKept, "nothing can be lost");
  }

  std::uint64_t words_;
};

/// Thread 0 leaves a collective: it tells of a failure and waits for who is at a beginning. Then thread 1 has either
/// heard the word and starts nothing, or thread 0 sees what it has started.
class BeginningScenario final : public BoardScenario {
 public:
  BeginningScenario() : BoardScenario("board: beginnings", 2) {}
  void make_memory() override {
    BoardScenario::make_memory();
    set_word(&started_, 0, {});
    heard_ = 0;
    seen_ = begun_ = 0;
  }
  void end() override { expect(seen_ == begun_, "a collective is started unseen"); }

 private:
  static constexpr std::uint64_t kBeginnings = 2;
  void use(int thread, Board& board) override {
    if (thread == 0) {
      const std::uint64_t word = 1;
      board.tell_failure(std::as_bytes(std::span(&word, 1)));
      while (board.others_at_beginning()) yield();
      seen_ = load(&started_, Order::kRelaxed, {});
      return;
    }
    for (std::uint64_t i = 1; i <= kBeginnings && heard_ == 0; ++i) {
      const Board::Beginning beginning(board);
      (void)board.hear_failures([&](int, std::span<const std::byte>) { ++heard_; });
      if (heard_ == 0) {
        begun_ = i;
        store(&started_, i, Order::kRelaxed, {});
      }
    }
  }

  std::uint64_t started_ = 0;  ///< collectives, as others see it
  std::uint64_t begun_ = 0;    ///< the same in thread 1
  std::uint64_t seen_ = 0;
  int heard_ = 0;
};

using Log = mpi::detail::BasicCallLog<ModelAtomics, 2>;
using Difference = std::optional<Log::Difference>;

/// Thread 0 begins calls. Thread 1 looks into its log, and counts its own calls itself.
class CallsScenario : public EachAnew {
 public:
  explicit CallsScenario(const char* name) : name_(name) {}
  [[nodiscard]] const char* name() const final { return name_; }
  [[nodiscard]] int threads() const final { return 2; }
  void make_memory() override {
    for (auto& each : memory_) Log::make(each.data());
  }
  void run(int thread) final {
    const auto memory = [&](int of) { return memory_[static_cast<std::size_t>(of)].data(); };
    const std::array<Log::OfRank, 1> other{{{1 - thread, memory(1 - thread)}}};
    Log log;
    log.connect(memory(thread), other);
    if (thread == 0) {
      begin_calls(log);
    } else {
      look(log);
    }
  }

 protected:
  /// No two calls have a field in common.
  [[nodiscard]] static Log::Call call_of(std::int64_t number) { return {number, 10 + number, 20 + number}; }
  virtual void begin_calls(Log& log) = 0;
  virtual void look(const Log& log) = 0;

 private:
  const char* name_;
  alignas(128) std::array<std::array<ModelByte, Log::kMemory>, 2> memory_;
};

/// Thread 1 looks for calls, and finds each as it was begun, or not at all. It finds the last one.
class CallsWrittenOverScenario final : public CallsScenario {
 public:
  CallsWrittenOverScenario(const char* name, std::int64_t calls, std::vector<std::int64_t> wanted)
      : CallsScenario(name), calls_(calls), wanted_(std::move(wanted)) {}

 private:
  void begin_calls(Log& log) override {
    for (std::int64_t number = 1; number <= calls_; ++number)
      expect(log.begin(call_of(number)) == number, "a call has another number");
  }
  void look(const Log& log) override {
    for (const std::int64_t number : wanted_) {
      Difference found;
      for (int looks = 0; !found && (number == calls_ || looks < 3); ++looks) {
        found = log.difference(number, {}, true);
        if (!found) yield();
      }
      if (!found) continue;
      expect(!found->has_left, "a rank is said to have left that has not");
      expect(found->rank == 0 && found->call == call_of(number), "another call than was begun");
    }
  }

  std::int64_t calls_;
  std::vector<std::int64_t> wanted_;
};

/// Thread 0 leaves after its calls. Thread 1, which makes the same and one more, learns that at this one.
class CallsLeftScenario final : public CallsScenario {
 public:
  CallsLeftScenario(const char* name, std::int64_t calls) : CallsScenario(name), calls_(calls) {}

 private:
  void begin_calls(Log& log) override {
    for (std::int64_t number = 1; number <= calls_; ++number) (void)log.begin(call_of(number));
    log.leave();
  }
  void look(const Log& log) override {
    for (std::int64_t number = 1; number <= calls_; ++number) {
      for (int looks = 0; looks < 2; ++looks) {
        expect(!log.difference(number, call_of(number), true), "another call, or none, is found for one that is begun");
        yield();
      }
    }
    Difference found;
    while (!(found = log.difference(calls_ + 1, call_of(calls_ + 1), true))) yield();
    expect(found->has_left, "a call that nobody has begun");
  }

  std::int64_t calls_;
};

/// Thread 0 puts a message into a ring, and then leaves or begins another call. Thread 1 can take all of the message
/// when it has seen that.
class CallsAfterDataScenario final : public CallsScenario {
 public:
  CallsAfterDataScenario(const char* name, bool leaves) : CallsScenario(name), leaves_(leaves) {}
  void make_memory() override {
    CallsScenario::make_memory();
    Ring ring;
    ring.places = kBytes;
    expect(ring.all_bytes() <= std::int64_t{sizeof ring_memory_}, "too little memory in the scenario");
    ring_ = ring.put(ring_memory_);
  }

 private:
  static constexpr std::int64_t kBytes = 2;
  void begin_calls(Log& log) override {
    Sender sender(kBytes);
    sender.connect(ring_);
    sender.begin();
    const auto moved = sender.fill(
        [](std::int64_t offset, std::int64_t, ModelByte* place) { place->write(static_cast<int>(1 + offset)); });
    expect(moved.all, "there is room for the message");
    if (leaves_) {
      log.leave();
    } else {
      (void)log.begin(call_of(1));
    }
  }
  void look(const Log& log) override {
    Receiver receiver(kBytes);
    receiver.connect(ring_, 0);
    receiver.begin();
    Difference found;
    while (!(found = log.difference(1, {}, true))) yield();
    expect(found->has_left == leaves_, "a rank has left, or has not");
    const auto moved = receiver.take([](std::int64_t offset, std::int64_t, const ModelByte* place) {
      expect(place->read() == 1 + offset, "another byte than was sent");
    });
    expect(moved.all, "what a rank did before is not seen");
  }

  bool leaves_;
  Ring* ring_ = nullptr;
  alignas(Ring) ModelByte ring_memory_[4 * sizeof(Ring) + 8 * mpi::detail::kCacheLine];
};

}  // namespace

std::vector<std::unique_ptr<Scenario>> scenarios() {
  std::vector<std::unique_ptr<Scenario>> all;
  for (const RingShape& shape : {
           RingShape{.name = "ring: one receiver", .bytes = 3},
           RingShape{.name = "ring: two receivers", .receivers = 2, .bytes = 2},
           RingShape{.name = "ring: parts in pieces", .bytes = 3, .part_bytes = 2, .places = 1, .in_pieces = true},
           RingShape{.name = "ring: a receiver leaves early", .receivers = 2, .bytes = 2, .leaves_early = true},
       })
    all.push_back(std::make_unique<RingScenario>(shape));
  all.push_back(std::make_unique<LeaversScenario>(2));
  all.push_back(std::make_unique<LastSeesAllScenario>());
  all.push_back(std::make_unique<BeginningScenario>());
  all.push_back(std::make_unique<FailuresScenario>("board: a failure", 1));
  all.push_back(std::make_unique<FailuresScenario>("board: failures written over", 4));
  all.push_back(std::make_unique<AgreeScenario>("board: two agree", 2, 3));
  all.push_back(std::make_unique<AgreeScenario>("board: three agree", 3, 2));
  all.push_back(
      std::make_unique<GivenUpScenario>("board: agreements given up", 5, std::vector<std::int64_t>{2, 5}, false));
  all.push_back(std::make_unique<GivenUpScenario>("board: a ring given up", 3, std::vector<std::int64_t>{3}, false));
  all.push_back(
      std::make_unique<GivenUpScenario>("board: of three channels", 3, std::vector<std::int64_t>{1, 3}, true));
  all.push_back(std::make_unique<LostScenario>());
  all.push_back(std::make_unique<CallsWrittenOverScenario>("calls: one", 1, std::vector<std::int64_t>{1}));
  all.push_back(std::make_unique<CallsWrittenOverScenario>("calls: written over", 4, std::vector<std::int64_t>{1, 4}));
  all.push_back(std::make_unique<CallsWrittenOverScenario>("calls: in one slot", 3, std::vector<std::int64_t>{1, 3}));
  all.push_back(std::make_unique<CallsLeftScenario>("calls: a rank leaves", 1));
  all.push_back(std::make_unique<CallsLeftScenario>("calls: a rank leaves after more than are kept", 3));
  all.push_back(std::make_unique<CallsAfterDataScenario>("calls: data, then another call", false));
  all.push_back(std::make_unique<CallsAfterDataScenario>("calls: data, then a rank leaves", true));
  return all;
}

std::vector<std::unique_ptr<Scenario>> faulty_owners() {
  std::vector<std::unique_ptr<Scenario>> all;
  all.push_back(std::make_unique<RingScenario>(
      RingShape{.name = "ring: its owner does not wait", .bytes = 2, .executions = 1, .owner_waits = false}));
  all.push_back(std::make_unique<LeaversScenario>(1));
  return all;
}

}  // namespace sluice::model
