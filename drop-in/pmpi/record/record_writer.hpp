#pragma once

#include <mutex>
#include <string>
#include <thread>

#include "pmpi/record/record_files.hpp"

namespace sluice::pmpi {

/// Renews the files of a record while the program runs. A thread does so every `interval_s` seconds, and sleeps in
/// between. It also does so at SIGTERM, before the program ends by it, if the program leaves that signal to the system.
/// A killed program leaves the last files.
class RecordWriter {
 public:
  RecordWriter(RecordFolder& folder, double interval_s);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  ~RecordWriter() { stop(); }

  /// Writes now, before this rank calls MPI_Abort: its part and the files of the job, because some MPIs leave rank 0 no
  /// time for them. Errors are reported once.
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
  bool finished_ = false;  ///< the files are final
  std::thread thread_;
};

}  // namespace sluice::pmpi
