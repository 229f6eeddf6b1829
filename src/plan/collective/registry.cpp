#include "plan/collective/registry.hpp"

#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "plan/collective/variants.hpp"

namespace sluice::detail {

RangeSets ProgramTask::blocks() const {
  RangeSets sets;
  for (const std::int64_t rank : order) sets.push_back({block(rank)});
  return sets;
}

namespace {

constexpr std::string_view kThakur = "Thakur, Rabenseifner, Gropp 2005";
constexpr std::string_view kTraeff = "Traeff 2024";
constexpr std::string_view kBruck = "Bruck et al. 1997";
constexpr std::string_view kRabenseifner = "Rabenseifner 2004";
constexpr std::string_view kSteffenelAndOurs = "Steffenel 2006, section 3; ours";
constexpr std::string_view kFolklore = "folklore";
constexpr std::string_view kBytesOptimal = "fewest bytes per port; p - 1 rounds";
constexpr std::string_view kRoundsOptimal = "fewest rounds, q";
constexpr std::string_view kBothOptimal = "fewest rounds and fewest bytes per port";
constexpr std::string_view kGroups = "no byte enters a group twice";

/// Adds a planner for a problem and for the reversed problem.
void add(std::vector<ProgramPlanner>& table, std::initializer_list<Collective> problems, ProgramPlanner planner) {
  for (const Collective problem : problems) {
    planner.problem = problem;
    planner.known.problem = to_string(problem);
    table.push_back(planner);
  }
}

std::vector<ProgramPlanner> make_table() {
  using C = Collective;
  constexpr bool kOrdered = true;
  std::vector<ProgramPlanner> t;
  const auto entry = [&](std::initializer_list<C> problems, std::string_view name, std::string_view guarantee,
                         std::string_view cost, std::string_view source, VariantMaker variants,
                         bool keeps_order = false) {
    add(t, problems, {{"", name, guarantee, cost, source}, C::kBroadcast, keeps_order, variants});
  };
  entry({C::kBroadcast, C::kReduce}, "binomial", kRoundsOptimal, "O(p)", kThakur, binomial_broadcast_variants,
        kOrdered);
  entry({C::kBroadcast, C::kReduce}, "chain", "fewest bytes per port; p - 2 + n rounds", "O(n p)",
        "Pjesivac-Grbovic et al. 2005", chain_broadcast_variants, kOrdered);
  entry({C::kBroadcast, C::kReduce}, "circulant", "fewest rounds for n segments, n - 1 + q", "O(p (n + q))", kTraeff,
        circulant_broadcast_variants);
  entry({C::kBroadcast, C::kReduce}, "scatter-allgather", "about twice the fewest bytes per port", "O(p^2)",
        "Barnett et al. 1994", scatter_allgather_variants);
  entry({C::kReduce}, "reversed-broadcast", "as its broadcast, where combining is free", "as its broadcast",
        "Rabenseifner 2004; ours", reversed_broadcast_variants);
  entry({C::kReduce}, "reduce-scatter-gather", "fewest bytes combined per rank", "as the reduce-scatter", kThakur,
        reduce_scatter_gather_variants, kOrdered);
  entry({C::kReduce}, "neighbours-first", "fewest bytes combined per rank; most go between neighbours", "O(p^2)",
        "Traeff 2024; ours", neighbours_first_variants);
  entry({C::kReduce}, "ordered-tree", "between groups one message for each run of ranks and share", "O(n p)", "ours",
        ordered_tree_variants, kOrdered);
  entry({C::kReduce, C::kReduceScatter}, "grouped-exchange", "one latency between groups", "as allreduce", "ours",
        grouped_exchange_part_variants);
  entry({C::kReduce, C::kReduceScatter}, "grouped-pipeline",
        "in n segments every phase but the longest takes 1 / n of its time", "as allreduce", "ours",
        grouped_pipeline_part_variants);
  entry({C::kScatter, C::kGather}, "flat", "every byte sent once", "O(p)", kFolklore, flat_scatter_variants);
  entry({C::kScatter, C::kGather}, "binomial", kBothOptimal, "O(p)", kThakur, binomial_scatter_variants);
  entry({C::kScatter, C::kGather}, "hierarchical", kGroups, "O(p)", kSteffenelAndOurs, hierarchical_scatter_variants);
  entry({C::kScatter}, "broadcast", "none", "as the broadcast", "ours", broadcast_of_all_variants);
  entry({C::kGather}, "reversed-broadcast", "none", "as its broadcast", "ours", reversed_broadcast_of_all_variants);
  entry({C::kAllgather}, "gather-broadcast", "none", "as the broadcast", kFolklore, gather_broadcast_variants);
  entry({C::kAllgather}, "grouped-exchange", "as its reduce-scatter", "as allreduce", "ours",
        grouped_exchange_allgather_variants);
  entry({C::kAllgather}, "grouped-pipeline", "as its reduce-scatter", "as allreduce", "ours",
        grouped_pipeline_allgather_variants);
  entry({C::kAllgather}, "equal-work", "every rank passes on as much to all others", "O(p^2)", "ours",
        equal_work_allgather_variants);
  entry({C::kAllgather, C::kReduceScatter}, "ring", kBytesOptimal, "O(p^2)", kThakur, ring_allgather_variants);
  entry({C::kAllgather, C::kReduceScatter}, "bruck", kBothOptimal, "O(p^2)", kBruck, bruck_allgather_variants);
  entry({C::kAllgather, C::kReduceScatter}, "circulant", kBothOptimal, "O(p^2)", kTraeff, circulant_allgather_variants);
  entry({C::kAllgather}, "recursive-doubling", "fewest rounds and bytes per port; needs p = 2^q", "O(p^2)", kThakur,
        recursive_doubling_allgather_variants);
  entry({C::kReduceScatter}, "recursive-halving", "fewest rounds and bytes per port; needs p = 2^q", "O(p^2)",
        kRabenseifner, recursive_doubling_allgather_variants);
  entry({C::kAllgather, C::kReduceScatter}, "pairwise", kBytesOptimal, "O(p^2)", kThakur, pairwise_allgather_variants,
        kOrdered);
  entry({C::kReduceScatter}, "binomial", "none; 2 q rounds", "O(p)", kThakur, binomial_reduce_scatter_variants,
        kOrdered);
  entry({C::kAllgather, C::kReduceScatter}, "hierarchical", kGroups, "O(p C + p^2 / C)", kSteffenelAndOurs,
        hierarchical_allgather_variants);
  entry({C::kAllreduce}, "binomial", "none; 2 q rounds", "O(p)", kThakur, binomial_allreduce_variants, kOrdered);
  entry({C::kAllreduce}, "reduce-broadcast", "none", "as both", "ours", reduce_broadcast_variants);
  entry({C::kAllreduce}, "recursive-doubling", "fewest rounds, q (two more unless p = 2^q)", "O(p q)", kThakur,
        recursive_doubling_allreduce_variants, kOrdered);
  entry({C::kAllreduce}, "recursive-halving", "fewest bytes per port, 2 q rounds; needs p = 2^q", "O(p^2)",
        kRabenseifner, recursive_halving_allreduce_variants);
  entry({C::kAllreduce}, "chain", "none; 2 (p - 2 + n) rounds at most", "O(n p)", "Pjesivac-Grbovic et al. 2005",
        chain_allreduce_variants, kOrdered);
  entry({C::kAllreduce}, "ordered-tree",
        "between groups one message for each run of ranks and share, in each direction", "O(n p)", "ours",
        ordered_tree_variants, kOrdered);
  entry({C::kReduceScatter, C::kAllreduce}, "ordered-runs", "in order; a block leaves each run of ranks once", "O(p^2)",
        "ours", ordered_runs_variants, kOrdered);
  entry({C::kAllreduce}, "ring", "fewest bytes per port; 2 (p - 1) rounds", "O(p^2)", "Patarasuk, Yuan 2009",
        ring_allreduce_variants);
  entry({C::kAllreduce}, "pairwise", "fewest bytes per port; 2 (p - 1) rounds", "O(p^2)", kThakur,
        pairwise_allreduce_variants);
  entry({C::kAllreduce}, "circulant", "fewest bytes per port, 2 q rounds", "O(p^2)", kTraeff,
        circulant_allreduce_variants);
  entry({C::kAllreduce}, "hierarchical", "no byte enters a group twice in either half", "O(p C + p^2 / C)",
        kSteffenelAndOurs, hierarchical_allreduce_variants);
  entry({C::kAllreduce}, "grouped-exchange", "one latency between groups; C - 1 times the bytes into each",
        "O(p C + p^2 / C)", "ours", grouped_exchange_variants);
  entry({C::kAllreduce}, "grouped-pipeline", "in n segments every phase but the longest takes 1 / n of its time",
        "O(n s (p + C^2))", "ours", grouped_pipeline_variants);
  entry({C::kReduce, C::kReduceScatter, C::kAllreduce}, "equal-work",
        "pairwise: least time of combining, up to whole elements", "O(p^2)", "ours", equal_work_variants, kOrdered);
  entry({C::kAlltoall}, "pairwise", kBytesOptimal, "O(p^2)", kThakur, pairwise_alltoall_variants);
  entry({C::kAlltoall}, "bruck", kRoundsOptimal, "O(p^2 log p)", kBruck, bruck_alltoall_variants);
  entry({C::kAlltoall}, "hierarchical", "no byte enters a group twice; C - 1 messages per rank between groups",
        "O(p^2)", kSteffenelAndOurs, hierarchical_alltoall_variants);
  entry({C::kScatter, C::kGather, C::kAlltoall}, "relayed", "every byte sent once or twice", "O(p^2)",
        "ours; two hops: Valiant 1982", relayed_variants);
  return t;
}

}  // namespace

std::span<const ProgramPlanner> program_planners() {
  static const auto& table = *new std::vector<ProgramPlanner>(make_table());  // never destroyed: late calls may plan
  return table;
}

std::span<const Algorithm> program_algorithms(Collective problem) {
  static const auto& by_problem = *[] {
    auto* const result = new std::map<Collective, std::vector<Algorithm>>;  // never destroyed, as above
    for (const ProgramPlanner& planner : program_planners()) (*result)[planner.problem].push_back(planner.known);
    return result;
  }();
  return by_problem.at(problem);
}

}  // namespace sluice::detail
