#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

void add_program_to(CLI::App& problem, std::string& file) {
  problem
      .add_option("--program", file,
                  "carry out this program (sluice.program/1), instead of planning one; it is checked first. Without "
                  "--platform")
      ->option_text("FILE");
}

std::optional<Program> read_program_option(const std::string& file, const std::string& platform) {
  if (file.empty()) return std::nullopt;
  if (!platform.empty()) throw InputError("--program", "cannot be used with --platform", "one of the two");
  return read_program(file);
}

void add_run_collectives(CLI::App& verb, Action& chosen) {
  for (const Collective collective : kCollectives) {
    const std::string name(to_string(collective));
    CLI::App* problem = verb.add_subcommand(name, about(collective));
    const auto options = std::make_shared<RunCollective>();
    options->problem.collective = collective;
    options->problem.add_to(*problem);
    problem->get_option("--platform")
        ->description("the network to plan over, a platform file; unless given, the network is measured");
    options->problem.network.take_ranks_of_job(*problem);
    if (combines(collective)) problem->remove_option(problem->get_option("--element-bytes"));
    offer(problem->add_option("--algorithm", options->algorithm,
                              fmt::format("the planner of method sluice: {}", algorithm_list(name))),
          algorithm_names(name))
        ->option_text("NAME [auto]");
    options->problem.add_effort_to(*problem);
    problem->get_option("--effort")
        ->description(
            "with --platform: how much is replayed, as a multiple of some seconds at most. The work is counted, so "
            "every machine gets the same plan");
    add_program_to(*problem, options->program);
    options->methods.add_method_to(*problem, fmt::format("sluice, mpi-{}, algorithms as for --algorithm", name),
                                   {{"sluice", "mpi-" + name}, algorithm_names(name)});
    problem->add_flag(
        "--model-only", options->model_only,
        "sluice does what the replay finds best; otherwise it alternates with MPI's own collective first, "
        "and keeps the faster");
    options->methods.add_times_to(*problem);
    options->timeline.add_to(*problem, kByARun);
    problem->footer(
        algorithms_help(name) +
        "\nEvery byte is verified on every rank before a time counts (exit status 1 if one is wrong). A time is the\n"
        "time of the slowest rank; sluice is timed once it has chosen between its plan and MPI's call.\n" +
        (combines(collective)
             ? "Elements are words of 8 bytes, which are added. With --in-order they are matrices of 2 x 2 words,\n"
               "which are multiplied in the order of the ranks.\n"
             : "") +
        fmt::format("\nExamples:\n"
                    "  mpirun -np 8 sluice run {0} --size 64Ki\n"
                    "  mpirun -np 88 sluice run {0} --platform platform.json --size 64Ki\n"
                    "  mpirun -np 88 sluice run {0} --program plan.json --size 64Ki",
                    name));
    problem->callback([options, &chosen] {
      chosen = [options] { return run_until_stopped([&] { return run_collective(*options); }); };
    });
  }
}

}  // namespace sluice::command
