#include "apps/sluice/options/export.hpp"

#include <fmt/format.h>

#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/output/files.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/export.hpp"

namespace sluice::command {

void ExportOption::add_to(CLI::App& problem) {
  offer(problem.add_option(
            "--export", values_,
            "write the steps for another engine: ppermute (pairs a step, as JAX has them), p2p (groups of sends "
            "and receives, as NCCL has them), msccl (XML, an all-to-all of equal messages on at most 32 devices); -: "
            "instead of the table"),
        {"ppermute", "p2p", "msccl"})
      ->expected(2)
      ->option_text("FORMAT FILE|-");
}

void ExportOption::check(const std::string& other) const {
  if (values_.empty()) return;
  (void)exporter(values_[0], "--export");
  if (!other.empty()) throw InputError("--export", "cannot be used with " + other, "the whole schedule for --export");
  check_json_target(values_[1]);
}

void ExportOption::write(const StepSchedule& schedule) const {
  if (!values_.empty()) write_file_atomically(values_[1], exporter(values_[0], "--export")(schedule));
}

}  // namespace sluice::command
