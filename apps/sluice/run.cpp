#include "run.hpp"

#include <memory>

#include "command.hpp"
#include "ranks.hpp"

namespace sluice::command {

void add_run(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("run", "execute for real, verify every byte, time the alternatives" + needs_mpi_text());
  verb->footer(
      "Example:\n"
      "  mpirun -np 8 sluice run redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096\n\n"
      "sluice run redistribute --help lists the options.");
  CLI::App* problem = verb->add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<RunOptions>();
  options->problem.add_to(*problem, kShapeNeeded);
  problem->add_option("--algorithm", options->algorithm, "the planner of method sluice, see plan --help")
      ->option_text("NAME [auto]");
  problem
      ->add_option("--method", options->method,
                   "sluice, sluice-ALGORITHM, caterpillar, alltoallv, alltoallw, all-at-once, pdgemr2d")
      ->option_text("A,B,..|all [all]");
  problem->add_option("--repetitions", options->repetitions, "timed executions of each method, in turns")
      ->option_text("N [9]");
  problem->add_option("--json", options->json, "write the result as JSON (sluice.run/1); -: instead of the table")
      ->option_text("FILE|-");
  problem->footer(
      "The source is filled with a function of the global index; every byte of every method's target is verified "
      "before\n"
      "its time counts (exit status 1 if one is wrong). A time is that of the slowest rank; extra memory is the most "
      "a\n"
      "rank held beyond its source and target, in percent of its largest part of the source array.\n"
      "Processes of the grids are the first ranks; there may be more ranks than processes.\n\n"
      "Example:\n"
      "  mpirun -np 8 sluice run redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096");
  problem->callback([options, &chosen] { chosen = [options] { return run_redistribute(*options); }; });
}

}  // namespace sluice::command
