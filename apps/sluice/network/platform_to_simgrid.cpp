#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/output/written.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/simgrid.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

struct SimgridOptions {
  std::string file;
  std::string output;
  std::string hosts;
  std::string json;
};

int convert(const SimgridOptions& options) {
  if (options.file.empty()) throw InputError("sluice platform-to-simgrid", "no file", "PLATFORM.json");
  if (options.output.empty()) throw InputError("sluice platform-to-simgrid", "no -o", "-o FILE for the XML");
  check_writable(options.output);
  if (!options.hosts.empty()) check_writable(options.hosts);
  check_json_target(options.json);
  const Platform platform = read_platform(options.file);
  const SimgridPlatform simgrid = to_simgrid(platform, shown_path(options.file));
  Written written;
  written.write(options.output, simgrid.xml);
  if (!options.hosts.empty()) written.write(options.hosts, simgrid.hosts);
  written.write_json(options.json, "platform-to-simgrid",
                     {{"hosts", platform.ranks}, {"clusters", platform.clusters.size()}});
  tell(fmt::format("{}: {} in {}\n", options.output, count_text(platform.ranks, "host"),
                   count_text(platform.clusters.size(), "cluster")));
  return kDone;
}

}  // namespace

void add_platform_to_simgrid(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("platform-to-simgrid", "write a platform for SimGrid and its SMPI");
  const auto options = std::make_shared<SimgridOptions>();
  verb->add_option("file", options->file, "a platform file")->option_text("PLATFORM.json");
  verb->add_option("-o,--output", options->output, "where the XML goes (needed)")->option_text("FILE");
  verb->add_option("--hosts", options->hosts, "write the hosts in the order of the ranks, a hostfile of smpirun")
      ->option_text("FILE");
  verb->add_option("--json", options->json,
                   "write what was written and the figures as JSON (sluice.written/1); -: instead of the text")
      ->option_text("FILE|-");
  verb->footer(
      "SimGrid's platforms do not hold the time that starting a message takes: give it to smpirun, and switch off\n"
      "what smpirun assumes of an old cluster:\n"
      "  --cfg=smpi/os:0:2e-6:0 --cfg=smpi/ois:0:2e-6:0 --cfg=smpi/or:0:2e-6:0\n"
      "  --cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 --cfg=network/crosstraffic:0\n\n"
      "Example:\n"
      "  sluice platform-to-simgrid platform.json -o platform.xml --hosts platform.hosts\n"
      "  smpirun -np 88 -platform platform.xml -hostfile platform.hosts PROGRAM");
  verb->callback([options, &chosen] { chosen = [options] { return convert(*options); }; });
}

}  // namespace sluice::command
