#include "sluice/show/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/traffic_format.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/output/written.hpp"
#include "apps/sluice/report/section.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/gantt.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string output;
  std::string svg;
  std::string platform;
  std::string json;
  TrafficFormatInput format;
};

/// "Sluice report: a.json, b.json and 3 more".
std::string title_of(const std::vector<std::string>& files) {
  constexpr std::size_t kNamed = 3;
  std::string title = "Sluice report: ";
  for (std::size_t i = 0; i < files.size() && i < kNamed; ++i)
    title += (i == 0 ? "" : ", ") + std::filesystem::path(shown_path(files[i])).filename().string();
  if (files.size() > kNamed) title += fmt::format(" and {} more", files.size() - kNamed);
  return title;
}

/// Gives each trace a picture of every plan or simulation of the same problem above it.
void add_pictures_beside(std::vector<ReportSection>& sections) {
  for (ReportSection& run : sections) {
    if (run.kind != kTraceSection || !run.timeline) continue;
    const Timeline& ran = run.timeline->timeline;
    for (const ReportSection& plan : sections)
      if (plan.kind != kTraceSection && plan.timeline && plan.timeline->timeline.problem == ran.problem)
        run.pictures.push_back({fmt::format("{} above, what ran below", plan.file),
                                gantt_beside_svg(plan.timeline->timeline, ran, ran.problem + ": plan and run")});
  }
}

int report(const ReportOptions& options) {
  const std::string lacks = report_lacks();
  if (options.files.empty()) throw InputError("sluice report", "no file", "FILE..., what other verbs wrote");
  if (options.output.empty() && options.svg.empty())
    throw InputError("-o", "nothing", "the page to write, such as report.html");
  if (!options.output.empty() && !lacks.empty())
    throw InputError("sluice report", "a build without " + lacks, "one with it: install the packages and build again");
  if (!options.output.empty()) check_named_target("-o", options.output, "a page for browsers", ".html");
  check_picture_target("--svg", options.svg);
  check_json_target(options.json);
  const TrafficFormat format = options.format.read();
  std::optional<Platform> platform;
  if (!options.platform.empty()) platform = read_platform_option(options.platform);
  std::vector<ReportSection> sections;
  const std::string title = title_of(options.files);
  const std::string page = [&] {
    const Elapsed elapsed("reading");
    ReportSpace space;
    for (const std::string& file : options.files)
      sections.push_back(read_report_section(file, platform, format, space));
    if (platform && std::ranges::none_of(sections, [](const auto& each) { return each.kind == kProgramSection; }))
      throw InputError("--platform", "no program among the files", "one, whose times it tells");
    if (options.output.empty()) return std::string();
    add_pictures_beside(sections);
    return report_html(sections, title);
  }();
  Written written;
  if (!options.svg.empty()) {
    if (std::ranges::all_of(sections, [](const auto& each) { return each.matrices.empty() && each.lines.empty(); }))
      throw InputError("--svg", "no matrix and no curves in the files", "traffic, a platform, a record, a tuning");
    written.write(options.svg, report_svg(sections, title));
  }
  if (!options.output.empty()) written.write(options.output, page);
  written.write_json(options.json, "report", {{"sections", sections.size()}});
  if (options.output.empty()) return kDone;
  tell(fmt::format("{}: {}, {}\n", options.output,
                   count_text(static_cast<std::int64_t>(options.files.size()), "section"),
                   bytes_text(static_cast<std::int64_t>(page.size()))));
  return kDone;
}

}  // namespace

void add_report(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("report", "make one page for a browser of what other verbs wrote");
  const auto options = std::make_shared<ReportOptions>();
  verb->add_option(
          "files", options->files,
          "what other verbs wrote: schedules, programs and results (--json), traces of run (--trace TRACE.json), "
          "platforms, a record (record.json); traffic (.mtx, .csv); tables of studies (.csv); - reads standard input")
      ->option_text("FILE...");
  verb->add_option("-o,--output", options->output, "the page (needed unless --svg is given); -: standard output")
      ->option_text("FILE|-");
  verb->add_option(
          "--svg", options->svg,
          "draw the matrices and the curves of the files, without a page unless there is -o; -: standard output")
      ->option_text("FILE|-");
  verb->add_option("--platform", options->platform, "the network that programs among the files are for: their times")
      ->option_text("FILE");
  options->format.add_to(*verb);
  verb->add_option("--json", options->json,
                   "write what was written and the figures as JSON (sluice.written/1); -: instead of the text")
      ->option_text("FILE|-");
  verb->footer(
      "Every file becomes a section: pictures to zoom, filter and step through, figures, and tables to sort. The\n"
      "page is one file that loads nothing: send it, or keep it beside the results. Every picture also works by\n"
      "keyboard, and everything in it stands in a table. Plans and simulations are drawn above traces of the same\n"
      "problem too, on one axis of time.\n\n"
      "Examples:\n"
      "  sluice plan exchange traffic.mtx --json plan.json\n"
      "  sluice compare exchange traffic.mtx --json compare.json\n"
      "  sluice report traffic.mtx compare.json plan.json -o report.html\n"
      "  sluice report traffic.mtx --svg traffic.svg");
  verb->callback([options, &chosen] { chosen = [options] { return report(*options); }; });
}

}  // namespace sluice::command
