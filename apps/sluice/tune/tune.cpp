#include "apps/sluice/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/library_run.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 30;
constexpr int kMostRepetitions = 1000;
// Models leave things out that measurements have.
constexpr const char* kModelGain = "0.2";
constexpr const char* kMeasuredGain = "0.1";
constexpr const char* kModelSizes = "256,512,1Ki,2Ki,4Ki,8Ki,16Ki,32Ki,64Ki,128Ki,256Ki,512Ki,1Mi,2Mi,4Mi";
constexpr const char* kMeasuredSizes = "1Ki,4Ki,16Ki,64Ki,256Ki";

std::vector<Call> parse_calls(const std::string& text, Library library) {
  std::vector<Call> known = tunable_calls(library);
  if (text.empty()) return known;
  std::vector<Call> calls;
  std::string names;
  for (const Call call : known) names += (names.empty() ? "" : ", ") + std::string(kind_of(call).name);
  for (const std::string& word : parse_list(text)) {
    const auto found = std::find_if(known.begin(), known.end(), [&](Call call) { return kind_of(call).name == word; });
    if (found == known.end()) throw InputError("--collectives", "'" + word + "'", "some of " + names);
    if (std::find(calls.begin(), calls.end(), *found) != calls.end())
      throw InputError("--collectives", word + " twice", "each once");
    calls.push_back(*found);
  }
  return calls;
}

std::vector<std::int64_t> parse_sizes(const std::string& text, bool measure) {
  std::vector<std::int64_t> sizes;
  for (const std::string& word : parse_list(text)) {
    const std::int64_t bytes = parse_bytes(word, "--sizes");
    if (bytes < 1 || bytes > kLargestSize)
      throw InputError("--sizes", count_text(bytes, "byte"), fmt::format("1 to {}", kLargestSize));
    if (measure && bytes % 8 != 0) throw InputError("--sizes", count_text(bytes, "byte"), "a multiple of 8");
    if (!sizes.empty() && bytes <= sizes.back())
      throw InputError("--sizes", fmt::format("{} after {}", bytes, sizes.back()), "rising sizes");
    sizes.push_back(bytes);
  }
  return sizes;
}

TuneTask read(const TuneOptions& options) {
  TuneTask task;
  task.library = parse_library(options.library, "--for");
  if (options.output.empty()) throw InputError("sluice tune", "no -o", "-o FILE for the rules");
  if (options.output == "-") throw InputError("-o", "-", "a file, as the table goes to standard output");
  if (options.measure && !options.platform.empty())
    throw InputError("--measure", "cannot be used with --platform", "one of the two");
  if (!options.measure && options.platform.empty())
    throw InputError("sluice tune", "neither --platform nor --measure", "one of the two");
  // A build without MPI says so later.
  const std::string running = mpi_library();
  if (options.measure && !running.empty() && !running.starts_with(library_name(task.library)))
    throw InputError("--for", options.library + " with --measure under " + running, "the MPI that this job runs under");
  if (task.library == Library::kOpenMpi && !options.mpich_file.empty())
    throw InputError("--library", "a file for Open MPI", "one for MPICH");
  if (task.library == Library::kMpich && options.commutative)
    throw InputError("--commutative", "MPICH, which asks each operation", "Open MPI");
  task.output = options.output;
  task.json = options.json;
  task.calls = parse_calls(options.collectives, task.library);
  task.sizes = parse_sizes(!options.sizes.empty() ? options.sizes : (options.measure ? kMeasuredSizes : kModelSizes),
                           options.measure);
  task.gain =
      parse_number(!options.gain.empty() ? options.gain : (options.measure ? kMeasuredGain : kModelGain), "--gain");
  if (task.gain >= 1) throw InputError("--gain", fmt::format("{}", task.gain), "a part of the time, below 1");
  task.repetitions = static_cast<int>(
      parse_count(options.repetitions.empty() ? "9" : options.repetitions, "--repetitions", 3, kMostRepetitions));
  if (!options.repetitions.empty() && !options.measure)
    throw InputError("--repetitions", "--platform, which measures nothing", "--measure");
  task.commutative = options.commutative;
  task.mpich.file = options.mpich_file;
  return task;
}

/// Seconds of each choice that was looked at, as several have the same messages.
class Models {
 public:
  explicit Models(const Platform& platform) : platform_(platform) {}

  [[nodiscard]] std::optional<double> seconds(const LibraryChoice& choice, std::int64_t bytes) {
    const std::optional<LibraryRun> run = run_of(choice, bytes, platform_.ranks);
    if (!run) return std::nullopt;
    const Key key{run->problem, run->pattern, run->size_bytes, run->segment_bytes};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const std::optional<double> seconds = library_seconds(platform_, *run);
    known_.emplace(key, seconds);
    return seconds;
  }

 private:
  using Key = std::tuple<Collective, LibraryPattern, std::int64_t, std::int64_t>;
  const Platform& platform_;
  std::map<Key, std::optional<double>> known_;
};

TuneResult tune_by_models(const TuneTask& task, const Platform& platform) {
  TuneResult result;
  Models models(platform);
  Progress bar(static_cast<std::int64_t>(task.calls.size() * task.sizes.size()));
  std::int64_t done = 0;
  for (const Call call : task.calls) {
    const std::string name(kind_of(call).name);
    std::int64_t unknown = 0;
    for (std::size_t i = 0; i < task.sizes.size(); ++i) {
      const std::int64_t bytes = task.sizes[i];
      bar.show(done++, name);
      const std::optional<LibraryChoice> own = own_choice(task, call, platform.ranks, bytes);
      const std::optional<double> own_s = own ? models.seconds(*own, bytes) : std::nullopt;
      if (!own_s) {
        ++unknown;
        continue;
      }
      std::optional<LibraryChoice> best;
      double best_s = (1 - task.gain) * *own_s;
      for (const LibraryChoice& choice :
           library_choices(task.library, call, platform.ranks, bytes, true, task.commutative)) {
        const std::optional<double> seconds = models.seconds(choice, bytes);
        if (!seconds || *seconds >= best_s) continue;
        best = choice;
        best_s = *seconds;
      }
      if (best) result.sizes.push_back({call, bytes, end_of_size(task.sizes, i), own->text(), *best, *own_s, best_s});
    }
    if (unknown > 0)
      result.notes.push_back(fmt::format("{}: {} of {} left to the library, as what it takes there is not modelled",
                                         name, unknown,
                                         count_text(static_cast<std::int64_t>(task.sizes.size()), "size")));
  }
  return result;
}

int tune(const TuneOptions& options) {
  TuneTask task = read(options);
  if (options.measure) return run_tune(task);
  const Platform platform = read_platform_option(options.platform);
  if (platform.ranks < 2) throw InputError(options.platform, "one rank", "at least two");
  check_writable(task.output);
  check_json_target(task.json);
  if (task.library == Library::kMpich) task.mpich = read_mpich_selection(task.mpich.file);
  write_tuned(task, tune_by_models(task, platform), platform.ranks,
              {"by the models of " + shown_path(options.platform)});
  return kDone;
}

std::string tuning_json(const TuneTask& task, const TuneResult& result, std::int64_t ranks, const TuneSource& source) {
  nlohmann::ordered_json file{{"schema", "sluice.tuning/1"},
                              {"about", about(source.hosts, source.mpi)},
                              {"library", library_name(task.library)},
                              {"ranks", ranks},
                              {"source", utf8(source.text)},
                              {"rules", nlohmann::ordered_json::array()},
                              {"notes", result.notes}};
  for (const TunedSize& size : result.sizes)
    file["rules"].push_back({{"call", kind_of(size.call).name},
                             {"from_bytes", size.bytes},
                             {"below_bytes", size.below},
                             {"own_algorithm", size.from},
                             {"own_s", size.from_s},
                             {"algorithm", size.to.text()},
                             {"time_s", size.to_s}});
  return file.dump(1) + '\n';
}

}  // namespace

std::optional<LibraryChoice> own_choice(const TuneTask& task, Call call, std::int64_t ranks, std::int64_t bytes) {
  if (task.library == Library::kOpenMpi) return open_mpi_default(call, ranks, bytes);
  return mpich_default(task.mpich, call, ranks, bytes);
}

std::int64_t end_of_size(const std::vector<std::int64_t>& sizes, std::size_t i) {
  return i + 1 < sizes.size() ? sizes[i + 1] : 2 * sizes[i];
}

void write_tuned(const TuneTask& task, const TuneResult& result, std::int64_t ranks, const TuneSource& source) {
  const bool open_mpi = task.library == Library::kOpenMpi;
  write_file_atomically(task.output,
                        open_mpi ? open_mpi_rules(result.sizes, ranks) : mpich_rules(task.mpich, result.sizes, ranks));
  if (!task.json.empty()) write_file_atomically(task.json, tuning_json(task, result, ranks, source));
  std::string text = fmt::format("{}, {}, {}\n", library_name(task.library), count_text(ranks, "rank"), source.text);
  if (!open_mpi) text += fmt::format("all other rules as {} has them\n", task.mpich.file);
  using Align = TextTable::Align;
  TextTable table({{"call", Align::kLeft},
                   {"from bytes"},
                   {"below"},
                   {"the library's", Align::kLeft},
                   {"tuned", Align::kLeft},
                   {"time"},
                   {"tuned"},
                   {"ratio"}});
  for (const TunedSize& size : result.sizes)
    table.add_row({std::string(kind_of(size.call).name), fmt::format("{}", size.bytes), fmt::format("{}", size.below),
                   size.from, size.to.text(), seconds_text(size.from_s), seconds_text(size.to_s),
                   ratio_text(size.to_s, size.from_s)});
  text += result.sizes.empty() ? "\nnothing to change\n" : '\n' + table.text();
  if (!result.notes.empty()) text += '\n';
  for (const std::string& note : result.notes) text += note + '\n';
  text += fmt::format("\nwritten to {}. To use it:\n", task.output);
  text += open_mpi
              ? fmt::format(
                    "  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {} ...\n",
                    task.output)
              : fmt::format("  mpiexec -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE {} ...\n", task.output);
  tell(text);
}

void add_tune(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("tune", "tell an MPI library which algorithms fit a network");
  const auto options = std::make_shared<TuneOptions>();
  verb->add_option("--platform", options->platform, "the network, a platform file: decide by models")
      ->option_text("FILE");
  verb->add_flag("--measure", options->measure,
                 "decide by measuring each algorithm between these ranks (needs mpirun)");
  offer(verb->add_option("--for", options->library, "the library: openmpi, mpich (needed)"), {"openmpi", "mpich"})
      ->option_text("NAME");
  verb->add_option("-o,--output", options->output, "where the file for the library goes (needed)")->option_text("FILE");
  verb->add_option("--json", options->json, "write the rules as JSON too (sluice.tuning/1); -: instead of the table")
      ->option_text("FILE|-");
  std::vector<std::string> names;
  for (const CallKind& kind : call_kinds()) names.emplace_back(kind.name);
  offer(verb->add_option("--collectives", options->collectives, "the collectives to consider, such as bcast,allreduce"),
        names)
      ->option_text("A,B,.. [all]");
  verb->add_option("--sizes", options->sizes, "sizes in bytes to look at; the rule for one holds up to the next")
      ->option_text("N,N,..");
  verb->add_option("--gain", options->gain, "leave out rules that save less than this part of the time")
      ->option_text("G [0.2, measured 0.1]");
  verb->add_option("--repetitions", options->repetitions, "repetitions of each algorithm that is measured")
      ->option_text("N [9]");
  verb->add_flag("--commutative", options->commutative,
                 "Open MPI: take algorithms too that are wrong for operations that do not commute");
  verb->add_option("--library", options->mpich_file, "MPICH: the libmpich.so whose own selection is the start")
      ->option_text("FILE");
  verb->footer(
      "Writes what the library reads at its start: for Open MPI a file of dynamic rules, for MPICH a selection in\n"
      "JSON. Rules hold for communicators with as many ranks as the platform, or this job, has. If no algorithm\n"
      "is faster by --gain, the library keeps its own choice. A size is what one rank gives to the call: the\n"
      "message, one block, or all that is combined. With --measure, algorithms alternate. A rule is written only\n"
      "if the quartiles of the two algorithms do not overlap in two measurements.\n\n"
      "Examples:\n"
      "  sluice tune --platform platform.json --for openmpi -o rules.conf\n"
      "  mpirun -np 8 sluice tune --for openmpi --measure -o rules.conf");
  verb->callback([options, &chosen] { chosen = [options] { return tune(*options); }; });
}

}  // namespace sluice::command
