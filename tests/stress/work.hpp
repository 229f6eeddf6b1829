#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "stress/stress.hpp"

/// Jobs of every class with data of their own, other data in each execution, which they check.
namespace sluice::stress {

/// A job with its data. `what` says which data: the same on all ranks.
class Work {
 public:
  Work(std::string text, const Comm& on) : rank_(on.rank), size_(on.size), text_(std::move(text)) {}
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }
  virtual void start(std::uint64_t what) = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual void verify(Run& run) = 0;
  /// An execution with an argument that is bad on this rank: throws.
  virtual void start_badly() = 0;

 protected:
  [[nodiscard]] Pattern of(std::int64_t owner) const { return Pattern::of(what_, owner); }
  [[nodiscard]] Pattern sum() const {
    Pattern all;
    for (int r = 0; r < size_; ++r) all += of(r);
    return all;
  }
  void check_guards(Run& run) const {
    run.check_guard(text_.c_str(), own_);
    run.check_guard(text_.c_str(), result_);
  }

  int rank_;
  int size_;
  std::uint64_t what_ = 0;
  std::string text_;
  Buffer own_;
  Buffer result_;
};

template <class Job>
class WorkOf : public Work {
 public:
  template <class... Arguments>
  WorkOf(std::string text, const Comm& on, Arguments&&... arguments)
      : Work(std::move(text), on), job_(std::forward<Arguments>(arguments)...) {}
  bool test() override { return job_.test(); }
  void wait() override { job_.wait(); }

 protected:
  Job job_;
};

class Spread final : public WorkOf<mpi::Broadcast> {
 public:
  Spread(const Comm& on, std::int64_t bytes, int root) : WorkOf("Broadcast", on, on.comm, root), root_(root) {
    result_.resize(bytes);
  }
  void start(std::uint64_t what) override {
    what_ = what;
    result_.resize(result_.bytes());
    if (rank_ == root_) of(root_).write(result_.data(), result_.bytes());
    job_.start(result_.data(), result_.bytes());
  }
  void start_badly() override { job_.start(nullptr, result_.bytes()); }
  void verify(Run& run) override {
    run.check("Broadcast", result_.data(), result_.bytes(), of(root_));
    check_guards(run);
  }

 private:
  int root_;
};

inline mpi::CollectiveOptions options(bool native) {
  mpi::CollectiveOptions options;
  options.try_native = native;
  return options;
}

/// Scatter, Gather, Allgather, Alltoall.
class Blocks final : public WorkOf<mpi::CollectiveJob> {
 public:
  Blocks(Collective problem, const char* text, const Comm& on, std::int64_t bytes, int root, bool native)
      : WorkOf(text, on, mpi::CollectiveJob(on.comm, problem, bytes, root, options(native))),
        problem_(problem),
        block_(bytes),
        root_(root) {}
  void start(std::uint64_t what) override {
    what_ = what;
    own_.resize(job_.own_bytes());
    result_.resize(job_.result_bytes());
    for (std::int64_t i = 0; i * block_ < own_.bytes(); ++i) of_block(rank_, i).write(own_.data() + i * block_, block_);
    job_.start(own_.data(), result_.data());
  }
  void start_badly() override { job_.start(nullptr, nullptr); }
  void verify(Run& run) override {
    for (std::int64_t i = 0; i * block_ < result_.bytes(); ++i) {
      const Pattern expected = problem_ == Collective::kScatter    ? of_block(root_, rank_)
                               : problem_ == Collective::kAlltoall ? of_block(i, rank_)
                                                                   : of_block(i, 0);
      run.check(text_.c_str(), result_.data() + i * block_, block_, expected);
    }
    check_guards(run);
  }

 private:
  /// The i-th block that a rank gives.
  [[nodiscard]] Pattern of_block(std::int64_t owner, std::int64_t i) const { return of(owner * size_ + i); }

  Collective problem_;
  std::int64_t block_;
  int root_;
};

class Combine final : public WorkOf<mpi::CollectiveJob> {
 public:
  Combine(Collective problem, const char* text, const Comm& on, std::int64_t bytes, bool native)
      : WorkOf(text, on,
               mpi::CollectiveJob(on.comm, problem, mpi::ElementOperation{(bytes + 7) / 8, MPI_UINT64_T, MPI_SUM},
                                  options(native))),
        scatters_(problem == Collective::kReduceScatter) {
    const std::int64_t count = (bytes + 7) / 8;
    first_ = scatters_ ? count / size_ * rank_ + std::min<std::int64_t>(rank_, count % size_) : 0;
  }
  void start(std::uint64_t what) override {
    what_ = what;
    own_.resize(job_.own_bytes());
    result_.resize(job_.result_bytes());
    of(rank_).write(own_.data(), own_.bytes());
    job_.start(own_.data(), result_.data());
  }
  void start_badly() override { job_.start(nullptr, nullptr); }
  void verify(Run& run) override {
    Pattern expected = sum();
    expected.base = expected.word(first_);
    run.check(text_.c_str(), result_.data(), result_.bytes(), expected);
    check_guards(run);
  }

 private:
  bool scatters_;
  std::int64_t first_ = 0;
};

class Reduce final : public WorkOf<mpi::ElementReduction> {
 public:
  Reduce(const Comm& on, std::int64_t bytes, int root)
      : WorkOf("ElementReduction", on, on.comm, mpi::ElementOperation{(bytes + 7) / 8, MPI_UINT64_T, MPI_SUM}, root),
        root_(root) {
    own_.resize((bytes + 7) / 8 * 8);
    result_.resize(rank_ == root ? own_.bytes() : 0);
  }
  void start(std::uint64_t what) override {
    what_ = what;
    of(rank_).write(own_.data(), own_.bytes());
    result_.resize(result_.bytes());
    job_.start(own_.data(), result_.data());
  }
  void start_badly() override { job_.start(nullptr, nullptr); }
  void verify(Run& run) override {
    if (rank_ == root_) run.check("ElementReduction", result_.data(), result_.bytes(), sum());
    check_guards(run);
  }

 private:
  int root_;
};

/// Objects of a size that depends on the rank: words, one after the other in the order of the ranks.
class Join final : public WorkOf<mpi::ObjectReduction> {
 public:
  Join(const Comm& on, std::int64_t bytes, int root, bool throws)
      : WorkOf("ObjectReduction", on, on.comm, mpi::ObjectOperation{throws ? throwing : join, false}, root),
        each_(std::max<std::int64_t>(1, bytes / on.size)),
        root_(root) {}
  void start(std::uint64_t what) override {
    what_ = what;
    own_.resize(bytes_of(rank_));
    of(rank_).write(own_.data(), own_.bytes());
    joined_.assign(3, std::byte{1});
    job_.start(std::span(own_.data(), static_cast<std::size_t>(own_.bytes())), joined_);
  }
  void start_badly() override { job_.start(std::span(static_cast<const std::byte*>(nullptr), 3), joined_); }
  void verify(Run& run) override {
    if (rank_ != root_) return;
    std::int64_t at = 0;
    for (int r = 0; r < size_; ++r) at += bytes_of(r);
    if (static_cast<std::int64_t>(joined_.size()) != at) {
      run.failed("ObjectReduction: %zu bytes, expected %lld", joined_.size(), static_cast<long long>(at));
      return;
    }
    at = 0;
    for (int r = 0; r < size_; ++r) {
      run.check("ObjectReduction", joined_.data() + at, bytes_of(r), of(r));
      at += bytes_of(r);
    }
    check_guards(run);
  }

 private:
  static void join(std::span<const std::byte> left, std::span<const std::byte> right, mpi::Bytes& result) {
    result.assign(left.begin(), left.end());
    result.insert(result.end(), right.begin(), right.end());
  }
  static void throwing(std::span<const std::byte> /*left*/, std::span<const std::byte> /*right*/,
                       mpi::Bytes& /*result*/) {
    throw std::runtime_error("an operation that throws");
  }
  [[nodiscard]] std::int64_t bytes_of(int owner) const { return each_ + 3 * owner; }

  std::int64_t each_;
  int root_;
  mpi::Bytes joined_;
};

/// Everybody has something for everybody.
class Swap final : public WorkOf<mpi::Exchange> {
 public:
  Swap(const Comm& on, std::int64_t bytes) : WorkOf("Exchange", on, on.comm, messages(on, bytes)) {}
  void start(std::uint64_t what) override {
    what_ = what;
    own_.resize(job_.send_bytes());
    result_.resize(job_.receive_bytes());
    std::byte* at = own_.data();
    for (const mpi::MessageSize& each : job_.sends()) {
      of(std::int64_t{rank_} * size_ + each.peer).write(at, each.bytes);
      at += each.bytes;
    }
    job_.start(std::span<const std::byte>(own_.data(), static_cast<std::size_t>(own_.bytes())),
               std::span(result_.data(), static_cast<std::size_t>(result_.bytes())));
  }
  void start_badly() override { job_.start(std::span<const std::byte>(), std::span<std::byte>()); }
  void verify(Run& run) override {
    const std::byte* at = result_.data();
    for (const mpi::MessageSize& each : job_.receives()) {
      run.check("Exchange", at, each.bytes, of(std::int64_t{each.peer} * size_ + rank_));
      at += each.bytes;
    }
    check_guards(run);
  }

 private:
  static std::vector<mpi::MessageSize> messages(const Comm& on, std::int64_t bytes) {
    std::vector<mpi::MessageSize> sends;
    for (int to = 0; to < on.size; ++to) {
      const std::int64_t each = bytes / on.size - (on.rank + 2 * to) % 5 * (bytes / on.size / 8);
      if (each > 0) sends.push_back({to, each});
    }
    return sends;
  }
};

class DynamicSwap final : public Work {
 public:
  DynamicSwap(const Comm& on, std::int64_t bytes)
      : Work("DynamicExchange", on), job_(on.comm), each_(std::max<std::int64_t>(1, bytes / on.size)) {}
  void start(std::uint64_t what) override {
    what_ = what;
    own_.resize(each_ * size_);
    for (int to = 0; to < size_; ++to) {
      of(std::int64_t{rank_} * size_ + to).write(own_.data() + each_ * to, each_);
      job_.post(to, std::span(own_.data() + each_ * to, static_cast<std::size_t>(each_)));
    }
  }
  bool test() override {
    job_.progress();
    wait();
    return true;
  }
  void wait() override { came_ = job_.finish(); }
  void start_badly() override { job_.post(size_, {}); }
  void verify(Run& run) override {
    if (came_.size() != static_cast<std::size_t>(size_)) {
      run.failed("DynamicExchange: %zu messages, expected %d", came_.size(), size_);
      return;
    }
    for (const mpi::ReceivedMessage& each : came_) {
      if (static_cast<std::int64_t>(each.bytes.size()) != each_) {
        run.failed("DynamicExchange: %zu bytes, expected %lld", each.bytes.size(), static_cast<long long>(each_));
        return;
      }
      run.check("DynamicExchange", each.bytes.data(), each_, of(std::int64_t{each.from} * size_ + rank_));
    }
    check_guards(run);
  }

 private:
  mpi::DynamicExchange job_;
  std::int64_t each_;
  std::vector<mpi::ReceivedMessage> came_;
};

/// A vector of numbers from blocks of one length to blocks of another one.
class Move final : public WorkOf<mpi::Redistribution> {
 public:
  Move(const Comm& on, std::int64_t bytes, std::int64_t from_block, std::int64_t to_block)
      : WorkOf("Redistribution", on, on.comm, std::vector{(bytes + 7) / 8}, Layout{{on.size}, {from_block}},
               Layout{{on.size}, {to_block}}, std::int64_t{8}),
        from_{(bytes + 7) / 8, on.size, from_block},
        to_{(bytes + 7) / 8, on.size, to_block} {}
  void start(std::uint64_t what) override {
    what_ = what;
    own_.resize(8 * from_.local_extent(Coordinate{rank_}));
    result_.resize(8 * to_.local_extent(Coordinate{rank_}));
    const Pattern all = of(0);
    for (std::int64_t i = 0; 8 * i < own_.bytes(); ++i) {
      const std::uint64_t word = all.word(from_.global(Coordinate{rank_}, LocalIndex{i}).value);
      std::memcpy(own_.data() + 8 * i, &word, 8);
    }
    job_.start(own_.data(), result_.data());
  }
  void start_badly() override { job_.start(nullptr, nullptr); }
  void verify(Run& run) override {
    const Pattern all = of(0);
    for (std::int64_t i = 0; 8 * i < result_.bytes(); ++i) {
      const std::uint64_t word = all.word(to_.global(Coordinate{rank_}, LocalIndex{i}).value);
      if (std::memcmp(result_.data() + 8 * i, &word, 8) == 0) continue;
      run.failed("Redistribution: element %lld is wrong", static_cast<long long>(i));
      break;
    }
    check_guards(run);
  }

 private:
  Axis from_;
  Axis to_;
};

enum class Kind {
  kBroadcast,
  kScatter,
  kGather,
  kAllgather,
  kAlltoall,
  kAllreduce,
  kReduceScatter,
  kElementReduction,
  kObjectReduction,
  kExchange,
  kDynamicExchange,
  kRedistribution,
  kKinds
};

inline const char* name(Kind kind) {
  static const char* const names[] = {"Broadcast",       "Scatter",   "Gather",          "Allgather",
                                      "Alltoall",        "Allreduce", "ReduceScatter",   "ElementReduction",
                                      "ObjectReduction", "Exchange",  "DynamicExchange", "Redistribution"};
  return names[static_cast<std::size_t>(kind)];
}

/// A job of `bytes` for each rank, all messages of the rank together. Without `native`, collectives that have a plan do
/// not try MPI's own. Collective.
inline std::unique_ptr<Work> make_work(Kind kind, const Comm& on, std::int64_t bytes, unsigned drawn,
                                       bool native = true) {
  const auto root = static_cast<int>(drawn % static_cast<unsigned>(on.size));
  const std::int64_t block = std::max<std::int64_t>(1, bytes / on.size);
  switch (kind) {
    case Kind::kBroadcast:
      return std::make_unique<Spread>(on, bytes, root);
    case Kind::kScatter:
      return std::make_unique<Blocks>(Collective::kScatter, "Scatter", on, block, root, native);
    case Kind::kGather:
      return std::make_unique<Blocks>(Collective::kGather, "Gather", on, block, root, native);
    case Kind::kAllgather:
      return std::make_unique<Blocks>(Collective::kAllgather, "Allgather", on, block, 0, native);
    case Kind::kAlltoall:
      return std::make_unique<Blocks>(Collective::kAlltoall, "Alltoall", on, block, 0, native);
    case Kind::kAllreduce:
      return std::make_unique<Combine>(Collective::kAllreduce, "Allreduce", on, bytes, native);
    case Kind::kReduceScatter:
      return std::make_unique<Combine>(Collective::kReduceScatter, "ReduceScatter", on, bytes, native);
    case Kind::kElementReduction:
      return std::make_unique<Reduce>(on, bytes, root);
    case Kind::kObjectReduction:
      return std::make_unique<Join>(on, bytes, root, false);
    case Kind::kExchange:
      return std::make_unique<Swap>(on, bytes);
    case Kind::kDynamicExchange:
      return std::make_unique<DynamicSwap>(on, bytes);
    default: {
      const std::int64_t count = (bytes + 7) / 8;
      return std::make_unique<Move>(on, bytes, 1 + drawn % 977 % count, std::max<std::int64_t>(1, count / on.size));
    }
  }
}

}  // namespace sluice::stress
