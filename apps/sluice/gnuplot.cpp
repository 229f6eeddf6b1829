#include "gnuplot.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "output.hpp"

namespace sluice::command {

namespace {

constexpr int kNotFound = 127;

/// Runs gnuplot in `folder`; its exit status, kNotFound where there is none.
int run_gnuplot(const std::string& folder, const std::string& script, const std::string& svg) {
  const std::string variable = fmt::format("svg = '{}'", svg);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(folder.c_str()) == 0) ::execlp("gnuplot", "gnuplot", "-e", variable.c_str(), script.c_str(), nullptr);
    ::_exit(kNotFound);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kNotFound;
}

}  // namespace

void draw(const std::string& folder, const std::string& name, const std::string& script, int width, int height) {
  const std::string file = name + ".gp", svg = name + ".svg", part = svg + ".part";
  write_file_atomically(folder + '/' + file, fmt::format("# gnuplot {}\n"
                                                         "if (!exists(\"svg\")) svg = \"{}\"\n"
                                                         "set terminal svg size {},{} background rgb \"white\"\n"
                                                         "set output svg\n"
                                                         "set datafile separator \",\"\n{}",
                                                         file, svg, width, height, script));
  const int status = run_gnuplot(folder, file, part);
  std::error_code error;
  if (status == 0) std::filesystem::rename(folder + '/' + part, folder + '/' + svg, error);
  if (status == 0 && !error) return;
  std::filesystem::remove(folder + '/' + part, error);
  std::fprintf(stderr, "no %s/%s: gnuplot %s; `gnuplot %s` in the folder draws it\n", folder.c_str(), svg.c_str(),
               status == kNotFound ? "is not installed" : "failed", file.c_str());
}

}  // namespace sluice::command
