#include "apps/sluice/run/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/process/ranks.hpp"

namespace sluice::command {

namespace {

/// Methods that are sluice with one of `names`: sluice-chain, ...
std::vector<std::string> with_sluice(std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, "sluice-");
  return names;
}

void add_run_redistribute(CLI::App& verb, Action& chosen) {
  CLI::App* problem = verb.add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<RunRedistribute>();
  options->problem.add_to(*problem, kShapeNeeded);
  problem->remove_option(problem->get_option("--time-limit"));  // every rank plans alone: no clock may decide
  const std::vector<std::string> planners = algorithm_names("redistribute");
  offer(problem->add_option("--algorithm", options->algorithm,
                            "the planner of method sluice, see plan --help; one of exchange may cut messages"),
        planners)
      ->option_text("NAME [auto]");
  problem
      ->add_option(
          "--effort", options->effort,
          "how long auto and exact search, as for plan; the plan is then carried out whatever it costs. Unless given, "
          "the search is very short, because every rank plans")
      ->option_text("N");
  offer(problem->add_option(
            "--mode", options->mode,
            "how transfers are kept apart: chain (one at a time for each port), local, auto (chain between hosts)"),
        {"chain", "local", "auto"})
      ->option_text("MODE [auto]");
  problem->add_flag("--apart", options->apart,
                    "the ranks of the target grid come after the ranks of the source grid, as in coupled programs");
  options->problem.add_replicas_to(*problem);
  options->problem.add_batch_to(*problem);
  problem->add_flag("--relabel", options->problem.relabel,
                    "give the roles in the target grid to the ranks so that most data stays where it is");
  problem->add_option("--alpha", options->alpha, "scale and add, Y = beta Y + alpha X, of doubles")
      ->option_text("ALPHA [1]");
  problem->add_option("--beta", options->beta, "factor of Y; with 0, Y is replaced")->option_text("BETA [0]");
  options->methods.add_method_to(
      *problem,
      "sluice, sluice-ALGORITHM, sluice-MODE, caterpillar, alltoallv, alltoallw, all-at-once, pdgemr2d. Only by name: "
      "pairwise, alltoallw-fresh. For copies also sluice-direct, which passes nothing on, and alltoallw-bcast. For "
      "several arrays also one-by-one, a job for each",
      {{"sluice", "sluice-chain", "sluice-local", "sluice-fresh"},
       with_sluice(planners),
       {"caterpillar", "alltoallv", "alltoallw", "all-at-once", "pdgemr2d", "pairwise", "alltoallw-fresh",
        "sluice-direct", "alltoallw-bcast", "one-by-one"}});
  options->methods.add_times_to(*problem);
  options->timeline.add_to(*problem, kByARun);
  problem->footer(
      "The source is filled with a function of the global index; every byte of every method's target is verified\n"
      "before its time counts (exit status 1 if one is wrong). A time is the time of the slowest rank; extra memory "
      "is\n"
      "the most a rank held beyond its source and target, in percent of its largest part of the source array.\n"
      "Processes of both grids are the first ranks, unless --apart says otherwise; there may be more ranks than\n"
      "processes. The other methods send every copy of the target from the first copy of the source;\n"
      "alltoallw-bcast sends one copy, which MPI_Bcast gives to the others. To scale and add, they move to memory\n"
      "of their own first. Several arrays (--arrays, --batch) go in one job of sluice, and one after another by all\n"
      "other methods.\n\n"
      "Examples:\n"
      "  mpirun -np 8 sluice run redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096\n"
      "  mpirun -np 8 sluice run redistribute --from 2:64 --to 2:100 --shape 1000000 --to-replicas 3 --apart\n"
      "  mpirun -np 4 sluice run redistribute --from 2x2:0,100,1000x64 --to 4x1:64x0,300,2000\n"
      "  mpirun -np 4 sluice run redistribute --from 2x2:64x64 --to 4x1:100x100 --shape 500x500 --arrays 8");
  problem->callback([options, &chosen] {
    chosen = [options] { return run_until_stopped([&] { return run_redistribute(*options); }); };
  });
}

void add_run_exchange(CLI::App& verb, Action& chosen) {
  CLI::App* problem = verb.add_subcommand("exchange", "send any traffic in bytes: who sends how much to whom");
  const auto options = std::make_shared<RunExchange>();
  options->problem.add_to(*problem);
  problem->get_option("--setup")->option_text("BETA [8192, or by --latency]");
  problem->remove_option(problem->get_option("--seed"));  // a job has one of its own
  offer(problem->add_option("--algorithm", options->algorithm, "the planner, see plan exchange --help"),
        algorithm_names("exchange"))
      ->option_text("NAME [auto]");
  const std::vector<std::string> modes{"auto", "chain", "local", "barrier", "list", "at-once"};
  offer(problem->add_option("--mode", options->mode,
                            fmt::format("how transfers are kept apart by method sluice: {}", fmt::join(modes, ", "))),
        modes)
      ->option_text("MODE [auto]");
  options->local.add_to(*problem);
  problem
      ->add_option("--schedule", options->schedule,
                   "carry out this schedule of plan exchange --json instead of planning; local phases too")
      ->option_text("FILE");
  problem->add_flag("--measure", options->measure, "find k first, by 1, 2, 4, .. transfers at once");
  problem
      ->add_option("--platform", options->platform,
                   "take k from a platform file: the smallest number of connections of a link that the traffic crosses")
      ->option_text("FILE");
  problem->add_flag("--adapt-k,--tune", options->tune,
                    "mode list: find k by the throughput while it runs, from K on (mpirun of Open MPI takes --tune, "
                    "the former name, for an option of its own)");
  problem->add_option("--chunk", options->chunk, "the longest piece that methods of sluice send of a message")
      ->option_text("BYTES [32Ki; 1Mi of local, 1Gi of at-once]");
  options->methods.add_method_to(
      *problem, "sluice, sluice-MODE, sluice-direct, alltoallv, all-at-once, pairwise",
      {{"sluice", "sluice-direct", "alltoallv", "all-at-once", "pairwise"}, with_sluice(modes)});
  problem->add_flag("--same-ranks", options->same_ranks,
                    "take rank j for sender j and for receiver j, whatever the number of ranks");
  options->methods.add_times_to(*problem);
  options->timeline.add_to(*problem, kByARun);
  problem->footer(
      std::string(kExchangeHelp).substr(1) +  // no table before it
      "Sizes are bytes. Sender i is rank i. Receivers are the ranks behind the senders if there are enough,\n"
      "otherwise the same ranks as the senders. Bytes are a function of sender, receiver and offset, and every\n"
      "byte is verified before a time counts (exit status 1 if one is wrong). A time is the time of the slowest\n"
      "rank. If the options give the speeds of the network, the table shows a bound: the backbone carries all\n"
      "bytes, a link the bytes of its node.\n\n"
      "Modes:\n"
      "  auto     chain if k limits the exchange, and between hosts for more than 128 KiB per rank; otherwise\n"
      "           at-once on one host, local between hosts\n"
      "  chain    the plan; short messages between ranks keep k, and one transfer at a time per rank\n"
      "  local    the order of the plan at every rank, nothing else\n"
      "  barrier  the plan, a barrier after every step\n"
      "  list     no plan: rank 0 lets transfers go\n"
      "  at-once  no plan and no k\n\n"
      "With --local-links pieces may take a detour through neighbours, beside the exchange; with mode barrier one\n"
      "phase follows the other. Method sluice-direct is sluice without --local-links and --schedule.\n\n"
      "Methods of MPI cannot count messages beyond 2^31 - 1 bytes: those that would have to are left out, and a\n"
      "line says so.\n\n"
      "Examples:\n"
      "  mpirun -np 64 sluice run exchange traffic.mtx --max-transfers 8\n"
      "  mpirun -np 20 sluice run exchange traffic.mtx --max-transfers 3 --methods sluice-chain,sluice-list,alltoallv\n"
      "  mpirun -np 20 sluice run exchange traffic.mtx --measure\n"
      "  mpirun -np 20 sluice run exchange traffic.mtx --backbone 100Mbit --sender-link 33Mbit --receiver-link 33Mbit "
      "\\\n"
      "    --latency 1ms --local-links 1Gbit --methods sluice,sluice-direct,alltoallv\n"
      "  mpirun -np 20 sluice run exchange traffic.mtx --schedule plan.json\n"
      "  mpirun -np 20 sluice run exchange traffic.mtx --mode chain --max-transfers 3 --trace run.json");
  problem->callback(
      [options, &chosen] { chosen = [options] { return run_until_stopped([&] { return run_exchange(*options); }); }; });
}

void add_run_broadcast(CLI::App& verb, Action& chosen) {
  CLI::App* problem = verb.add_subcommand("broadcast", "give the message of one rank to all");
  const auto options = std::make_shared<RunBroadcast>();
  options->problem.add_to(*problem);
  problem->get_option("--platform")
      ->description("the network to plan over, a platform file; unless given, sluice finds what it needs to know");
  options->problem.network.take_ranks_of_job(*problem);
  add_program_to(*problem, options->program);
  options->methods.add_method_to(*problem, "sluice, mpi-bcast, mpi-ibcast, algorithms of plan broadcast --help",
                                 {{"sluice", "mpi-bcast", "mpi-ibcast"}, algorithm_names("broadcast")});
  problem->add_flag(
      "--model-only", options->model_only,
      "sluice does what the model finds best; otherwise it alternates with MPI_Bcast first, and keeps the faster way");
  options->methods.add_times_to(*problem);
  options->timeline.add_to(*problem, kByARun);
  problem->footer(
      std::string(kBroadcastHelp).substr(1) +
      "Bytes are a function of their offset, and every one is verified on every rank before a time counts (exit\n"
      "status 1 if one is wrong). A time is the time of the slowest rank.\n\n"
      "Without --platform the methods are mpi-bcast, mpi-ibcast (MPI_Ibcast and a wait for its end), and sluice with\n"
      "its defaults.\n\n"
      "Examples:\n"
      "  mpirun -np 8 sluice run broadcast --size 1Mi\n"
      "  mpirun -np 88 sluice run broadcast --platform platform.json --size 4Mi\n"
      "  mpirun -np 88 sluice run broadcast --platform platform.json --size 1Mi --methods sluice,ecef,flat,mpi-bcast");
  problem->callback([options, &chosen] {
    chosen = [options] { return run_until_stopped([&] { return run_broadcast(*options); }); };
  });
}

void add_run_reduce(CLI::App& verb, Action& chosen) {
  CLI::App* problem = verb.add_subcommand("reduce", "combine what all ranks have, by the tree that is best");
  const auto options = std::make_shared<RunReduce>();
  problem->add_option("--count", options->count, "elements of 8 bytes per rank (needed); K, M, G, Ki, Mi, Gi")
      ->option_text("N");
  offer(problem->add_option(
            "--operation", options->operation,
            "sum; matmul: the product of N x N matrices; affine: the composition of N maps x -> a x + b modulo 2^32; "
            "merge: the union of sorted sets of N; sleep:MS: sum that takes MS milliseconds a combination, as if "
            "another device did it; spin:MS: sum that occupies the processor for MS milliseconds a combination"),
        {"sum", "matmul", "affine", "merge", "sleep:", "spin:"})
      ->option_text("OP [sum]");
  problem->add_option("--root", options->root, "rank that gets the result")->option_text("RANK [0]");
  problem->add_option("--transfer", options->transfer, "d: time that the transfer of an element takes, such as 20ms")
      ->option_text("D");
  problem->add_option("--compute", options->compute, "c: time that the combination of two elements takes")
      ->option_text("C");
  problem->add_flag("--measure", options->measure, "measure d and c first; with --platform only c");
  problem->add_option("--transfer-overhead", options->transfer_overhead, "the part of D that every segment takes")
      ->option_text("T [0]");
  problem->add_option("--compute-overhead", options->compute_overhead, "the part of C that every segment takes")
      ->option_text("T [0]");
  problem
      ->add_option(
          "--segments", options->segments,
          "parts that flow through the tree; auto: the best number. Unless given: auto if the cost of a part is "
          "known, otherwise 1")
      ->option_text("S|auto");
  problem
      ->add_option("--platform", options->platform,
                   "plan over this network instead of d, as plan broadcast --reversed does. Without a c that is given "
                   "or measured, combining counts as free")
      ->option_text("FILE");
  options->network.add_to(*problem, options->platform);
  options->network.take_ranks_of_job(*problem);
  add_program_to(*problem, options->program);
  std::vector<std::string> planners = algorithm_names("reduce");
  planners.emplace_back("reduce-scatter");
  for (const std::string& name : algorithm_names("broadcast"))
    if (!is_algorithm("reduce", name)) planners.push_back(name);
  offer(problem->add_option(
            "--algorithm", options->algorithm,
            "the planner of method sluice, see plan reduce --help; or reduce-scatter; with --platform see plan "
            "broadcast --help"),
        planners)
      ->option_text("NAME [auto]");
  problem
      ->add_option("--effort", options->effort,
                   "with --platform: how long auto and exact search, as in plan broadcast. The work is counted, so "
                   "every machine gets the same plan")
      ->option_text("N [1]");
  problem->add_flag(
      "--reproducible", options->reproducible,
      "get the same result in every job, also for sums of floating-point numbers: neither measurements nor a trial "
      "decide the order of combining");
  problem->add_flag("--dynamic", options->dynamic, "combine elements as they arrive, not in the order of the plan");
  problem->add_flag("--no-thread", options->no_thread,
                    "use no thread that moves messages while an operation is running");
  problem->add_flag(
      "--model-only", options->model_only,
      "sluice does what the model finds best; otherwise it alternates with MPI_Reduce first, and keeps the faster way");
  options->methods.add_method_to(
      *problem,
      "sluice, mpi-reduce, mpi-ireduce (MPI_Ireduce and a wait for its end), reduce-scatter, algorithms of plan reduce "
      "--help, such as binomial, flat, fibonacci; with --platform also algorithms of plan broadcast --help",
      {{"sluice", "mpi-reduce", "mpi-ireduce"}, planners});
  options->methods.add_times_to(*problem);
  options->timeline.add_to(*problem, kByARun);
  problem->footer(
      "Elements are a function of rank and index; the result is compared bit by bit with what one process computes\n"
      "(exit status 1 if it differs). A time is the time of the slowest rank. With --wide the table has the time\n"
      "of a plan by its model. matmul and affine keep the order of the ranks.\n\n"
      "Examples:\n"
      "  mpirun -np 16 sluice run reduce --count 500 --operation matmul\n"
      "  mpirun -np 16 sluice run reduce --count 100K --operation sleep:20 --transfer 0.02 --compute 0.02\n"
      "  mpirun -np 88 sluice run reduce --count 512Ki --platform platform.json");
  problem->callback(
      [options, &chosen] { chosen = [options] { return run_until_stopped([&] { return run_reduce(*options); }); }; });
}

}  // namespace

void add_run(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("run", "execute for real, verify every byte, time the alternatives" + needs_mpi_text());
  verb->footer(
      "Examples:\n"
      "  mpirun -np 8 sluice run redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096\n"
      "  mpirun -np 20 sluice run exchange traffic.mtx --max-transfers 3\n"
      "  mpirun -np 16 sluice run reduce --count 500 --operation matmul\n"
      "  mpirun -np 88 sluice run broadcast --platform platform.json --size 4Mi\n"
      "  mpirun -np 8 sluice run allgather --size 64Ki\n\n"
      "sluice run PROBLEM --help lists the options.");
  add_run_redistribute(*verb, chosen);
  add_run_exchange(*verb, chosen);
  add_run_reduce(*verb, chosen);
  add_run_broadcast(*verb, chosen);
  add_run_collectives(*verb, chosen);
}

}  // namespace sluice::command
