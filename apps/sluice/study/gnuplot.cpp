#include "apps/sluice/study/gnuplot.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "apps/sluice/output/files.hpp"
#include "apps/sluice/process/child_process.hpp"

namespace sluice::command {

namespace {

// A picture is 480 units wide and its text 12 high, as in src/show: 6 pt in print 85 mm wide.
constexpr int kWidth = 480;
constexpr double kScreenPixels = 1.5;
constexpr double kTextSize = 12;
constexpr double kPrintWidth_cm = 8.5;
constexpr double kPrintPoints = 6.05;

/// Okabe and Ito's palette, which people with any common kind of colour blindness can tell apart; marks and dashes
/// differ besides.
constexpr const char* kStyle = R"gp(set linetype 1 lc rgb "#0072B2" lw 2 pt 7 ps 0.6
set linetype 2 lc rgb "#E69F00" lw 2 pt 5 ps 0.6 dt 2
set linetype 3 lc rgb "#009E73" lw 2 pt 9 ps 0.7 dt 4
set linetype 4 lc rgb "#D55E00" lw 2 pt 11 ps 0.7 dt 3
set linetype 5 lc rgb "#CC79A7" lw 2 pt 13 ps 0.7 dt 5
set linetype 6 lc rgb "#56B4E9" lw 2 pt 6 ps 0.6
set linetype 7 lc rgb "#000000" lw 2 pt 4 ps 0.6 dt 2
set linetype 8 lc rgb "#8A7A00" lw 2 pt 8 ps 0.7 dt 4
set linetype 9 lc rgb "#D55E00" lw 1 pt 2 ps 0.7
set linetype 10 lc rgb "#0072B2" lw 1 pt 12 ps 0.7
set linetype 11 lc rgb "#009E73" lw 1 pt 10 ps 0.7
set linetype 12 lc rgb "#E69F00" lw 1 pt 3 ps 0.7
set linetype 13 lc rgb "#CC79A7" lw 1 pt 1 ps 0.7
set linetype 14 lc rgb "#56B4E9" lw 1 pt 14 ps 0.7
set linetype 15 lc rgb "#000000" lw 1 pt 15 ps 0.6
set linetype 16 lc rgb "#8A7A00" lw 1 pt 3 ps 0.7
set linetype cycle 16
set clip two
set key below
set xlabel offset 0,0.7
set bars 0.6
)gp";

/// `script` with the titles of pictures folded at blanks, as gnuplot cuts off what does not fit.
std::string with_folded_titles(const std::string& script) {
  constexpr std::string_view kTitle = "set title \"";
  constexpr std::size_t kMost = 62;  // characters a line
  std::string out;
  for (std::size_t at = 0; at < script.size();) {
    const std::size_t begin = script.find(kTitle, at);
    const std::size_t end = begin == script.npos ? begin : script.find('"', begin + kTitle.size());
    if (end == script.npos) return out + script.substr(at);
    out += script.substr(at, begin + kTitle.size() - at);
    std::string_view text = std::string_view(script).substr(begin + kTitle.size(), end - begin - kTitle.size());
    for (std::size_t lines = (text.size() + kMost - 1) / kMost; lines > 1; --lines) {
      std::size_t cut = text.rfind(' ', text.size() / lines + kMost / 10);  // of about the same length
      if (cut == text.npos || cut == 0) cut = text.find(' ', 1);
      if (cut == text.npos) break;
      out += std::string(text.substr(0, cut)) + "\\n";
      text.remove_prefix(cut + 1);
    }
    out += text;
    at = end;
  }
  return out;
}

}  // namespace

void draw(const std::string& folder, const std::string& name, const std::string& script, int height) {
  const std::string file = name + ".gp", svg = name + ".svg", part = svg + ".part", pdf = name + ".pdf",
                    pdf_part = pdf + ".part";
  write_file_atomically(
      folder + '/' + file,
      fmt::format("# gnuplot {0} draws {1}; gnuplot -e 'print = 1' {0} draws {2}\n"
                  "if (!exists(\"output\")) output = exists(\"print\") ? \"{2}\" : \"{1}\"\n"
                  "if (exists(\"print\")) set terminal pdfcairo size {3:.2f}cm,{4:.2f}cm font \"sans-serif,{5}\" "
                  "linewidth 0.5 pointscale 0.5\n"
                  "if (!exists(\"print\")) set terminal svg size {6:.0f},{7:.0f} font \"sans-serif,{8:.0f}\" "
                  "background rgb \"white\"\n"
                  "set output output\n"
                  "set datafile separator \",\"\n{9}{10}",
                  file, svg, pdf, kPrintWidth_cm, kPrintWidth_cm * height / kWidth, kPrintPoints,
                  kScreenPixels * kWidth, kScreenPixels * height, kScreenPixels * kTextSize, kStyle,
                  with_folded_titles(script)));
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
)gp";
}

std::string percent_rows(const std::vector<std::vector<double>>& sorted) {
  constexpr std::size_t kSteps = 200;
  std::string text;
  for (std::size_t i = 0; i <= kSteps; ++i) {
    text += fmt::format("{}", 100.0 * static_cast<double>(i) / kSteps);
    for (const std::vector<double>& each : sorted) text += fmt::format(",{:.6f}", each[i * (each.size() - 1) / kSteps]);
    text += '\n';
  }
  return text;
}

}  // namespace sluice::command
