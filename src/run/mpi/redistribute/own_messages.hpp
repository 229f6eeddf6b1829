#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/mpi/redistribute/participation.hpp"
#include "run/mpi/steps/step_executor.hpp"
#include "sluice/plan/redistribute.hpp"

namespace sluice::mpi::detail {

/// A second of the exchange planners is an effort of 1.
inline constexpr double kExchangeEffort = 0.02;
/// What a step costs, in elements, on a network where ports are short, as in exchanges: 32 KiB.
[[nodiscard]] inline double least_setup(std::int64_t element_size) {
  return static_cast<double>(32 << 10) / static_cast<double>(element_size);
}

/// What a rank sends in a redistribution, or what it receives, without what it sends itself.
struct OwnMessages {
  /// A message, or a part of one, in a step of its own.
  struct Transfer {
    std::size_t message = 0;
    std::int64_t offset = 0;  ///< of its first byte in the message
    std::int64_t bytes = 0;
    std::int64_t step = 0;
  };

  std::vector<Rank> processes;        ///< of the other grid, at the other end of each message
  std::vector<StepMessage> messages;  ///< whole; of sends, those passed on come behind
  /// Of each message that is passed on to another copy of the target: the process of the source grid that it is from.
  std::vector<Rank> passed_on;
  std::vector<Transfer> transfers;  ///< steps rise

  [[nodiscard]] std::int64_t bytes() const;
  /// The transfers as the executor of steps takes them.
  [[nodiscard]] std::vector<StepMessage> steps() const;
};

/// Both sides of a rank's part.
struct OwnSteps {
  OwnMessages sends;
  OwnMessages receives;
  std::int64_t steps = 0;  ///< of all ranks
  std::string cut_by;      ///< whose schedule it is where messages may travel in several steps, for people; else ""
  std::string copies;      ///< of several copies: how they are planned, for people
  double mean_bytes = 0;   ///< and the mean of a transfer, the same on all ranks
};

/// Whether `algorithm` is one of exchange and none of redistribute: messages may be cut then.
[[nodiscard]] bool is_of_exchange(const std::string& algorithm);

/// The rank's part of `plan`, messages whole. If `ports_are_short`, and the algorithm is "auto": a step lasts as long
/// as its longest message, so that a schedule of whole messages leaves ports idle; a schedule of the exchange planners,
/// which cut messages, takes its place where that costs less, a step costing as much as 32 KiB at least. It is looked
/// for where there are at most 1024 messages between at most as many pairs; all ranks find the same one. Where the
/// algorithm is one of exchange, its schedule is taken; throws InputError then for more than 2^20 messages.
[[nodiscard]] OwnSteps own_steps(const Participation& part, int rank, const RedistributionPlan& plan,
                                 const RedistributionOptions& options, bool ports_are_short);

/// The same between several copies, of what plan_replicated makes of part.replicated. Throws as that does.
[[nodiscard]] OwnSteps replicated_steps(const Participation& part, int rank, const RedistributionOptions& options);

}  // namespace sluice::mpi::detail
