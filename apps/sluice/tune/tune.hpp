#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/sluice/tune/library.hpp"
#include "apps/sluice/tune/mpich.hpp"

namespace sluice::command {

/// What `sluice tune` was asked for, as typed.
struct TuneOptions {
  std::string platform;
  std::string library;
  std::string output;
  std::string json;
  std::string collectives;
  std::string sizes;
  std::string gain;
  std::string mpich_file;
  std::string repetitions;
  bool commutative = false;
  bool measure = false;
};

/// The options, read and checked except for the platform.
struct TuneTask {
  Library library = Library::kOpenMpi;
  std::string output;
  std::string json;
  std::vector<Call> calls;
  std::vector<std::int64_t> sizes;  ///< rising
  double gain = 0;                  ///< the part of the library's time that an algorithm must save
  int repetitions = 0;
  bool commutative = false;
  MpichSelection mpich;  ///< of MPICH; its text is read when it is needed
};

/// What came of it.
struct TuneResult {
  std::vector<TunedSize> sizes;
  std::vector<std::string> notes;  ///< what was left to the library, and why
};

/// What the library takes if it is left alone; none where that is not among what can be chosen.
/// @pre of MPICH, its selection has been read
[[nodiscard]] std::optional<LibraryChoice> own_choice(const TuneTask& task, Call call, std::int64_t ranks,
                                                      std::int64_t bytes);

/// Up to where what was found for sizes[i] goes: the next size, of the last one twice as much.
[[nodiscard]] std::int64_t end_of_size(const std::vector<std::int64_t>& sizes, std::size_t i);

/// What the times come from: "by the models of lab.json", or a job, with its hosts and its MPI.
struct TuneSource {
  std::string text;
  std::vector<std::string> hosts = {};
  std::string mpi = {};
};

/// Writes the files and prints the table; on one process.
void write_tuned(const TuneTask& task, const TuneResult& result, std::int64_t ranks, const TuneSource& source);

/// Measures and writes. Collective.
int run_tune(TuneTask task);

}  // namespace sluice::command
