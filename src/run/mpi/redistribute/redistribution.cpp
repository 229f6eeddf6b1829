#include "sluice/run/mpi/redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "run/mpi/native/native_exchange.hpp"
#include "run/mpi/native/way_trial.hpp"
#include "run/mpi/redistribute/message_copies.hpp"
#include "run/mpi/redistribute/participation.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/steps/step_executor.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi {
namespace {

using detail::BoxCopy;
using detail::CopyKind;
using detail::MessageCopies;
using detail::Participation;
using detail::StepMessage;

/// What the rank moves within itself between two looks at the network.
constexpr std::int64_t kMoveBytes = 256 << 10;
/// So much memory a rank may need for MPI's own collective to be tried, which takes messages whole.
constexpr std::int64_t kMostNativeBytes = 8 << 20;

/// One side's messages in the order of the steps, without the one to oneself.
struct Messages {
  std::vector<Rank> peers;
  std::vector<StepMessage> steps;
};

/// `sends`: those to the processes of the target grid, else those from the ones of the source grid. Where the plan is
/// that of the whole box, messages are cut to the part that moves.
Messages messages_of(const RedistributionPlan& plan, const Participation& part, int own, bool sends) {
  Messages result;
  const std::int64_t process = sends ? part.sender : part.receiver;
  if (process < 0) return result;
  const bool cut = part.problem.has_part() && !plan.problem().has_part();
  for (const PlannedMessage& message : sends ? plan.sends(Rank(process)) : plan.receives(Rank(process))) {
    const int rank = (sends ? part.to_ranks : part.from_ranks)[message.peer];
    if (rank == own) continue;
    const std::int64_t count = !cut    ? message.count
                               : sends ? part.problem.count(Rank(process), message.peer)
                                       : part.problem.count(message.peer, Rank(process));
    if (count == 0) continue;
    result.peers.push_back(message.peer);
    result.steps.push_back({rank, count * part.element_size});
  }
  return result;
}

/// The rank's own process in the other grid, if it sends itself something.
std::vector<Rank> own_message(const Participation& part) {
  if (part.sender < 0 || part.receiver < 0) return {};
  if (part.problem.count(Rank(part.sender), Rank(part.receiver)) == 0) return {};
  return {Rank(part.receiver)};
}

/// Whether the messages are long enough to share memory for them; the same on all ranks.
bool shares_memory(const RedistributionPlan& plan, std::int64_t element_size, std::int64_t from_bytes) {
  const RedistributionProblem& problem = plan.problem();
  if (from_bytes < 0 || problem.size() == 0 || plan.steps() == 0) return false;
  const std::int64_t a_step = std::min(problem.from().processes(), problem.to().processes());
  const double messages = static_cast<double>(a_step) * static_cast<double>(plan.steps());  // at most
  return static_cast<double>(problem.size()) * static_cast<double>(element_size) >=
         messages * static_cast<double>(from_bytes);
}

/// The messages of one execution between the user's two arrays.
class Transport final : public detail::StepData {
 public:
  Transport(const MessageCopies& sends, const MessageCopies& receives, const MessageCopies& own,
            const std::byte* source, std::byte* target)
      : sends_(sends), receives_(receives), source_(source), target_(target) {
    if (own.size() > 0) {
      move_ = own[0];
      to_move_ = move_.bytes();
    }
  }

  const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) override {
    const auto at = sends_[message].contiguous(offset, offset + bytes);
    return at ? source_ + at->first : nullptr;
  }
  void pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) override {
    sends_[message].copy(offset, offset + bytes, source_, 0, buffer, offset);
  }
  std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) override {
    const auto at = receives_[message].contiguous(offset, offset + bytes);
    return at ? target_ + at->second : nullptr;
  }
  void unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) override {
    receives_[message].copy(offset, offset + bytes, buffer, offset, target_, 0);
  }
  bool work() override {
    const std::int64_t end = std::min(moved_ + kMoveBytes, to_move_);
    move_.copy(moved_, end, source_, 0, target_, 0);
    moved_ = end;
    return moved_ < to_move_;
  }

 private:
  const MessageCopies& sends_;
  const MessageCopies& receives_;
  BoxCopy move_;
  std::int64_t to_move_ = 0;
  std::int64_t moved_ = 0;
  const std::byte* source_;
  std::byte* target_;
};

/// The messages of one execution as MPI's own collective takes them: those that do not lie in a row are packed whole.
class PackedMessages {
 public:
  explicit PackedMessages(detail::Channel& channel) : exchange_(channel) {}

  void begin(detail::StepData& data, const Messages& sends, const Messages& receives) {
    if (memory_ == nullptr) {
      buffer_bytes_ = total_bytes(sends) + total_bytes(receives);
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
    for (std::size_t i = 0; i < sends.steps.size(); ++i) {
      const std::int64_t bytes = sends.steps[i].bytes;
      const std::byte* const in_place = data.outgoing(i, 0, bytes);
      from.push_back(placed(sends.steps[i], const_cast<std::byte*>(in_place)));
      if (in_place == nullptr) data.pack(i, 0, bytes, from.back().at);
    }
    to_.clear();
    in_place_.clear();
    for (std::size_t i = 0; i < receives.steps.size(); ++i) {
      std::byte* const in_place = data.incoming(i, 0, receives.steps[i].bytes);
      to_.push_back(placed(receives.steps[i], in_place));
      in_place_.push_back(in_place != nullptr);
    }
    exchange_.begin(from, to_, memory_);
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

  static std::int64_t total_bytes(const Messages& messages) {
    std::int64_t bytes = 0;
    for (const StepMessage& message : messages.steps) bytes += message.bytes;
    return bytes;
  }

 private:
  detail::NativeExchange exchange_;
  std::shared_ptr<std::byte[]> memory_;
  std::int64_t buffer_bytes_ = 0;
  std::vector<detail::PlacedMessage> to_;
  std::vector<bool> in_place_;  ///< of each of them
  detail::StepData* data_ = nullptr;
  bool working_ = false;
};

}  // namespace

struct Redistribution::State final : detail::Job {
  /// What there is to know before the first execution: the same in every job with the same arguments.
  struct Prepared {
    Prepared(int rank, Participation participation, const RedistributionOptions& options)
        : part(std::move(participation)),
          // Every rank plans: what a search could still shave off the steps is not worth that.
          plan(plan_redistribution(part.plans_all_messages() ? part.problem : part.problem.plain(), options.algorithm,
                                   options.setup, options.algorithm == "auto" ? 0 : kCustomaryEffort)),
          sends(messages_of(plan, part, rank, /*sends=*/true)),
          receives(messages_of(plan, part, rank, /*sends=*/false)),
          packing(part, CopyKind::kPack, sends.peers),
          unpacking(part, CopyKind::kUnpack, receives.peers),
          moving(part, CopyKind::kMove, own_message(part)) {}

    Participation part;
    RedistributionPlan plan;
    Messages sends;
    Messages receives;
    MessageCopies packing;
    MessageCopies unpacking;
    MessageCopies moving;
  };

  State(std::shared_ptr<detail::Context> context, std::int64_t number, const std::vector<std::int64_t>& shape,
        const Layout& from, const Layout& to, std::int64_t element_size, const RedistributionOptions& options);
  ~State() override { close(); }

  void begin(const void* source, void* target);
  detail::Advance advance() override {
    const detail::Advance come = natively ? native->advance() : executor->advance();
    if (come == detail::Advance::kOver) trial.end();
    return come;
  }
  void abandon() noexcept override {
    if (executor) executor->abandon();
    if (native) native->abandon();
  }
  [[nodiscard]] bool in_native_collective() const override { return trial.may_be_native(); }

  std::shared_ptr<const Prepared> prepared;
  std::optional<Transport> transport;
  std::optional<detail::StepExecutor> executor;
  detail::WayTrial trial;
  std::unique_ptr<PackedMessages> native;  ///< while it is tried, or serves
  bool natively = false;                   ///< the present execution
};

Redistribution::State::State(std::shared_ptr<detail::Context> context, std::int64_t number,
                             const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                             std::int64_t element_size, const RedistributionOptions& options)
    : Job(std::move(context), number, "redistribution"),
      trial(channel, options.try_native && options.algorithm == "auto" && channel.size() > 1) {
  const detail::Arguments arguments = detail::arguments_of(shape, from, to, element_size, options);
  detail::Arguments key = arguments;
  key.add(std::span(options.source_leading));
  key.add(std::span(options.target_leading));
  detail::PlanCache& plans = channel.context().plans();
  const detail::PlanCache::Entry* const entry = plans.find(key.bytes());
  std::int64_t last = plans.last_number();
  // Every rank works out its own part alone, so that it does not matter who has it already.
  if (entry != nullptr) prepared = std::static_pointer_cast<const Prepared>(entry->plan);
  const std::exception_ptr failure = detail::failure_of([&] {
    if (!prepared) {
      prepared = std::make_shared<const Prepared>(
          channel.rank(),
          detail::make_participation(channel.rank(), channel.size(), shape, from, to, element_size, options), options);
    }
    executor.emplace(channel, prepared->sends.steps, prepared->receives.steps,
                     detail::StepExecutor::Limits{options.chunk_bytes, element_size, options.window});
    executor->connect(shares_memory(prepared->plan, element_size, options.shared_from_bytes));
  });
  (void)detail::agree(channel, arguments.fingerprint(), failure, 0, last);
  if (entry == nullptr) plans.put(key.bytes(), last + 1, prepared);
}

void Redistribution::State::begin(const void* source, void* target) {
  start([&] {
    const Prepared& own = *prepared;
    const bool moves = own.moving.size() > 0;
    if (source == nullptr && (own.packing.size() > 0 || moves))
      throw InputError("source", "a null pointer", fmt::format("{} elements", own.part.source.extent));
    if (target == nullptr && (own.unpacking.size() > 0 || moves))
      throw InputError("target", "a null pointer", fmt::format("room for {} elements", own.part.target.extent));
    transport.emplace(own.packing, own.unpacking, own.moving, static_cast<const std::byte*>(source),
                      static_cast<std::byte*>(target));
    const std::int64_t bytes = PackedMessages::total_bytes(own.sends) + PackedMessages::total_bytes(own.receives);
    const std::size_t messages = std::min(own.sends.steps.size(), own.receives.steps.size());
    natively = trial.begin(bytes <= kMostNativeBytes && detail::worth_trying(messages, channel.size()));
    if (natively) {
      if (!native) native = std::make_unique<PackedMessages>(channel);
      native->begin(*transport, own.sends, own.receives);
    } else {
      if (trial.over()) native.reset();
      executor->begin(*transport);
    }
    return detail::Advance::kIdle;
  });
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

std::vector<int> Redistribution::to_ranks() const { return state_->prepared->part.to_ranks.list(); }

std::int64_t Redistribution::source_elements() const { return state_->prepared->part.source_elements(); }

std::int64_t Redistribution::target_elements() const { return state_->prepared->part.target_elements(); }

std::int64_t Redistribution::source_extent() const { return state_->prepared->part.source.extent; }

std::int64_t Redistribution::target_extent() const { return state_->prepared->part.target.extent; }

std::int64_t Redistribution::peak_extra_bytes() const {
  const std::int64_t packed = state_->native ? state_->native->buffer_bytes() : 0;
  return state_->executor->buffer_bytes() + packed;
}

bool Redistribution::native() const { return state_->trial.native(); }

const RedistributionPlan& Redistribution::plan() const { return state_->prepared->plan; }

}  // namespace sluice::mpi
