#include "sluice/run/mpi/redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/communicator.hpp"
#include "run/mpi/redistribute/message_copies.hpp"
#include "run/mpi/redistribute/participation.hpp"
#include "run/mpi/steps/shared_buffers.hpp"
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

/// One side's messages in the order of the steps, without the one to oneself.
struct Messages {
  std::vector<Rank> peers;
  std::vector<StepMessage> steps;
};

Messages messages_of(const std::vector<PlannedMessage>& planned, const std::vector<int>& ranks, int own,
                     std::int64_t element_size) {
  Messages result;
  for (const PlannedMessage& message : planned) {
    const int rank = ranks[static_cast<std::size_t>(message.peer.value)];
    if (rank == own) continue;
    result.peers.push_back(message.peer);
    result.steps.push_back({rank, message.count * element_size});
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
  if (from_bytes < 0 || problem.size() == 0) return false;
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

}  // namespace

struct Redistribution::State {
  /// Local: nothing is sent.
  State(const detail::Communicator& own, Participation participation, const RedistributionOptions& options)
      : part(std::move(participation)),
        plan(plan_redistribution(part.problem, options.algorithm, options.setup)),
        sends(part.sender < 0
                  ? Messages{}
                  : messages_of(plan.sends(Rank(part.sender)), part.to_ranks, own.rank(), part.element_size)),
        receives(part.receiver < 0
                     ? Messages{}
                     : messages_of(plan.receives(Rank(part.receiver)), part.from_ranks, own.rank(), part.element_size)),
        packing(part, CopyKind::kPack, sends.peers),
        unpacking(part, CopyKind::kUnpack, receives.peers),
        moving(part, CopyKind::kMove, own_message(part)),
        executor(own.get(), sends.steps, receives.steps, {options.chunk_bytes, part.element_size, options.window}) {}

  std::optional<detail::Communicator> comm;  ///< once the ranks have agreed; first, as the executor uses it to the end
  Participation part;
  RedistributionPlan plan;
  Messages sends;
  Messages receives;
  MessageCopies packing;
  MessageCopies unpacking;
  MessageCopies moving;
  detail::StepExecutor executor;
};

Redistribution::Redistribution(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from,
                               const Layout& to, std::int64_t element_size, const RedistributionOptions& options) {
  detail::Communicator own(comm);
  const std::uint64_t print = detail::fingerprint(shape, from, to, element_size, options).value();
  // What can fail on one rank alone comes first, before the ranks compare notes.
  std::exception_ptr failure;
  try {
    state_ = std::make_unique<State>(
        own, detail::make_participation(own.rank(), own.size(), shape, from, to, element_size, options), options);
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree(own, print, failure);
  state_->comm = std::move(own);
  const MPI_Comm node = shares_memory(state_->plan, element_size, options.shared_from_bytes)
                            ? detail::ranks_of_node(state_->comm->get())
                            : MPI_COMM_NULL;
  state_->executor.connect(node);
}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

void Redistribution::execute(const void* source, void* target) {
  State& state = *state_;
  const bool moves = state.moving.size() > 0;
  const bool can_send = source != nullptr || (state.packing.size() == 0 && !moves);
  const bool can_receive = target != nullptr || (state.unpacking.size() == 0 && !moves);
  Transport transport(state.packing, state.unpacking, state.moving, static_cast<const std::byte*>(source),
                      static_cast<std::byte*>(target));
  const int without_data = state.executor.execute(transport, can_send, can_receive);
  if (!can_send) {
    throw InputError("source", "a null pointer", fmt::format("{} elements", source_elements()));
  }
  if (!can_receive) {
    throw InputError("target", "a null pointer", fmt::format("room for {} elements", target_elements()));
  }
  if (without_data >= 0) {
    throw InputError("source", fmt::format("a null pointer on rank {}", without_data), "its part of the array");
  }
}

std::int64_t Redistribution::source_elements() const { return state_->part.source_elements(); }

std::int64_t Redistribution::target_elements() const { return state_->part.target_elements(); }

std::int64_t Redistribution::peak_extra_bytes() const { return state_->executor.buffer_bytes(); }

const RedistributionPlan& Redistribution::plan() const { return state_->plan; }

}  // namespace sluice::mpi
