#include "run/mpi/redistribute/redistribution_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "run/mpi/engine/chain_gate.hpp"
#include "run/mpi/engine/end_waits.hpp"
#include "run/mpi/engine/engine.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/links_of_ranks.hpp"
#include "run/mpi/redistribute/packed_messages.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/memory_range.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "schedule/pieces.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi::detail {
namespace {

/// Keeps to one port and to what shared links carry: receivers tell the next senders when to start. Null: messages wait
/// for nothing besides each other.
std::unique_ptr<Gate> gate_of(Channel& channel, const OwnSteps& own, ExchangeMode mode) {
  if (mode != ExchangeMode::kChain) return nullptr;
  return std::make_unique<ChainGate>(channel, own.part, sluice::detail::early_bytes_of_redistribution(own.mean_bytes));
}

/// How the pieces of messages travel. Messages that go at once go in rounds: a rank then reads its memory once, from
/// one end to the other, for all its messages. If messages went one after the other, it would read its memory once for
/// each, because the processor also fetches what lies behind every run.
OrderedCarrier::Limits limits_of(const RedistributionOptions& options, ExchangeMode mode, bool at_once,
                                 std::int64_t unit) {
  const bool chained = mode == ExchangeMode::kChain;
  const auto usual = chained ? sluice::detail::UsualPieces{} : sluice::detail::usual_pieces_of_local(true);
  OrderedCarrier::Limits limits{options.chunk_bytes, unit, options.window, usual.ahead};
  if (limits.chunk_bytes == 0) limits.chunk_bytes = usual.chunk_bytes;
  if (limits.window == 0) limits.window = usual.window;
  limits.rounds = at_once;
  return limits;
}

/// The rule for the mode; null if the user asks for one.
const Rule* rule_for(const Channel& channel, const JobArrays& arrays, const RedistributionOptions& how) {
  if (how.mode != ExchangeMode::kAuto) return nullptr;
  const Where where = where_of(channel.context()) | when(!plan_is_told(how) && !how.has_replicas(), Where::kDirect);
  const std::int64_t size = channel.context().one_node() ? 0 : arrays.largest_part();  // no rule asks for it there
  return &choose({JobKind::kRedistribution, Question::kWay, where, size, channel.size()});
}

ExchangeMode mode_of(const Rule* rule, const RedistributionOptions& how) {
  if (rule == nullptr) return how.mode;
  return rule->by == By::kChain ? ExchangeMode::kChain : ExchangeMode::kLocal;
}

JobArrays make_arrays(const Channel& channel, const JobArguments& arguments) {
  check_how(arguments.how);
  if (arguments.arrays.empty()) throw InputError("arrays", "none", "at least one");
  return JobArrays(make_participations(channel.rank(), channel.size(), arguments));
}

/// Whether it is worth knowing what messages share; the same on all ranks, if their arguments are.
bool wants_network(const Channel& channel, const JobArrays& arrays, const RedistributionOptions& how) {
  const Rule* const rule = rule_for(channel, arrays, how);
  if (rule == nullptr || rule->by != By::kChain || how.algorithm != "auto" || how.has_replicas()) return false;
  const Case of_network{JobKind::kRedistribution, Question::kMeasure, Where::kHosts, arrays.largest_part()};
  return choose(of_network).by == By::kMeasured && has_few_pairs(arrays);
}

/// The plan for `pattern`, which all arrays are like. Every rank plans: unless told, searching for a slightly better
/// plan does not pay.
RedistributionPlan plan_of(const JobArrays& arrays, const Participation& pattern, const RedistributionOptions& how) {
  const bool by_exchange = how.has_replicas() || is_of_exchange(how.algorithm);
  std::int64_t effort = plan_is_told(how) ? kDefaultEffort : 0;
  if (how.effort > 0) effort = multiple_of_default_effort(how.effort, "effort");
  return plan_redistribution(pattern.planned_problem(), by_exchange ? "auto" : how.algorithm,
                             how.setup / arrays.bytes_of_element(), by_exchange ? 0 : effort);
}

/// Whether elements of this rank's two parts share memory, if their first and last ones tell: all of both arrays moves,
/// and no part has gaps.
bool surely_overlap(const Participation& part, const void* source, const void* target) {
  const RedistributionProblem& problem = part.problem;
  const bool all = !problem.has_part() && problem.size() == problem.from().size() &&
                   problem.size() == problem.to().size() && part.source.extent == part.source.elements &&
                   part.target.extent == part.target.elements;
  return all && overlap(memory_range(source, part.source.extent * part.element_size),
                        memory_range(target, part.target.extent * part.element_size));
}

}  // namespace

PlannedRedistribution::PlannedRedistribution(const Channel& channel, const JobArguments& arguments, JobArrays made,
                                             const SharedLinks* links)
    : arrays(std::move(made)),
      rule(rule_for(channel, arrays, arguments.how)),
      mode(mode_of(rule, arguments.how)),
      at_once(rule != nullptr && rule->by == By::kAtOnce) {
  if (!at_once && arrays.pattern() != nullptr) plan = plan_of(arrays, *arrays.pattern(), arguments.how);
  if (arguments.how.has_replicas()) {
    own = replicated_steps(arrays.parts.front(), channel.rank(), arguments.how);
  } else if (at_once) {
    own = steps_at_once(arrays, channel.rank(), channel.size());
  } else {
    own = own_steps(arrays, channel.rank(), plan ? &*plan : nullptr, arguments.how, mode == ExchangeMode::kChain, links,
                    channel.size());
  }
  copies.reserve(arrays.parts.size());
  for (std::size_t a = 0; a < arrays.parts.size(); ++a) copies.emplace_back(arrays.parts[a], own, a);
}

RedistributionJob::RedistributionJob(std::shared_ptr<Context> context, std::int64_t number,
                                     const JobArguments& arguments, bool batch)
    : PlannedJob(std::move(context), number, "redistribution"), batch_(batch), how_(arguments.how) {
  const RedistributionOptions& how = how_;
  combines_.reserve(arguments.arrays.size());
  for (const RedistributionArray& array : arguments.arrays) combines_.push_back(array.options.combine);
  Arguments key = arguments_of(arguments);
  const std::uint64_t fingerprint = key.fingerprint();  // of what is to be the same on all ranks
  for (const RedistributionArray& array : arguments.arrays) {
    key.add(std::span(array.options.source_leading));
    key.add(std::span(array.options.target_leading));
  }
  const PlanCache::Entry* const entry = channel.context().plans().find(key.bytes());
  // Every rank works out its own part alone, so it does not matter which ranks have it already.
  if (entry != nullptr) planned = std::static_pointer_cast<const PlannedRedistribution>(entry->plan);
  std::unique_ptr<MemoryCarrier> by_memory;
  std::optional<JobArrays> arrays;
  bool by_network = false;
  const std::exception_ptr failure = failure_of([&] {
    if (!planned) arrays.emplace(make_arrays(channel, arguments));
    by_network = wants_network(channel, planned ? planned->arrays : *arrays, how);
    if (!planned && !by_network)
      planned = std::make_shared<const PlannedRedistribution>(channel, arguments, std::move(*arrays), nullptr);
    if (planned) by_memory = prepare();
  });
  KeptPlan kept = find_kept(channel, key.bytes(), fingerprint, failure, {.block = by_memory ? by_memory->block() : 0});
  if (by_memory && MemoryCarrier::any_refused(kept.blocks)) {
    by_memory->discard();
    set_carrier(make_ordered_carrier(false));
  } else if (by_memory) {
    by_memory->connect(planned->own.part, kept.blocks);
    set_carrier(std::move(by_memory));
  }
  if (by_network && !kept.plan) {
    const SharedLinks links = may_measure(channel) ? links_of_ranks(*learn_network(channel)) : SharedLinks{};
    agreed(channel, [&] {
      if (!arrays) arrays.emplace(planned->arrays);  // this rank keeps the plan, and others do not
      planned = std::make_shared<const PlannedRedistribution>(channel, arguments, std::move(*arrays), &links);
      (void)prepare();
    });
  }
  if (!kept.plan) kept.put(channel, planned);
  const bool takes_turns = how.try_native && planned->own.mean_bytes > 0 && !plan_is_told(how) &&
                           how.mode == ExchangeMode::kAuto && channel.size() > 1 && !kSimulated && !how.has_replicas();
  ways.choose(takes_turns ? Use::kTurns : Use::kPlan, kept);
  ways.set_mpi(NativeExchange::kCall, [this] {
    return way_by(std::make_unique<PackedMessages>(channel), [this](PackedMessages& native, Turns::Turn turn) {
      native.begin(*transport_, planned->own, std::move(turn));
    });
  });
}

std::unique_ptr<MemoryCarrier> RedistributionJob::prepare() {
  const OwnSteps& own = planned->own;
  check_combine();
  std::vector<ArrayTransport> transports;
  transports.reserve(parts().size());
  for (std::size_t a = 0; a < parts().size(); ++a)
    transports.emplace_back(planned->copies[a], parts()[a].element_size, combines_[a]);
  transport_.emplace(own, std::move(transports));
  transfers_ = std::make_shared<Transfers>(*transport_, own);
  if (planned->at_once && how_.shared_from_bytes >= 0 && MemoryCarrier::possible(channel.context())) {
    return std::make_unique<MemoryCarrier>(channel, own.part,
                                           MemoryRoom::at_once(channel.size(), planned->arrays.unit));
  }
  // Whether the messages are long enough to share memory for them is the same on all ranks.
  set_carrier(make_ordered_carrier(how_.shared_from_bytes >= 0 && own.mean_bytes > 0 &&
                                   own.mean_bytes >= static_cast<double>(how_.shared_from_bytes)));
  return nullptr;
}

void RedistributionJob::set_carrier(std::unique_ptr<Carrier> carrier) {
  auto engine = std::make_unique<Engine>(channel, transfers_);
  engine->add(std::move(carrier));
  ways.set_plan(way_by(std::move(engine), [](Engine& by, Turns::Turn /*turn*/) { by.begin(); }));
}

std::unique_ptr<Carrier> RedistributionJob::make_ordered_carrier(bool share) {
  const OwnSteps& own = planned->own;
  const auto waits = own.sends.passed_on.empty() ? nullptr : std::make_shared<EndWaits>(own.part);
  auto carrier = std::make_unique<OrderedCarrier>(channel, step_messages(own.part, /*sends=*/true),
                                                  step_messages(own.part, /*sends=*/false), limits(),
                                                  gate_of(channel, own, planned->mode), waits);
  carrier->connect(share);
  return carrier;
}

OrderedCarrier::Limits RedistributionJob::limits() const {
  return limits_of(how_, planned->mode, planned->at_once, planned->arrays.unit);
}

void RedistributionJob::check_combine() const {
  const auto combines = [](const ElementCombine& combine) { return static_cast<bool>(combine); };
  if (std::ranges::none_of(combines_, combines)) return;
  if (how_.to_replicas > 1 && how_.forward)
    throw InputError("combine", "copies of the target that may pass on what they get", "forward = false");
  const std::int64_t element_size = parts().front().element_size;
  if (!std::ranges::all_of(parts(), [&](const Participation& part) { return part.element_size == element_size; }))
    throw InputError("combine", "arrays whose elements differ in size", "elements of one size");
  if (const std::int64_t most = limits().chunk_bytes; element_size > most) {
    throw InputError("combine", fmt::format("elements of {}", count_text(element_size, "byte")),
                     fmt::format("at most {}, what travels at once", most));
  }
}

const RedistributionPlan& RedistributionJob::plan() {
  if (planned->plan) return *planned->plan;
  if (!plan_) plan_ = plan_of(planned->arrays, *planned->arrays.pattern(), how_);
  return *plan_;
}

const Participation& RedistributionJob::part(std::size_t array) const {
  if (array >= parts().size())
    throw InputError("array", fmt::format("{}", array), index_text(static_cast<std::int64_t>(parts().size()), "array"));
  return parts()[array];
}

void RedistributionJob::check_pointers(std::span<const void* const> sources, std::span<void* const> targets) const {
  for (const auto& [name, count] : {std::pair("sources", sources.size()), std::pair("targets", targets.size())}) {
    if (count != parts().size())
      throw InputError(name, count_text(count, "pointer"), fmt::format("{}, one an array", parts().size()));
  }
  for (std::size_t a = 0; a < parts().size(); ++a) {
    const ArrayCopies& copies = planned->copies[a];
    const bool moves = copies.moving.size() > 0;
    const auto name = [&](const char* one, const char* list) {
      return batch_ ? fmt::format("{}[{}]", list, a) : std::string(one);
    };
    if (sources[a] == nullptr && (copies.packing.size() > 0 || moves))
      throw InputError(name("source", "sources"), "a null pointer", count_text(parts()[a].source.extent, "element"));
    if (targets[a] == nullptr && (copies.unpacking.size() > 0 || moves))
      throw InputError(name("target", "targets"), "a null pointer",
                       fmt::format("room for {}", count_text(parts()[a].target.extent, "element")));
    if (surely_overlap(parts()[a], sources[a], targets[a]))
      throw InputError(name("target", "targets"), "memory that overlaps the source", "memory of its own");
  }
}

void RedistributionJob::begin(std::span<const void* const> sources, std::span<void* const> targets) {
  start([&] { check_pointers(sources, targets); },
        [&] {
          transport_->begin(sources, targets);
          const OwnSteps& own = planned->own;
          const std::int64_t bytes = own.sends.bytes() + own.receives.bytes();
          const std::size_t messages = std::min(own.sends.messages.size(), own.receives.messages.size());
          return ways.begin(is_tried(JobKind::kRedistribution, messages, channel.size(), bytes));
        });
}

std::string RedistributionJob::explanation() const {
  const OwnSteps& own = planned->own;
  std::string method = own.way;
  if (!planned->at_once)
    method += fmt::format(", {} {}, {}", own.steps, own.steps == 1 ? "step" : "steps", to_string(planned->mode));
  return ways.explanation(method, 0, planned->rule);
}

}  // namespace sluice::mpi::detail
