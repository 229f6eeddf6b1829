#include "command.hpp"
#include "ranks.hpp"
#include "sluice/error.hpp"
#include "study.hpp"

namespace sluice::command {

namespace {

[[noreturn]] void not_yet(const std::string& verb) {
  require_mpi(verb);
  throw InputError(verb, "a verb without its executor", "another verb");
}

}  // namespace

void add_run(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("run", "execute for real, verify every byte, time the alternatives" + needs_mpi_text());
  verb->callback([&chosen] { chosen = []() -> int { not_yet("sluice run"); }; });
}

int study_redistribute_paragon(const std::string&) { not_yet("sluice study redistribute-paragon"); }

}  // namespace sluice::command
