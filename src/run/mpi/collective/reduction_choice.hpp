#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "schedule/own_part.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/schedule/program.hpp"

/// The method of a reduction, and one rank's part of it.
namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// What planning has to know of the reduced data.
struct ReducedData {
  bool objects = false;
  bool commutative = true;
  std::int64_t count = 0;          ///< elements
  std::int64_t element_bytes = 0;  ///< of one element; for objects, of the largest one, once that is measured
  bool built_in = false;           ///< the operation is one of MPI's own, which takes next to no time
  /// Between hosts. The user leaves the method to the library, and neither the order of combining nor its duration
  /// matters. A measured network may decide.
  bool by_network = false;
  /// On one host, as by_network, and the least work counts: elements are short, or ranks share processors, so that a
  /// tree's simultaneous work is done one after another.
  bool least_work = false;
  /// All ranks share memory (SharedProgram) and the user leaves the method to the library. The operation is one of
  /// MPI's own, or there are as many elements as ranks.
  bool by_memory = false;
  /// As by_memory, and it is known to be best that the root combines all: it combines as soon as others can copy.
  bool root_combines = false;
  /// As by_memory, and nobody knows how long the operation takes. If it takes next to no time, the root combines all.
  bool root_may_combine = false;
  /// As least_work, and the least waiting counts: elements are short and ranks share processors, so each level of a
  /// tree costs as much as a time slice of every rank.
  bool in_turns = false;
  /// Between hosts. The user leaves the method to the library. The order of combining matters, or its duration is
  /// unknown. The plan is for a usual network.
  bool by_usual_network = false;
};

struct ReductionChoice {
  std::string method;
  double length = 0;
  ReductionCosts costs;
  struct Native {};
  /// Whole elements, or segments of them, are combined along a tree.
  struct Tree {
    OwnPart part;
    std::int64_t segments = 1;
  };
  /// Parts planned over a platform, or given as a program, cross links. Their length is in seconds; they keep the pace
  /// of their sends and have more sends under way.
  struct Pieces {
    Program shape;  ///< all but its operations
    OwnPart part;
    bool crosses_links = false;
    std::optional<OwnPart> cheap = std::nullopt;  ///< instead, if combining takes next to no time
  };
  std::variant<Native, Tree, Pieces> part;
};

/// This rank's part of a tree, and what was planned.
struct PlannedTree {
  ReduceProblem problem;
  std::string algorithm;
  ReductionPart part;
};

/// Throws InputError if there can be no plan. Returns the tree that it has planned to find that out, if any.
[[nodiscard]] std::optional<PlannedTree> check_reduction(const Channel& channel, const ReductionOptions& options,
                                                         const ReducedData& data, int root);

/// The usual costs of elements of this size, in bytes that could be transferred meanwhile.
[[nodiscard]] ReductionCosts usual_costs(const ReducedData& data);

/// Chooses by `costs`; `parts_known`: whether the costs of parts are known. Over a platform, and by the network, it is
/// collective: rank 0 plans for all. For objects over a platform the costs are measured. Otherwise it is local, and all
/// ranks choose alike. `checked`: the result of check_reduction, not planned again.
[[nodiscard]] ReductionChoice choose_reduction(Channel& channel, const ReductionOptions& options,
                                               const ReducedData& data, int root, const ReductionCosts& costs,
                                               bool parts_known, const std::optional<PlannedTree>& checked);

/// All that a choice depends on.
[[nodiscard]] Arguments arguments_of(const ReductionOptions& options, const ReducedData& data, int root);

}  // namespace sluice::mpi::detail
