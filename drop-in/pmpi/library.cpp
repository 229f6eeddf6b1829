#include "pmpi/library.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "pmpi/record/record_files.hpp"
#include "pmpi/record/record_writer.hpp"
#include "pmpi/record/recorder.hpp"
#include "pmpi/said.hpp"
#include "pmpi/take/communicator.hpp"
#include "pmpi/take/take_log.hpp"
#include "sluice/error.hpp"

namespace sluice::pmpi {

Mode mode;

namespace {

Settings& kept_settings() {
  static Settings* const kept = new Settings;
  return *kept;
}

/// Of this process, while it records.
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
  start_recorder();
  auto made = std::make_unique<Record>();
  if (const std::string wrong = made->folder.open(settings().record); !wrong.empty()) {
    say_once_for_all("SLUICE_RECORD", "nothing is recorded: " + wrong);
    return;
  }
  made->writer.emplace(made->folder, settings().record_interval_s);
  record() = std::move(made);
  mode.recording = true;
}

}  // namespace

const Settings& settings() { return kept_settings(); }

void start() noexcept {
  try {
    kept_settings() = read_settings();
    if (!settings().record.empty()) {
      start_recording();
    } else if (settings().any_call()) {
      mode.taking = start_taking();
    }
  } catch (const InputError& error) {
    say_once_for_all("ignored", error.what());
  } catch (const std::exception& error) {
    say_once("ignored", error.what());
  }
}

void stop() noexcept {
  const Mode was = mode;
  mode = {};
  try {
    if (was.recording) {
      record()->writer->stop();
      record()->folder.finish();
    }
    if (was.taking) {
      stop_taking();
      if (settings().log) print_log();
    }
  } catch (const std::exception& error) {
    say_once("at MPI_Finalize", error.what());
  }
}

void about_to_abort() noexcept {
  if (!mode.recording) return;
  try {
    record()->writer->write();
  } catch (...) {
    return;
  }
}

void say_once(const std::string& where, const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::scoped_lock lock(mutex);
  if (said.insert(where).second) std::fprintf(stderr, "sluice: %s: %s\n", where.c_str(), text.c_str());
}

void say_once_for_all(const std::string& where, const std::string& text) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) say_once(where, text);
}

}  // namespace sluice::pmpi
