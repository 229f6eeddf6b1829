#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/input/platform.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/show/report.hpp"

/// What a report says of each kind of file.
namespace sluice::command {

class ResultValue;

/// How much a page still has room for.
struct ReportSpace {
  std::int64_t transfers = std::int64_t{1} << 20;  ///< transfers, entries of matrices, rows of tables
  /// Throws InputError naming `file` where there are fewer than `count`.
  void take(std::int64_t count, const std::string& file);
};

/// Reads the file at `path`, or standard input for "-", and says what there is in it. `platform`: for the times of a
/// program. `format`: of traffic as CSV. If it tells nothing, a table with names is traffic if they are the names of an
/// edge list, and otherwise the table of a study. Throws InputError.
[[nodiscard]] ReportSection read_report_section(const std::string& path, const std::optional<Platform>& platform,
                                                const TrafficFormat& format, ReportSpace& space);

/// `number` with a comma after every third digit, from five digits on: "6,150,009.5". Numbers with an exponent stay.
[[nodiscard]] std::string grouped(std::string number);
/// A value in `unit`: a time if that is "s", otherwise a number with its digits grouped.
[[nodiscard]] std::string value_text(double value, std::string_view unit);

/// Each adds the section of a file of results, by its schema. `section` has the name of the file.
void add_comparison(ReportSection& section, const ResultValue& file);
void add_run(ReportSection& section, const ResultValue& file);
void add_simulation(ReportSection& section, const ResultValue& file, ReportSpace& space);
void add_clusters(ReportSection& section, const ResultValue& file, ReportSpace& space);
void add_front(ReportSection& section, const ResultValue& file);
void add_prediction(ReportSection& section, const ResultValue& file, ReportSpace& space);
void add_tuning(ReportSection& section, const ResultValue& file, ReportSpace& space);
/// The kind of a program of a collective.
inline constexpr const char* kProgramSection = "program of a collective";
/// A trace, which has no schema; its kind is kTraceSection.
inline constexpr const char* kTraceSection = "trace";
void add_trace(ReportSection& section, const ResultValue& file, ReportSpace& space);
/// `folder`: where the matrices are that the record names.
void add_record(ReportSection& section, const ResultValue& file, const std::string& folder, ReportSpace& space);

/// The matrix of `path`, without a title, and the facts of it.
[[nodiscard]] ReportMatrix read_traffic_matrix(const std::string& path, ReportSpace& space);

}  // namespace sluice::command
