#pragma once

#include <mpi.h>

#include "pmpi/library.hpp"
#include "pmpi/take/taken_calls.hpp"

/// SLUICE_LOG=1: what became of the calls.
namespace sluice::pmpi {

/// One call. Tells the log, if there is one, when the call ends.
class Logged {
 public:
  explicit Logged(Taken call) : call_(call), start_s_(mode.log ? PMPI_Wtime() : -1) {}
  ~Logged() {
    if (start_s_ >= 0) add();
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  void planned() { planned_ = true; }

 private:
  void add() const;

  Taken call_;
  bool planned_ = false;
  double start_s_ = 0;  ///< below 0: there is no log
};

/// Collective over MPI_COMM_WORLD: the table of the calls that were made, on rank 0, on standard error.
void print_log();

}  // namespace sluice::pmpi
