#include "apps/sluice/options/traffic_format.hpp"

#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"

namespace sluice::command {

void TrafficFormatInput::add_to(CLI::App& verb) {
  offer(verb.add_option("--format", format,
                        "what the lines of a CSV file are: matrix (a line per sender) or edges (sender, receiver and "
                        "size, or columns with such names); unless given, the names and numbers tell"),
        {"matrix", "edges"})
      ->option_text("FORMAT");
  offer(verb.add_option("--names", names,
                        "where a CSV file has names: column (the first line names the columns), row (the first column "
                        "names the rows), row,column or none; unless given, they are found"),
        {"row,column", "column", "row", "none"})
      ->option_text("WHICH");
}

TrafficFormat TrafficFormatInput::read() const {
  TrafficFormat result;
  if (format == "matrix")
    result.kind = TrafficFormat::Kind::kMatrix;
  else if (format == "edges")
    result.kind = TrafficFormat::Kind::kEdges;
  else if (!format.empty())
    throw InputError("--format", "'" + format + "'", "matrix or edges");
  if (names.empty()) return result;
  result.row_names = result.column_names = false;
  if (names == "none") return result;
  for (const std::string& each : parse_list(names)) {
    if (each != "row" && each != "column")
      throw InputError("--names", "'" + names + "'", "row,column, column, row or none");
    (each == "row" ? result.row_names : result.column_names) = true;
  }
  return result;
}

Traffic take_traffic(const std::string& file, const TrafficFormat& format, std::string& taken_for) {
  TrafficReading reading;
  Traffic traffic = read_traffic(file, format, reading);
  if (Ranks::speaks())
    for (const std::string& warning : reading.warnings) warn(warning);
  taken_for = reading.taken_for;
  return traffic;
}

Traffic take_traffic(const std::string& file, const TrafficFormat& format) {
  std::string taken_for;
  Traffic traffic = take_traffic(file, format, taken_for);
  if (Ranks::speaks() && taken_for.starts_with("edges")) note(shown_path(file) + ": " + taken_for);
  return traffic;
}

}  // namespace sluice::command
