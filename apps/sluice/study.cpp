#include "study.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "command.hpp"
#include "ranks.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

struct Study {
  const char* name;
  int (*run)(const std::string& folder, bool quick);
};

constexpr std::array kStudies{Study{"redistribute-tables", study_redistribute_tables},
                              Study{"redistribute-paragon", study_redistribute_paragon}};

struct StudyOptions {
  std::string name;
  std::string folder;
  bool quick = false;
};

int study(const StudyOptions& options) {
  std::string names;
  for (const Study& known : kStudies) names += (names.empty() ? "" : ", ") + std::string(known.name);
  if (options.name.empty()) throw InputError("sluice study", "no name", names);
  const auto* const found =
      std::find_if(kStudies.begin(), kStudies.end(), [&](const Study& known) { return known.name == options.name; });
  if (found == kStudies.end()) throw InputError("sluice study", "'" + options.name + "'", names);
  if (options.folder.empty()) throw InputError("-o", "no folder", "the folder to write to");
  return found->run(options.folder, options.quick);
}

}  // namespace

void add_study(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("study", "reproduce tables and figures of the papers: CSV and plots");
  const auto options = std::make_shared<StudyOptions>();
  verb->add_option("name", options->name, "which one, see below")->option_text("NAME");
  verb->add_option("-o,--output", options->folder, "folder for the files (needed); made if it is missing")
      ->option_text("DIR");
  verb->add_flag("--quick", options->quick, "a small version where a study measures, to try it out");
  verb->footer(
      "redistribute-tables\n"
      "  Tables 1 to 19 of Desprez et al. 1997, the paper's value beside ours: tableNN.csv and summary.csv. Exit "
      "status 1\n"
      "  if a value differs that should not.\n"
      "redistribute-paragon" +
      needs_mpi_text() +
      "\n"
      "  Figures 2 to 4 of the same paper, its section 5, on 16 ranks: time against the size of the vector, by the "
      "optimal\n"
      "  schedule and by the caterpillar: figureN.csv, and figureN.svg where gnuplot is installed.\n\n"
      "Examples:\n"
      "  sluice study redistribute-tables -o tables\n"
      "  mpirun -np 16 sluice study redistribute-paragon -o figures");
  verb->callback([options, &chosen] { chosen = [options] { return study(*options); }; });
}

}  // namespace sluice::command
