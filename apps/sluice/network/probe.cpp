#include "apps/sluice/network/probe.hpp"

#include <memory>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/process/ranks.hpp"

namespace sluice::command {

void add_probe(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("probe", "measure the network between the ranks" + needs_mpi_text());
  const auto task = std::make_shared<ProbeTask>();
  verb->add_option("-o,--output", task->output, "where the platform goes (sluice.platform/2); needed without --quick")
      ->option_text("FILE");
  verb->add_option("--time-budget", task->time_budget, "about how many seconds to spend")->option_text("S [5]");
  verb->add_flag("--thorough", task->thorough,
                 "measure for a minute: every size more often, also large sizes on slow links");
  verb->add_option("--tolerance", task->tolerance, "latencies of a cluster may differ by this part")
      ->option_text("T [0.3]");
  verb->add_option("--noise", task->noise, "allow this difference in seconds besides --tolerance")
      ->option_text("S [20us]");
  offer(verb->add_option("--algorithm", task->algorithm, "how clusters are found: lowekamp, closeness"),
        {"lowekamp", "closeness"})
      ->option_text("NAME [lowekamp]");
  verb->add_option("--clusters", task->clusters,
                   "give the sizes of the clusters, of consecutive ranks, instead of finding them by latency")
      ->option_text("N,N,..");
  verb->add_flag("--no-broadcasts", task->no_broadcasts, "do not measure broadcasts inside each cluster");
  verb->add_flag("--quick", task->quick,
                 "measure what jobs measure for themselves, in less than a second, and print it; -o may be left out");
  verb->add_option("--json", task->json,
                   "write what was written and the figures as JSON (sluice.written/1); -: instead of the text")
      ->option_text("FILE|-");
  verb->footer(
      "Ranks on one host are found first, then latencies between hosts. Hosts with like latencies, and no slower\n"
      "link between them, are a cluster. Each cluster and each pair of clusters is measured once: latency, gap of\n"
      "messages from 1 B to 4 MiB, connections side by side; then broadcasts inside each cluster, by MPI_Bcast and\n"
      "by the strategy that is best by the models. The file is written when all is measured, or not at all.\n\n"
      "Examples:\n"
      "  mpirun -np 16 sluice probe -o platform.json\n"
      "  mpirun -np 16 sluice probe -o platform.json --thorough\n"
      "  mpirun -np 16 sluice probe --quick");
  verb->callback([task, &chosen] { chosen = [task] { return run_probe(*task); }; });
}

}  // namespace sluice::command
