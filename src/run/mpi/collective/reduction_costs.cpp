#include "run/mpi/collective/reduction_costs.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "run/mpi/network/round_trip.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/median.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kParts = 16;
constexpr std::int64_t kMostReducedBytes = 1 << 30;
constexpr int kRepetitions = 5;
/// An operation that takes longer is timed at most once more.
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

double seconds_of_message(Channel& channel, int peer, bool first, const std::shared_ptr<std::byte[]>& buffer,
                          std::int64_t bytes) {
  const double least =
      half_of_round_trip(channel, peer, first, buffer, static_cast<int>(std::min(bytes, kMostReducedBytes)));
  return bytes > kMostReducedBytes ? least * static_cast<double>(bytes) / static_cast<double>(kMostReducedBytes)
                                   : least;
}

/// The overhead in `whole`: the rest of `whole` shrinks by kParts, so part = overhead + (whole - overhead) / kParts.
double overhead(double whole, double part) {
  const auto parts = static_cast<double>(kParts);
  return std::clamp((parts * part - whole) / (parts - 1), 0.0, whole);
}

}  // namespace

int measuring_peer(Channel& channel) {
  const int half = channel.size() / 2;
  if (channel.rank() < half) return channel.rank() + half;
  return channel.rank() < 2 * half ? channel.rank() - half : MPI_PROC_NULL;
}

ReductionCosts measure_costs(Channel& channel, std::int64_t bytes, bool divisible,
                             const std::function<void(std::int64_t parts)>& combine) {
  enum { kTransfer, kTransferPart, kCompute, kComputePart, kValues };
  constexpr double kUnknown = -1;
  std::array<double, kValues> own{kUnknown, kUnknown, kUnknown, kUnknown};
  if (const int peer = measuring_peer(channel); peer != MPI_PROC_NULL) {
    const bool first = channel.rank() < peer;
    const auto room = static_cast<std::size_t>(std::min(bytes, kMostReducedBytes));
    const std::shared_ptr<std::byte[]> buffer(new std::byte[room]());
    own[kTransfer] = seconds_of_message(channel, peer, first, buffer, bytes);
    own[kTransferPart] = seconds_of_message(channel, peer, first, buffer, bytes / kParts);
  }
  own[kCompute] = seconds_of(combine, 1);
  if (divisible) own[kComputePart] = seconds_of(combine, kParts);

  // Rank 0 decides for all; each rank sends it its values in one message.
  std::vector<std::int64_t> numbers;
  for (const double value : own) numbers.push_back(std::bit_cast<std::int64_t>(value));
  const std::vector<std::vector<std::int64_t>> all = gather_numbers(channel, std::move(numbers));
  const auto agreed = [&](std::size_t value) {
    std::vector<double> known;
    for (const std::vector<std::int64_t>& of_rank : all) {
      if (const auto each = std::bit_cast<double>(of_rank[value]); each != kUnknown) known.push_back(each);
    }
    return known.empty() ? 0 : median(known);
  };
  ReductionCosts costs;
  if (channel.rank() == 0) {
    costs.transfer = agreed(kTransfer);
    costs.compute = agreed(kCompute);
    costs.transfer_overhead = overhead(costs.transfer, agreed(kTransferPart));
    if (divisible) costs.compute_overhead = overhead(costs.compute, agreed(kComputePart));
  }
  tell_all(channel, &costs, sizeof costs, 0);
  return costs;
}

}  // namespace sluice::mpi::detail
