#include "pmpi/library.hpp"

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "own_mpi.hpp"
#include "pmpi/record/record_files.hpp"
#include "pmpi/record/record_writer.hpp"
#include "pmpi/record/recorder.hpp"
#include "pmpi/said.hpp"
#include "pmpi/take/communicator.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "sluice/error.hpp"

namespace sluice::pmpi {

Mode mode;
std::atomic<bool> any_jobs = false;

namespace {

Settings& kept_settings() {
  static Settings* const kept = new Settings;
  return *kept;
}

/// The record of this process, while it records.
struct Record {
  RecordFolder folder;
  std::optional<RecordWriter> writer;
};
std::unique_ptr<Record>& record() {
  static auto* const kept = new std::unique_ptr<Record>;  // no destructor may run beside the writer's thread
  return *kept;
}

void start_recording() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    say_once_for_all("SLUICE_RECORD", "ranks that were started by MPI_Comm_spawn are not recorded");
    return;
  }
  const bool ready = start_recorder();
  auto made = std::make_unique<Record>();
  if (const std::string wrong = made->folder.open(settings().record, ready); !wrong.empty()) {
    say_once_for_all("SLUICE_RECORD", "nothing is recorded: " + wrong);
    return;
  }
  made->writer.emplace(made->folder, settings().record_interval_s);
  record() = std::move(made);
  mode.recording = true;
}

/// The process that has started MPI. A forked child has none of its threads and no part in its messages.
pid_t starter = 0;

/// Also called in a forked child. Its calls of MPI are errors of the program, as without the library.
void hand_all_on() { mode = {}; }

/// Collective over MPI_COMM_WORLD.
bool same_on_all_ranks(const std::string& text) {
  const auto hash = static_cast<std::uint64_t>(std::hash<std::string>()(text));
  const std::array<std::uint64_t, 2> own{hash, ~hash};
  std::array<std::uint64_t, 2> most{};
  return PMPI_Allreduce(own.data(), most.data(), 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS &&
         most[0] == ~most[1];
}

/// Elements of a common type that are fewer bytes, whichever type it is.
std::array<int, kTakenCalls.size()> surely_fewer(const std::array<std::int64_t, kTakenCalls.size()>& bytes) {
  std::array<int, kTakenCalls.size()> few{};
  for (std::size_t i = 0; i < few.size(); ++i)
    few[i] = static_cast<int>(std::min<std::int64_t>(bytes[i] / kMostCommonBytes, std::numeric_limits<int>::max()));
  return few;
}

/// Collective over MPI_COMM_WORLD: recording, or taking.
void begin_what_is_asked_for() {
  if (!settings().record.empty()) {
    start_recording();
  } else if (settings().calls.any()) {
    mode.taking = start_taking();
    mode.log = mode.taking && settings().log;
    if (mode.taking) mode.least = least_arguments();
    if (mode.taking && !mode.log) mode.few = surely_fewer(mode.least);
  }
}

}  // namespace

const Settings& settings() { return kept_settings(); }

void start() noexcept {
  starter = getpid();
  (void)pthread_atfork(nullptr, nullptr, hand_all_on);
  try {
    std::string wrong;
    try {
      kept_settings() = read_settings();
    } catch (const InputError& error) {
      wrong = error.what();
    }
    // Recording is collective where it begins, and decisions follow from what is asked for.
    if (!same_on_all_ranks(to_text(settings()) + wrong)) {
      say_once_for_all("ignored", "SLUICE_ variables differ between ranks");
    } else if (!wrong.empty()) {
      say_once_for_all("ignored", wrong);
    } else {
      if (settings().log)
        say_once_for_all("libsluice_pmpi.so " SLUICE_VERSION, "under " + name_of_mpi(PMPI_Get_library_version));
      begin_what_is_asked_for();
    }
  } catch (const std::exception& error) {
    say_once("ignored", error.what());
  }
}

void note_jobs(MPI_Comm comm) {
  mpi::set_calls_in_order(comm, true);
  any_jobs = true;
}

void stop() noexcept {
  const Mode was = mode;
  hand_all_on();
  if (getpid() != starter) return;
  try {
    if (was.recording) record()->writer->finish();
    if (was.taking) {
      stop_taking();
      if (was.log) print_log();
    }
  } catch (const std::exception& error) {
    say_once("at MPI_Finalize", error.what());
  }
}

void about_to_abort() noexcept {
  if (!mode.recording || getpid() != starter) return;
  try {
    record()->writer->write_at_abort();
  } catch (...) {
    return;
  }
}

void say_once(const std::string& where, const std::string& text) {
  struct Said {
    std::mutex mutex;
    std::set<std::string> all;
  };
  static auto* const said = new Said;  // MPI_Finalize may be called when static variables are destroyed
  const std::scoped_lock lock(said->mutex);
  if (said->all.insert(where).second) std::fprintf(stderr, "sluice: %s: %s\n", where.c_str(), text.c_str());
}

void say_once_for_all(const std::string& where, const std::string& text) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) say_once(where, text);
}

}  // namespace sluice::pmpi
