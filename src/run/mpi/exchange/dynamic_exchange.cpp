#include "sluice/run/mpi/dynamic_exchange.hpp"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/communicator.hpp"
#include "run/mpi/joint_job.hpp"
#include "run/mpi/steps/protocol_list.hpp"
#include "run/mpi/steps/step_executor.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

/// The messages of a round: those to send where the user has them, those that come in memory of their own.
class RoundMemory final : public detail::StepData, public detail::ListedMessages {
 public:
  void clear() {
    posted_.clear();
    outgoing_.clear();
    incoming_.clear();
    own_.clear();
  }
  /// Returns the number of the message.
  std::int64_t post(std::span<const std::byte> bytes) {
    posted_.push_back(bytes);
    return static_cast<std::int64_t>(posted_.size()) - 1;
  }
  /// To this rank itself.
  void keep(std::span<const std::byte> bytes) { own_.push_back(bytes); }

  std::vector<ReceivedMessage> take(int rank) {
    std::vector<ReceivedMessage> all;
    for (ReceivedMessage& message : incoming_) all.push_back(std::move(message));
    for (const std::span<const std::byte> bytes : own_) all.push_back({rank, {bytes.begin(), bytes.end()}});
    clear();
    return all;
  }

  const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t /*bytes*/) override {
    return outgoing_[message].data() + offset;
  }
  std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t /*bytes*/) override {
    return incoming_[message].bytes.data() + offset;
  }
  // All is where it belongs: nothing to pack.
  void pack(std::size_t /*message*/, std::int64_t /*offset*/, std::int64_t /*bytes*/, std::byte* /*buffer*/) override {}
  void unpack(std::size_t /*message*/, std::int64_t /*offset*/, std::int64_t /*bytes*/,
              const std::byte* /*buffer*/) override {}
  bool work() override { return false; }

  void sending(std::int64_t number) override { outgoing_.push_back(posted_[static_cast<std::size_t>(number)]); }
  void receiving(int from, std::int64_t bytes) override {
    incoming_.push_back({from, std::vector<std::byte>(static_cast<std::size_t>(bytes))});
  }

 private:
  std::vector<std::span<const std::byte>> posted_;
  std::vector<std::span<const std::byte>> outgoing_;
  std::deque<ReceivedMessage> incoming_;
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

detail::Communicator agreed(detail::Communicator comm, const DynamicExchangeOptions& options) {
  std::exception_ptr failure;
  try {
    check(options);
  } catch (...) {
    failure = std::current_exception();
  }
  detail::Fingerprint print;
  for (const std::int64_t value : {options.max_transfers, std::int64_t{options.tune}, options.chunk_bytes,
                                   std::int64_t{options.window}, options.early_release_bytes}) {
    print.add(value);
  }
  detail::agree(comm, print.value(), failure);
  return comm;
}

}  // namespace

struct DynamicExchange::State : detail::JointJob {
  State(MPI_Comm user, const DynamicExchangeOptions& options) : JointJob(agreed(detail::Communicator(user), options)) {
    open_channel("exchange");
    auto protocol = std::make_unique<detail::ListProtocol>(
        *channel, memory,
        detail::ListProtocol::Limits{options.max_transfers, options.tune, options.early_release_bytes});
    list = protocol.get();
    const detail::StepExecutor::Limits limits{options.chunk_bytes, 1, options.window, 2, true};
    executor.emplace(comm.get(), std::vector<detail::StepMessage>{}, std::vector<detail::StepMessage>{}, limits,
                     std::move(protocol));
    executor->connect(MPI_COMM_NULL);
    executor->begin();
  }
  ~State() {
    if (unwinding()) {
      executor->abandon();
      give_up();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Runs a part of the round; the job is of no further use if it throws, and the others hear of it.
  template <class Part>
  void guarded(Part&& part) {
    if (given_up()) throw InputError("exchange", "a job that failed before", "a new one");
    try {
      part();
    } catch (...) {
      give_up();
      throw;
    }
  }

  RoundMemory memory;
  detail::ListProtocol* list = nullptr;  ///< the executor's
  std::optional<detail::StepExecutor> executor;
};

DynamicExchange::DynamicExchange(MPI_Comm comm, const DynamicExchangeOptions& options)
    : state_(std::make_unique<State>(comm, options)) {}

DynamicExchange::~DynamicExchange() = default;
DynamicExchange::DynamicExchange(DynamicExchange&&) noexcept = default;
DynamicExchange& DynamicExchange::operator=(DynamicExchange&&) noexcept = default;

void DynamicExchange::post(int to, std::span<const std::byte> bytes) {
  State& state = *state_;
  if (to < 0 || to >= state.comm.size()) {
    throw InputError("to", fmt::format("rank {}", to), fmt::format("0 to {}", state.comm.size() - 1));
  }
  if (bytes.empty()) return;
  if (to == state.comm.rank()) {
    state.memory.keep(bytes);
    return;
  }
  state.list->post(to, static_cast<std::int64_t>(bytes.size()), state.memory.post(bytes));
  progress();
}

void DynamicExchange::progress() {
  state_->guarded([&] {
    while (state_->executor->advance(state_->memory) == detail::StepExecutor::Advance::kMoved) {
    }
  });
}

std::vector<ReceivedMessage> DynamicExchange::finish() {
  State& state = *state_;
  std::vector<ReceivedMessage> received;
  state.guarded([&] {
    state.list->posted_all();
    state.executor->complete(state.memory);
    received = state.memory.take(state.comm.rank());
    state.executor->begin();
  });
  return received;
}

void DynamicExchange::set_max_transfers(std::int64_t max_transfers) {
  if (max_transfers < 1) throw InputError("max_transfers", fmt::format("{}", max_transfers), "at least 1");
  state_->guarded([&] { state_->list->set_max_transfers(max_transfers); });
}

std::int64_t DynamicExchange::max_transfers() const { return state_->list->max_transfers(); }

}  // namespace sluice::mpi
