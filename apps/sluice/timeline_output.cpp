#include "timeline_output.hpp"

#include "output.hpp"
#include "sluice/error.hpp"
#include "sluice/show/gantt.hpp"
#include "sluice/show/trace.hpp"

namespace sluice::command {

void TimelineOutput::add_to(CLI::App& app, const std::string& by) {
  app.add_option("--svg", svg_,
                 "draw when each transfer runs " + by + ", a row per node (Gantt chart); -: instead of the table")
      ->option_text("FILE|-");
  app.add_option("--trace", trace_, "write the same times for Perfetto (.json) or for ViTE and pajeng (.trace)")
      ->option_text("FILE");
}

void TimelineOutput::check() const {
  if (!trace_.empty() && !trace_.ends_with(".json") && !trace_.ends_with(".trace"))
    throw InputError("--trace", "'" + trace_ + "'", "a name that ends in .json (Perfetto) or .trace (Paje)");
  for (const std::string& file : {svg_, trace_})
    if (!file.empty()) check_writable(file);
}

void TimelineOutput::write(const Timeline& timeline, const std::string& title) const {
  if (!trace_.empty())
    write_file_atomically(trace_, trace_.ends_with(".json") ? chrome_trace(timeline) : paje_trace(timeline));
  if (!svg_.empty()) write_file_atomically(svg_, gantt_svg(timeline, title));
}

}  // namespace sluice::command
