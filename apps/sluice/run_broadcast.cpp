#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithm_names.hpp"
#include "command.hpp"
#include "option_values.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "run_output.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/run/mpi/compare.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

std::vector<std::string> read_methods(const std::string& text) {
  const std::vector<std::string> usual = mpi::broadcast_methods();
  std::vector<std::string> methods = text == "all" ? usual : parse_list(text);
  for (auto name = methods.begin(); name != methods.end(); ++name) {
    if (std::find(usual.begin(), usual.end(), *name) == usual.end()) check_algorithm("broadcast", *name, "--method");
    if (std::find(methods.begin(), name, *name) != name)
      throw InputError("--method", fmt::format("'{}' twice", *name), "every method once");
  }
  return methods;
}

}  // namespace

int run_broadcast(const RunBroadcast& options) {
  constexpr std::int64_t kMostRepetitions = 1'000'000;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  if (options.platform.empty()) throw InputError("--platform", "no file", "a platform file, as sluice probe writes it");
  if (options.size.empty()) throw InputError("--size", "no size", "bytes of the message, such as 4Mi");
  const std::vector<std::string> methods = read_methods(options.method);
  const auto repetitions = static_cast<int>(parse_count(options.repetitions, "--repetitions", 1, kMostRepetitions));
  const std::int64_t bytes = parse_count(options.size, "--size", 0, kMostBytes);
  const Platform platform = read_platform(options.platform);
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (platform.ranks != ranks)
    throw InputError(options.platform, fmt::format("{} ranks", platform.ranks),
                     fmt::format("as many as mpirun started: {}", ranks));
  const auto root = static_cast<int>(parse_count(options.root, "--root", 0, ranks - 1));
  mpi::BroadcastJobOptions how;
  how.try_native = !options.model_only;
  Ranks::once([&] { check_json_target(options.json); });
  const mpi::Comparison comparison =
      mpi::compare_broadcasts(MPI_COMM_WORLD, platform, root, bytes, how, methods, repetitions);
  RunSubject subject;
  subject.problem = "broadcast";
  subject.title = fmt::format("broadcast of {} from rank {} to {} ranks in {} clusters, {}", bytes_text(bytes), root,
                              ranks, platform.clusters.size(), options.platform);
  subject.largest_part = bytes;
  return show_run(subject, comparison, options.json);
}

}  // namespace sluice::command
