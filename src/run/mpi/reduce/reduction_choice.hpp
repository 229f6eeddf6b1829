#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "run/mpi/program/program_part.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/run/mpi/reduction.hpp"

/// Which way a reduction takes, and what one rank does on it.
namespace sluice::mpi::detail {

/// What is reduced, as far as planning has to know.
struct ReducedData {
  bool objects = false;
  bool commutative = true;
  std::int64_t count = 0;          ///< elements
  std::int64_t element_bytes = 0;  ///< of one; of objects, of the largest one, once that is measured
  bool built_in = false;           ///< the operation is one of MPI's own, which takes next to no time
  /// Between hosts, where the user leaves the way to the library and neither the order of combining nor what it takes
  /// matters: a measured network may decide.
  bool by_network = false;
  /// The same on one node, where the least work counts: elements are short, or ranks share processors, and do one after
  /// the other what a tree has them do at the same time.
  bool least_work = false;
  /// All ranks share memory (SharedProgram), the user leaves the way to the library, and the operation is one of MPI's
  /// own or there are as many elements as ranks.
  bool by_memory = false;
  /// And the least waiting: elements are short, and ranks share processors, so that each level of a tree costs as much
  /// as the turns of all ranks.
  bool in_turns = false;
  /// Between hosts, where the user leaves it to the library, and the order of combining matters or nobody knows how
  /// long that takes: the plan is for a network as it usually is.
  bool by_usual_network = false;
};

struct ReductionChoice {
  std::string method;
  double length = 0;
  ReductionCosts costs;
  struct Native {};
  /// Those planned over a platform, or given as a program, cross links: their length is in seconds, and they keep the
  /// pace of their sends and have more of them under way.
  struct Pieces {
    ProgramPart part;
    bool crosses_links = false;
  };
  std::variant<Native, ReductionPart, Pieces> part;
};

/// This rank's part of a tree, and what was planned.
struct PlannedTree {
  ReduceProblem problem;
  std::string algorithm;
  ReductionPart part;
};

/// Throws InputError where there can be no plan. Returns the tree that it has planned to find that out, if any.
[[nodiscard]] std::optional<PlannedTree> check_reduction(const Channel& channel, const ReductionOptions& options,
                                                         const ReducedData& data, int root);

/// What elements of so many bytes usually cost, in bytes that could be transferred meanwhile.
[[nodiscard]] ReductionCosts usual_costs(const ReducedData& data);

/// By these costs, of which it is known or not what parts cost. Over a platform, and by the network, collective: rank 0
/// plans for all. Of objects over a platform the costs are measured. Else local, and the same choice on all ranks.
/// `checked`: of check_reduction, not planned again.
[[nodiscard]] ReductionChoice choose_reduction(Channel& channel, const ReductionOptions& options,
                                               const ReducedData& data, int root, const ReductionCosts& costs,
                                               bool parts_known, const std::optional<PlannedTree>& checked);

/// All that a choice depends on.
[[nodiscard]] Arguments arguments_of(const ReductionOptions& options, const ReducedData& data, int root);

}  // namespace sluice::mpi::detail
