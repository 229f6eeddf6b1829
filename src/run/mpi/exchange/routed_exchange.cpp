#include "run/mpi/exchange/routed_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "run/mpi/engine/protocol_pass_on.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {
namespace {

/// For local transfers: forwarded within a host, or by fast links. As in redistributions.
constexpr StepExecutor::Limits kLocalLimits{64 << 10, 1, 4, 0, false, Tag::kLocalData};

}  // namespace

RoutedData::RoutedData(UserMessages& user, bool works, std::byte* held, const OwnPart& part)
    : user_(user), works_(works), held_(held) {
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    pieces_.add();
    std::int64_t begin = 0;
    for (const OwnPart::Range& range : part.ranges[i]) {
      std::size_t message = kHeld;
      if (range.store != ExchangePart::kHeld)
        message = part.ends[i].sends ? user.send_to(range.store) : user.receive_from(range.store);
      pieces_.push({begin, message, range.begin});
      begin += range.count;
    }
  }
}

template <class Visit>
void RoutedData::visit(std::size_t end, std::int64_t offset, std::int64_t bytes, Visit&& visit) const {
  const std::span<const Piece> pieces = pieces_[end];
  auto piece = std::ranges::upper_bound(pieces, offset, {}, &Piece::begin) - 1;
  for (const std::int64_t last = offset + bytes; offset < last; ++piece) {
    const std::int64_t until = piece + 1 == pieces.end() ? last : std::min(last, (piece + 1)->begin);
    visit(*piece, offset - piece->begin, until - offset);
    offset = until;
  }
}

const std::byte* RoutedData::source(const Piece& piece) const {
  return (piece.message == kHeld ? held_ : user_.source(piece.message)) + piece.offset;
}

std::byte* RoutedData::target(const Piece& piece) const {
  return (piece.message == kHeld ? held_ : user_.target(piece.message)) + piece.offset;
}

const std::byte* RoutedData::outgoing(std::size_t end, std::int64_t begin, std::int64_t bytes) {
  const std::byte* found = nullptr;
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    if (size == bytes) found = source(piece) + skip;
  });
  return found;
}

void RoutedData::pack(std::size_t end, std::int64_t begin, std::int64_t bytes, std::byte* to) {
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    std::memcpy(to, source(piece) + skip, static_cast<std::size_t>(size));
    to += size;
  });
}

std::byte* RoutedData::incoming(std::size_t end, std::int64_t begin, std::int64_t bytes) {
  std::byte* found = nullptr;
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    if (size == bytes) found = target(piece) + skip;
  });
  return found;
}

void RoutedData::unpack(std::size_t end, std::int64_t begin, std::int64_t bytes, const std::byte* from) {
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    std::memcpy(target(piece) + skip, from, static_cast<std::size_t>(size));
    from += size;
  });
}

RoutedExchange::RoutedExchange(Channel& channel, const ExchangePart& part, UserMessages& user,
                               StepExecutor::Limits limits, std::unique_ptr<StepProtocol> protocol)
    : held_bytes_(part.routed.held_bytes), memory_(std::make_shared<Memory>()) {
  memory_->held = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(held_bytes_));
  const OwnPart& own = part.own;
  data_.emplace(user, part.routed.moves_own, memory_->held.get(), own);
  const auto waits = std::make_shared<EndWaits>(own);
  const auto make = [&](std::optional<StepExecutor>& executor, std::uint8_t lane, const StepExecutor::Limits& how,
                        std::unique_ptr<StepProtocol> beside) {
    if (beside == nullptr) beside = std::make_unique<StepProtocol>();
    executor.emplace(channel, step_messages(own, /*sends=*/true, lane), step_messages(own, /*sends=*/false, lane), how,
                     std::make_unique<PassOnProtocol>(std::move(beside), waits, own, lane));
  };
  make(exchange_, 0, limits, std::move(protocol));
  make(local_, ExchangePart::kLocal, kLocalLimits, nullptr);
  exchange_->connect(false);
  local_->connect(part.routed.shares_memory);
  hold(nullptr);
}

void RoutedExchange::hold(const std::shared_ptr<const void>& memory) {
  memory_->besides = memory;
  exchange_->hold(memory_);
  local_->hold(memory_);
}

void RoutedExchange::begin() {
  exchange_->begin(*data_);
  local_->begin(*data_);
  exchange_runs_ = local_runs_ = true;
}

Advance RoutedExchange::advance() {
  Advance result = Advance::kIdle;
  const auto move = [&](StepExecutor& executor, bool& runs) {
    if (!runs) return;
    const Advance come = executor.advance();
    runs = come != Advance::kOver;
    if (come != Advance::kIdle) result = Advance::kMoved;
  };
  move(*exchange_, exchange_runs_);
  move(*local_, local_runs_);
  return exchange_runs_ || local_runs_ ? result : Advance::kOver;
}

void RoutedExchange::abandon() noexcept {
  StepExecutor::abandon_together({exchange_ ? &*exchange_ : nullptr, local_ ? &*local_ : nullptr});
}

std::int64_t RoutedExchange::buffer_bytes() const {
  return held_bytes_ + exchange_->buffer_bytes() + local_->buffer_bytes();
}

}  // namespace sluice::mpi::detail
