#pragma once

#include <mutex>
#include <string>
#include <thread>

#include "pmpi/record/record_files.hpp"

namespace sluice::pmpi {

/// Renews the files of a record while the program runs: a thread that sleeps between, every so many seconds, and at
/// SIGTERM, before the program ends by it, if the program leaves that signal to the system. A program that is killed
/// leaves what it had then.
class RecordWriter {
 public:
  RecordWriter(RecordFolder& folder, double interval_s);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  ~RecordWriter() { stop(); }

  /// Now, before this rank calls MPI_Abort: its part and the files of the job, as MPIs may leave rank 0 no time for
  /// them. Errors are said once.
  void write_at_abort() { write(true); }
  /// Collective over MPI_COMM_WORLD: writes the files of the job for the last time. Errors are said once. A SIGTERM
  /// that comes while ranks wait for each other is served as before.
  void finish();

 private:
  void run();
  void write(bool files);
  /// No file is written any more.
  void stop();

  RecordFolder& folder_;
  double interval_s_;
  std::mutex writing_;
  bool finished_ = false;  ///< the files are those of the end
  std::thread thread_;
};

}  // namespace sluice::pmpi
