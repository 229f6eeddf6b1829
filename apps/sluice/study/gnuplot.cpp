#include "gnuplot.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "child_process.hpp"
#include "output.hpp"

namespace sluice::command {

void draw(const std::string& folder, const std::string& name, const std::string& script, int width, int height) {
  const std::string file = name + ".gp", svg = name + ".svg", part = svg + ".part";
  write_file_atomically(folder + '/' + file, fmt::format("# gnuplot {}\n"
                                                         "if (!exists(\"svg\")) svg = \"{}\"\n"
                                                         "set terminal svg size {},{} background rgb \"white\"\n"
                                                         "set output svg\n"
                                                         "set datafile separator \",\"\n{}",
                                                         file, svg, width, height, script));
  const int status = run_program({"gnuplot", "-e", fmt::format("svg = '{}'", part), file}, {"", folder});
  std::error_code error;
  if (status == 0) std::filesystem::rename(folder + '/' + part, folder + '/' + svg, error);
  if (status == 0 && !error) return;
  std::filesystem::remove(folder + '/' + part, error);
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

}  // namespace sluice::command
