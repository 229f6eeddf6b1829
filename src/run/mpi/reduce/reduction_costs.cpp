#include "run/mpi/reduce/reduction_costs.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "run/mpi/collective.hpp"
#include "run/mpi/planner_rank.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kTag = 2;
constexpr std::int64_t kParts = 16;
constexpr std::int64_t kMostBytes = 1 << 30;
constexpr int kRepetitions = 5;
/// An operation that takes longer than so many seconds is timed once more at most.
constexpr double kLong_s = 0.05;

double seconds_of(const std::function<void(std::int64_t)>& combine, std::int64_t parts) {
  double least = std::numeric_limits<double>::infinity();
  const double begin = MPI_Wtime();
  for (int i = 0; i < kRepetitions; ++i) {
    const double start = MPI_Wtime();
    combine(parts);
    const double end = MPI_Wtime();
    least = std::min(least, end - start);
    if (i > 0 && end - begin > kLong_s) break;
  }
  return least;
}

/// Half of there and back.
double seconds_of_message(const Communicator& comm, int peer, bool first, std::byte* buffer, std::int64_t bytes) {
  double least = std::numeric_limits<double>::infinity();
  const auto count = static_cast<int>(std::min(bytes, kMostBytes));
  for (int i = 0; i <= kRepetitions; ++i) {
    const double start = MPI_Wtime();
    for (const bool sends : {first, !first}) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (sends) {
        SLUICE_MPI(MPI_Isend(buffer, count, MPI_BYTE, peer, kTag, comm.get(), &request));
      } else {
        SLUICE_MPI(MPI_Irecv(buffer, count, MPI_BYTE, peer, kTag, comm.get(), &request));
      }
      wait_for(request);
    }
    // The first one opens the connection.
    if (i > 0) least = std::min(least, (MPI_Wtime() - start) / 2);
  }
  return bytes > kMostBytes ? least * static_cast<double>(bytes) / static_cast<double>(kMostBytes) : least;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// What is left of `whole` if only the rest shrinks by kParts: part = overhead + (whole - overhead) / kParts.
double overhead(double whole, double part) {
  const auto parts = static_cast<double>(kParts);
  return std::clamp((parts * part - whole) / (parts - 1), 0.0, whole);
}

}  // namespace

int measuring_peer(const Communicator& comm) {
  const int half = comm.size() / 2;
  if (comm.rank() < half) return comm.rank() + half;
  return comm.rank() < 2 * half ? comm.rank() - half : MPI_PROC_NULL;
}

ReductionCosts measure_costs(const Communicator& comm, std::int64_t bytes, bool divisible,
                             const std::function<void(std::int64_t parts)>& combine) {
  enum { kTransfer, kTransferPart, kCompute, kComputePart, kValues };
  constexpr double kUnknown = -1;
  std::array<double, kValues> own{kUnknown, kUnknown, kUnknown, kUnknown};
  if (const int peer = measuring_peer(comm); peer != MPI_PROC_NULL) {
    const bool first = comm.rank() < peer;
    const auto room = static_cast<std::size_t>(std::min(bytes, kMostBytes));
    const auto buffer = std::make_unique<std::byte[]>(room);
    own[kTransfer] = seconds_of_message(comm, peer, first, buffer.get(), bytes);
    own[kTransferPart] = seconds_of_message(comm, peer, first, buffer.get(), bytes / kParts);
  }
  own[kCompute] = seconds_of(combine, 1);
  if (divisible) own[kComputePart] = seconds_of(combine, kParts);

  // One rank for all, by a message each.
  std::vector<std::int64_t> numbers;
  for (const double value : own) numbers.push_back(std::bit_cast<std::int64_t>(value));
  const GatheredNumbers all = gather_numbers(comm, numbers);
  const auto agreed = [&](std::size_t value) {
    std::vector<double> known;
    for (std::size_t i = value; i < all.values.size(); i += kValues) {
      if (const auto each = std::bit_cast<double>(all.values[i]); each != kUnknown) known.push_back(each);
    }
    return median(std::move(known));
  };
  ReductionCosts costs;
  if (comm.rank() == kPlanner) {
    costs.transfer = agreed(kTransfer);
    costs.compute = agreed(kCompute);
    costs.transfer_overhead = overhead(costs.transfer, agreed(kTransferPart));
    if (divisible) costs.compute_overhead = overhead(costs.compute, agreed(kComputePart));
  }
  tell_all(&costs, sizeof costs, kPlanner, comm);
  return costs;
}

}  // namespace sluice::mpi::detail
