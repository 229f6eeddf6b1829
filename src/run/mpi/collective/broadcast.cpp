#include "sluice/run/mpi/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <set>
#include <utility>

#include "run/mpi/collective/given_program.hpp"
#include "run/mpi/collective/program_executor.hpp"
#include "run/mpi/collective/tree_broadcast.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/platform_arguments.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/native_broadcast.hpp"
#include "run/mpi/ways/way_trial.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using detail::By;
using detail::choose;
using detail::JobKind;
using detail::Question;
using detail::Where;

/// The most size classes that a job keeps; the least recently used ones go.
constexpr std::size_t kKeptClasses = 64;
constexpr const char* kNative = "native";
constexpr const char* kNativeCall = "MPI_Ibcast";
constexpr const char* kTree = "binomial tree";

/// Each execution of a tree by memory copies at most this much; a longer message takes several, one after the other.
constexpr std::int64_t kSegmentByMemory = detail::SharedProgram::kMostTogether;
/// Segments of an unknown network have this size. A message has at most kMostSegmentsBetweenHosts, longer ones if need
/// be.
constexpr std::int64_t kSegmentBetweenHosts = 2 << 10;
constexpr std::int64_t kMostSegmentsBetweenHosts = 8;
/// How many recently used sizes of messages by trees keep their executor, which takes an agreement to make.
constexpr std::size_t kKeptTrees = 8;

/// A plan over a platform takes rank 0 at least this time for each rank.
constexpr double kPlanningPerRank_s = 6e-6;

/// How long a message takes over the slowest link of `platform`.
double slowest_message_s(const Platform& platform, std::int64_t bytes) {
  double slowest = 0;
  const auto meet = [&](double latency_s, const GapTable& gap) {
    if (!gap.points().empty()) slowest = std::max(slowest, latency_s + gap.at(bytes));
  };
  for (const PlatformCluster& cluster : platform.clusters) meet(cluster.latency_s, cluster.gap);
  for (const PlatformLink& link : platform.links) meet(link.latency_s, link.gap);
  for (const PlatformLink& link : platform.part_links) meet(link.latency_s, link.gap);
  for (const PlatformPart& part : platform.parts) meet(0, part.uplink);
  return slowest;
}

/// Throws InputError for a size that cannot be broadcast.
void check_size(std::int64_t bytes, const std::optional<Program>& program) {
  if (bytes < 0) throw InputError("bytes", fmt::format("{}", bytes), "at least 0");
  if (program && bytes != program->size_bytes)
    throw InputError("bytes", fmt::format("{}", bytes), fmt::format("the {} of the program", program->size_bytes));
}

/// Throws InputError for bad arguments. Returns what is to be the same on all ranks.
std::int64_t check_message(const void* buffer, std::int64_t bytes, const std::optional<Program>& program) {
  check_size(bytes, program);
  if (bytes > 0 && buffer == nullptr) throw InputError("buffer", "a null pointer", "room for the message");
  return bytes;
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

/// What a rank does in broadcasts of a size class.
struct ClassPart {
  bool native = false;                  ///< MPI's own broadcast does everything
  bool native_inside = false;           ///< MPI's own broadcast serves some clusters; the same on all ranks
  bool ends_native = false;             ///< this rank is in a cluster that MPI's own broadcast serves
  std::int64_t cluster = 0;             ///< of the platform, if native_inside
  std::int64_t place = 0;               ///< among the ranks of the cluster
  std::int32_t rule = detail::kNoRule;  ///< that led here
  ChosenBroadcast chosen;
  detail::OwnPart program;
};

/// The parts of all ranks of a plan over `platform`.
std::vector<ClassPart> parts_of(const BroadcastPlan& plan, const Platform& platform) {
  std::vector<ClassPart> parts;
  const bool native_inside =
      !plan.native.empty() && plan.native.front().ranks.size() < static_cast<std::size_t>(plan.program.ranks);
  for (detail::OwnPart& program : sluice::detail::cut(plan.program)) {
    ClassPart& part = parts.emplace_back();
    part.native_inside = native_inside;
    part.chosen.predicted_s = plan.program.length_s;
    part.chosen.method = plan.program.algorithm;
    part.program = std::move(program);
  }
  for (const NativeBroadcast& native : plan.native) {
    for (const std::int64_t rank : native.ranks) {
      ClassPart& part = parts.at(static_cast<std::size_t>(rank));
      part.native = native.ranks.size() == parts.size();
      part.ends_native = true;
    }
  }
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    std::int64_t place = 0;
    for (const std::int64_t rank : platform.clusters[c].ranks) {
      ClassPart& part = parts.at(static_cast<std::size_t>(rank));
      part.cluster = static_cast<std::int64_t>(c);
      part.place = place++;
    }
  }
  return parts;
}

/// See planned_part.
constexpr auto kFields = [](auto& numbers, ClassPart& part) {
  numbers(part.native, part.native_inside, part.ends_native, part.cluster, part.place, part.rule,
          part.chosen.predicted_s, part.chosen.method);
  fields(numbers, part.program);
};

/// What carries out a program for the size asked for last.
struct SizedExecutor {
  std::int64_t bytes = -1;
  std::unique_ptr<detail::ProgramExecutor> executor;

  void abandon() noexcept {
    if (executor) executor->abandon();
  }
};

/// A size class: the plan, and what carries it out for the size asked for last.
struct SizeClass {
  explicit SizeClass(detail::Channel& channel) : trial(channel) {}

  std::int64_t largest = 0;
  std::shared_ptr<const ClassPart> part;
  SizedExecutor sized;
  detail::WayTrial trial;
};

}  // namespace

struct Broadcast::State final : detail::Job {
  State(std::shared_ptr<detail::Context> context, std::int64_t number, int user_root,
        const BroadcastOptions& user_options);
  ~State() override { close(); }

  /// The class of `bytes`, planned if need be. Throws InputError on all ranks if the class is a new one here and its
  /// size is another one elsewhere.
  SizeClass& obtain(std::int64_t bytes);
  [[nodiscard]] std::string key_of(std::int64_t largest) const;
  /// The plan for messages of `bytes`: what an earlier job has left, or a new plan.
  [[nodiscard]] detail::KeptPlan kept_or_planned(std::int64_t bytes);
  /// The parts of all ranks, by the given program or over the given platform.
  [[nodiscard]] std::vector<ClassPart> parts_as_told(std::int64_t bytes) const;
  /// See in_segments.
  [[nodiscard]] ClassPart part_in_segments(std::int64_t bytes) const;
  void begin(void* buffer, std::int64_t bytes);
  void begin_planned();
  void begin_natively(detail::Turns::Turn turn = {});
  detail::Advance carry_out();
  [[nodiscard]] detail::Context::Part& ranks_of_cluster(const ClassPart& part);

  detail::Advance advance() override { return present == nullptr ? carry_out() : present->trial.advance(*this); }
  [[nodiscard]] bool may_sleep() const override { return true; }
  void abandon() noexcept override {
    native.abandon();
    turn_inside.end();
    for (SizedExecutor& tree : trees) tree.abandon();
    for (SizeClass& size : classes) {
      size.sized.abandon();
      size.trial.abandon();
    }
  }
  [[nodiscard]] bool in_native_collective() const override {
    return natively || !(options.platform || options.program) ||
           std::ranges::any_of(classes, [this](const SizeClass& size) {
             return size.part->native || size.part->native_inside ||
                    (!is_short(size.largest) && size.trial.may_be_native());
           });
  }
  [[nodiscard]] bool asks_for_a_plan() const {
    const sluice::BroadcastOptions& plan = options.plan;
    return plan.algorithm != "auto" || plan.segments != 0 || plan.early_internal || !plan.inside.empty();
  }
  /// A broadcast of `bytes`: the program without its operations.
  [[nodiscard]] Program shape_of(std::int64_t bytes) const {
    Program shape;
    shape.problem = Collective::kBroadcast;
    shape.ranks = channel.size();
    shape.size_bytes = bytes;
    shape.root = root;
    return shape;
  }
  /// The size that a message of `bytes` is planned for; a given program is for one size.
  [[nodiscard]] std::int64_t largest_of(std::int64_t bytes) const { return options.program ? bytes : class_of(bytes); }
  /// The rule that applies to a message; @pre told_nothing, unless it is about the form of a tree.
  [[nodiscard]] const detail::Rule& rule(Question question, std::int64_t bytes) const {
    const Where where = where_of(channel.context()) | when(!options.try_native, Where::kNoTrial);
    return choose({JobKind::kBroadcast, question, where, bytes, channel.size()});
  }
  [[nodiscard]] By way(std::int64_t bytes) const { return rule(Question::kWay, bytes).by; }
  /// Whether a rule says what serves a message: a tree, or MPI_Ibcast because nothing better is known.
  [[nodiscard]] bool needs_no_plan(std::int64_t bytes) const {
    if (!told_nothing()) return false;
    const By by = way(bytes);
    return by != By::kSegments && by != By::kPlan;
  }

  /// The rule that leads messages their way, unless a trial has decided; null if there is none. @pre planned
  [[nodiscard]] const detail::Rule* led_by(std::int64_t bytes) const {
    if (needs_no_plan(bytes)) return &rule(Question::kWay, bytes);
    const auto size = std::ranges::find(classes, largest_of(bytes), &SizeClass::largest);
    return size == classes.end() || size->trial.native() ? nullptr : detail::rule_of(size->part->rule);
  }

  /// Whether the user gave neither a network nor a program.
  [[nodiscard]] bool told_nothing() const { return !options.platform && !options.program; }
  [[nodiscard]] bool by_memory() const { return detail::SharedProgram::possible(channel.context()); }
  /// Whether a tree that needs no plan serves a message.
  [[nodiscard]] bool by_tree(std::int64_t bytes) const {
    if (!told_nothing()) return false;
    const By by = way(bytes);
    return by == By::kTree || by == By::kMemory;
  }
  /// Whether this is the first execution for messages of such a size, and a plan would cost more than it can save.
  /// Notes the size. A plan costs more if the messages of any tree take less time than planning, even if all go one
  /// after the other over the slowest link.
  [[nodiscard]] bool too_short_to_plan(std::int64_t bytes) {
    const bool may_do_without = options.platform && options.try_native && !asks_for_a_plan() && !detail::kSimulated;
    if (!may_do_without || bytes == 0 || channel.size() == 1) return false;
    const std::int64_t largest = class_of(bytes);
    if (std::ranges::find(classes, largest, &SizeClass::largest) != classes.end() || went_by_tree.contains(largest))
      return false;
    const double messages = channel.size() - 1;
    if (messages * slowest_message_s(*options.platform, largest) > kPlanningPerRank_s * channel.size()) return false;
    if (went_by_tree.size() == kKeptClasses) went_by_tree.clear();
    went_by_tree.insert(largest);
    return true;
  }
  /// Whether the tree serves such messages, unless a plan is found to be faster; otherwise MPI's own call does.
  [[nodiscard]] bool is_short(std::int64_t bytes) const {
    return told_nothing() && rule(Question::kOther, bytes).by == By::kTree;
  }
  /// Whether a message goes in segments that do not require a known network.
  [[nodiscard]] bool in_segments(std::int64_t bytes) const { return told_nothing() && way(bytes) == By::kSegments; }
  /// Whether in that tree, for `bytes`, all ranks hear from the root.
  [[nodiscard]] bool flat(std::int64_t bytes) const { return rule(Question::kTree, bytes).by == By::kFlat; }
  void begin_by_tree();
  /// Begins the tree's execution for the next part of the message, if there is one.
  void next_segment();
  /// The executor of the tree for `bytes`. If need be, all ranks make it.
  SizedExecutor& tree_for(std::int64_t bytes);
  void make_planned(SizeClass& size);
  /// Makes the executor of the part that `make_part` makes, for messages of `bytes`; makes it anew only for another
  /// size. All ranks do so; if they share memory they wait for each other.
  template <class MakePart>
  void make(SizedExecutor& sized, std::int64_t bytes, MakePart make_part) {
    if (sized.bytes == bytes) return;
    const ElementOperation elements{bytes, MPI_BYTE, MPI_OP_NULL};
    sized.executor =
        std::make_unique<detail::ProgramExecutor>(channel, elements, shape_of(bytes), make_part(), nullptr);
    sized.bytes = bytes;
  }
  void run(SizedExecutor& sized, void* buffer) {
    running = sized.executor.get();
    running->begin(channel.rank() == root ? MPI_IN_PLACE : nullptr, buffer);
  }

  BroadcastOptions options;
  int root;
  std::string key;                          ///< of all arguments but the size
  detail::Context::Part* inside = nullptr;  ///< the ranks of this one's cluster, once it is needed
  std::list<SizeClass> classes;             ///< most recently used first
  detail::NativeCollective native{channel};
  std::list<SizedExecutor> trees;       ///< most recently used first
  std::set<std::int64_t> went_by_tree;  ///< the classes whose first execution went by the tree

  // The present execution.
  detail::ProgramExecutor* running = nullptr;
  SizeClass* present = nullptr;     ///< null: MPI_Ibcast does everything
  bool natively = false;            ///< MPI_Ibcast may be under way
  bool then_inside = false;         ///< after `running`, the broadcast of this rank's cluster
  detail::Turns::Turn turn_inside;  ///< of the broadcast of this rank's cluster
  void* message = nullptr;
  std::int64_t message_bytes = 0;
  std::int64_t begun_bytes = 0;  ///< of the message, by segments of the tree; all if there are none
};

Broadcast::State::State(std::shared_ptr<detail::Context> context, std::int64_t number, int user_root,
                        const BroadcastOptions& user_options)
    : Job(std::move(context), number, "broadcast"), options(user_options), root(user_root) {
  detail::Arguments arguments("broadcast");
  arguments.add_all(root, options.platform.has_value(), options.plan.algorithm, options.plan.lookahead,
                    options.plan.inside, options.plan.early_internal, options.plan.segments, options.plan.effort,
                    options.plan.most_messages, options.try_native, options.program.has_value());
  const std::exception_ptr failure = detail::failure_of([&] {
    if (root < 0 || root >= channel.size())
      throw InputError("root", fmt::format("{}", root), index_text(channel.size(), "rank"));
    if (options.program) {
      detail::check_given(*options.program, shape_of(options.program->size_bytes),
                          {options.platform.has_value(), asks_for_a_plan()});
      arguments.add(to_json(*options.program));
    }
    if (!options.platform) return;
    check_platform(*options.platform, "platform");
    if (options.platform->ranks != channel.size())
      throw InputError("platform", count_text(options.platform->ranks, "rank"),
                       fmt::format("the {} there are", channel.size()));
    detail::add_platform(arguments, *options.platform);
  });
  detail::agree(channel, arguments.fingerprint(), failure);
  key = arguments.bytes();
}

std::vector<ClassPart> Broadcast::State::parts_as_told(std::int64_t bytes) const {
  if (!options.program)
    return parts_of(plan_broadcast(*options.platform, root, bytes, options.plan), *options.platform);
  detail::check_sound(*options.program);
  BroadcastPlan plan;
  plan.program = *options.program;
  return parts_of(plan, {});
}

ClassPart Broadcast::State::part_in_segments(std::int64_t bytes) const {
  const std::int64_t segments =
      std::min(kMostSegmentsBetweenHosts, (bytes + kSegmentBetweenHosts - 1) / kSegmentBetweenHosts);
  ClassPart own;
  own.program = sluice::detail::cut_for(circulant_broadcast_part(channel.size(), root, bytes, segments, channel.rank()),
                                        channel.rank());
  own.chosen.method = fmt::format("circulant, {} segments", segments);
  own.rule = number_of(rule(Question::kWay, bytes));
  return own;
}

detail::KeptPlan Broadcast::State::kept_or_planned(std::int64_t bytes) {
  const std::string place = key_of(bytes);
  const auto fingerprint = static_cast<std::uint64_t>(bytes);
  if (!told_nothing()) {
    const auto plan = [&] { return parts_as_told(bytes); };
    return detail::kept_or_planned_part<ClassPart>(channel, place, fingerprint, plan, kFields);
  }
  detail::KeptPlan kept = find_kept(channel, place, fingerprint, nullptr);
  if (kept.plan) return kept;
  if (in_segments(bytes)) {
    kept.put(channel, place, std::make_shared<const ClassPart>(part_in_segments(bytes)));
    return kept;
  }
  const detail::JobPlatform known = detail::platform_of_job(channel);
  const auto plan = [&] {
    if (const detail::Rule& soon = planned_soon(JobKind::kBroadcast, known.platform); soon.by != By::kPlan) {
      ClassPart part;
      part.native = true;
      part.rule = number_of(soon);
      part.chosen.method = kNative;
      return std::vector<ClassPart>(static_cast<std::size_t>(channel.size()), part);
    }
    std::vector<ClassPart> parts = parts_of(plan_broadcast(known.platform, root, bytes, options.plan), known.platform);
    for (ClassPart& part : parts) {
      part.rule = number_of(rule(Question::kWay, bytes));
      if (!known.speeds_are_known) part.chosen.predicted_s = 0;
    }
    return parts;
  };
  kept.put(channel, place, std::make_shared<const ClassPart>(detail::planned_part<ClassPart>(channel, plan, kFields)));
  return kept;
}

SizeClass& Broadcast::State::obtain(std::int64_t bytes) {
  const std::int64_t largest = largest_of(bytes);
  const auto found = std::ranges::find(classes, largest, &SizeClass::largest);
  if (found != classes.end()) {
    classes.splice(classes.begin(), classes, found);  // on every rank, so that all keep the same ones
    return classes.front();
  }
  SizeClass size(channel);
  size.largest = largest;
  const detail::KeptPlan kept = kept_or_planned(largest);
  size.part = std::static_pointer_cast<const ClassPart>(kept.plan);
  const bool may_try = options.try_native && options.plan.algorithm == "auto" && !options.program;
  size.trial.choose(may_try && !size.part->native ? detail::Way::kTurns : detail::Way::kPlan, kept);
  classes.push_front(std::move(size));
  if (classes.size() > kKeptClasses) {
    auto oldest = std::prev(classes.end());
    if (&*oldest == present) --oldest;  // chosen() may be asked for many sizes while an execution is under way
    classes.erase(oldest);
  }
  return classes.front();
}

std::string Broadcast::State::key_of(std::int64_t largest) const {
  detail::Arguments arguments("broadcast of ");
  arguments.add_all(largest, key);
  return arguments.bytes();
}

void Broadcast::State::begin_planned() {
  SizeClass& size = *present;
  const ClassPart& part = *size.part;
  natively = part.native || part.native_inside;
  then_inside = part.ends_native && !part.native;
  if (part.native) {
    running = nullptr;
    begin_natively();
    return;
  }
  make_planned(size);  // begin() has done so already, unless the ways are measured again
  run(size.sized, message);
}

void Broadcast::State::make_planned(SizeClass& size) {
  make(size.sized, message_bytes, [&] { return shrunk(size.part->program, size.largest, message_bytes); });
}

detail::Context::Part& Broadcast::State::ranks_of_cluster(const ClassPart& part) {
  // The root comes first, then the order of the platform: the cluster's coordinator has the message first. The platform
  // is the job's, or the platform of SLUICE_PLATFORM, which a context reads once.
  detail::Arguments arguments("cluster");
  arguments.add(root);
  if (options.platform) detail::add_platform(arguments, *options.platform);
  const int order = channel.rank() == root ? 0 : 1 + static_cast<int>(part.place);
  return channel.part(arguments.bytes(), static_cast<int>(part.cluster), order);
}

SizedExecutor& Broadcast::State::tree_for(std::int64_t bytes) {
  const auto found = std::ranges::find(trees, bytes, &SizedExecutor::bytes);
  if (found != trees.end()) {
    trees.splice(trees.begin(), trees, found);
  } else {
    trees.emplace_front();
    if (trees.size() > kKeptTrees) trees.pop_back();
  }
  make(trees.front(), bytes, [&] { return detail::tree_broadcast_part(shape_of(bytes), channel.rank(), flat(bytes)); });
  return trees.front();
}

void Broadcast::State::begin_by_tree() {
  // The executor of the last segment is made now, because that waits for the other ranks.
  if (const std::int64_t rest = message_bytes % kSegmentByMemory;
      by_memory() && message_bytes > kSegmentByMemory && rest > 0)
    tree_for(rest);
  begun_bytes = 0;
  next_segment();
}

void Broadcast::State::next_segment() {
  if (begun_bytes == message_bytes) return;
  const std::int64_t left = message_bytes - begun_bytes;
  const std::int64_t bytes = by_memory() ? std::min(left, kSegmentByMemory) : left;
  run(tree_for(bytes), static_cast<std::byte*>(message) + begun_bytes);
  begun_bytes += bytes;
}

void Broadcast::State::begin_natively(detail::Turns::Turn turn) {
  turn_inside.end();
  if (present != nullptr && is_short(message_bytes)) {
    turn.end();
    begin_by_tree();
    return;
  }
  natively = message_bytes > 0;
  native.begin(detail::broadcast_by_mpi(message, message_bytes, root, channel.comm()), nullptr, std::move(turn));
}

detail::Advance Broadcast::State::carry_out() {
  if (running != nullptr) {
    const detail::Advance come = running->advance();
    if (come != detail::Advance::kOver) return come;
    running = nullptr;
    next_segment();
    return detail::Advance::kMoved;
  }
  if (then_inside) {
    native.begin(detail::broadcast_by_mpi(message, message_bytes, 0, inside->comm), nullptr, std::move(turn_inside));
    then_inside = false;
    return detail::Advance::kMoved;
  }
  const detail::Advance come = native.advance();
  if (come == detail::Advance::kOver) natively = false;
  return come;
}

void Broadcast::State::begin(void* buffer, std::int64_t bytes) {
  start([&] { return check_message(buffer, bytes, options.program); },
        [&] {
          message = buffer;
          message_bytes = begun_bytes = bytes;
          present = nullptr;
          // Nothing goes, but ranks find out whether that is so for all.
          if (bytes == 0 && told_nothing() && options.try_native && by_memory()) (void)tree_for(0);
          const bool too_short = too_short_to_plan(bytes);
          if (too_short && !by_memory()) detail::agree(channel, static_cast<std::uint64_t>(bytes), nullptr);
          if (too_short || by_tree(bytes)) {
            begin_by_tree();
            return detail::Advance::kIdle;
          }
          if (needs_no_plan(bytes)) {
            begin_natively();
            return detail::Advance::kIdle;
          }
          SizeClass& size = obtain(bytes);
          if (bytes == 0 || channel.size() == 1) return detail::Advance::kOver;
          const ClassPart& part = *size.part;
          if (part.native_inside && inside == nullptr) inside = &ranks_of_cluster(part);
          // In the order of executions, whether it is needed or not.
          if (part.ends_native && !part.native) turn_inside = channel.take_turn(inside->turns);
          present = &size;
          // Not when the execution is advanced: nothing waits there. A way that is measured again was MPI's between
          // hosts, where no rank is waited for.
          if (!part.native && !size.trial.native()) make_planned(size);
          if (is_short(bytes) && (!size.trial.over() || size.trial.native())) tree_for(bytes);
          return size.trial.begin(*this, true);
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
  ChosenBroadcast result;
  state_->channel.next_execution();
  state_->call([&] {
    check_size(bytes, state_->options.program);
    result.method = kNative;
    if (state_->by_tree(bytes)) result.method = state_->flat(bytes) ? "flat tree" : kTree;
    if (state_->needs_no_plan(bytes)) return;
    const SizeClass& size = state_->obtain(bytes);
    result = size.part->chosen;
    if (size.trial.native()) result.method = state_->is_short(bytes) ? kTree : kNative;
    const detail::WayTimes measured = size.trial.measured();
    result.planned_s = measured.planned_s;
    result.native_s = measured.native_s;
  });
  return result;
}

bool Broadcast::settled(std::int64_t bytes) const {
  if (state_->needs_no_plan(bytes)) return true;
  const auto size = std::ranges::find(state_->classes, state_->largest_of(bytes), &SizeClass::largest);
  return size != state_->classes.end() && size->trial.over();
}

std::string Broadcast::explanation(std::int64_t bytes) {
  const ChosenBroadcast chosen = this->chosen(bytes);
  const bool by_mpi = chosen.method == kNative;
  std::string text = by_mpi ? kNativeCall : chosen.method;
  if (chosen.predicted_s > 0 && !by_mpi) text += ", predicted " + seconds_text(chosen.predicted_s);
  return text + in_brackets(state_->led_by(bytes)) +
         detail::to_text({chosen.planned_s, chosen.native_s}, state_->is_short(bytes) ? kTree : kNativeCall);
}

}  // namespace sluice::mpi
