#include "sluice/run/mpi/redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "run/mpi/native/native_exchange.hpp"
#include "run/mpi/native/way_trial.hpp"
#include "run/mpi/redistribute/message_copies.hpp"
#include "run/mpi/redistribute/own_messages.hpp"
#include "run/mpi/redistribute/participation.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/steps/protocol_chain.hpp"
#include "run/mpi/steps/protocol_pass_on.hpp"
#include "run/mpi/steps/step_executor.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi {
namespace {

using detail::BoxCopy;
using detail::CopyKind;
using detail::MessageCopies;
using detail::OwnMessages;
using detail::Participation;
using detail::StepMessage;

/// What the rank moves within itself between two looks at the network.
constexpr std::int64_t kMoveBytes = 256 << 10;
/// So much memory a rank may need for MPI's own collective to be tried, which takes messages whole.
constexpr std::int64_t kMostNativeBytes = 8 << 20;

/// What a receiver lets the next message start before, as in exchanges.
constexpr std::int64_t kEarlyBytes = 32 << 10;

/// The rank's own process in the other grid, if it sends itself something.
std::vector<Rank> own_message(const Participation& part) {
  if (part.sender < 0 || part.receiver < 0) return {};
  if (part.problem.count(Rank(part.sender), Rank(part.receiver)) == 0) return {};
  return {Rank(part.receiver)};
}

/// One port, kept by what each receiver tells the next of its senders: ports are all that limits.
std::unique_ptr<detail::StepProtocol> chain(detail::Channel& channel, const detail::OwnSteps& own) {
  detail::ChainLinks links;
  for (const OwnMessages::Transfer& send : own.sends.transfers) links.sends.push_back({send.step, 1});
  for (const OwnMessages::Transfer& receive : own.receives.transfers) {
    links.senders.push_back({own.receives.messages[receive.message].peer, receive.step});
    links.bytes.push_back(receive.bytes);
  }
  return std::make_unique<detail::ChainProtocol>(channel, std::move(links), kEarlyBytes);
}

/// What messages wait for besides each other.
std::unique_ptr<detail::StepProtocol> protocol_of(detail::Channel& channel, const detail::OwnSteps& own,
                                                  ExchangeMode mode) {
  auto ports = mode == ExchangeMode::kChain ? chain(channel, own) : std::make_unique<detail::StepProtocol>();
  if (own.sends.passed_on.empty()) return ports;
  std::vector<std::size_t> receives_before;
  std::vector<std::int64_t> receive_bytes;
  for (const OwnMessages::Transfer& receive : own.receives.transfers) receive_bytes.push_back(receive.bytes);
  for (const OwnMessages::Transfer& send : own.sends.transfers) {
    const auto before =
        std::ranges::lower_bound(own.receives.transfers, send.step, std::ranges::less{}, &OwnMessages::Transfer::step);
    const bool passed_on = send.message >= own.sends.processes.size();
    receives_before.push_back(passed_on ? static_cast<std::size_t>(before - own.receives.transfers.begin()) : 0);
  }
  const auto arrivals = std::make_shared<detail::Arrivals>(std::move(receive_bytes));
  return std::make_unique<detail::PassOnProtocol>(std::move(ports), std::move(receives_before), arrivals, arrivals);
}

/// How the pieces of messages travel.
detail::StepExecutor::Limits limits_of(const RedistributionOptions& options, ExchangeMode mode,
                                       std::int64_t element_size) {
  const bool chained = mode == ExchangeMode::kChain;
  detail::StepExecutor::Limits limits{options.chunk_bytes, element_size, options.window, chained ? 2 : 0};
  if (limits.chunk_bytes == 0) limits.chunk_bytes = chained ? 32 << 10 : 64 << 10;
  if (limits.window == 0) limits.window = chained ? 2 : 4;
  return limits;
}

/// Whether the messages are long enough to share memory for them; the same on all ranks.
bool shares_memory(const RedistributionPlan& plan, const detail::OwnSteps& own, std::int64_t element_size,
                   std::int64_t from_bytes) {
  const RedistributionProblem& problem = plan.problem();
  if (!own.copies.empty()) return from_bytes >= 0 && own.mean_bytes >= static_cast<double>(from_bytes);
  if (from_bytes < 0 || problem.size() == 0 || plan.steps() == 0) return false;
  const std::int64_t a_step = std::min(problem.from().processes(), problem.to().processes());
  const double messages = static_cast<double>(a_step) * static_cast<double>(plan.steps());  // at most
  return static_cast<double>(problem.size()) * static_cast<double>(element_size) >=
         messages * static_cast<double>(from_bytes);
}

/// How a rank's messages are copied.
struct Copies {
  Copies(const Participation& part, const detail::OwnSteps& own)
      : packing(part, CopyKind::kPack, own.sends.processes),
        unpacking(part, CopyKind::kUnpack, own.receives.processes),
        moving(part, CopyKind::kMove, own_message(part)),
        passing_on(part, CopyKind::kPassOn, own.sends.passed_on) {}

  MessageCopies packing;
  MessageCopies unpacking;
  MessageCopies moving;
  MessageCopies passing_on;  ///< its messages are those behind the ones of `packing`
};

/// The messages of one execution between the user's two arrays.
class Transport {
 public:
  /// `combine`: empty, or what arriving elements of `element_size` bytes do to those of the target.
  Transport(const Copies& copies, std::int64_t element_size, const ElementCombine& combine, const void* source,
            void* target)
      : copies_(copies),
        element_size_(element_size),
        combine_(combine),
        source_(static_cast<const std::byte*>(source)),
        target_(static_cast<std::byte*>(target)) {
    if (copies.moving.size() > 0) {
      move_ = copies.moving[0];
      to_move_ = move_.bytes();
    }
  }

  /// As StepData has it, of a message.
  [[nodiscard]] const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) const {
    const auto at = outgoing_copy(message).contiguous(offset, offset + bytes);
    return at ? outgoing_from(message) + at->first : nullptr;
  }
  void pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) const {
    outgoing_copy(message).copy(offset, offset + bytes, outgoing_from(message), 0, buffer, offset);
  }
  [[nodiscard]] std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) const {
    if (combine_) return nullptr;
    const auto at = copies_.unpacking[message].contiguous(offset, offset + bytes);
    return at ? target_ + at->second : nullptr;
  }
  void unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) const {
    put(copies_.unpacking[message], offset, offset + bytes, buffer, offset);
  }
  bool work() {
    const std::int64_t most = std::max<std::int64_t>(1, kMoveBytes / element_size_) * element_size_;
    const std::int64_t end = std::min(moved_ + most, to_move_);
    put(move_, moved_, end, source_, 0);
    moved_ = end;
    return moved_ < to_move_;
  }

 private:
  [[nodiscard]] BoxCopy outgoing_copy(std::size_t message) const {
    const std::size_t packed = copies_.packing.size();
    return message < packed ? copies_.packing[message] : copies_.passing_on[message - packed];
  }
  [[nodiscard]] const std::byte* outgoing_from(std::size_t message) const {
    return message < copies_.packing.size() ? source_ : target_;
  }
  /// Bytes begin .. end - 1 of a message, from where it has byte `from_origin`, to the target.
  void put(const BoxCopy& message, std::int64_t begin, std::int64_t end, const std::byte* from,
           std::int64_t from_origin) const {
    if (combine_) {
      message.combine(begin, end, from, from_origin, target_, 0, element_size_, combine_);
    } else {
      message.copy(begin, end, from, from_origin, target_, 0);
    }
  }

  const Copies& copies_;
  std::int64_t element_size_;
  const ElementCombine& combine_;
  BoxCopy move_;
  std::int64_t to_move_ = 0;
  std::int64_t moved_ = 0;
  const std::byte* source_;
  std::byte* target_;
};

/// The same by transfers, as the executor counts.
class Transfers final : public detail::StepData {
 public:
  Transfers(Transport& transport, const detail::OwnSteps& own)
      : transport_(transport), sends_(own.sends.transfers), receives_(own.receives.transfers) {}

  const std::byte* outgoing(std::size_t send, std::int64_t offset, std::int64_t bytes) override {
    return transport_.outgoing(sends_[send].message, sends_[send].offset + offset, bytes);
  }
  void pack(std::size_t send, std::int64_t offset, std::int64_t bytes, std::byte* buffer) override {
    transport_.pack(sends_[send].message, sends_[send].offset + offset, bytes, buffer);
  }
  std::byte* incoming(std::size_t receive, std::int64_t offset, std::int64_t bytes) override {
    return transport_.incoming(receives_[receive].message, receives_[receive].offset + offset, bytes);
  }
  void unpack(std::size_t receive, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) override {
    transport_.unpack(receives_[receive].message, receives_[receive].offset + offset, bytes, buffer);
  }
  bool work() override { return transport_.work(); }

 private:
  Transport& transport_;
  const std::vector<OwnMessages::Transfer>& sends_;
  const std::vector<OwnMessages::Transfer>& receives_;
};

/// The messages of one execution as MPI's own collective takes them: those that do not lie in a row are packed whole.
class PackedMessages {
 public:
  explicit PackedMessages(detail::Channel& channel) : exchange_(channel) {}

  void begin(Transport& data, const OwnMessages& sends, const OwnMessages& receives, detail::Turns::Turn turn) {
    if (memory_ == nullptr) {
      buffer_bytes_ = sends.bytes() + receives.bytes();
      memory_.reset(new std::byte[static_cast<std::size_t>(buffer_bytes_)]);
    }
    data_ = &data;
    working_ = true;
    std::byte* next = memory_.get();
    const auto placed = [&](const StepMessage& message, std::byte* in_place) {
      std::byte* const at = in_place != nullptr ? in_place : next;
      if (in_place == nullptr) next += message.bytes;
      return detail::PlacedMessage{message.peer, at, message.bytes};
    };
    std::vector<detail::PlacedMessage> from;
    for (std::size_t i = 0; i < sends.messages.size(); ++i) {
      const std::int64_t bytes = sends.messages[i].bytes;
      const std::byte* const in_place = data.outgoing(i, 0, bytes);
      from.push_back(placed(sends.messages[i], const_cast<std::byte*>(in_place)));
      if (in_place == nullptr) data.pack(i, 0, bytes, from.back().at);
    }
    to_.clear();
    in_place_.clear();
    for (std::size_t i = 0; i < receives.messages.size(); ++i) {
      std::byte* const in_place = data.incoming(i, 0, receives.messages[i].bytes);
      to_.push_back(placed(receives.messages[i], in_place));
      in_place_.push_back(in_place != nullptr);
    }
    exchange_.begin(from, to_, memory_, std::move(turn));
  }
  detail::Advance advance() {
    if (working_) {
      working_ = data_->work();
      return detail::Advance::kMoved;
    }
    const detail::Advance come = exchange_.advance();
    if (come != detail::Advance::kOver) return come;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (!in_place_[i]) data_->unpack(i, 0, to_[i].bytes, to_[i].at);
    }
    return come;
  }
  void abandon() noexcept { exchange_.abandon(); }
  [[nodiscard]] std::int64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  detail::NativeExchange exchange_;
  std::shared_ptr<std::byte[]> memory_;
  std::int64_t buffer_bytes_ = 0;
  std::vector<detail::PlacedMessage> to_;
  std::vector<bool> in_place_;  ///< of each of them
  Transport* data_ = nullptr;
  bool working_ = false;
};

}  // namespace

struct Redistribution::State final : detail::Job {
  /// What there is to know before the first execution: the same in every job with the same arguments.
  struct Prepared {
    Prepared(const detail::Channel& channel, Participation participation, const RedistributionOptions& options)
        : part(std::move(participation)),
          mode(options.mode != ExchangeMode::kAuto                                            ? options.mode
               : channel.context().one_node() || part.largest_part() <= detail::kHeldByQueues ? ExchangeMode::kLocal
                                                                                              : ExchangeMode::kChain),
          // Every rank plans: what a search could still shave off the steps is not worth that.
          plan(plan_redistribution(part.plans_all_messages() ? part.problem : part.problem.plain(),
                                   by_exchange(options) ? "auto" : options.algorithm, options.setup,
                                   by_exchange(options) || options.algorithm == "auto" ? 0 : kCustomaryEffort)),
          own(part.replicated ? replicated_steps(part, channel.rank(), options)
                              : own_steps(part, channel.rank(), plan, options, mode == ExchangeMode::kChain)),
          copies(part, own) {}

    static bool by_exchange(const RedistributionOptions& options) {
      return options.has_replicas() || detail::is_of_exchange(options.algorithm);
    }

    Participation part;
    ExchangeMode mode;  ///< never kAuto
    RedistributionPlan plan;
    detail::OwnSteps own;
    Copies copies;
  };

  State(std::shared_ptr<detail::Context> context, std::int64_t number, const std::vector<std::int64_t>& shape,
        const Layout& from, const Layout& to, std::int64_t element_size, const RedistributionOptions& options);
  ~State() override { close(); }

  void begin(const void* source, void* target);
  /// Once it is known which way; whether it is.
  bool begin_transfers();
  detail::Advance advance() override {
    if (undecided) return begin_transfers() ? detail::Advance::kMoved : detail::Advance::kIdle;
    return natively ? trial->advance(*native) : trial->advance(*executor);
  }
  void abandon() noexcept override {
    if (executor) executor->abandon();
    if (native) native->abandon();
    if (trial) trial->abandon();
  }
  [[nodiscard]] bool in_native_collective() const override { return trial && trial->may_be_native(); }

  ElementCombine combine;
  std::shared_ptr<const Prepared> prepared;
  std::optional<Transport> transport;
  std::optional<Transfers> transfers;  ///< of it
  std::optional<detail::StepExecutor> executor;
  std::optional<detail::WayTrial> trial;
  std::unique_ptr<PackedMessages> native;  ///< while it is tried, or serves

  // The present execution.
  bool undecided = false;  ///< which way it goes
  bool natively = false;
};

Redistribution::State::State(std::shared_ptr<detail::Context> context, std::int64_t number,
                             const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                             std::int64_t element_size, const RedistributionOptions& options)
    : Job(std::move(context), number, "redistribution"), combine(options.combine) {
  const detail::Arguments arguments = detail::arguments_of(shape, from, to, element_size, options);
  detail::Arguments key = arguments;
  key.add(std::span(options.source_leading));
  key.add(std::span(options.target_leading));
  const detail::PlanCache::Entry* const entry = channel.context().plans().find(key.bytes());
  // Every rank works out its own part alone, so that it does not matter who has it already.
  if (entry != nullptr) prepared = std::static_pointer_cast<const Prepared>(entry->plan);
  const std::exception_ptr failure = detail::failure_of([&] {
    if (!prepared) {
      prepared = std::make_shared<const Prepared>(
          channel, detail::make_participation(channel.rank(), channel.size(), shape, from, to, element_size, options),
          options);
    }
    const detail::OwnSteps& own = prepared->own;
    if (combine && options.to_replicas > 1 && options.forward)
      throw InputError("combine", "copies of the target that may pass on what they get", "forward = false beside it");
    const detail::StepExecutor::Limits limits = limits_of(options, prepared->mode, element_size);
    if (combine && element_size > limits.chunk_bytes) {
      throw InputError("combine", fmt::format("elements of {} bytes", element_size),
                       fmt::format("at most {}, what travels at once", limits.chunk_bytes));
    }
    executor.emplace(channel, own.sends.steps(), own.receives.steps(), limits,
                     protocol_of(channel, own, prepared->mode));
    executor->connect(shares_memory(prepared->plan, own, element_size, options.shared_from_bytes));
  });
  detail::KeptPlan kept = find_kept(channel, key.bytes(), arguments.fingerprint(), failure);
  if (!kept.plan) kept.put(channel, key.bytes(), prepared);
  trial.emplace(channel,
                options.try_native && options.algorithm == "auto" && options.mode == ExchangeMode::kAuto &&
                    channel.size() > 1 && !detail::kSimulated && !options.has_replicas(),
                kept, true);
}

void Redistribution::State::begin(const void* source, void* target) {
  start([&] {
    const detail::OwnSteps& own = prepared->own;
    const Copies& copies = prepared->copies;
    const bool moves = copies.moving.size() > 0;
    if (source == nullptr && (copies.packing.size() > 0 || moves))
      throw InputError("source", "a null pointer", fmt::format("{} elements", prepared->part.source.extent));
    if (target == nullptr && (copies.unpacking.size() > 0 || moves))
      throw InputError("target", "a null pointer", fmt::format("room for {} elements", prepared->part.target.extent));
    transport.emplace(copies, prepared->part.element_size, combine, source, target);
    transfers.emplace(*transport, own);
    const std::int64_t bytes = own.sends.bytes() + own.receives.bytes();
    const std::size_t messages = std::min(own.sends.messages.size(), own.receives.messages.size());
    undecided = true;
    trial->begin(bytes <= kMostNativeBytes && detail::worth_trying(messages, channel.size()));
    (void)begin_transfers();
    return detail::Advance::kIdle;
  });
}

bool Redistribution::State::begin_transfers() {
  const std::optional<bool> way = trial->natively();
  if (!way) return false;
  undecided = false;
  natively = *way;
  if (natively) {
    if (!native) native = std::make_unique<PackedMessages>(channel);
    native->begin(*transport, prepared->own.sends, prepared->own.receives, trial->take_turn());
  } else {
    if (trial->over()) native.reset();
    executor->begin(*transfers);
  }
  return true;
}

Redistribution::Redistribution(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from,
                               const Layout& to, std::int64_t element_size, const RedistributionOptions& options)
    : state_(detail::make_job<State>(comm, shape, from, to, element_size, options)) {}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

void Redistribution::execute(const void* source, void* target) {
  state_->begin(source, target);
  state_->wait();
}
void Redistribution::start(const void* source, void* target) { state_->begin(source, target); }
bool Redistribution::test() { return state_->test(); }
void Redistribution::wait() { state_->wait(); }
void Redistribution::give_up(const std::exception_ptr& why) noexcept { state_->give_up(why); }

std::vector<int> Redistribution::to_ranks() const { return state_->prepared->part.to_ranks.list(); }

std::int64_t Redistribution::source_elements() const { return state_->prepared->part.source_elements(); }

std::int64_t Redistribution::target_elements() const { return state_->prepared->part.target_elements(); }

std::int64_t Redistribution::source_extent() const { return state_->prepared->part.source.extent; }

std::int64_t Redistribution::target_extent() const { return state_->prepared->part.target.extent; }

std::int64_t Redistribution::peak_extra_bytes() const {
  const std::int64_t packed = state_->native ? state_->native->buffer_bytes() : 0;
  return state_->executor->buffer_bytes() + packed;
}

ExchangeMode Redistribution::mode() const { return state_->prepared->mode; }

std::string Redistribution::explanation() const {
  const detail::OwnSteps& own = state_->prepared->own;
  std::string text = "MPI_Ialltoallw";
  if (!native()) {
    const std::string way = !own.copies.empty()   ? own.copies
                            : !own.cut_by.empty() ? "messages cut by " + own.cut_by
                                                  : plan().algorithm();
    text = fmt::format("{}, {} {}, {}", way, own.steps, own.steps == 1 ? "step" : "steps", to_string(mode()));
  }
  return text + detail::to_text(state_->trial->measured(), "MPI_Ialltoallw");
}

bool Redistribution::settled() const { return state_->trial->over(); }

bool Redistribution::native() const { return state_->trial->native(); }

const RedistributionPlan& Redistribution::plan() const { return state_->prepared->plan; }

}  // namespace sluice::mpi
