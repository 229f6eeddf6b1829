#include "run/mpi/exchange/routed_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "run/mpi/engine/protocol_pass_on.hpp"

namespace sluice::mpi::detail {
namespace {

using FragmentList = const std::vector<Fragment>*;

/// For local transfers: forwarded within a host, or by fast links. As in redistributions.
constexpr StepExecutor::Limits kLocalLimits{64 << 10, 1, 4, 0, false, Tag::kLocalData};

}  // namespace

RoutedData::RoutedData(UserMessages& user, bool works, std::byte* held, const std::vector<FragmentList>& sends,
                       const std::vector<FragmentList>& receives)
    : user_(user), works_(works), held_(held) {
  const auto add = [](List& list, const std::vector<FragmentList>& ways, auto&& message_of) {
    for (const FragmentList way : ways) {
      std::int64_t begin = 0;
      for (const Fragment& fragment : *way) {
        list.pieces.push_back({begin, fragment.peer < 0 ? kHeld : message_of(fragment.peer), fragment.offset});
        begin += fragment.bytes;
      }
      list.first.push_back(list.pieces.size());
    }
  };
  add(sends_, sends, [&](int peer) { return user.send_to(peer); });
  add(receives_, receives, [&](int peer) { return user.receive_from(peer); });
}

template <class Visit>
void RoutedData::List::visit(std::size_t transfer, std::int64_t offset, std::int64_t bytes, Visit&& visit) const {
  const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(first[transfer]);
  const auto end = pieces.begin() + static_cast<std::ptrdiff_t>(first[transfer + 1]);
  auto piece = std::ranges::upper_bound(begin, end, offset, {}, &Piece::begin) - 1;
  for (const std::int64_t last = offset + bytes; offset < last; ++piece) {
    const std::int64_t until = piece + 1 == end ? last : std::min(last, (piece + 1)->begin);
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

const std::byte* RoutedData::outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) {
  const std::byte* found = nullptr;
  sends_.visit(message, offset, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    if (size == bytes) found = source(piece) + skip;
  });
  return found;
}

void RoutedData::pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) {
  sends_.visit(message, offset, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    std::memcpy(buffer, source(piece) + skip, static_cast<std::size_t>(size));
    buffer += size;
  });
}

std::byte* RoutedData::incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) {
  std::byte* found = nullptr;
  receives_.visit(message, offset, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    if (size == bytes) found = target(piece) + skip;
  });
  return found;
}

void RoutedData::unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) {
  receives_.visit(message, offset, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    std::memcpy(target(piece) + skip, buffer, static_cast<std::size_t>(size));
    buffer += size;
  });
}

RoutedExchange::RoutedExchange(Channel& channel, const ExchangePart& part, UserMessages& user,
                               StepExecutor::Limits limits, std::unique_ptr<StepProtocol> protocol)
    : held_bytes_(part.routed.held_bytes), memory_(std::make_shared<Memory>()) {
  memory_->held = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(held_bytes_));
  const RoutedPart& routed = part.routed;
  /// What one of the two executors is made of.
  struct Lane {
    std::vector<StepMessage> sends, receives;
    std::vector<FragmentList> send_ways, receive_ways;
    std::vector<std::size_t> after;
    std::vector<std::int64_t> receive_bytes;
  };
  Lane exchange;
  for (std::size_t i = 0; i < part.sends.size(); ++i) {
    exchange.sends.push_back({part.sends[i].peer, part.sends[i].bytes});
    exchange.send_ways.push_back(&routed.exchange_sends[i].way);
    exchange.after.push_back(routed.exchange_sends[i].after);
  }
  for (std::size_t i = 0; i < part.transfers_in.size(); ++i) {
    exchange.receives.push_back({part.transfers_in[i].peer, part.transfers_in[i].bytes});
    exchange.receive_ways.push_back(&routed.exchange_receives[i].way);
    exchange.receive_bytes.push_back(part.transfers_in[i].bytes);
  }
  Lane local;
  for (const RoutedPart::Local& send : routed.sends) {
    local.sends.push_back({send.peer, send.bytes});
    local.send_ways.push_back(&send.way);
    local.after.push_back(send.after);
  }
  for (const RoutedPart::Local& receive : routed.receives) {
    local.receives.push_back({receive.peer, receive.bytes});
    local.receive_ways.push_back(&receive.way);
    local.receive_bytes.push_back(receive.bytes);
  }
  exchange_data_.emplace(user, routed.moves_own, memory_->held.get(), exchange.send_ways, exchange.receive_ways);
  local_data_.emplace(user, false, memory_->held.get(), local.send_ways, local.receive_ways);

  const auto crossed = std::make_shared<Arrivals>(std::move(exchange.receive_bytes));
  const auto gathered = std::make_shared<Arrivals>(std::move(local.receive_bytes));
  if (protocol == nullptr) protocol = std::make_unique<StepProtocol>();
  exchange_.emplace(
      channel, std::move(exchange.sends), std::move(exchange.receives), limits,
      std::make_unique<PassOnProtocol>(std::move(protocol), std::move(exchange.after), gathered, crossed));
  local_.emplace(
      channel, std::move(local.sends), std::move(local.receives), kLocalLimits,
      std::make_unique<PassOnProtocol>(std::make_unique<StepProtocol>(), std::move(local.after), crossed, gathered));
  exchange_->connect(false);
  local_->connect(routed.shares_memory);
  hold(nullptr);
}

void RoutedExchange::hold(const std::shared_ptr<const void>& memory) {
  memory_->besides = memory;
  exchange_->hold(memory_);
  local_->hold(memory_);
}

void RoutedExchange::begin() {
  exchange_->begin(*exchange_data_);
  local_->begin(*local_data_);
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
