#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/ways/choice.hpp"
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
  const Rule* rule = nullptr;      ///< the rule that applies, if the user leaves the method to the library
  /// By shares in memory, and nobody knows how long the operation takes. If it takes next to no time, the root combines
  /// all.
  bool root_may_combine = false;
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
  const Rule* rule = nullptr;  ///< that led to it, if the user leaves the method to the library
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
