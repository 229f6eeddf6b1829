#include "apps/sluice/options/timeline.hpp"

#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/trace_file.hpp"
#include "sluice/error.hpp"
#include "sluice/show/trace.hpp"

namespace sluice::command {

void TimelineOutput::add_to(CLI::App& app, const std::string& by) {
  app.add_option("--svg", svg_,
                 "draw when each transfer runs " + by + ", a row per node (Gantt chart); -: instead of the table")
      ->option_text("FILE|-");
  offer(app.add_option("--rows", rows_,
                       "with --svg: draw a row for each of the senders or receivers; machines that are both show both"),
        {"senders", "receivers"})
      ->option_text("NAME [senders]");
  app.add_option("--trace", trace_,
                 "write when each transfer runs, for Perfetto (.json) or for ViTE and pajeng (.trace)")
      ->option_text("FILE");
}

void TimelineOutput::add_beside_to(CLI::App& app) {
  app.add_option("--beside", beside_,
                 "with --svg: draw a run below the plan, on one axis of time: the file of run --trace TRACE.json")
      ->option_text("TRACE.json");
}

void TimelineOutput::check() const {
  if (beside() && svg_.empty()) throw InputError("--beside", "no --svg", "the picture that it is drawn in");
  if (rows_ != "senders" && rows_ != "receivers") throw InputError("--rows", "'" + rows_ + "'", "senders or receivers");
  if (rows_ == "receivers" && svg_.empty()) throw InputError("--rows", "no --svg", "the picture whose rows they are");
  if (!trace_.empty() && !trace_.ends_with(".json") && !trace_.ends_with(".trace"))
    throw InputError("--trace", "'" + trace_ + "'", "a name that ends in .json (Perfetto) or .trace (Paje)");
  check_picture_target("--svg", svg_);
  if (!trace_.empty()) check_writable(trace_);
}

void TimelineOutput::write(const Timeline& timeline, const std::string& title) const {
  std::string picture;
  if (!svg_.empty()) picture = beside() ? picture_beside(timeline) : gantt_svg(timeline, title, row());
  if (!trace_.empty())
    write_file_atomically(trace_, trace_.ends_with(".json") ? chrome_trace(timeline) : paje_trace(timeline));
  if (!svg_.empty()) write_file_atomically(svg_, picture);
}

std::string TimelineOutput::picture_beside(const Timeline& timeline) const {
  const Timeline run = read_trace(beside_);
  if (run.problem != timeline.problem)
    throw InputError("--beside " + beside_, "a trace of " + run.problem, "one of " + timeline.problem);
  return gantt_beside_svg(timeline, run, timeline.problem + ": plan and run", row());
}

GanttRow TimelineOutput::row() const { return rows_ == "receivers" ? GanttRow::kReceiver : GanttRow::kSender; }

}  // namespace sluice::command
