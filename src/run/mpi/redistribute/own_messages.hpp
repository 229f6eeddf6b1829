#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/mpi/redistribute/participation.hpp"
#include "schedule/own_part.hpp"
#include "sluice/input/batch_problem.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/shared_links.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// How much the planners of exchange and of batches may search, in units of plan_redistribution: a tenth of an effort
/// of 1 unless told. Throws InputError for an effort out of range.
[[nodiscard]] inline std::int64_t search_effort(const RedistributionJobOptions& options) {
  return options.effort > 0 ? multiple_of_default_effort(options.effort, "effort") : kDefaultEffort / 10;
}
/// Whether the user says what the plan is to be.
[[nodiscard]] inline bool plan_is_told(const RedistributionJobOptions& options) {
  return options.algorithm != "auto" || options.effort > 0;
}

/// What a rank sends in a redistribution, or what it receives, without what it sends itself.
struct OwnMessages {
  /// The part of a message that belongs to one array.
  struct Piece {
    std::size_t array = 0;
    std::size_t copy = 0;    ///< the number in `processes` of that array; larger numbers mean `passed_on`
    std::int64_t begin = 0;  ///< its first byte in the message
    std::int64_t bytes = 0;
  };

  /// A message with another rank.
  struct Whole {
    int peer = 0;
    std::int64_t bytes = 0;
  };

  std::vector<Whole> messages;           ///< forwarded sends come last
  std::vector<Piece> pieces;             ///< of all messages, one after the other
  std::vector<std::size_t> first_piece;  ///< of each message, and behind the last one
  /// For each array: the process of the other grid at the other end of each message that has something of the array.
  std::vector<std::vector<Rank>> processes;
  /// For each message that is forwarded to another copy of the target: the process of the source grid that it comes
  /// from.
  std::vector<Rank> passed_on;

  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::span<const Piece> pieces_of(std::size_t message) const {
    return std::span(pieces).subspan(first_piece[message], first_piece[message + 1] - first_piece[message]);
  }
};

/// Merges what is sent to, or received from, each rank to one message.
class MergedMessages {
 public:
  explicit MergedMessages(std::size_t arrays) : processes_(arrays) {}

  /// Reserves room for what array `array` adds to `messages` messages.
  void reserve(std::size_t array, std::size_t messages);
  /// Adds all that array `array` has for the message with `rank`, once; returns the number of that message.
  std::size_t add(std::size_t array, Rank process, int rank, std::int64_t bytes);
  [[nodiscard]] OwnMessages take();

 private:
  struct Added {
    std::size_t message = 0;
    OwnMessages::Piece piece;
  };

  std::vector<std::vector<Rank>> processes_;
  std::vector<OwnMessages::Whole> messages_;
  std::unordered_map<int, std::size_t> number_of_rank_;  ///< for several arrays; messages of a single array go to
                                                         ///< different ranks
  std::vector<Added> added_;
};

/// Both sides of a rank's part.
struct OwnSteps {
  OwnMessages sends;
  OwnMessages receives;
  /// The transfers: messages, or parts of them, in bytes. The store of a transfer is the number of its message among
  /// `sends` or `receives`.
  OwnPart part;
  std::int64_t steps = 0;  ///< of all ranks; 0: no message waits for others
  std::string way;         ///< how they were planned, for people
  double mean_bytes = 0;   ///< of a transfer, at least; the same on all ranks
};

/// The arrays of a job as a rank sees them.
struct JobArrays {
  /// Takes at least one. Throws InputError for more bytes than int64 counts.
  explicit JobArrays(std::vector<Participation> participations);

  std::vector<Participation> parts;
  BatchProblem batch;  ///< senders and receivers are ranks
  /// Bytes that all elements are multiples of.
  std::int64_t unit;

  /// The array whose plan serves for all, if there is one.
  [[nodiscard]] const Participation* pattern() const {
    return batch.pattern() < 0 ? nullptr : &parts[static_cast<std::size_t>(batch.pattern())];
  }
  /// Bytes of all arrays for an element of the pattern.
  [[nodiscard]] double bytes_of_element() const;
  /// Bytes: the most that a rank may have to send or to receive.
  [[nodiscard]] std::int64_t largest_part() const;
};

/// The least set-up of a step, in bytes, if ports are short. With 32 KiB, some redistributions take 2 to 5 % longer.
constexpr double kLeastSetupOfRedistribution = 16 << 10;

/// Whether `algorithm` is one of exchange and none of redistribute: messages may be cut then.
[[nodiscard]] bool is_of_exchange(const std::string& algorithm);

/// The rank's part of `plan`, for the pattern, messages whole. If arrays are not alike, `plan` is null, and plan_batch
/// makes the plan of their messages. `options.setup` is in bytes here.
///
/// If `ports_are_short` and the algorithm is "auto": a step lasts as long as its longest message, so a schedule of
/// whole messages leaves ports idle. A schedule of the exchange planners, which cut messages, replaces it if that costs
/// less; a step counts at least as much as kLeastSetupOfRedistribution. The search requires has_few_pairs; all ranks
/// find the same schedule. If the algorithm is one of exchange, its schedule is taken. Then, and if arrays are not
/// alike, more than 2^20 messages throw InputError.
///
/// `links`, unless null: what messages between `ranks` ranks share besides ports. plan_over_links then plans for it.
[[nodiscard]] OwnSteps own_steps(const JobArrays& arrays, int rank, const RedistributionPlan* plan,
                                 const RedistributionJobOptions& options, bool ports_are_short,
                                 const SharedLinks* links = nullptr, int ranks = 0);

/// Whether messages go between so few pairs of ranks that own_steps looks for a schedule that cuts them.
[[nodiscard]] bool has_few_pairs(const JobArrays& arrays);

/// Whole messages that wait for no others, ranks in the order of their distance. Each rank works out its own messages
/// alone, without a planner. It serves if no port is short. `size`: the number of ranks.
[[nodiscard]] OwnSteps steps_at_once(const JobArrays& arrays, int rank, int size);

/// The rank's part of a redistribution between several copies, by the plan that plan_replicated makes of
/// part.replicated. Throws as that does.
[[nodiscard]] OwnSteps replicated_steps(const Participation& part, int rank, const RedistributionOptions& options);

}  // namespace sluice::mpi::detail
