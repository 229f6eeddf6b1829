#include "run/mpi/ways/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi::detail {
namespace {

using J = JobKind;
using Q = Question;
using W = Where;

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kKi = 1 << 10;
constexpr std::int64_t kMi = 1 << 20;

// Sections of docs/reference/results.md.
constexpr const char* kOnOneHost = "Collectives on one host";
constexpr const char* kDefaults = "Defaults between hosts";
constexpr const char* kTrees = "Broadcasts and reductions";
constexpr const char* kOthers = "Other collectives";
constexpr const char* kExchanges = "Exchange, executed";
constexpr const char* kArrays = "Redistributions on one host";
constexpr const char* kArraysOnLinks = "Redistributions on shaped links";

constexpr Rule kRules[] = {
    // A broadcast, if the user tells neither a network nor a program.
    {J::kBroadcast, Q::kWay, W::kSimulated, kAny, kAny, By::kMpi, kNoFigure},
    {J::kBroadcast, Q::kWay, W::kNoTrial, kAny, kAny, By::kMpi, kNoFigure},
    {J::kBroadcast, Q::kWay, W::kAnywhere, 0, kAny, By::kMpi, kNoFigure},
    {J::kBroadcast, Q::kWay, W::kAnywhere, kAny, 1, By::kMpi, kNoFigure},
    // The root copies a message of any size into the memory that ranks share, and all others copy it from there.
    {J::kBroadcast, Q::kWay, W::kShared, kAny, kAny, By::kMemory, kOnOneHost},
    // If ranks share processors, each level of a tree costs as much as a time slice of every rank. The same few
    // processors copy all bytes for any tree. So all ranks hear from the root.
    {J::kBroadcast, Q::kWay, W::kOneHost | W::kCrowded, 256 * kKi, kAny, By::kTree, kNoFigure},
    // MPI_Ibcast takes longer than the tree. It is MPI's only call that returns at once, so that it can be given up
    // when a rank fails.
    {J::kBroadcast, Q::kWay, W::kOneHost, 4 * kKi, kAny, By::kTree, kNoFigure},
    {J::kBroadcast, Q::kWay, W::kOneHost, kAny, kAny, By::kMpi, kNoFigure},
    {J::kBroadcast, Q::kWay, W::kHosts, 2 * kKi, kAny, By::kTree, kDefaults},
    // On a slow network segments take half as long as a tree with the whole message. On a fast one the other way proves
    // faster: the tree or MPI's own call (kOther).
    {J::kBroadcast, Q::kWay, W::kHosts, 32 * kKi, kAny, By::kSegments, kTrees},
    {J::kBroadcast, Q::kWay, W::kHosts, kAny, kAny, By::kPlan, kDefaults},
    {J::kBroadcast, Q::kOther, W::kAnywhere, 4 * kKi, kAny, By::kTree, kTrees},
    {J::kBroadcast, Q::kOther, W::kAnywhere, kAny, kAny, By::kMpi, kTrees},
    // A tree that needs no plan.
    {J::kBroadcast, Q::kTree, W::kShared, kAny, kAny, By::kFlat, kOnOneHost},
    {J::kBroadcast, Q::kTree, W::kOneHost | W::kCrowded, kAny, kAny, By::kFlat, kNoFigure},
    // Starting a send takes a small part of a latency. With more bytes the root's port would have to carry all that a
    // tree spreads over many ports.
    {J::kBroadcast, Q::kTree, W::kHosts, 512, 16, By::kFlat, kNoFigure},
    {J::kBroadcast, Q::kTree, W::kAnywhere, kAny, kAny, By::kBinomial, kNoFigure},
    // Planned in less than half a second, so that no user has to ask for it. A host with several ranks is a cluster.
    {J::kBroadcast, Q::kSoon, W::kAnywhere, 8, 1000, By::kPlan, kTrees},
    {J::kBroadcast, Q::kSoon, W::kAnywhere, kAny, kAny, By::kMpi, kTrees},

    // A reduction of elements, if the user leaves everything to the library.
    {J::kReduction, Q::kWay, W::kShared | W::kCrowded | W::kBuiltIn | W::kCommutes | W::kShares, 64 * kKi, kAny,
     By::kMemoryFlat, kOnOneHost},
    // Shares wait twice, and two at once combine hardly faster than one that combines as soon as others can copy.
    {J::kReduction, Q::kWay, W::kShared | W::kTwoAtOnce | W::kBuiltIn, kAny, kAny, By::kMemoryFlat, kOnOneHost},
    {J::kReduction, Q::kWay, W::kShared | W::kShares, kAny, kAny, By::kShares, kOnOneHost},
    // The least waiting counts, then the least work: ranks that share processors do a tree's simultaneous work one
    // after another.
    {J::kReduction, Q::kWay, W::kOneHost | W::kCrowded | W::kBuiltIn | W::kCommutes, 64 * kKi, kAny, By::kFlat,
     kNoFigure},
    {J::kReduction, Q::kWay, W::kOneHost | W::kBuiltIn | W::kCommutes, 256 * kKi, kAny, By::kBinomial, kNoFigure},
    {J::kReduction, Q::kWay, W::kOneHost | W::kCrowded | W::kBuiltIn | W::kCommutes | W::kAnyOrder, kAny, kAny,
     By::kBinomial, kNoFigure},
    {J::kReduction, Q::kWay, W::kHosts, 32 * kKi - 1, kAny, By::kCosts, kDefaults},
    {J::kReduction, Q::kWay, W::kHosts | W::kBuiltIn | W::kCommutes | W::kAnyOrder, kAny, kAny, By::kMeasured,
     kDefaults},
    {J::kReduction, Q::kWay, W::kHosts | W::kCommutes, kAny, kAny, By::kUsual, kDefaults},
    {J::kReduction, Q::kWay, W::kAnywhere, kAny, kAny, By::kCosts, kNoFigure},
    // The plan for a usual network. Nobody knows how long an operation of the user takes: it may be cheap, or take far
    // longer than the transfer. Short elements are planned for the latter, so that ranks share the combining. Longer
    // elements go in more parts, whose transfers overlap with combining. Many ranks are planned far sooner if combining
    // is free.
    {J::kReduction, Q::kOperation, W::kOwn, 96 * kKi, 64, By::kExpensive, kDefaults},
    {J::kReduction, Q::kOperation, W::kOwn, kAny, 64, By::kCheap, kDefaults},
    {J::kReduction, Q::kOperation, W::kAnywhere, kAny, kAny, By::kFree, kNoFigure},
    {J::kReduction, Q::kSoon, W::kAnywhere, 8, 1000, By::kPlan, kTrees},
    {J::kReduction, Q::kSoon, W::kAnywhere, kAny, kAny, By::kCosts, kTrees},

    // Any other collective, if the user gives no platform and does not say what the plan is to be. An alltoall that
    // each rank plans takes some milliseconds for the most ranks, a plan of rank 0 less than half a second.
    {J::kCollective, Q::kWay, W::kSimulated, kAny, kAny, By::kMpi, kNoFigure},
    {J::kCollective, Q::kWay, W::kHosts | W::kMatrix, 32 * kKi - 1, 64, By::kPlan, kOthers},
    {J::kCollective, Q::kWay, W::kHosts | W::kMatrix, 32 * kKi - 1, kAny, By::kMpi, kNoFigure},
    {J::kCollective, Q::kWay, W::kShared, kAny, 256, By::kPlan, kOnOneHost},
    {J::kCollective, Q::kWay, W::kOneHost | W::kBuiltIn | W::kReproducible, 256 * kKi, 256, By::kMpi, kNoFigure},
    {J::kCollective, Q::kWay, W::kAnywhere, kAny, 256, By::kPlan, kOthers},
    {J::kCollective, Q::kWay, W::kAnywhere, kAny, kAny, By::kMpi, kNoFigure},
    {J::kCollective, Q::kPlan, W::kSimulated | W::kReproducible, kAny, kAny, By::kUsual, kNoFigure},
    {J::kCollective, Q::kPlan, W::kSimulated, kAny, kAny, By::kMeasured, kNoFigure},
    {J::kCollective, Q::kPlan, W::kShared, kAny, kAny, By::kMemory, kOnOneHost},
    // Too short to justify measuring the network, and few enough for each rank to plan all.
    {J::kCollective, Q::kPlan, W::kHosts, 32 * kKi - 1, 256, By::kEachRank, kOthers},
    // Measurements must not decide the order of combining.
    {J::kCollective, Q::kPlan, W::kHosts | W::kReproducible, kAny, kAny, By::kUsual, kOthers},
    {J::kCollective, Q::kPlan, W::kHosts, kAny, kAny, By::kMeasured, kOthers},
    {J::kCollective, Q::kPlan, W::kReproducible, kAny, kAny, By::kUsual, kNoFigure},
    {J::kCollective, Q::kPlan, W::kAnywhere, kAny, kAny, By::kMeasured, kNoFigure},

    // An exchange in mode auto. The queues of a network between hosts hold short messages that come at once: then
    // `local` takes less time than keeping ports free.
    {J::kExchange, Q::kWay, W::kLimited, kAny, kAny, By::kChain, kExchanges},
    {J::kExchange, Q::kWay, W::kOneHost | W::kDirect, kAny, kAny, By::kAtOnce, kExchanges},
    {J::kExchange, Q::kWay, W::kOneHost, kAny, kAny, By::kLocal, kNoFigure},
    {J::kExchange, Q::kWay, W::kHosts, 128 * kKi, kAny, By::kLocal, kExchanges},
    {J::kExchange, Q::kWay, W::kHosts, kAny, kAny, By::kChain, kExchanges},
    // Shorter local messages do not justify notes about shared memory.
    {J::kExchange, Q::kLocalPhases, W::kAnywhere, 4 * kKi - 1, kAny, By::kMessages, kNoFigure},
    {J::kExchange, Q::kLocalPhases, W::kAnywhere, kAny, kAny, By::kMemory, kNoFigure},
    // The work of MPI's call grows with the number of ranks.
    {J::kExchange, Q::kTry, W::kAnywhere, kAny, 64, By::kMpi, kNoFigure},
    {J::kExchange, Q::kTry, W::kManyPeers, kAny, kAny, By::kMpi, kNoFigure},
    {J::kExchange, Q::kTry, W::kAnywhere, kAny, kAny, By::kPlan, kNoFigure},

    // A redistribution in mode auto. No port is short on one host.
    {J::kRedistribution, Q::kWay, W::kOneHost | W::kDirect, kAny, kAny, By::kAtOnce, kArrays},
    {J::kRedistribution, Q::kWay, W::kOneHost, kAny, kAny, By::kLocal, kNoFigure},
    {J::kRedistribution, Q::kWay, W::kHosts, 128 * kKi, kAny, By::kLocal, kDefaults},
    {J::kRedistribution, Q::kWay, W::kHosts, kAny, kAny, By::kChain, kArraysOnLinks},
    // The search takes longer with more.
    {J::kRedistribution, Q::kCut, W::kAnywhere, 1 << 10, kAny, By::kCut, kNoFigure},
    {J::kRedistribution, Q::kCut, W::kAnywhere, kAny, kAny, By::kWhole, kNoFigure},
    // MPI's call takes messages whole.
    {J::kRedistribution, Q::kTry, W::kAnywhere, 8 * kMi, 64, By::kMpi, kNoFigure},
    {J::kRedistribution, Q::kTry, W::kManyPeers, 8 * kMi, kAny, By::kMpi, kNoFigure},
    {J::kRedistribution, Q::kTry, W::kAnywhere, kAny, kAny, By::kPlan, kNoFigure},

    // Between hosts, with mode and k left to the library.
    {J::kAny, Q::kMeasure, W::kAnywhere, 256 * kKi - 1, kAny, By::kPorts, kDefaults},
    {J::kAny, Q::kMeasure, W::kAnywhere, kAny, kAny, By::kMeasured, kDefaults},
    // If nearly all bytes cross a link, there is nothing to send meanwhile.
    {J::kAny, Q::kLinks, W::kAnywhere, 90, kAny, By::kLinks, kNoFigure},
    {J::kAny, Q::kLinks, W::kAnywhere, kAny, kAny, By::kOneLink, kNoFigure},
    // If ranks compute meanwhile both ways take longer, so the plan stays unless MPI's call is clearly faster.
    {J::kAny, Q::kTrial, W::kAlways, 102, kAny, By::kPlan, kNoFigure},
    {J::kAny, Q::kTrial, W::kAlways, kAny, kAny, By::kMpi, kNoFigure},
    {J::kAny, Q::kTrial, W::kAnywhere, 105, kAny, By::kPlan, kNoFigure},
    {J::kAny, Q::kTrial, W::kAnywhere, kAny, kAny, By::kMpi, kNoFigure},
};

constexpr bool has(Where all, Where some) {
  return (static_cast<std::uint32_t>(all) & static_cast<std::uint32_t>(some)) == static_cast<std::uint32_t>(some);
}

bool fits(const Rule& rule, const Case& asked) {
  return (rule.job == asked.job || rule.job == JobKind::kAny) && rule.question == asked.question &&
         has(asked.where, rule.where) && asked.size <= rule.up_to && asked.ranks <= rule.ranks;
}

std::string bytes_in_words(std::int64_t bytes) {
  if (bytes > 0 && bytes % kMi == 0) return fmt::format("{} MiB", bytes / kMi);
  if (bytes > 0 && bytes % kKi == 0) return fmt::format("{} KiB", bytes / kKi);
  return count_text(bytes, "byte");
}

std::string size_in_words(Question question, std::int64_t size) {
  switch (question) {
    case Question::kSoon:
      return count_text(size, "cluster");
    case Question::kCut:
      return count_text(size, "pair") + " of processes";
    case Question::kLinks:
      return fmt::format("{} % of the bytes", size);
    case Question::kTrial:
      return fmt::format("{} % of the time of MPI's own call", size);
    default:
      return bytes_in_words(size);
  }
}

/// Whether it takes some of the cases that there is something to do for.
bool has_limit(const Rule& rule) {
  return (rule.up_to != kAny && rule.up_to > 0) || (rule.ranks != kAny && rule.ranks > 1);
}

/// The last rule with limits before `rule` that takes the same cases within them; null if there is none.
const Rule* rule_before(const Rule& rule) {
  const Rule* result = nullptr;
  for (const Rule& before : kRules) {
    if (&before == &rule) break;
    const bool same = before.job == rule.job && before.question == rule.question && has(rule.where, before.where);
    if (same && has_limit(before)) result = &before;
  }
  return result;
}

/// "up to 4 KiB", "32 KiB and more", "more than 8 clusters or more than 1000 ranks"; "" without limits.
std::string limits_in_words(const Rule& rule) {
  const auto is_next_to_unit = [](std::int64_t size) { return (size + 1) % kKi == 0; };
  const auto words = [&](std::int64_t size) { return size_in_words(rule.question, size); };
  std::vector<std::string> least;  // one of them holds
  std::vector<std::string> most;   // all of them hold
  if (rule.up_to == 0) {
    most.push_back(words(0));
  } else if (rule.up_to != kAny) {
    most.push_back(is_next_to_unit(rule.up_to) ? "less than " + words(rule.up_to + 1) : "up to " + words(rule.up_to));
  }
  if (rule.ranks != kAny) most.push_back("up to " + count_text(rule.ranks, "rank"));
  if (const Rule* const before = rule_before(rule); before != nullptr) {
    const std::int64_t size = before->up_to;
    if (size < rule.up_to && rule.ranks >= before->ranks)
      least.push_back(is_next_to_unit(size) ? words(size + 1) + " and more" : "more than " + words(size));
    if (before->ranks < rule.ranks && rule.up_to >= size)
      least.push_back("more than " + count_text(before->ranks, "rank"));
  }
  if (!least.empty()) most.insert(most.begin(), fmt::format("{}", fmt::join(least, " or ")));
  return fmt::format("{}", fmt::join(most, " and "));
}

constexpr std::pair<Where, const char*> kConditions[] = {
    {Where::kOneHost, "on one host"},
    {Where::kHosts, "between hosts"},
    {Where::kShared, "on one host that shares memory"},
    {Where::kCrowded, "with more ranks than processors"},
    {Where::kSimulated, "with simulated ranks"},
    {Where::kNoTrial, "without a trial"},
    {Where::kBuiltIn, "for an operation of MPI's own"},
    {Where::kOwn, "for an operation of the user"},
    {Where::kCommutes, "for an operation that commutes"},
    {Where::kAnyOrder, "in any order"},
    {Where::kReproducible, "in one order"},
    {Where::kMatrix, "for an alltoall"},
    {Where::kLimited, "if k or speeds are limits"},
    {Where::kManyPeers, "with messages for half of the ranks"},
    {Where::kAlways, "in each execution"},
    {Where::kTwoAtOnce, "with two ranks or processors"},
};

const char* in_words(By by) {
  switch (by) {
    case By::kMpi:
      return "by MPI's own call";
    case By::kPlan:
      return "by a plan";
    case By::kTree:
      return "by a tree without a plan";
    case By::kSegments:
      return "in segments";
    case By::kFlat:
      return "by a flat tree";
    case By::kBinomial:
      return "by a binomial tree";
    case By::kMemory:
      return "by memory";
    case By::kShares:
      return "by memory, each rank a share";
    case By::kMemoryFlat:
      return "by memory, all by the root";
    case By::kCosts:
      return "by a tree for usual costs";
    case By::kEachRank:
      return "by a plan of each rank";
    case By::kMeasured:
      return "by a plan for the measured network";
    case By::kUsual:
      return "by a plan for a usual network";
    case By::kPorts:
      return "by a plan for ports";
    case By::kLinks:
      return "by a plan for shared links";
    case By::kOneLink:
      return "by the k of one link";
    case By::kAtOnce:
      return "without a plan";
    case By::kLocal:
      return "by mode local";
    case By::kChain:
      return "by mode chain";
    case By::kWhole:
      return "by whole messages";
    case By::kCut:
      return "by messages that may be cut";
    case By::kMessages:
      return "by messages";
    case By::kExpensive:
      return "as longer than the transfer";
    case By::kCheap:
      return "as shorter than the transfer";
    case By::kFree:
      break;
  }
  return "as free";
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule& choose(Case asked) {
  const auto* const found = std::ranges::find_if(kRules, [&](const Rule& rule) { return fits(rule, asked); });
  SLUICE_ASSERT(found != std::end(kRules), fmt::format("no rule for job {}, question {}", static_cast<int>(asked.job),
                                                       static_cast<int>(asked.question)));
  return *found;
}

std::int32_t number_of(const Rule& rule) { return static_cast<std::int32_t>(&rule - std::begin(kRules)); }

const Rule* rule_of(std::int32_t number) { return number == kNoRule ? nullptr : &kRules[number]; }

std::string to_text(const Rule& rule) {
  std::vector<std::string> parts;
  if (std::string limits = limits_in_words(rule); !limits.empty()) parts.push_back(std::move(limits));
  for (const auto& [condition, words] : kConditions) {
    const bool goes_without_saying = condition == Where::kCommutes && has(rule.where, Where::kBuiltIn);
    if (has(rule.where, condition) && !goes_without_saying) parts.emplace_back(words);
  }
  if (parts.empty()) parts.emplace_back("otherwise");
  return fmt::format("{}: {}", fmt::join(parts, " "), in_words(rule.by));
}

std::string in_brackets(const Rule* rule) { return rule == nullptr ? "" : fmt::format(" ({})", to_text(*rule)); }

const Rule& planned_soon(JobKind job, const Platform& platform) {
  const auto clusters = static_cast<std::int64_t>(platform.clusters.size());
  return choose({job, Question::kSoon, Where::kAnywhere, clusters, platform.ranks});
}

bool is_tried(JobKind job, std::size_t messages, int ranks, std::int64_t bytes) {
  const Where where = when(messages >= static_cast<std::size_t>(ranks) / 2, Where::kManyPeers);
  return choose({job, Question::kTry, where, bytes, ranks}).by == By::kMpi;
}

Where where_of(const Context& context) {
  const int at_once = context.processors() > 0 ? std::min(context.processors(), context.size()) : context.size();
  return (context.one_node() ? Where::kOneHost : Where::kHosts) |
         when(!kSimulated && context.shares_memory(), Where::kShared) | when(context.crowded(), Where::kCrowded) |
         when(kSimulated, Where::kSimulated) | when(at_once <= 2, Where::kTwoAtOnce);
}

}  // namespace sluice::mpi::detail
