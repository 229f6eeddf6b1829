#include "pmpi/take/take_log.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

namespace sluice::pmpi {
namespace {

struct Line {
  std::atomic<std::int64_t> planned{0};
  std::atomic<std::int64_t> forwarded{0};
  std::atomic<std::int64_t> planned_ns{0};
  std::atomic<std::int64_t> forwarded_ns{0};
};
std::array<Line, kTakenCalls.size()> lines;

}  // namespace

void Logged::add() const {
  constexpr double kNanoseconds = 1e9;
  const auto passed = static_cast<std::int64_t>((PMPI_Wtime() - start_s_) * kNanoseconds);
  Line& line = lines[index_of(call_)];
  (planned_ ? line.planned : line.forwarded).fetch_add(1, std::memory_order_relaxed);
  (planned_ ? line.planned_ns : line.forwarded_ns).fetch_add(passed, std::memory_order_relaxed);
}

void print_log() {
  constexpr std::size_t kColumns = 4;
  std::array<std::int64_t, kColumns * kTakenCalls.size()> own{};
  for (std::size_t i = 0; i < kTakenCalls.size(); ++i) {
    own[kColumns * i] = lines[i].planned;
    own[kColumns * i + 1] = lines[i].forwarded;
    own[kColumns * i + 2] = lines[i].planned_ns;
    own[kColumns * i + 3] = lines[i].forwarded_ns;
  }
  std::array<std::int64_t, own.size()> most{};
  PMPI_Reduce(own.data(), most.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::string table = fmt::format("sluice: {:<24} {:>9} {:>9} {:>9} {:>12} {:>12}\n", "call, most of any rank", "calls",
                                  "planned", "forwarded", "planned s", "forwarded s");
  for (std::size_t i = 0; i < kTakenCalls.size(); ++i) {
    const std::int64_t* const line = most.data() + kColumns * i;
    if (line[0] + line[1] == 0) continue;
    fmt::format_to(std::back_inserter(table), "sluice: {:<24} {:>9} {:>9} {:>9} {:>12.6f} {:>12.6f}\n",
                   kTakenCalls[i].mpi_name, line[0] + line[1], line[0], line[1], static_cast<double>(line[2]) * 1e-9,
                   static_cast<double>(line[3]) * 1e-9);
  }
  std::fputs(table.c_str(), stderr);
}

}  // namespace sluice::pmpi
