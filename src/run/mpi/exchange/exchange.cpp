#include "sluice/run/mpi/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "run/mpi/engine/engine.hpp"
#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/exchange/exchange_arguments.hpp"
#include "run/mpi/exchange/exchange_data.hpp"
#include "run/mpi/exchange/exchange_engine.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/exchange/message_sizes.hpp"
#include "run/mpi/exchange/typed_buffers.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/native_exchange.hpp"
#include "run/mpi/ways/planned_job.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

/// Bytes that a rank sends in all: of less, no rank that shares memory with the others gets more than int64 counts.
constexpr std::int64_t kMayBeTooMuch = std::int64_t{1} << 56;

}  // namespace

using detail::ExchangePart;

struct Exchange::State final : detail::PlannedJob<ExchangePart> {
  /// `typed_sends`, `typed_receives`: both null, or the memory and datatypes of the messages.
  State(std::shared_ptr<detail::Context> context, std::int64_t number, const std::vector<MessageSize>& user_sends,
        const ExchangeOptions& user_options, const std::vector<TypedMessage>* typed_sends,
        const std::vector<TypedMessage>* typed_receives);
  ~State() override { close(); }

  [[nodiscard]] detail::Arguments arguments() const;
  /// What the others send to this rank, by what they share with it. Throws InputError if it is not what types are for.
  [[nodiscard]] std::vector<MessageSize> found_by_memory(std::span<const std::uint64_t> blocks);
  /// `found`: what this rank gets of others, if it is known. `check`: whether a rank may have something against it.
  [[nodiscard]] ExchangePart make_plan(const std::optional<std::vector<MessageSize>>& found, bool check);
  void begin(std::span<const std::byte> send, std::span<const std::int64_t> at_send, std::span<std::byte> receive,
             std::span<const std::int64_t> at_receive);
  void begin_typed(const void* send, void* receive);
  detail::Advance begin(std::vector<const std::byte*> from, std::vector<std::byte*> to);
  void set_engine(std::unique_ptr<detail::Engine> engine);
  void begin_by_mpi(detail::NativeExchange& native, detail::Turns::Turn turn) const;
  [[nodiscard]] std::unique_ptr<detail::MemoryCarrier> make_memory_carrier();
  /// What the others send, and what this rank sends itself.
  [[nodiscard]] std::vector<MessageSize> with_own(std::vector<MessageSize> from_others) const;

  detail::Advance advance() override {
    const detail::Advance come = PlannedJob::advance();
    if (come == detail::Advance::kOver && typed) typed->unpack();
    return come;
  }

  ExchangeOptions options;  ///< defaults filled in
  std::vector<MessageSize> sends;
  std::vector<MessageSize> receives;
  std::vector<std::int64_t> send_offsets;
  std::vector<std::int64_t> receive_offsets;
  std::shared_ptr<detail::TypedBuffers> typed;  ///< null: messages are bytes
  std::shared_ptr<detail::ExchangeData> data;
  detail::ListGate* list = nullptr;  ///< the engine's, if the mode is list

  // The present execution.
  std::vector<const std::byte*> sources;  ///< of sends
  std::vector<std::byte*> targets;        ///< of receives
};

Exchange::State::State(std::shared_ptr<detail::Context> context, std::int64_t number,
                       const std::vector<MessageSize>& user_sends, const ExchangeOptions& user_options,
                       const std::vector<TypedMessage>* typed_sends, const std::vector<TypedMessage>* typed_receives)
    : PlannedJob(std::move(context), number, "exchange"), options(user_options), sends(user_sends) {
  const bool left_to_us = options.mode == ExchangeMode::kAuto && options.max_transfers == 0 &&
                          options.algorithm == "auto" && options.speeds.empty() && !options.schedule;
  std::unique_ptr<detail::MemoryCarrier> by_memory;
  bool doubt = false;
  const std::exception_ptr failure = detail::failure_of([&] {
    if (typed_sends != nullptr) {
      if (options.receives) throw InputError("options.receives", "given beside typed messages", "one of the two");
      typed = std::make_shared<detail::TypedBuffers>(*typed_sends, *typed_receives);
      sends = typed->sizes_of_sends();
      options.receives = typed->sizes_of_receives();
    }
    detail::check_exchange(sends, options, channel.size());
    const std::int64_t sent = std::accumulate(sends.begin(), sends.end(), std::int64_t{0},
                                              [](std::int64_t sum, const MessageSize& m) { return sum + m.bytes; });
    doubt = options.receives || sent >= kMayBeTooMuch;
    if (goes_at_once(channel, options) && detail::MemoryCarrier::possible(channel.context()))
      by_memory = make_memory_carrier();
  });
  detail::Arguments common("exchange");
  add_exchange(common, options);
  common.add_all(options.try_native, typed != nullptr);
  detail::KeptPlan kept = find_kept(channel, arguments().bytes(), common.fingerprint(), failure,
                                    {.block = by_memory ? by_memory->block() : 0, .doubt = doubt});
  const bool refused = by_memory && detail::MemoryCarrier::any_refused(kept.blocks);
  if (refused) {
    by_memory->discard();
    by_memory.reset();
  }
  planned = kept.plan_or<ExchangePart>(channel, [&] {
    if (by_memory) return make_plan(found_by_memory(kept.blocks), kept.doubt);
    return make_plan(typed ? options.receives : std::nullopt, true);
  });
  const bool takes_turns = left_to_us && options.try_native && channel.size() > 1 && !detail::kSimulated;
  ways.choose(takes_turns ? detail::Use::kTurns : detail::Use::kPlan, kept);
  ways.set_mpi(detail::NativeExchange::kCall, [this] {
    return detail::way_by(std::make_unique<detail::NativeExchange>(channel),
                          [this](auto& native, auto turn) { begin_by_mpi(native, std::move(turn)); });
  });
  options.mode = planned->mode;
  receives = typed ? *options.receives : with_own(planned->receives);

  const sluice::detail::UsualPieces usual = detail::usual_pieces(options.mode, planned->routed.is);
  if (options.chunk_bytes == 0) options.chunk_bytes = usual.chunk_bytes;
  if (options.window == 0) options.window = usual.window_of(options.chunk_bytes);
  send_offsets = detail::message_offsets(sends);
  receive_offsets = detail::message_offsets(receives);
  data = std::make_shared<detail::ExchangeData>(sends, receives, *planned, channel.rank(), typed);
  const bool at_once = options.mode == ExchangeMode::kAtOnce && detail::MemoryCarrier::possible(channel.context());
  std::vector<std::uint64_t> blocks = std::move(kept.blocks);
  if (at_once && !by_memory && !refused) {  // rank 0 has found that there is nothing to plan
    by_memory = make_memory_carrier();
    blocks = detail::numbers_by_memory(channel, by_memory->block());
    if (detail::MemoryCarrier::any_refused(blocks)) {
      by_memory->discard();
      by_memory.reset();
    }
  }
  if (!at_once || !by_memory) {
    detail::ExchangeEngine made = make_exchange_engine(channel, *planned, data, options);
    list = made.list;
    set_engine(std::move(made.engine));
    return;
  }
  by_memory->connect(planned->own, blocks);
  auto engine = std::make_unique<detail::Engine>(channel, data);
  engine->add(std::move(by_memory));
  set_engine(std::move(engine));
}

void Exchange::State::set_engine(std::unique_ptr<detail::Engine> engine) {
  ways.set_plan(detail::way_by(std::move(engine), [this](auto& by, auto /*turn*/) {
    data->use(std::move(sources), std::move(targets));
    by.begin();
    if (list == nullptr) return;
    data->clear();
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const MessageSize& message = sends[i];
      if (message.bytes > 0 && message.peer != channel.rank())
        list->post(message.peer, message.bytes, static_cast<std::int64_t>(i));
    }
    list->posted_all();
  }));
}

std::unique_ptr<detail::MemoryCarrier> Exchange::State::make_memory_carrier() {
  return std::make_unique<detail::MemoryCarrier>(channel, part_at_once(channel, sends, {}),
                                                 detail::MemoryRoom::at_once(channel.size(), 1));
}

std::vector<MessageSize> Exchange::State::with_own(std::vector<MessageSize> from_others) const {
  for (const MessageSize& message : sends) {
    if (message.peer != channel.rank() || message.bytes == 0) continue;
    from_others.insert(std::ranges::lower_bound(from_others, message.peer, {}, &MessageSize::peer), message);
  }
  return from_others;
}

std::vector<MessageSize> Exchange::State::found_by_memory(std::span<const std::uint64_t> blocks) {
  std::vector<MessageSize> found;
  for (const auto& [peer, bytes] : detail::MemoryCarrier::sent_to(channel, blocks)) found.push_back({peer, bytes});
  if (typed) detail::check_expected(with_own(found), *options.receives);
  return found;
}

detail::Arguments Exchange::State::arguments() const {
  detail::Arguments result("exchange");
  add_exchange(result, options);
  if (options.schedule) result.add(detail::schedule_print(*options.schedule));
  const auto add = [&](const std::vector<MessageSize>& all) {
    result.add(static_cast<std::int64_t>(all.size()));
    for (const MessageSize& message : all) result.add_all(message.peer, message.bytes);
  };
  add(sends);
  result.add(options.receives.has_value());
  if (options.receives) add(*options.receives);
  return result;
}

ExchangePart Exchange::State::make_plan(const std::optional<std::vector<MessageSize>>& found, bool check) {
  ExchangePart made = detail::plan_together(channel, sends, found ? &*found : nullptr, options);
  if (!typed && check) {
    detail::agreed(channel, [&] {
      const std::vector<MessageSize> all = with_own(made.receives);
      if (options.receives) detail::check_expected(all, *options.receives);
      detail::check_messages(all, "receives", channel.size());
    });
  }
  return made;
}

void Exchange::State::begin(std::span<const std::byte> send, std::span<const std::int64_t> at_send,
                            std::span<std::byte> receive, std::span<const std::int64_t> at_receive) {
  const auto check = [&] {
    const auto needed = [](const std::vector<MessageSize>& all) {
      return fmt::format("room for {} at their offsets", count_text(all.size(), "message"));
    };
    if (typed) throw InputError("execute", "spans of bytes", "two addresses, for a job of typed messages");
    if (!detail::fit_at(sends, at_send, send.size()))
      throw InputError("send", count_text(send.size(), "byte"), needed(sends));
    if (!detail::fit_at(receives, at_receive, receive.size()))
      throw InputError("receive", count_text(receive.size(), "byte"), needed(receives));
    if (detail::overlap(sends, at_send, send.data(), receives, at_receive, receive.data()))
      throw InputError("receive", "memory that overlaps the messages to send", "memory of its own");
  };
  start(check, [&] {
    std::vector<const std::byte*> from;
    std::vector<std::byte*> to;
    for (std::size_t i = 0; i < sends.size(); ++i) from.push_back(send.data() + at_send[i]);
    for (std::size_t i = 0; i < receives.size(); ++i) to.push_back(receive.data() + at_receive[i]);
    return begin(std::move(from), std::move(to));
  });
}

void Exchange::State::begin_typed(const void* send, void* receive) {
  const bool in_place = send == MPI_IN_PLACE;
  const auto check = [&] {
    if (!typed) throw InputError("execute", "two addresses", "spans of bytes, as no types are known");
    if (!sends.empty() && send == nullptr) throw InputError("send", "a null pointer", "the messages");
    if ((!receives.empty() || (in_place && !sends.empty())) && receive == nullptr)
      throw InputError("receive", "a null pointer", "room for the messages");
  };
  start(check, [&] {
    const void* const from = in_place ? receive : send;
    return begin(typed->sources(static_cast<const std::byte*>(from), in_place),
                 typed->targets(static_cast<std::byte*>(receive)));
  });
}

detail::Advance Exchange::State::begin(std::vector<const std::byte*> from, std::vector<std::byte*> to) {
  sources = std::move(from);
  targets = std::move(to);
  return ways.begin(is_tried(detail::JobKind::kExchange, std::min(sends.size(), receives.size()), channel.size()));
}

void Exchange::State::begin_by_mpi(detail::NativeExchange& native, detail::Turns::Turn turn) const {
  std::vector<detail::PlacedMessage> from;
  std::vector<detail::PlacedMessage> to;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (sends[i].bytes > 0) from.push_back({sends[i].peer, const_cast<std::byte*>(sources[i]), sends[i].bytes});
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    if (receives[i].bytes > 0) to.push_back({receives[i].peer, targets[i], receives[i].bytes});
  }
  native.begin(from, to, typed, std::move(turn));
}

Exchange::Exchange(MPI_Comm comm, const std::vector<MessageSize>& sends, const ExchangeOptions& options)
    : state_(detail::make_job<State>(comm, sends, options, nullptr, nullptr)) {}

Exchange::Exchange(MPI_Comm comm, const std::vector<TypedMessage>& sends, const std::vector<TypedMessage>& receives,
                   const ExchangeOptions& options)
    : state_(detail::make_job<State>(comm, std::vector<MessageSize>(), options, &sends, &receives)) {}

Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

void Exchange::execute(std::span<const std::byte> send, std::span<std::byte> receive) {
  start(send, receive);
  wait();
}

void Exchange::execute(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets,
                       std::span<std::byte> receive, std::span<const std::int64_t> receive_offsets) {
  start(send, send_offsets, receive, receive_offsets);
  wait();
}

void Exchange::execute(const void* send, void* receive) {
  start(send, receive);
  wait();
}

void Exchange::start(std::span<const std::byte> send, std::span<std::byte> receive) {
  state_->begin(send, state_->send_offsets, receive, state_->receive_offsets);
}

void Exchange::start(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets,
                     std::span<std::byte> receive, std::span<const std::int64_t> receive_offsets) {
  state_->begin(send, send_offsets, receive, receive_offsets);
}

void Exchange::start(const void* send, void* receive) {
  // A rank without messages writes {} and {}, which are two addresses to the compiler.
  if (!state_->typed && send == nullptr && receive == nullptr)
    return start(std::span<const std::byte>(), std::span<std::byte>());
  state_->begin_typed(send, receive);
}

bool Exchange::test() { return state_->test(); }

void Exchange::wait() { state_->wait(); }
void Exchange::give_up(const std::exception_ptr& why) noexcept { state_->give_up(why); }

const std::vector<MessageSize>& Exchange::sends() const { return state_->sends; }

const std::vector<MessageSize>& Exchange::receives() const { return state_->receives; }

std::int64_t Exchange::send_bytes() const { return state_->send_offsets.back(); }

std::int64_t Exchange::receive_bytes() const { return state_->receive_offsets.back(); }

ExchangeMode Exchange::mode() const { return state_->options.mode; }

bool Exchange::settled() const { return state_->ways.over(); }

bool Exchange::native() const { return state_->ways.other_serves(); }

std::int64_t Exchange::max_transfers() const {
  return state_->list != nullptr ? state_->list->max_transfers() : state_->planned->max_transfers;
}

void Exchange::set_max_transfers(std::int64_t max_transfers) {
  if (state_->list == nullptr) throw InputError("mode", to_string(mode()), "list, to change k while it runs");
  if (max_transfers < 1) throw InputError("max_transfers", fmt::format("{}", max_transfers), "at least 1");
  state_->list->set_max_transfers(max_transfers);
}

std::string Exchange::explanation() const {
  const ExchangePart& part = *state_->planned;
  std::string method = to_string(mode());
  if (part.steps > 0)
    method += fmt::format(", {} {}, k = {}{}", part.steps, part.steps == 1 ? "step" : "steps", part.max_transfers,
                          part.by_links ? ", by shared links" : "");
  if (local_steps() > 0) method += fmt::format(", {} local", local_steps());
  return state_->ways.explanation(method, 0, detail::rule_of(part.rule));
}

std::int64_t Exchange::steps() const { return state_->planned->steps; }

std::int64_t Exchange::local_steps() const { return state_->planned->routed.steps; }

std::int64_t Exchange::planning_bytes() const { return state_->planned->planning_bytes; }

std::int64_t Exchange::peak_extra_bytes() const {
  return state_->ways.buffer_bytes() + (state_->typed ? state_->typed->buffer_bytes() : 0);
}

}  // namespace sluice::mpi
