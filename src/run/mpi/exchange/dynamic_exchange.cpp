#include "sluice/run/mpi/dynamic_exchange.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "run/mpi/engine/engine.hpp"
#include "run/mpi/engine/list_gate.hpp"
#include "run/mpi/engine/ordered_carrier.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/job.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

/// The messages of a round: outgoing ones where the user has them, incoming ones in memory of their own.
class RoundMemory final : public detail::Data, public detail::ListedMessages {
 public:
  void clear() {
    posted_.clear();
    places_.clear();
    incoming_.clear();
    own_.clear();
  }
  /// Returns the number of the message.
  std::int64_t post(std::span<const std::byte> bytes) {
    posted_.push_back(bytes);
    return static_cast<std::int64_t>(posted_.size()) - 1;
  }
  /// Keeps a message of this rank to itself.
  void keep(std::span<const std::byte> bytes) { own_.push_back(bytes); }

  std::vector<ReceivedMessage> take(int rank) {
    std::vector<ReceivedMessage> all = std::exchange(incoming_, {});
    for (const std::span<const std::byte> bytes : own_) all.push_back({rank, {bytes.begin(), bytes.end()}});
    clear();
    return all;
  }

  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t /*bytes*/) override {
    return places_[end].from + begin;
  }
  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t /*bytes*/) override {
    return places_[end].to + begin;
  }

  void sending(std::int64_t number) override {
    places_.push_back({.from = posted_[static_cast<std::size_t>(number)].data()});
  }
  void receiving(int from, std::int64_t bytes) override {
    incoming_.push_back({from, std::vector<std::byte>(static_cast<std::size_t>(bytes))});
    places_.push_back({.to = incoming_.back().bytes.data()});
  }

 private:
  /// Where a message lies: one of the two.
  struct Place {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
  };

  std::vector<std::span<const std::byte>> posted_;
  std::vector<Place> places_;  ///< by end
  std::vector<ReceivedMessage> incoming_;
  std::vector<std::span<const std::byte>> own_;
};

void check(const DynamicExchangeOptions& options) {
  const auto refuse = [](const char* where, std::int64_t found, const char* expected) {
    throw InputError(where, fmt::format("{}", found), expected);
  };
  if (options.max_transfers < 1) refuse("max_transfers", options.max_transfers, "at least 1");
  if (options.chunk_bytes < 1 || options.chunk_bytes > (1 << 30))
    refuse("chunk_bytes", options.chunk_bytes, "1 to 2^30");
  if (options.window < 1 || options.window > 1024) refuse("window", options.window, "1 to 1024");
  if (options.early_release_bytes < 0) refuse("early_release_bytes", options.early_release_bytes, "at least 0");
}

}  // namespace

struct DynamicExchange::State final : detail::Job {
  State(std::shared_ptr<detail::Context> context, std::int64_t number, const DynamicExchangeOptions& options)
      : Job(std::move(context), number, "exchange") {
    detail::Arguments arguments("dynamic exchange");
    arguments.add_all(options.max_transfers, options.tune, options.chunk_bytes, options.window,
                      options.early_release_bytes);
    detail::agree(channel, arguments.fingerprint(), detail::failure_of([&] { check(options); }));
    auto gate = std::make_unique<detail::ListGate>(
        channel, *memory, detail::ListGate::Limits{options.max_transfers, options.tune, options.early_release_bytes});
    list = gate.get();
    const detail::OrderedCarrier::Limits limits{options.chunk_bytes, 1, options.window, 2, true};
    engine.add(std::make_unique<detail::OrderedCarrier>(channel, std::vector<detail::StepMessage>(),
                                                        std::vector<detail::StepMessage>(), limits, std::move(gate)));
    engine.begin();
    channel.next_execution();
  }
  ~State() override {
    close();
    // A round is always open, and its messages may be on their way here.
    engine.abandon();
  }

  detail::Advance advance() override { return engine.advance(); }
  void abandon() noexcept override { engine.abandon(); }
  [[nodiscard]] bool in_execution() const override { return true; }
  /// Does what can be done without waiting.
  void look() {
    while (engine.advance() == detail::Advance::kMoved) {
    }
  }

  std::shared_ptr<RoundMemory> memory = std::make_shared<RoundMemory>();
  detail::Engine engine{channel, memory};
  detail::ListGate* list = nullptr;  ///< the engine's
};

DynamicExchange::DynamicExchange(MPI_Comm comm, const DynamicExchangeOptions& options)
    : state_(detail::make_job<State>(comm, options)) {}

DynamicExchange::~DynamicExchange() = default;
DynamicExchange::DynamicExchange(DynamicExchange&&) noexcept = default;
DynamicExchange& DynamicExchange::operator=(DynamicExchange&&) noexcept = default;

void DynamicExchange::post(int to, std::span<const std::byte> bytes) {
  State& state = *state_;
  if (to < 0 || to >= state.channel.size())
    throw InputError("to", fmt::format("rank {}", to), index_text(state.channel.size(), "rank"));
  if (bytes.empty()) return;
  if (bytes.data() == nullptr) throw InputError("bytes", "a null pointer", "a message");
  state.call([&] {
    if (to == state.channel.rank()) {
      state.memory->keep(bytes);
      return;
    }
    state.list->post(to, static_cast<std::int64_t>(bytes.size()), state.memory->post(bytes));
    state.look();
  });
}

void DynamicExchange::progress() {
  state_->call([&] { state_->look(); });
}

std::vector<ReceivedMessage> DynamicExchange::finish() {
  State& state = *state_;
  std::vector<ReceivedMessage> received;
  state.call([&] {
    state.list->posted_all();
    detail::complete(state.channel, state.engine);
    received = state.memory->take(state.channel.rank());
    state.channel.next_execution();
    state.engine.begin();
  });
  return received;
}

void DynamicExchange::set_max_transfers(std::int64_t max_transfers) {
  if (max_transfers < 1) throw InputError("max_transfers", fmt::format("{}", max_transfers), "at least 1");
  state_->call([&] { state_->list->set_max_transfers(max_transfers); });
}

std::int64_t DynamicExchange::max_transfers() const { return state_->list->max_transfers(); }

}  // namespace sluice::mpi
