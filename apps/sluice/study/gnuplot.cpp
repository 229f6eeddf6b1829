#include "gnuplot.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "child_process.hpp"
#include "output.hpp"

namespace sluice::command {

namespace {

constexpr double kPrintWidth_cm = 12;

/// Okabe and Ito's palette, which people with any common kind of colour blindness can tell apart; marks and dashes
/// differ besides.
constexpr const char* kStyle = R"gp(set style line 1 lc rgb "#0072B2" lw 2 pt 7 ps 0.6
set style line 2 lc rgb "#E69F00" lw 2 pt 5 ps 0.6 dt 2
set style line 3 lc rgb "#009E73" lw 2 pt 9 ps 0.7 dt 4
set style line 4 lc rgb "#D55E00" lw 2 pt 11 ps 0.7 dt 3
set style line 5 lc rgb "#CC79A7" lw 2 pt 13 ps 0.7 dt 5
set style line 6 lc rgb "#56B4E9" lw 2 pt 6 ps 0.6
set style line 7 lc rgb "#000000" lw 2 pt 4 ps 0.6 dt 2
set style line 8 lc rgb "#8A7A00" lw 2 pt 8 ps 0.7 dt 4
set style increment userstyles
set clip two
)gp";

}  // namespace

void draw(const std::string& folder, const std::string& name, const std::string& script, int width, int height) {
  const std::string file = name + ".gp", svg = name + ".svg", part = svg + ".part", pdf = name + ".pdf",
                    pdf_part = pdf + ".part";
  write_file_atomically(
      folder + '/' + file,
      fmt::format("# gnuplot {0} draws {1}; gnuplot -e 'print = 1' {0} draws {2}\n"
                  "if (!exists(\"output\")) output = exists(\"print\") ? \"{2}\" : \"{1}\"\n"
                  "if (exists(\"print\")) set terminal pdfcairo size {3:.2f}cm,{4:.2f}cm fontscale 0.45\n"
                  "if (!exists(\"print\")) set terminal svg size {5},{6} background rgb \"white\"\n"
                  "set output output\n"
                  "set datafile separator \",\"\n{7}{8}",
                  file, svg, pdf, kPrintWidth_cm, kPrintWidth_cm * height / width, width, height, kStyle, script));
  int status = run_program({"gnuplot", "-e", fmt::format("output = '{}'", part), file}, {"", folder});
  if (status == 0)
    status = run_program({"gnuplot", "-e", fmt::format("print = 1; output = '{}'", pdf_part), file}, {"", folder});
  std::error_code error;
  if (status == 0) std::filesystem::rename(folder + '/' + part, folder + '/' + svg, error);
  if (status == 0 && !error) std::filesystem::rename(folder + '/' + pdf_part, folder + '/' + pdf, error);
  if (status == 0 && !error) return;
  for (const std::string& each : {part, pdf_part}) std::filesystem::remove(std::filesystem::path(folder) / each, error);
  std::fprintf(stderr, "no %s/%s: gnuplot %s; `gnuplot %s` in the folder draws it\n", folder.c_str(), svg.c_str(),
               status == kNotRun ? "is not installed" : "failed", file.c_str());
}

std::string axes_of_times(const std::string& title) {
  return fmt::format("set title \"{}\"", title) + R"gp(
set xlabel "message (bytes)"
set ylabel "time (s)"
set logscale x 2
set logscale y
set format x "2^{%L}"
set grid
set key outside right
)gp";
}

std::string percent_rows(const std::vector<std::vector<double>>& sorted) {
  constexpr std::size_t kPoints = 200;
  std::string text;
  for (std::size_t i = 0; i <= kPoints; ++i) {
    text += fmt::format("{}", 100.0 * static_cast<double>(i) / kPoints);
    for (const std::vector<double>& each : sorted)
      text += fmt::format(",{:.6f}", each[i * (each.size() - 1) / kPoints]);
    text += '\n';
  }
  return text;
}

}  // namespace sluice::command
