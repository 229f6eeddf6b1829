#include "sluice/run/mpi/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <exception>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/agreement.hpp"
#include "run/mpi/broadcast/native_broadcast.hpp"
#include "run/mpi/crowding.hpp"
#include "run/mpi/joint_job.hpp"
#include "run/mpi/native_trial.hpp"
#include "run/mpi/planner_rank.hpp"
#include "run/mpi/simulation.hpp"
#include "run/mpi/tree/tree_executor.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/schedule/broadcast_program.hpp"

namespace sluice::mpi {
namespace {

using detail::Communicator;

constexpr std::size_t kKeptClasses = 64;
constexpr const char* kNative = "native";

/// What is wrong with the arguments, null if nothing.
std::exception_ptr fault_of(std::int64_t bytes) {
  if (bytes >= 0) return nullptr;
  return std::make_exception_ptr(InputError("bytes", fmt::format("{}", bytes), "at least 0"));
}
std::exception_ptr fault_of(const void* buffer, std::int64_t bytes) {
  if (bytes <= 0 || buffer != nullptr) return fault_of(bytes);
  return std::make_exception_ptr(InputError("buffer", "a null pointer", "room for the message"));
}

/// The largest size of the class of `bytes`: of 8 to 15 times a power of two, the least that is not smaller.
std::int64_t class_of(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes);
  const auto bits = static_cast<int>(std::bit_width(size));
  constexpr int kKept = 4;
  if (bits <= kKept) return bytes;
  const int cut = bits - kKept;
  return static_cast<std::int64_t>(((size - 1) >> cut) + 1) << cut;
}

/// Where a byte of the largest message of the class is in one of `bytes`; ranges that meet still do.
std::int64_t scaled(std::int64_t offset, std::int64_t bytes, std::int64_t largest) {
  if (bytes == largest) return offset;
  if (offset == largest) return bytes;
  return static_cast<std::int64_t>(static_cast<long double>(offset) * static_cast<long double>(bytes) /
                                   static_cast<long double>(largest));
}

// ---- A rank's part

struct OwnPart {
  bool native = false;         ///< MPI's own broadcast is all there is
  bool native_inside = false;  ///< of some clusters; the same on all ranks
  bool ends_native = false;    ///< this rank is in one of these
  ChosenBroadcast chosen;
  RankProgram program;
};

OwnPart part_of(BroadcastProgram& program, std::size_t rank) {
  const auto has_rank = [&](const NativeBroadcast& each) {
    return std::ranges::find(each.ranks, static_cast<std::int64_t>(rank)) != each.ranks.end();
  };
  const auto own = std::ranges::find_if(program.native, has_rank);
  OwnPart part;
  part.native = own != program.native.end() && own->ranks.size() == program.ranks.size();
  part.native_inside = !program.native.empty();
  part.ends_native = own != program.native.end();
  part.chosen.predicted_s = program.length_s;
  part.chosen.method = program.method;
  part.program = std::move(program.ranks.at(rank));
  return part;
}

/// See planned_part.
constexpr auto kFields = [](auto& numbers, OwnPart& part) {
  numbers(part.native, part.native_inside, part.ends_native, part.chosen.predicted_s, part.chosen.method);
  numbers.each(part.program.receives, [&](ProgramReceive& r) { numbers(r.from, r.offset, r.bytes); });
  numbers.each(part.program.sends, [&](ProgramSend& s) { numbers(s.to, s.offset, s.bytes, s.port_s, s.connection_s); });
};

// ---- Executing one size

/// Messages that lie in the caller's buffer, before and after.
class KeptMessage final : public detail::TreeData {
 public:
  void use(std::byte* buffer) { buffer_ = buffer; }
  void add_receive(std::int64_t offset) { receives_.push_back(offset); }
  void add_send(std::int64_t offset) { sends_.push_back(offset); }

  std::byte* incoming(std::size_t receive, std::int64_t, std::int64_t) override { return buffer_ + receives_[receive]; }
  void arrived(std::size_t, const std::function<void()>&) override {}
  detail::TreeMessage outgoing(std::size_t send) override { return {buffer_ + sends_[send], 0, 0}; }

 private:
  std::byte* buffer_ = nullptr;
  std::vector<std::int64_t> receives_;  ///< offsets
  std::vector<std::int64_t> sends_;
};

/// The part of a rank for one size of message.
class SizedPart {
 public:
  SizedPart(const Communicator& comm, detail::ControlChannel& channel, bool crowded, const RankProgram& program,
            std::int64_t bytes, std::int64_t largest) {
    /// What has come by a receive, for the sends that pass it on.
    struct Range {
      std::int64_t begin = 0;
      std::int64_t end = 0;
      std::size_t receive = 0;
    };
    std::vector<Range> ranges;
    std::vector<detail::TreeReceive> receives;
    const auto cut = [&](std::int64_t offset) { return scaled(offset, bytes, largest); };
    for (const ProgramReceive& receive : program.receives) {
      const std::int64_t begin = cut(receive.offset);
      const std::int64_t end = cut(receive.offset + receive.bytes);
      if (begin == end) continue;
      ranges.push_back({begin, end, receives.size()});
      receives.push_back({static_cast<int>(receive.from), end - begin, false});
      message_.add_receive(begin);
    }
    std::ranges::sort(ranges, {}, &Range::begin);
    std::vector<detail::TreeSend> sends;
    for (const ProgramSend& send : program.sends) {
      const std::int64_t begin = cut(send.offset);
      const std::int64_t end = cut(send.offset + send.bytes);
      if (begin == end) continue;
      detail::TreeSend each;
      each.to = static_cast<int>(send.to);
      each.count = end - begin;
      each.port_s = send.port_s;
      each.connection_s = send.connection_s;
      auto range = std::ranges::upper_bound(ranges, begin, {}, &Range::end);
      for (; range != ranges.end() && range->begin < end; ++range) each.after.push_back(range->receive);
      sends.push_back(std::move(each));
      message_.add_send(begin);
    }
    // Every message has its place already: all that may come are asked for.
    constexpr int kReceives = 64;
    detail::TreeExecutor::Limits limits;
    limits.receives = limits.ahead = kReceives;
    limits.overtake = true;
    limits.keep_pace = detail::kSimulated;  // queues of the network do not exist there
    limits.may_sleep = crowded;
    executor_.emplace(comm.get(), channel, std::move(receives), std::move(sends), limits, nullptr);
  }
  SizedPart(const SizedPart&) = delete;
  SizedPart& operator=(const SizedPart&) = delete;

  void execute(void* buffer) {
    message_.use(static_cast<std::byte*>(buffer));
    executor_->execute(message_);
  }

 private:
  KeptMessage message_;
  std::optional<detail::TreeExecutor> executor_;
};

/// A size class: the plan, and what carries it out for the size asked for last.
struct SizeClass {
  std::int64_t largest = 0;
  OwnPart part;
  bool tried = false;
  std::int64_t bytes = -1;
  std::unique_ptr<SizedPart> sized;
};

}  // namespace

struct Broadcast::State : detail::JointJob {
  State(MPI_Comm user, Platform user_platform, int user_root, const BroadcastJobOptions& user_options);
  ~State() {
    if (unwinding()) give_up();
    if (given_up() && inside) inside->leak();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::uint64_t fingerprint() const;
  /// The class of `bytes`, planned if need be. `failure`: what is wrong with this rank's arguments, if anything.
  /// Throws it, and InputError on the other ranks where the class is a new one.
  SizeClass& obtain(std::int64_t bytes, const std::exception_ptr& failure);
  [[nodiscard]] OwnPart plan(std::int64_t bytes) const;
  void execute(void* buffer, std::int64_t bytes);
  void run_planned(SizeClass& size, void* buffer, std::int64_t bytes);
  void try_both(SizeClass& size, void* buffer, std::int64_t bytes);

  Platform platform;
  int root;
  BroadcastJobOptions options;
  bool crowded = false;
  std::optional<Communicator> inside;  ///< the ranks of this one's cluster, the coordinator first; once it is needed
  std::list<SizeClass> classes;        ///< the one used last first
};

Broadcast::State::State(MPI_Comm user, Platform user_platform, int user_root, const BroadcastJobOptions& user_options)
    : JointJob(Communicator(user)), platform(std::move(user_platform)), root(user_root), options(user_options) {
  std::exception_ptr failure;
  std::uint64_t print = 0;
  try {
    check_platform(platform, "platform");
    if (platform.ranks != comm.size())
      throw InputError("platform", fmt::format("{} ranks", platform.ranks),
                       fmt::format("the {} there are", comm.size()));
    if (root < 0 || root >= comm.size())
      throw InputError("root", fmt::format("{}", root), fmt::format("0 to {}", comm.size() - 1));
    print = fingerprint();
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree(comm, print, failure);
  open_channel("broadcast");
  crowded = detail::is_crowded(comm);
}

std::uint64_t Broadcast::State::fingerprint() const {
  detail::Fingerprint print;
  print.add(to_json(platform));
  print.add(root);
  print.add(options.plan.algorithm);
  print.add(options.plan.lookahead);
  print.add(options.plan.inside);
  print.add(options.plan.early_internal ? 1 : 0);
  print.add(options.plan.segments);
  print.add(std::bit_cast<std::int64_t>(options.plan.time_limit_s));
  print.add(options.try_native ? 1 : 0);
  return print.value();
}

OwnPart Broadcast::State::plan(std::int64_t bytes) const {
  const auto plan_all = [&] {
    BroadcastProgram program = plan_broadcast(platform, root, bytes, options.plan).program;
    std::vector<OwnPart> parts;
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) parts.push_back(part_of(program, rank));
    return parts;
  };
  return detail::planned_part<OwnPart>(comm, plan_all, kFields);
}

SizeClass& Broadcast::State::obtain(std::int64_t bytes, const std::exception_ptr& failure) {
  const std::int64_t largest = bytes < 0 ? bytes : class_of(bytes);
  const auto found = std::ranges::find(classes, largest, &SizeClass::largest);
  if (found != classes.end()) {
    classes.splice(classes.begin(), classes, found);  // on every rank, so that all keep the same ones
    if (failure) std::rethrow_exception(failure);
    return classes.front();
  }
  detail::Fingerprint print;
  print.add(largest);
  detail::agree(comm, print.value(), failure);
  SizeClass size;
  size.largest = largest;
  size.part = plan(largest);
  if (size.part.native_inside && !size.part.native && !inside)
    inside.emplace(detail::ranks_of_cluster(comm, platform, root));
  classes.push_front(std::move(size));
  if (classes.size() > kKeptClasses) classes.pop_back();
  return classes.front();
}

void Broadcast::State::run_planned(SizeClass& size, void* buffer, std::int64_t bytes) {
  if (size.part.native) {
    detail::broadcast_by_mpi(buffer, bytes, root, comm.get());
    return;
  }
  if (size.bytes != bytes) {
    size.sized = std::make_unique<SizedPart>(comm, *channel, crowded, size.part.program, bytes, size.largest);
    size.bytes = bytes;
  }
  size.sized->execute(buffer);
  if (size.part.ends_native) detail::broadcast_by_mpi(buffer, bytes, 0, inside->get());
}

void Broadcast::State::try_both(SizeClass& size, void* buffer, std::int64_t bytes) {
  const detail::NativeTrial trial = detail::try_native(
      comm, [&] { run_planned(size, buffer, bytes); },
      [&] { detail::broadcast_by_mpi(buffer, bytes, root, comm.get()); });
  ChosenBroadcast& chosen = size.part.chosen;
  chosen.planned_s = trial.planned_s;
  chosen.native_s = trial.native_s;
  if (trial.native_is_faster()) {
    chosen.method = kNative;
    size.part.native = true;
    size.part.program = {};
    size.sized.reset();
  }
}

void Broadcast::State::execute(void* buffer, std::int64_t bytes) {
  refuse_if_given_up("broadcast");
  SizeClass& size = obtain(bytes, fault_of(buffer, bytes));
  if (bytes == 0 || comm.size() == 1) return;
  try {
    if (options.try_native && options.plan.algorithm == "auto" && !size.tried && !size.part.native) {
      size.tried = true;
      try_both(size, buffer, bytes);
    } else {
      run_planned(size, buffer, bytes);
    }
  } catch (...) {
    give_up();
    throw;
  }
}

// ---- Broadcast

Broadcast::Broadcast(MPI_Comm comm, const Platform& platform, int root, const BroadcastJobOptions& options)
    : state_(std::make_unique<State>(comm, platform, root, options)) {}

Broadcast::~Broadcast() = default;
Broadcast::Broadcast(Broadcast&&) noexcept = default;
Broadcast& Broadcast::operator=(Broadcast&&) noexcept = default;

void Broadcast::execute(void* buffer, std::int64_t bytes) { state_->execute(buffer, bytes); }

ChosenBroadcast Broadcast::chosen(std::int64_t bytes) { return state_->obtain(bytes, fault_of(bytes)).part.chosen; }

}  // namespace sluice::mpi
