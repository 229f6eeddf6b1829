#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace sluice::mpi::detail {

/// The order of beginning MPI's own collectives in a communicator: MPI requires the same order on all ranks. It is the
/// order of starting executions that may go by such a collective, whatever they wait for before it begins.
class Turns {
 public:
  /// A place in that order, which lasts until end() or its destruction: until then, later places wait.
  class Turn {
   public:
    Turn() = default;
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)), number_(other.number_) {}
    Turn& operator=(Turn&& other) noexcept {
      if (this != &other) {
        end();
        turns_ = std::exchange(other.turns_, nullptr);
        number_ = other.number_;
      }
      return *this;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { end(); }

    [[nodiscard]] bool taken() const { return turns_ != nullptr; }
    [[nodiscard]] std::int64_t number() const { return number_; }
    /// Whether all before it have ended.
    [[nodiscard]] bool has_come() const { return *turns_->open_.begin() == number_; }
    /// Whether it must not begin: one before it was left unfinished on some rank.
    [[nodiscard]] bool closed() const { return number_ >= turns_->closed_from_; }
    void end() noexcept {
      if (turns_ != nullptr) std::exchange(turns_, nullptr)->open_.erase(number_);
    }

   private:
    friend class Turns;
    Turn(Turns& turns, std::int64_t number) : turns_(&turns), number_(number) {}
    Turns* turns_ = nullptr;
    std::int64_t number_ = 0;
  };

  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// The last of the order. In the same order on all ranks; the turn must end before this is destroyed.
  [[nodiscard]] Turn take() {
    open_.insert(taken_);
    return {*this, taken_++};
  }
  /// The number of the next turn.
  [[nodiscard]] std::int64_t next() const { return taken_; }
  /// From now on turn `number` and later turns must not begin.
  void close_from(std::int64_t number) { closed_from_ = std::min(closed_from_, number); }

 private:
  std::set<std::int64_t> open_;
  std::int64_t taken_ = 0;
  std::int64_t closed_from_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace sluice::mpi::detail
