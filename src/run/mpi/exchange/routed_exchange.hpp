#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/engine/step_executor.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/exchange/user_messages.hpp"
#include "run/mpi/runtime/job.hpp"

namespace sluice::mpi::detail {

/// The bytes of transfers that lie at several places each: in the user's messages, and in the memory that the rank
/// holds for others.
class RoutedData final : public Data {
 public:
  /// `user` is kept, and moves what the rank has for itself if `works`.
  RoutedData(UserMessages& user, bool works, std::byte* held, const OwnPart& part);

  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t bytes) override;
  void pack(std::size_t end, std::int64_t begin, std::int64_t bytes, std::byte* to) override;
  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t bytes) override;
  void unpack(std::size_t end, std::int64_t begin, std::int64_t bytes, const std::byte* from) override;
  bool work() override { return works_ && user_.work(); }

 private:
  static constexpr std::size_t kHeld = static_cast<std::size_t>(-1);
  struct Piece {
    std::int64_t begin = 0;   ///< in the transfer
    std::size_t message = 0;  ///< of the user's list, or kHeld
    std::int64_t offset = 0;
  };

  /// Calls `visit(piece, bytes of it to pass over, bytes)` for the pieces that hold the bytes from `offset` on of a
  /// transfer.
  template <class Visit>
  void visit(std::size_t end, std::int64_t offset, std::int64_t bytes, Visit&& visit) const;
  [[nodiscard]] const std::byte* source(const Piece& piece) const;
  [[nodiscard]] std::byte* target(const Piece& piece) const;

  UserMessages& user_;
  bool works_;
  std::byte* held_;
  sluice::detail::Lists<Piece> pieces_;  ///< by end
};

/// An exchange with local phases: one executor carries what crosses the backbone, another what goes by local links.
/// They run side by side. A send of data that comes through the other executor waits until it is there
/// (PassOnProtocol).
///
/// No deadlock: transfers before the backbone wait for nothing but their own list. Transfers over the backbone also
/// wait for transfers before it. Transfers after it are the last in their list, and wait for transfers over the
/// backbone.
class RoutedExchange {
 public:
  /// `protocol`: what transfers over the backbone wait for besides; null: nothing. `user` must last as long as this
  /// object.
  RoutedExchange(Channel& channel, const ExchangePart& part, UserMessages& user, StepExecutor::Limits limits,
                 std::unique_ptr<StepProtocol> protocol);

  /// Beside what the executors hold: as StepExecutor::hold.
  void hold(const std::shared_ptr<const void>& memory);
  void begin();
  Advance advance();
  void abandon() noexcept;
  [[nodiscard]] std::int64_t buffer_bytes() const;

 private:
  /// Memory that MPI may use.
  struct Memory {
    std::unique_ptr<std::byte[]> held;
    std::shared_ptr<const void> besides;
  };

  std::int64_t held_bytes_;
  std::shared_ptr<Memory> memory_;
  std::optional<RoutedData> data_;
  std::optional<StepExecutor> exchange_;
  std::optional<StepExecutor> local_;
  bool exchange_runs_ = false;
  bool local_runs_ = false;
};

}  // namespace sluice::mpi::detail
