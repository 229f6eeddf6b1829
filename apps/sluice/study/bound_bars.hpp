#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/sluice/study/lab.hpp"

/// Says how studies in the lab set methods beside a bound. Their CSV files begin with the name of a case, four columns
/// of their own, and the bound in seconds. For each method follow the median, the shortest and the longest time, and
/// the median over the bound. The remaining columns are their own again.
namespace sluice::command {

/// The heads of the methods' columns, each behind a comma.
[[nodiscard]] std::string method_heads(const std::vector<std::string>& methods);

/// The fields of the methods, each behind a comma.
[[nodiscard]] std::string method_fields(const std::vector<std::string>& methods, const LabResult& result,
                                        double bound_s);

/// A script for gnuplot: bars of time over bound to the right, with their range, the bound the line at 1; a group of
/// bars for each of the `cases` of NAME.csv.
[[nodiscard]] std::string bars_over_bound(const std::string& name, const std::string& title,
                                          const std::vector<std::string>& methods, std::size_t cases, int repetitions);

/// How high that picture is.
[[nodiscard]] int height_of_bars(const std::vector<std::string>& methods, std::size_t cases);

/// Column of the first method, and columns of each.
inline constexpr int kFirstMethodColumn = 7, kMethodColumns = 4;

}  // namespace sluice::command
