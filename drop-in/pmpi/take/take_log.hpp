#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

/// SLUICE_LOG=1: what became of the calls.
namespace sluice::pmpi {

enum class Taken { kBcast, kReduce, kAlltoall, kAlltoallv, kNeighborAlltoallv };
inline constexpr std::size_t kTakenCalls = 5;

/// One call: tells the log when it ends, if there is one.
class Logged {
 public:
  explicit Logged(Taken call);
  ~Logged();
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  void planned() { planned_ = true; }

 private:
  Taken call_;
  bool planned_ = false;
  double start_s_ = 0;  ///< below 0: there is no log
};

/// Collective over MPI_COMM_WORLD: the table, on rank 0, on standard error.
void print_log();

}  // namespace sluice::pmpi
