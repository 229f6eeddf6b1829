#include "sluice/run/mpi/broadcast.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <set>
#include <utility>

#include "run/mpi/collective/broadcast_plan.hpp"
#include "run/mpi/collective/program_engine.hpp"
#include "run/mpi/collective/tree_broadcast.hpp"
#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/network/platform_arguments.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/native_broadcast.hpp"
#include "run/mpi/ways/ways.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi {
namespace {

using detail::PlannedBroadcast;
using detail::Question;

/// The most size classes that a job keeps; the least recently used ones go.
constexpr std::size_t kKeptClasses = 64;
constexpr const char* kNativeCall = "MPI_Ibcast";

/// Each execution of a tree by memory copies at most this much; a longer message takes several, one after the other.
constexpr std::int64_t kSegmentByMemory = detail::MemoryRoom::kMostForSeveral;
/// How many recently used sizes of messages by trees keep their engine, which takes an agreement to make.
constexpr std::size_t kKeptTrees = 8;

/// What carries out a program for the size asked for last.
struct SizedEngine {
  std::int64_t bytes = -1;
  std::unique_ptr<detail::ProgramEngine> engine;

  void abandon() noexcept {
    if (engine) engine->abandon();
  }
};

/// Carries out the broadcasts of a job, one after the other: by programs, by trees, and by MPI's own broadcast.
class Execution {
 public:
  Execution(detail::Channel& channel, const detail::BroadcastTask& task) : channel_(channel), task_(task) {}

  /// The message that is broadcast next.
  void use(void* buffer, std::int64_t bytes) {
    message_ = buffer;
    bytes_ = begun_bytes_ = bytes;
  }
  /// Takes a turn among the ranks of this one's cluster, in the order of executions, whether it is needed or not.
  void take_turn_inside(const PlannedBroadcast& plan);
  /// Makes the engine of `plan`, for the message, unless it is there. All ranks do so; if they share memory they wait
  /// for each other. `largest`: the size that it is planned for.
  void make(SizedEngine& sized, const PlannedBroadcast& plan, std::int64_t largest);
  /// The engine of the tree for `bytes`, likewise.
  SizedEngine& tree_for(std::int64_t bytes);

  void begin_by_plan(SizedEngine& sized, const PlannedBroadcast& plan, std::int64_t largest);
  void begin_by_tree();
  void begin_by_mpi(detail::Turns::Turn turn = {});
  detail::Advance advance();
  void abandon() noexcept {
    native_.abandon();
    turn_inside_.end();
    for (SizedEngine& tree : trees_) tree.abandon();
  }
  /// Whether MPI's own broadcast may be under way.
  [[nodiscard]] bool natively() const { return natively_; }
  [[nodiscard]] bool by_memory() const { return detail::MemoryCarrier::possible(channel_.context()); }

 private:
  template <class MakePart>
  void make(SizedEngine& sized, std::int64_t bytes, MakePart make_part) {
    if (sized.bytes == bytes) return;
    const ElementOperation elements{bytes, MPI_BYTE, MPI_OP_NULL};
    sized.engine =
        std::make_unique<detail::ProgramEngine>(channel_, elements, task_.shape_of(bytes), make_part(), nullptr);
    sized.bytes = bytes;
  }
  void run(SizedEngine& sized, void* buffer) {
    running_ = sized.engine.get();
    running_->begin(channel_.rank() == task_.root ? MPI_IN_PLACE : nullptr, buffer);
  }
  /// Begins the tree's execution for the next part of the message, if there is one.
  void next_segment();

  detail::Channel& channel_;
  const detail::BroadcastTask& task_;
  detail::Context::Part* inside_ = nullptr;  ///< the ranks of this one's cluster, once it is needed
  detail::NativeCollective native_{channel_};
  std::list<SizedEngine> trees_;  ///< most recently used first

  detail::ProgramEngine* running_ = nullptr;
  bool natively_ = false;
  bool then_inside_ = false;         ///< after `running_`, the broadcast of this rank's cluster
  detail::Turns::Turn turn_inside_;  ///< of the broadcast of this rank's cluster
  void* message_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t begun_bytes_ = 0;  ///< of the message, by segments of the tree; all if there are none
};

void Execution::take_turn_inside(const PlannedBroadcast& plan) {
  if (plan.native_inside && inside_ == nullptr) {
    // The root comes first, then the order of the platform: the cluster's coordinator has the message first. The
    // platform is the job's, or the platform of SLUICE_PLATFORM, which a context reads once.
    detail::Arguments arguments("cluster");
    arguments.add(task_.root);
    if (task_.options.platform) detail::add_platform(arguments, *task_.options.platform);
    const int order = channel_.rank() == task_.root ? 0 : 1 + static_cast<int>(plan.place);
    inside_ = &channel_.part(arguments.bytes(), static_cast<int>(plan.cluster), order);
  }
  if (plan.ends_native && !plan.native) turn_inside_ = channel_.take_turn(inside_->turns);
}

void Execution::make(SizedEngine& sized, const PlannedBroadcast& plan, std::int64_t largest) {
  make(sized, bytes_, [&] { return shrunk(plan.part, largest, bytes_); });
}

SizedEngine& Execution::tree_for(std::int64_t bytes) {
  const auto found = std::ranges::find(trees_, bytes, &SizedEngine::bytes);
  if (found != trees_.end()) {
    trees_.splice(trees_.begin(), trees_, found);
  } else {
    trees_.emplace_front();
    if (trees_.size() > kKeptTrees) trees_.pop_back();
  }
  make(trees_.front(), bytes,
       [&] { return detail::tree_broadcast_part(task_.shape_of(bytes), channel_.rank(), task_.flat(bytes)); });
  return trees_.front();
}

void Execution::begin_by_plan(SizedEngine& sized, const PlannedBroadcast& plan, std::int64_t largest) {
  then_inside_ = plan.ends_native && !plan.native;
  running_ = nullptr;
  if (plan.native) return begin_by_mpi();
  natively_ = plan.native_inside;
  make(sized, plan, largest);  // it is there already, unless the ways are measured again
  run(sized, message_);
}

void Execution::begin_by_tree() {
  turn_inside_.end();
  // The engine of the last segment is made now, because that waits for the other ranks.
  if (const std::int64_t rest = bytes_ % kSegmentByMemory; by_memory() && bytes_ > kSegmentByMemory && rest > 0)
    tree_for(rest);
  begun_bytes_ = 0;
  next_segment();
}

void Execution::next_segment() {
  if (begun_bytes_ == bytes_) return;
  const std::int64_t left = bytes_ - begun_bytes_;
  const std::int64_t bytes = by_memory() ? std::min(left, kSegmentByMemory) : left;
  run(tree_for(bytes), static_cast<std::byte*>(message_) + begun_bytes_);
  begun_bytes_ += bytes;
}

void Execution::begin_by_mpi(detail::Turns::Turn turn) {
  turn_inside_.end();
  natively_ = bytes_ > 0;
  native_.begin(detail::broadcast_by_mpi(message_, bytes_, task_.root, channel_.comm()), nullptr, std::move(turn));
}

detail::Advance Execution::advance() {
  if (running_ != nullptr) {
    const detail::Advance come = running_->advance();
    if (come != detail::Advance::kOver) return come;
    running_ = nullptr;
    next_segment();
    return detail::Advance::kMoved;
  }
  if (then_inside_) {
    native_.begin(detail::broadcast_by_mpi(message_, bytes_, 0, inside_->comm), nullptr, std::move(turn_inside_));
    then_inside_ = false;
    return detail::Advance::kMoved;
  }
  const detail::Advance come = native_.advance();
  if (come == detail::Advance::kOver) natively_ = false;
  return come;
}

/// A size class: the plan, and what carries it out for the size asked for last.
struct SizeClass {
  explicit SizeClass(detail::Channel& channel) : ways(channel) {}

  std::int64_t largest = 0;
  std::shared_ptr<const PlannedBroadcast> planned;
  SizedEngine sized;
  detail::Ways ways;
};

}  // namespace

struct Broadcast::State final : detail::Job {
  State(std::shared_ptr<detail::Context> context, std::int64_t number, int root, const BroadcastOptions& options);
  ~State() override { close(); }

  /// Null if there is none.
  [[nodiscard]] const SizeClass* find(std::int64_t bytes) const {
    const auto size = std::ranges::find(classes, task.largest_of(bytes), &SizeClass::largest);
    return size == classes.end() ? nullptr : &*size;
  }
  /// The class of `bytes`, planned if need be. Throws InputError on all ranks if the class is a new one here and its
  /// size is another one elsewhere.
  SizeClass& obtain(std::int64_t bytes);
  void begin(void* buffer, std::int64_t bytes);
  /// Whether this is the first execution for messages of such a size, and a plan would cost more than it can save.
  /// Notes the size.
  [[nodiscard]] bool goes_without_a_plan(std::int64_t bytes);

  detail::Advance advance() override { return present == nullptr ? execution.advance() : present->ways.advance(); }
  [[nodiscard]] bool may_sleep() const override { return true; }
  void abandon() noexcept override {
    execution.abandon();
    for (SizeClass& size : classes) {
      size.sized.abandon();
      size.ways.abandon();
    }
  }
  [[nodiscard]] bool in_native_collective() const override {
    return execution.natively() || task.told_nothing() || std::ranges::any_of(classes, [](const SizeClass& size) {
             return size.planned->native || size.planned->native_inside || size.ways.in_native_collective();
           });
  }

  detail::BroadcastTask task;
  std::string key;  ///< of all arguments but the size
  Execution execution{channel, task};
  std::list<SizeClass> classes;         ///< most recently used first
  std::set<std::int64_t> went_by_tree;  ///< the classes whose first execution went by the tree
  SizeClass* present = nullptr;         ///< of the execution; null: it needs no plan
};

Broadcast::State::State(std::shared_ptr<detail::Context> context, std::int64_t number, int root,
                        const BroadcastOptions& options)
    : Job(std::move(context), number, "broadcast"), task{channel, options, root} {
  detail::Arguments arguments("broadcast");
  const std::exception_ptr failure = detail::failure_of([&] { arguments = task.arguments(); });
  detail::agree(channel, arguments.fingerprint(), failure);
  key = arguments.bytes();
}

SizeClass& Broadcast::State::obtain(std::int64_t bytes) {
  const std::int64_t largest = task.largest_of(bytes);
  const auto found = std::ranges::find(classes, largest, &SizeClass::largest);
  if (found != classes.end()) {
    classes.splice(classes.begin(), classes, found);  // on every rank, so that all keep the same ones
    return classes.front();
  }
  const detail::KeptPlan kept = task.kept_or_planned(largest, key);
  SizeClass& size = classes.emplace_front(channel);
  size.largest = largest;
  size.planned = std::static_pointer_cast<const PlannedBroadcast>(kept.plan);
  const bool takes_turns = task.options.try_native && task.options.plan.algorithm == "auto" && !task.options.program &&
                           !size.planned->native;
  size.ways.choose(takes_turns ? detail::Use::kTurns : detail::Use::kPlan, kept);
  size.ways.set_plan(detail::way_by(&execution, [&size](Execution& by, detail::Turns::Turn /*turn*/) {
    by.begin_by_plan(size.sized, *size.planned, size.largest);
  }));
  if (task.is_short(largest)) {
    size.ways.set_second_plan(
        detail::kBinomialTree,
        detail::way_by(&execution, [](Execution& by, detail::Turns::Turn /*turn*/) { by.begin_by_tree(); }));
  } else {
    size.ways.set_mpi(kNativeCall, [this] {
      return detail::way_by(&execution,
                            [](Execution& by, detail::Turns::Turn turn) { by.begin_by_mpi(std::move(turn)); });
    });
  }
  if (classes.size() > kKeptClasses) {
    auto oldest = std::prev(classes.end());
    if (&*oldest == present) --oldest;  // chosen() may be asked for many sizes while an execution is under way
    classes.erase(oldest);
  }
  return classes.front();
}

bool Broadcast::State::goes_without_a_plan(std::int64_t bytes) {
  const std::int64_t largest = task.largest_of(bytes);
  if (find(bytes) != nullptr || went_by_tree.contains(largest) || !task.too_short_to_plan(largest)) return false;
  if (went_by_tree.size() == kKeptClasses) went_by_tree.clear();
  went_by_tree.insert(largest);
  return true;
}

void Broadcast::State::begin(void* buffer, std::int64_t bytes) {
  const auto check = [&] {
    task.check_size(bytes);
    if (bytes > 0 && buffer == nullptr) throw InputError("buffer", "a null pointer", "room for the message");
    return bytes;  // to be the same on all ranks
  };
  start(check, [&] {
    execution.use(buffer, bytes);
    present = nullptr;
    // Nothing goes, but ranks find out whether that is so for all.
    if (bytes == 0 && task.told_nothing() && task.options.try_native && execution.by_memory())
      (void)execution.tree_for(0);
    const bool without = goes_without_a_plan(bytes);
    if (without && !execution.by_memory()) detail::agree(channel, static_cast<std::uint64_t>(bytes), nullptr);
    if (without || task.by_tree(bytes)) {
      execution.begin_by_tree();
      return detail::Advance::kIdle;
    }
    if (task.needs_no_plan(bytes)) {
      execution.begin_by_mpi();
      return detail::Advance::kIdle;
    }
    SizeClass& size = obtain(bytes);
    if (bytes == 0 || channel.size() == 1) return detail::Advance::kOver;
    const PlannedBroadcast& plan = *size.planned;
    execution.take_turn_inside(plan);
    present = &size;
    // Not when the execution is advanced: nothing waits there. A way that is measured again was MPI's between
    // hosts, where no rank is waited for.
    if (!plan.native && !size.ways.other_serves()) execution.make(size.sized, plan, size.largest);
    if (task.is_short(bytes) && (!size.ways.over() || size.ways.other_serves())) execution.tree_for(bytes);
    return size.ways.begin(true);
  });
}

// ---- Broadcast

Broadcast::Broadcast(MPI_Comm comm, int root, const BroadcastOptions& options)
    : state_(detail::make_job<State>(comm, root, options)) {}

Broadcast::~Broadcast() = default;
Broadcast::Broadcast(Broadcast&&) noexcept = default;
Broadcast& Broadcast::operator=(Broadcast&&) noexcept = default;

void Broadcast::execute(void* buffer, std::int64_t bytes) {
  state_->begin(buffer, bytes);
  state_->wait();
}
void Broadcast::start(void* buffer, std::int64_t bytes) { state_->begin(buffer, bytes); }
bool Broadcast::test() { return state_->test(); }
void Broadcast::wait() { state_->wait(); }
void Broadcast::give_up(const std::exception_ptr& why) noexcept { state_->give_up(why); }

ChosenBroadcast Broadcast::chosen(std::int64_t bytes) {
  State& state = *state_;
  ChosenBroadcast result;
  state.channel.next_execution();
  state.call([&] {
    state.task.check_size(bytes);
    result.method = detail::kNativeBroadcast;
    if (state.task.by_tree(bytes)) result.method = state.task.flat(bytes) ? detail::kFlatTree : detail::kBinomialTree;
    if (state.task.needs_no_plan(bytes)) return;
    const SizeClass& size = state.obtain(bytes);
    const detail::WayTimes measured = size.ways.measured();
    result = {size.planned->method, size.planned->predicted_s, measured.planned_s, measured.other_s};
    if (size.ways.other_serves())
      result.method = state.task.is_short(bytes) ? detail::kBinomialTree : detail::kNativeBroadcast;
  });
  return result;
}

bool Broadcast::settled(std::int64_t bytes) const {
  if (state_->task.needs_no_plan(bytes)) return true;
  const SizeClass* const size = state_->find(bytes);
  return size != nullptr && size->ways.over();
}

std::string Broadcast::explanation(std::int64_t bytes) {
  const ChosenBroadcast chosen = this->chosen(bytes);
  const bool by_mpi = chosen.method == detail::kNativeBroadcast;
  const std::string method = by_mpi ? kNativeCall : chosen.method;
  if (state_->task.needs_no_plan(bytes))
    return detail::explanation(method, 0, in_brackets(&state_->task.rule(Question::kWay, bytes)), {}, "");
  const SizeClass& size = *state_->find(bytes);
  return size.ways.explanation(method, by_mpi ? 0 : chosen.predicted_s, detail::rule_of(size.planned->rule));
}

}  // namespace sluice::mpi
