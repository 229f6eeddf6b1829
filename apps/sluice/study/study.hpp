#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The studies of the verb `study`: each writes its files into a folder, once all is computed, prints what came out,
/// and returns the exit status.
namespace sluice::command {

/// Where a study writes, and how thorough it is.
struct StudyTask {
  std::string folder;        ///< may not exist yet
  bool quick = false;        ///< fewer measurements; no effect on studies that measure nothing
  std::int64_t samples = 0;  ///< random instances per point, for studies that draw them; 0: as many as is their custom
  std::uint64_t seed = 1;    ///< of the random instances
  bool round_robin = false;  ///< ranks go to clusters one by one, not in the order of the clusters
  // What study_defaults_lab measures; empty: what it measures unless told.
  std::vector<std::string> networks;
  std::vector<std::int64_t> sizes;  ///< bytes for each rank
};

/// Tables 1 to 19 of Desprez et al. 1997 beside ours.
int study_redistribute_tables(const StudyTask& task);

/// Fronts of (NS, TC) of random block-cyclic grids with proof, beside what the named algorithms reach. Goes on where an
/// earlier run into the same folder stopped.
int study_redistribute_optimality(const StudyTask& task);

/// Redistributions between several copies of two arrays: plans with and without passing on, and everything from the
/// first copy, over the bound.
int study_redistribute_replicas(const StudyTask& task);

/// Figures 2 to 4 of Desprez et al. 1997: time against the size of the vector, on the ranks of this job.
int study_redistribute_paragon(const StudyTask& task);

/// Redistributions between hosts of the lab: time against the bound, beside MPI's and ScaLAPACK's ways.
int study_redistribute_lab(const StudyTask& task);

/// Figures 11 to 15 of Cohen et al. 2006: cost over the lower bound against k, on random graphs.
int study_exchange_quality(const StudyTask& task);

/// Figure 16 of the same paper and more traffic, executed in the lab: time against the bound.
int study_exchange_lab(const StudyTask& task);

/// Jobs with default options in the lab, for every problem and on six networks: their times beside the fastest of MPI's
/// own, the fastest that options give, the bound and the prediction.
int study_defaults_lab(const StudyTask& task);
/// The names of its networks: "a", "b", ..
[[nodiscard]] std::vector<std::string> networks_of_defaults_lab();

/// The same demand on 1, 2 and 4 switches side by side: cost over the bound.
int study_parallel_switches(const StudyTask& task);

/// Every planner of exchange on random demand of optical circuit switches: cost over the bound.
int study_switch_demand(const StudyTask& task);

/// The same on random traffic of mixtures of experts.
int study_moe_routing(const StudyTask& task);

/// Figure 2 of Canon, Antoniu 2012: two strategies over the optimum, for 2 to 10000 machines.
int study_reduce_figure_2(const StudyTask& task);

/// Reductions that know no costs (Benoit, Canon, Marchal 2015) beside one that knows them, on random machines and
/// links.
int study_reduce_unknown_costs(const StudyTask& task);

/// Reductions on simulated clusters of 16 to 1000 hosts: executed, planned, and by MPI_Reduce.
int study_reduce_at_scale(const StudyTask& task);

/// Figures 7 and 8 of Steffenel 2006: makespans of trees between clusters, by heuristic, on random instances.
int study_broadcast_simulation(const StudyTask& task);

/// Figures 3 to 6 of Steffenel 2006: strategies inside one simulated cluster, by their models and executed.
int study_broadcast_models(const StudyTask& task);

/// Figures 9 and 10 of Steffenel 2006: broadcasts to 88 simulated machines, predicted and executed, beside MPI_Bcast.
int study_broadcast_grid5000(const StudyTask& task);

}  // namespace sluice::command
