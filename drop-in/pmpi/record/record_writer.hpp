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
  RecordWriter(const RecordFolder& folder, double interval_s);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  ~RecordWriter() { stop(); }

  /// No file is written any more.
  void stop();
  /// Now. Errors are said once.
  void write();

 private:
  void run();

  const RecordFolder& folder_;
  double interval_s_;
  std::mutex writing_;
  std::thread thread_;
};

}  // namespace sluice::pmpi
