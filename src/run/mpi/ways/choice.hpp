#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sluice/input/platform.hpp"

namespace sluice::mpi::detail {

class Context;

/// The rules of the jobs for their choices: a plan or MPI's own call, memory or messages, the mode, a measured or an
/// assumed network. Every limit of such a choice is a row of one table (choice.cpp), with the measurement behind it.
/// Sizes of pieces and buffers, prices of plans, and limits of what planning examines are not choices; they are where
/// they are used.

enum class JobKind : std::uint8_t { kAny, kBroadcast, kReduction, kCollective, kExchange, kRedistribution };

/// What is chosen, and what Case::size counts.
enum class Question : std::uint8_t {
  kWay,        ///< what serves the job; bytes: of the message, of all elements, the most that a rank sends or receives;
               ///< for collectives of the largest part of a rank between hosts, of everything on one host
  kTree,       ///< the form of a tree that needs no plan; bytes
  kOther,      ///< what alternates with the plan; bytes
  kPlan,       ///< who plans, and the network that counts; bytes of a rank
  kOperation,  ///< how long an operation of the user counts as; bytes
  kMeasure,    ///< whether the network is measured; the most bytes that a rank sends or receives
  kSoon,       ///< whether rank 0 plans for all; clusters of the platform
  kCut,        ///< whether the plan may cut messages and use links; pairs of a sender and a receiver
  kTry,        ///< whether MPI's own call is tried beside the plan; bytes of memory that a rank needs for it
  kLocalPhases,  ///< what carries messages inside a host; mean bytes of a message
  kLinks,        ///< what the plan is for; percent of the bytes that go over one link, or over shared ones
  kTrial,        ///< the outcome of a trial; time of the plan in percent of the time of MPI's own call
};

/// What holds for a job. A rule names the conditions that it needs.
enum class Where : std::uint32_t {
  kAnywhere = 0,
  kOneHost = 1 << 0,
  kHosts = 1 << 1,          ///< ranks are on several hosts
  kShared = 1 << 2,         ///< all ranks share memory; implies kOneHost
  kCrowded = 1 << 3,        ///< some processors have several ranks
  kSimulated = 1 << 4,      ///< SMPI simulates the ranks
  kNoTrial = 1 << 5,        ///< the user wants no trial of MPI's own call
  kBuiltIn = 1 << 6,        ///< the operation is one of MPI's own
  kOwn = 1 << 7,            ///< the operation is the user's
  kCommutes = 1 << 8,       ///< the operation commutes
  kAnyOrder = 1 << 9,       ///< the order of combining does not matter
  kReproducible = 1 << 10,  ///< the order of combining matters, so no measurement may decide it
  kShares = 1 << 11,        ///< each rank can combine a share of the elements
  kMatrix = 1 << 12,        ///< an alltoall
  kLimited = 1 << 13,       ///< k or speeds limit what the network carries at once
  kDirect = 1 << 14,        ///< all messages go straight, and the user asks for no order
  kManyPeers = 1 << 15,     ///< each rank has messages for at least half of the ranks
  kAlways = 1 << 16,        ///< each of several executions by MPI took less time than each by the plan
  kTwoAtOnce = 1 << 17,     ///< at most two ranks run at once, for there are no more ranks or processors
};
[[nodiscard]] constexpr Where operator|(Where a, Where b) {
  return static_cast<Where>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
/// `condition` if it holds, otherwise nothing.
[[nodiscard]] constexpr Where when(bool holds, Where condition) { return holds ? condition : Where::kAnywhere; }

/// What serves.
enum class By : std::uint8_t {
  kMpi,         ///< MPI's own call
  kPlan,        ///< the plan
  kTree,        ///< a tree that needs no plan
  kSegments,    ///< segments over a circulant graph
  kFlat,        ///< a tree whose root has all other ranks as children
  kBinomial,    ///< a binomial tree
  kMemory,      ///< memory, straight to whoever needs the bytes
  kShares,      ///< memory: each rank combines a share
  kMemoryFlat,  ///< memory: the root combines
  kCosts,       ///< the shortest tree by usual costs
  kEachRank,    ///< a plan that each rank makes
  kMeasured,    ///< a plan for the measured network
  kUsual,       ///< a plan for a usual network
  kPorts,       ///< a plan for ports alone
  kLinks,       ///< a plan for shared links
  kOneLink,     ///< the k of the link that nearly all bytes cross
  kAtOnce,      ///< no plan: all at once
  kLocal,       ///< mode local
  kChain,       ///< mode chain
  kWhole,       ///< whole messages
  kCut,         ///< messages that may be cut
  kMessages,    ///< messages of MPI
  kExpensive,   ///< as an operation that takes several times as long as the transfer
  kCheap,       ///< as an operation that takes a part of the time of the transfer
  kFree,        ///< as an operation that takes no time
};

/// A row of the table.
struct Rule {
  JobKind job;
  Question question;
  Where where;         ///< all of these conditions hold
  std::int64_t up_to;  ///< Case::size, at most
  std::int64_t ranks;  ///< Case::ranks, at most
  By by;
  const char* measured;  ///< the section of docs/reference/results.md that has the figure, or kNoFigure
};
inline constexpr const char* kNoFigure = "no figure";

struct Case {
  JobKind job;
  Question question;
  Where where = Where::kAnywhere;
  std::int64_t size = 0;
  std::int64_t ranks = 0;
};

/// All rows. The first row for a question that fits counts.
[[nodiscard]] std::span<const Rule> rules();
/// The first that fits. @pre there is one
[[nodiscard]] const Rule& choose(Case asked);
/// The number of a rule in the table, for other ranks, and its rule. kNoRule stands for none: a null pointer.
inline constexpr std::int32_t kNoRule = -1;
[[nodiscard]] std::int32_t number_of(const Rule& rule);
[[nodiscard]] const Rule* rule_of(std::int32_t number);

/// The rule for people: "up to 256 KiB on one host, more ranks than processors: by a tree without a plan".
[[nodiscard]] std::string to_text(const Rule& rule);
/// " (TEXT)", to follow the method in an explanation; "" if no rule chose it.
[[nodiscard]] std::string in_brackets(const Rule* rule);

/// What holds for all jobs of a communicator.
[[nodiscard]] Where where_of(const Context& context);

/// The rule that says whether rank 0 plans for all over a platform: then it is by a plan.
[[nodiscard]] const Rule& planned_soon(JobKind job, const Platform& platform);

/// Whether MPI's own call is tried for a rank that sends `messages` messages and receives as many, and that needs
/// `bytes` of memory for it.
[[nodiscard]] bool is_tried(JobKind job, std::size_t messages, int ranks, std::int64_t bytes = 0);

/// The limit of a rule in percent, as a factor.
[[nodiscard]] inline double factor_of(const Rule& rule) { return static_cast<double>(rule.up_to) / 100; }
/// What goes over a link is nearly all there is if it is this share of the bytes, or more.
[[nodiscard]] inline double nearly_all() { return factor_of(choose({JobKind::kAny, Question::kLinks})); }

}  // namespace sluice::mpi::detail
