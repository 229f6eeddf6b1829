#include "sluice/run/mpi/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <map>
#include <string_view>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/communicator.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/exchange/message_offsets.hpp"
#include "run/mpi/joint_job.hpp"
#include "run/mpi/steps/protocol_barrier.hpp"
#include "run/mpi/steps/protocol_chain.hpp"
#include "run/mpi/steps/protocol_list.hpp"
#include "run/mpi/steps/protocol_local.hpp"
#include "run/mpi/steps/step_executor.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using detail::ExchangePart;
using detail::Fingerprint;

constexpr std::array<std::pair<ExchangeMode, std::string_view>, 6> kModes{{
    {ExchangeMode::kAuto, "auto"},
    {ExchangeMode::kChain, "chain"},
    {ExchangeMode::kLocal, "local"},
    {ExchangeMode::kBarrier, "barrier"},
    {ExchangeMode::kList, "list"},
    {ExchangeMode::kAtOnce, "at-once"},
}};

/// What a rank copies to itself between two looks at the network.
constexpr std::int64_t kMoveBytes = 256 << 10;

void check_messages(const std::vector<MessageSize>& messages, const char* where, int ranks) {
  std::vector<int> peers;
  std::int64_t total = 0;
  for (const MessageSize& message : messages) {
    if (message.peer < 0 || message.peer >= ranks) {
      throw InputError(where, fmt::format("rank {}", message.peer), fmt::format("0 to {}", ranks - 1));
    }
    if (message.bytes < 0) {
      throw InputError(where, fmt::format("{} bytes for rank {}", message.bytes, message.peer), "at least 0");
    }
    total = checked::add(total, message.bytes, where);
    peers.push_back(message.peer);
  }
  std::ranges::sort(peers);
  const auto twice = std::ranges::adjacent_find(peers);
  if (twice != peers.end()) throw InputError(where, fmt::format("rank {} twice", *twice), "one message a peer");
}

void check(const std::vector<MessageSize>& sends, const ExchangeJobOptions& options, int ranks) {
  const auto refuse = [](const char* where, const auto& found, const char* expected) {
    throw InputError(where, fmt::format("{}", found), expected);
  };
  check_messages(sends, "sends", ranks);
  if (options.receives) check_messages(*options.receives, "receives", ranks);
  if (options.max_transfers < 0) refuse("max_transfers", options.max_transfers, "at least 1, or 0: what ports allow");
  if (std::ranges::find(kModes, options.mode, [](const auto& m) { return m.first; }) == kModes.end()) {
    refuse("mode", static_cast<int>(options.mode), "an ExchangeMode");
  }
  const auto known = algorithms("exchange");  // a mode without a plan would not find out
  if (options.algorithm != "auto" && std::ranges::find(known, options.algorithm, &Algorithm::name) == known.end()) {
    refuse("algorithm", options.algorithm, "auto or an algorithm of exchange");
  }
  if (!(options.setup_bytes >= 0)) refuse("setup_bytes", options.setup_bytes, "at least 0");
  if (!(options.planning_time_s >= 0)) refuse("planning_time_s", options.planning_time_s, "at least 0");
  if (options.chunk_bytes < 0 || options.chunk_bytes > (1 << 30))
    refuse("chunk_bytes", options.chunk_bytes, "0 to 2^30");
  if (options.window < 0 || options.window > 1024) refuse("window", options.window, "0 to 1024");
  if (options.early_release_bytes < 0) refuse("early_release_bytes", options.early_release_bytes, "at least 0");
  if (options.tune && options.mode != ExchangeMode::kList) refuse("tune", "true", "mode list for it");
}

std::uint64_t fingerprint(const ExchangeJobOptions& options) {
  Fingerprint print;
  print.add(options.max_transfers);
  print.add(static_cast<std::int64_t>(options.mode));
  print.add(options.algorithm);
  print.add(std::bit_cast<std::int64_t>(options.setup_bytes));
  print.add(std::bit_cast<std::int64_t>(options.planning_time_s));
  print.add(options.chunk_bytes);
  print.add(options.window);
  print.add(options.early_release_bytes);
  print.add(options.tune ? 1 : 0);
  return print.value();
}

/// Throws InputError unless the rank gets what it expects.
void check_expected(const std::vector<MessageSize>& receives, std::vector<MessageSize> expected) {
  std::erase_if(expected, [](const MessageSize& m) { return m.bytes == 0; });
  std::ranges::sort(expected, {}, &MessageSize::peer);
  const auto [is, should] = std::mismatch(receives.begin(), receives.end(), expected.begin(), expected.end());
  if (is == receives.end() && should == expected.end()) return;
  const bool more = should == expected.end() || (is != receives.end() && is->peer < should->peer);
  const bool less = is == receives.end() || (should != expected.end() && should->peer < is->peer);
  const int peer = more ? is->peer : should->peer;
  throw InputError("receives", fmt::format("{} bytes from rank {}", less ? 0 : is->bytes, peer),
                   fmt::format("{}", more ? 0 : should->bytes));
}

/// Whether a buffer of so many bytes holds all messages at these offsets.
bool fits(const std::vector<MessageSize>& messages, std::span<const std::int64_t> offsets, std::size_t bytes) {
  if (offsets.size() < messages.size()) return false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::int64_t size = messages[i].bytes;
    if (size > 0 && (offsets[i] < 0 || offsets[i] > static_cast<std::int64_t>(bytes) - size)) return false;
  }
  return true;
}

/// How messages travel unless the options say.
struct Pieces {
  std::int64_t chunk_bytes = 32 << 10;
  int window = 2;
  int ahead = 2;  ///< receives posted beyond the window
};

Pieces usual_pieces(ExchangeMode mode) {
  if (mode == ExchangeMode::kLocal) return {1 << 20, 16, 0};
  if (mode == ExchangeMode::kAtOnce) return {1 << 30, 1024, 0};
  return {};
}

/// A transfer of this rank: of which message of the user's list, and where in it.
struct Place {
  std::size_t message = 0;
  std::int64_t offset = 0;
};

/// The messages of one execution between the user's two buffers.
class UserMemory final : public detail::StepData, public detail::ListedMessages {
 public:
  UserMemory(const std::vector<MessageSize>& sends, const std::vector<MessageSize>& receives, const ExchangePart& part,
             int rank) {
    std::map<int, std::size_t> send_at;
    std::map<int, std::size_t> receive_at;
    for (std::size_t i = 0; i < sends.size(); ++i) send_at[sends[i].peer] = i;
    for (std::size_t i = 0; i < receives.size(); ++i) receive_at[receives[i].peer] = i;
    for (const auto& transfer : part.sends) outgoing_.push_back({send_at.at(transfer.peer), transfer.offset});
    for (const auto& transfer : part.transfers_in) incoming_.push_back({receive_at.at(transfer.peer), transfer.offset});
    receive_at_ = std::move(receive_at);
    const auto own = send_at.find(rank);
    if (own != send_at.end() && sends[own->second].bytes > 0) {
      own_bytes_ = sends[own->second].bytes;
      own_from_ = own->second;
      own_to_ = receive_at_.at(rank);
    }
  }

  /// For the next execution; `offsets` must last as long as it does.
  void use(const std::byte* source, std::span<const std::int64_t> source_offsets, std::byte* target,
           std::span<const std::int64_t> target_offsets) {
    source_ = source;
    target_ = target;
    source_offsets_ = source_offsets;
    target_offsets_ = target_offsets;
    moved_ = 0;
  }
  /// Mode list: no transfer is known yet.
  void clear() {
    outgoing_.clear();
    incoming_.clear();
  }

  const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t /*bytes*/) override {
    const Place& place = outgoing_[message];
    return source_ + source_offsets_[place.message] + place.offset + offset;
  }
  std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t /*bytes*/) override {
    const Place& place = incoming_[message];
    return target_ + target_offsets_[place.message] + place.offset + offset;
  }
  // All is where it belongs: nothing to pack.
  void pack(std::size_t /*message*/, std::int64_t /*offset*/, std::int64_t /*bytes*/, std::byte* /*buffer*/) override {}
  void unpack(std::size_t /*message*/, std::int64_t /*offset*/, std::int64_t /*bytes*/,
              const std::byte* /*buffer*/) override {}
  bool work() override {
    const std::int64_t bytes = std::min(kMoveBytes, own_bytes_ - moved_);
    if (bytes > 0) {
      std::memcpy(target_ + target_offsets_[own_to_] + moved_, source_ + source_offsets_[own_from_] + moved_,
                  static_cast<std::size_t>(bytes));
      moved_ += bytes;
    }
    return moved_ < own_bytes_;
  }

  void sending(std::int64_t number) override { outgoing_.push_back({static_cast<std::size_t>(number), 0}); }
  void receiving(int from, std::int64_t /*bytes*/) override { incoming_.push_back({receive_at_.at(from), 0}); }

 private:
  std::vector<Place> outgoing_;
  std::vector<Place> incoming_;
  std::map<int, std::size_t> receive_at_;
  std::size_t own_from_ = 0;
  std::size_t own_to_ = 0;
  std::int64_t own_bytes_ = 0;
  std::int64_t moved_ = 0;
  const std::byte* source_ = nullptr;
  std::byte* target_ = nullptr;
  std::span<const std::int64_t> source_offsets_;
  std::span<const std::int64_t> target_offsets_;
};

}  // namespace

std::string to_string(ExchangeMode mode) {
  const auto* const found = std::ranges::find(kModes, mode, [](const auto& m) { return m.first; });
  SLUICE_ASSERT(found != kModes.end(), fmt::format("mode {}", static_cast<int>(mode)));
  return std::string(found->second);
}

ExchangeMode parse_exchange_mode(const std::string& name) {
  const auto* const found = std::ranges::find(kModes, name, [](const auto& m) { return m.second; });
  if (found == kModes.end()) {
    throw InputError("mode", fmt::format("'{}'", name), "auto, chain, local, barrier, list or at-once");
  }
  return found->first;
}

std::vector<MessageSize> message_sizes(std::span<const std::int64_t> bytes_by_rank) {
  std::vector<MessageSize> sizes;
  for (std::size_t rank = 0; rank < bytes_by_rank.size(); ++rank) {
    if (bytes_by_rank[rank] != 0) sizes.push_back({static_cast<int>(rank), bytes_by_rank[rank]});
  }
  return sizes;
}

struct Exchange::State : detail::JointJob {
  /// Collective.
  State(detail::Communicator own, std::vector<MessageSize> user_sends, const ExchangeJobOptions& user_options);
  ~State() {
    if (unwinding()) give_up();
    executor.reset();  // which waits for the others to come so far, unless one gives up
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::unique_ptr<detail::StepProtocol> make_protocol();
  void execute(std::span<const std::byte> send, std::span<const std::int64_t> at_send, std::span<std::byte> receive,
               std::span<const std::int64_t> at_receive);

  ExchangeJobOptions options;  ///< defaults filled in
  std::vector<MessageSize> sends;
  std::vector<MessageSize> receives;
  std::vector<std::int64_t> send_offsets;
  std::vector<std::int64_t> receive_offsets;
  ExchangePart part;
  std::optional<UserMemory> memory;
  detail::LargestOfAll small_buffer;     ///< who has too small a buffer, if anybody; see execute
  detail::ListProtocol* list = nullptr;  ///< the executor's, where the mode is list
  std::optional<detail::StepExecutor> executor;
  detail::StepTrace trace;
};

Exchange::State::State(detail::Communicator own, std::vector<MessageSize> user_sends,
                       const ExchangeJobOptions& user_options)
    : JointJob(std::move(own)), options(user_options), sends(std::move(user_sends)) {
  std::exception_ptr failure;
  try {
    check(sends, options, comm.size());
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree(comm, fingerprint(options), failure);
  part = detail::plan_together(comm, sends, options);
  options.mode = part.mode;
  receives = part.receives;
  for (const MessageSize& message : sends) {
    if (message.peer != comm.rank() || message.bytes == 0) continue;
    const auto after = std::ranges::lower_bound(receives, message.peer, {}, &MessageSize::peer);
    receives.insert(after, message);
  }
  try {
    if (options.receives) check_expected(receives, *options.receives);
    check_messages(receives, "receives", comm.size());
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree(comm, failure);

  const Pieces usual = usual_pieces(options.mode);
  if (options.chunk_bytes == 0) options.chunk_bytes = usual.chunk_bytes;
  if (options.window == 0) options.window = usual.window;
  send_offsets = detail::message_offsets(sends);
  receive_offsets = detail::message_offsets(receives);
  memory.emplace(sends, receives, part, comm.rank());
  open_channel("exchange");
  std::vector<detail::StepMessage> outgoing;
  std::vector<detail::StepMessage> incoming;
  for (const auto& transfer : part.sends) outgoing.push_back({transfer.peer, transfer.bytes});
  for (const auto& transfer : part.transfers_in) incoming.push_back({transfer.peer, transfer.bytes});
  const detail::StepExecutor::Limits limits{options.chunk_bytes, 1, options.window, usual.ahead, true};
  executor.emplace(comm.get(), std::move(outgoing), std::move(incoming), limits, make_protocol());
  executor->connect(MPI_COMM_NULL);
  if (options.record) executor->record(&trace);
}

std::unique_ptr<detail::StepProtocol> Exchange::State::make_protocol() {
  switch (options.mode) {
    case ExchangeMode::kAuto:
    case ExchangeMode::kLocal:
    case ExchangeMode::kAtOnce:
      break;
    case ExchangeMode::kChain: {
      detail::ChainLinks links;
      for (const auto& transfer : part.sends) links.permissions.push_back(transfer.permissions);
      for (const auto& transfer : part.transfers_in) {
        links.senders.push_back({transfer.peer, transfer.number});
        links.successors.push_back(transfer.successor);
        links.bytes.push_back(transfer.bytes);
      }
      return std::make_unique<detail::ChainProtocol>(*channel, std::move(links), options.early_release_bytes);
    }
    case ExchangeMode::kBarrier: {
      std::vector<detail::SteppedMessage> out;
      std::vector<detail::SteppedMessage> in;
      for (const auto& transfer : part.sends) out.push_back({transfer.step, transfer.bytes});
      for (const auto& transfer : part.transfers_in) in.push_back({transfer.step, transfer.bytes});
      return std::make_unique<detail::BarrierProtocol>(*channel, std::move(out), std::move(in), part.steps);
    }
    case ExchangeMode::kList: {
      const detail::ListProtocol::Limits limits{part.max_transfers, options.tune, options.early_release_bytes};
      auto protocol = std::make_unique<detail::ListProtocol>(*channel, *memory, limits);
      list = protocol.get();
      return protocol;
    }
  }
  return std::make_unique<detail::LocalProtocol>(*channel);
}

void Exchange::State::execute(std::span<const std::byte> send, std::span<const std::int64_t> at_send,
                              std::span<std::byte> receive, std::span<const std::int64_t> at_receive) {
  refuse_if_given_up("exchange");
  const bool can_send = fits(sends, at_send, send.size());
  const bool can_receive = fits(receives, at_receive, receive.size());
  int culprit = -1;
  bool of_send = false;
  const auto needed = [](const std::vector<MessageSize>& messages) {
    return fmt::format("room for {} messages at their offsets", messages.size());
  };
  try {
    // The rank that is found is the lowest of those with a small buffer, 2 * (ranks - rank), plus 1 where that is send.
    std::int64_t small = 0;
    if (!can_send || !can_receive) small = 2 * (comm.size() - comm.rank()) + (can_send ? 0 : 1);
    small_buffer.ask(channel->comm(), small);
    memory->use(send.data(), at_send, receive.data(), at_receive);
    executor->begin(can_send, can_receive);
    if (list != nullptr) {
      memory->clear();
      for (std::size_t i = 0; i < sends.size(); ++i) {
        const MessageSize& message = sends[i];
        if (message.bytes > 0 && message.peer != comm.rank()) {
          list->post(message.peer, message.bytes, static_cast<std::int64_t>(i));
        }
      }
      list->posted_all();
    }
    (void)executor->complete(*memory);
    std::optional<std::int64_t> found;
    for (detail::Patience patience; !(found = small_buffer.answer()); patience.look_again()) {
      channel->look_for_abandonment();
    }
    small = *found;
    culprit = small == 0 ? -1 : comm.size() - static_cast<int>(small / 2);
    of_send = small % 2 != 0;
  } catch (...) {
    give_up();
    throw;
  }
  if (!can_send) throw InputError("send", fmt::format("{} bytes", send.size()), needed(sends));
  if (!can_receive) throw InputError("receive", fmt::format("{} bytes", receive.size()), needed(receives));
  if (culprit >= 0) {
    throw InputError(of_send ? "send" : "receive", fmt::format("too small a buffer on rank {}", culprit),
                     "one that holds its messages");
  }
}

Exchange::Exchange(MPI_Comm comm, std::vector<MessageSize> sends, const ExchangeJobOptions& options)
    : state_(std::make_unique<State>(detail::Communicator(comm), std::move(sends), options)) {}

Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::execute(std::span<const std::byte> send, std::span<std::byte> receive) {
  state_->execute(send, state_->send_offsets, receive, state_->receive_offsets);
}

void Exchange::execute(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets,
                       std::span<std::byte> receive, std::span<const std::int64_t> receive_offsets) {
  state_->execute(send, send_offsets, receive, receive_offsets);
}

const std::vector<MessageSize>& Exchange::sends() const { return state_->sends; }

const std::vector<MessageSize>& Exchange::receives() const { return state_->receives; }

std::int64_t Exchange::send_bytes() const { return state_->send_offsets.back(); }

std::int64_t Exchange::receive_bytes() const { return state_->receive_offsets.back(); }

ExchangeMode Exchange::mode() const { return state_->options.mode; }

std::int64_t Exchange::max_transfers() const {
  return state_->list != nullptr ? state_->list->max_transfers() : state_->part.max_transfers;
}

void Exchange::set_max_transfers(std::int64_t max_transfers) {
  if (state_->list == nullptr) throw InputError("mode", to_string(mode()), "list, to change k while it runs");
  if (max_transfers < 1) throw InputError("max_transfers", fmt::format("{}", max_transfers), "at least 1");
  state_->list->set_max_transfers(max_transfers);
}

std::int64_t Exchange::steps() const { return state_->part.steps; }

std::int64_t Exchange::peak_extra_bytes() const { return state_->executor->buffer_bytes(); }

std::vector<TransferTimes> Exchange::sent() const {
  const detail::StepTrace& trace = state_->trace;
  std::vector<TransferTimes> times;
  for (std::size_t i = 0; i < trace.send_ended.size(); ++i) {
    const detail::StepMessage& message = state_->executor->sends()[i];
    times.push_back({message.peer, message.bytes, trace.send_started[i], 0, trace.send_ended[i]});
  }
  return times;
}

std::vector<TransferTimes> Exchange::received() const {
  const detail::StepTrace& trace = state_->trace;
  std::vector<TransferTimes> times;
  for (std::size_t i = 0; i < trace.receive_ended.size(); ++i) {
    const detail::StepMessage& message = state_->executor->receives()[i];
    const double released = i < trace.receive_released.size() ? trace.receive_released[i] : 0;
    times.push_back({message.peer, message.bytes, 0, released, trace.receive_ended[i]});
  }
  return times;
}

}  // namespace sluice::mpi
