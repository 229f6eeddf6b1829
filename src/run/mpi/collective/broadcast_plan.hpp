#pragma once

#include <cstdint>
#include <string>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/kept_plan.hpp"
#include "run/mpi/ways/choice.hpp"
#include "schedule/own_part.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/schedule/program.hpp"

/// What serves a broadcast, and its plan.
namespace sluice::mpi::detail {

/// The methods of ChosenBroadcast that need no plan.
inline constexpr const char* kNativeBroadcast = "native";
inline constexpr const char* kFlatTree = "flat tree";
inline constexpr const char* kBinomialTree = "binomial tree";

/// What a rank does in broadcasts of a size class by a plan.
struct PlannedBroadcast {
  bool native = false;           ///< MPI's own broadcast does everything
  bool native_inside = false;    ///< MPI's own broadcast serves some clusters; the same on all ranks
  bool ends_native = false;      ///< this rank is in a cluster that MPI's own broadcast serves
  std::int64_t cluster = 0;      ///< of the platform, if native_inside
  std::int64_t place = 0;        ///< among the ranks of the cluster
  std::int32_t rule = kNoRule;   ///< that led here
  std::string method;            ///< kNativeBroadcast, or the algorithm
  double predicted_s = 0;        ///< for the largest size of the class; 0 if speeds are unknown
  sluice::detail::OwnPart part;  ///< of the program
};

/// The broadcasts that the user asks for, of any size.
struct BroadcastTask {
  /// All arguments but the size. Throws InputError for bad ones.
  [[nodiscard]] Arguments arguments() const;
  /// Throws InputError for a size that cannot be broadcast.
  void check_size(std::int64_t bytes) const;
  /// A broadcast of `bytes`: the program without its operations.
  [[nodiscard]] Program shape_of(std::int64_t bytes) const;
  /// The size that messages of `bytes` are planned for, which is the largest of their class. It is the least number of
  /// the form m 2^n, with m from 8 to 15, that is at least `bytes`. A given program is for one size.
  [[nodiscard]] std::int64_t largest_of(std::int64_t bytes) const;

  [[nodiscard]] bool asks_for_a_plan() const;
  /// Whether the user gave neither a network nor a program.
  [[nodiscard]] bool told_nothing() const { return !options.platform && !options.program; }
  /// The rule that applies to a message; @pre told_nothing, unless it is about the form of a tree.
  [[nodiscard]] const Rule& rule(Question question, std::int64_t bytes) const;
  /// What serves a message: a plan, unless a rule says something else.
  [[nodiscard]] By way(std::int64_t bytes) const { return told_nothing() ? rule(Question::kWay, bytes).by : By::kPlan; }
  /// Whether a rule says what serves a message: a tree, or MPI_Ibcast because nothing better is known.
  [[nodiscard]] bool needs_no_plan(std::int64_t bytes) const {
    const By by = way(bytes);
    return by != By::kSegments && by != By::kPlan;
  }
  /// Whether a tree that needs no plan serves a message.
  [[nodiscard]] bool by_tree(std::int64_t bytes) const {
    const By by = way(bytes);
    return by == By::kTree || by == By::kMemory;
  }
  /// Whether in that tree, for `bytes`, all ranks hear from the root.
  [[nodiscard]] bool flat(std::int64_t bytes) const { return rule(Question::kTree, bytes).by == By::kFlat; }
  /// Whether the tree serves such messages, unless a plan is found to be faster; otherwise MPI's own call does.
  [[nodiscard]] bool is_short(std::int64_t bytes) const {
    return told_nothing() && rule(Question::kOther, bytes).by == By::kTree;
  }
  /// Whether a plan for messages of up to `largest` costs more than it can save in one execution: the messages of any
  /// tree take less time than planning, even if all go one after the other over the slowest link. False where the user
  /// asks for a plan.
  [[nodiscard]] bool too_short_to_plan(std::int64_t largest) const;

  /// The plan for messages of up to `largest`: what an earlier job has left by `key`, the bytes of arguments(), or a
  /// new one. On all ranks.
  [[nodiscard]] KeptPlan kept_or_planned(std::int64_t largest, const std::string& key) const;

  Channel& channel;
  BroadcastOptions options;
  int root;
};

}  // namespace sluice::mpi::detail
