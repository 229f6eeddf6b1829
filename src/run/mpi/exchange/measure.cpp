#include "sluice/run/mpi/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "run/mpi/exchange/message_sizes.hpp"
#include "run/mpi/exchange/message_sources.hpp"
#include "run/mpi/network/stream.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/job.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using detail::Channel;

constexpr int kPieceBytes = 32 << 10;

struct Pair {
  int from = 0;
  int to = 0;
};

/// Ranks that send something to others, each with one that receives something, every rank once at most. The same on all
/// ranks. O(ranks^2) time at worst, O(ranks) if two groups are coupled.
std::vector<Pair> pairs_of(Channel& channel, const std::vector<MessageSize>& sends) {
  const auto with_others = [&](const std::vector<MessageSize>& messages) {
    return std::ranges::any_of(messages, [&](const auto& m) { return m.bytes > 0 && m.peer != channel.rank(); });
  };
  const bool receives = with_others(detail::find_sources(channel, sends));
  // Two bits for each rank.
  constexpr int kRanksInAWord = 32;
  constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(channel.size() / kRanksInAWord + 1));
  std::vector<std::int64_t> words;
  for (const std::vector<std::int64_t>& own :
       detail::gather_numbers(channel, {with_others(sends) ? 1 : 0, receives ? 1 : 0})) {
    words.insert(words.end(), own.begin(), own.end());
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != 0) all[i / kBits] |= std::uint64_t{1} << (i % kBits);
  }
  detail::tell_all(channel, all.data(), static_cast<std::int64_t>(all.size() * sizeof(std::uint64_t)), 0);
  const auto is_set = [&](int rank, int bit) {
    return (all[static_cast<std::size_t>(rank / kRanksInAWord)] >> (2 * (rank % kRanksInAWord) + bit) & 1) != 0;
  };
  std::vector<int> senders;
  std::vector<int> receivers;
  for (int rank = 0; rank < channel.size(); ++rank) {
    if (is_set(rank, 0)) senders.push_back(rank);
    if (is_set(rank, 1)) receivers.push_back(rank);
  }
  // A rank that sends in one pair does not receive in another: it could not do both at full speed here.
  std::vector<bool> taken(static_cast<std::size_t>(channel.size()), false);
  std::vector<Pair> pairs;
  for (const int from : senders) {
    if (taken[static_cast<std::size_t>(from)]) continue;
    // From the back: the other half of one group, or the other group.
    const auto to = std::find_if(receivers.rbegin(), receivers.rend(),
                                 [&](int rank) { return rank != from && !taken[static_cast<std::size_t>(rank)]; });
    if (to == receivers.rend()) break;
    taken[static_cast<std::size_t>(from)] = taken[static_cast<std::size_t>(*to)] = true;
    pairs.push_back({from, *to});
  }
  return pairs;
}

/// Bytes a second of the first `count` pairs together, on all ranks. No rank starts before all are there.
double run_level(Channel& channel, const std::vector<Pair>& pairs, std::int64_t count, double level_s) {
  detail::barrier(channel);
  const detail::StreamLimits limits{.piece_bytes = kPieceBytes, .seconds = level_s, .most_seconds = level_s};
  double rate = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (pairs[i].from == channel.rank()) (void)detail::stream(channel, {.to = pairs[i].to}, limits);
    if (pairs[i].to == channel.rank()) rate = detail::stream(channel, {.from = pairs[i].from}, limits);
  }
  double sum = 0;
  for (const std::vector<std::int64_t>& own : detail::gather_numbers(channel, {std::bit_cast<std::int64_t>(rate)}))
    sum += std::bit_cast<double>(own.front());
  detail::tell_all(channel, &sum, sizeof sum, 0);
  return sum;
}

TransferRamp ramp_of(Channel& channel, const std::vector<MessageSize>& sends, double level_s) {
  constexpr double kWorthTwice = 1.15;
  detail::Arguments arguments("measure");
  arguments.add(level_s);
  detail::agree(channel, arguments.fingerprint(), detail::failure_of([&] {
                  if (!(level_s > 0)) throw InputError("level_s", fmt::format("{}", level_s), "seconds above 0");
                  detail::check_messages(sends, "sends", channel.size());
                }));
  const std::vector<Pair> pairs = pairs_of(channel, sends);
  TransferRamp ramp;
  const auto count = static_cast<std::int64_t>(pairs.size());
  double most = 0;
  for (std::int64_t transfers = 1; transfers <= count; transfers = std::min(2 * transfers, count)) {
    const double rate = run_level(channel, pairs, transfers, level_s);
    ramp.levels.push_back({transfers, rate});
    const bool worth = rate >= kWorthTwice * most;
    most = std::max(most, rate);
    if (!worth || transfers == count) break;
  }
  if (most > 0 && ramp.levels.front().bytes_per_s > 0) {
    const auto carried = static_cast<std::int64_t>(std::lround(most / ramp.levels.front().bytes_per_s));
    ramp.max_transfers = std::clamp<std::int64_t>(carried, 1, count);
  }
  return ramp;
}

}  // namespace

TransferRamp measure_max_transfers(MPI_Comm comm, const std::vector<MessageSize>& sends, double level_s) {
  return detail::in_new_channel(comm, [&](const std::shared_ptr<detail::Context>& context, std::int64_t number) {
    Channel channel(context, number, "measuring");
    return ramp_of(channel, sends, level_s);
  });
}

}  // namespace sluice::mpi
