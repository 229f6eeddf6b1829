#include "sluice/run/mpi/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "run/mpi/network/host_names.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/probe/probe_broadcasts.hpp"
#include "run/mpi/probe/probe_orders.hpp"
#include "run/mpi/probe/probe_statistics.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

/// How the time budget is shared out. The latencies between hosts get a fifth. The further parts are clusters, pairs of
/// clusters, and the broadcasts of clusters. Each gets at its start an equal share of what is left then. A pair of
/// clusters uses four fifths of its share for g(m) and the rest for connections. Inside a part every size gets its
/// equal share, but not more than it takes to be exact. Rank 0 decides all that; for broadcasts the slowest of the
/// participating ranks does. So clocks need not agree.
namespace sluice::mpi {
namespace {

static_assert(detail::kProbedSizes.back() == kLongestProbedMessage);

using detail::Channel;
using detail::Order;
using detail::Orders;
using detail::Tag;

constexpr double kShareOfLatencies = 0.2;
constexpr double kShareOfGaps = 0.8;

class Clock {
 public:
  explicit Clock(double budget_s) : end_(MPI_Wtime() + budget_s), budget_(budget_s) {}

  [[nodiscard]] double left() const { return std::max(0.0, end_ - MPI_Wtime()); }
  [[nodiscard]] double budget() const { return budget_; }

 private:
  double end_;
  double budget_;
};

/// The host of every rank, given as the lowest rank there. On all ranks.
std::vector<int> find_hosts(Channel& channel) {
  std::vector<int> hosts(static_cast<std::size_t>(channel.size()));
  const auto all = detail::gather_numbers(channel, {channel.context().first_of_node()});
  for (std::size_t rank = 0; rank < all.size(); ++rank) hosts[rank] = static_cast<int>(all[rank].front());
  detail::tell_all(channel, hosts.data(), static_cast<std::int64_t>(hosts.size() * sizeof(int)), 0);
  return hosts;
}

/// A byte of a latency measurement says what comes next.
enum : char { kMore, kLast, kSkip };

/// Half a round trip of a byte to `peer`, or less than 0 if there is no time left for it; the peer calls
/// answer_latency.
double measure_latency(Channel& channel, int peer, double seconds, bool skip) {
  constexpr std::size_t kWarmUp = 3;
  constexpr std::size_t kLeast = 3;
  constexpr std::size_t kMost = 100;
  const auto byte = std::make_shared<char>();
  const auto exchange = [&](char flag) {
    *byte = flag;
    send_and_wait(channel, byte, byte.get(), 1, peer, Tag::kMeasure);
    if (flag != kSkip) receive_and_wait(channel, byte, byte.get(), 1, peer, Tag::kMeasure);
  };
  if (skip) {
    exchange(kSkip);
    return -1;
  }
  for (std::size_t i = 0; i < kWarmUp; ++i) exchange(kMore);
  // The least time: whatever else a host does can only add to it.
  double least = std::numeric_limits<double>::infinity();
  const double begin = MPI_Wtime();
  for (std::size_t exchanges = 1; exchanges <= kMost; ++exchanges) {
    const double start = MPI_Wtime();
    const bool last = exchanges == kMost || (exchanges >= kLeast && start - begin > seconds);
    exchange(last ? kLast : kMore);
    least = std::min(least, MPI_Wtime() - start);
    if (last) break;
  }
  return least / 2;
}

void answer_latency(Channel& channel, int peer) {
  const auto flag = std::make_shared<char>(kMore);
  do {
    receive_and_wait(channel, flag, flag.get(), 1, peer, Tag::kMeasure);
    if (*flag == kSkip) return;
    send_and_wait(channel, flag, flag.get(), 1, peer, Tag::kMeasure);
  } while (*flag == kMore);
}

/// On rank 0: the latencies between hosts; the ranks `stations` measure them. Collective.
LatencyMatrix find_latencies(Channel& channel, const std::vector<int>& stations, const Clock& clock) {
  const auto count = static_cast<std::int64_t>(stations.size());
  const std::int64_t rounds = detail::meeting_rounds(count);
  const auto self = std::find(stations.begin(), stations.end(), channel.rank());
  std::vector<LatencyPair> measured;
  if (self != stations.end()) {
    const std::int64_t node = self - stations.begin();
    const double per_round =
        kShareOfLatencies * clock.budget() / static_cast<double>(std::max<std::int64_t>(rounds, 1));
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::int64_t other = detail::partner(node, round, count);
      const int peer = stations[static_cast<std::size_t>(other)];
      if (other < node) answer_latency(channel, peer);
      if (other <= node) continue;
      const bool late = clock.left() < (1 - 2 * kShareOfLatencies) * clock.budget();
      const double latency = measure_latency(channel, peer, per_round / 2, late);
      if (latency > 0) measured.push_back({static_cast<std::int32_t>(node), static_cast<std::int32_t>(other), latency});
    }
  }
  std::vector<std::int64_t> numbers;
  for (const LatencyPair& pair : measured)
    numbers.insert(numbers.end(), {pair.a, pair.b, std::bit_cast<std::int64_t>(pair.latency_s)});
  std::vector<LatencyPair> all;
  for (const std::vector<std::int64_t>& own : detail::gather_numbers(channel, std::move(numbers))) {
    for (std::size_t i = 0; i < own.size(); i += 3)
      all.push_back({static_cast<std::int32_t>(own[i]), static_cast<std::int32_t>(own[i + 1]),
                     std::bit_cast<double>(own[i + 2])});
  }
  if (channel.rank() != 0) return {};
  return {count, std::move(all)};
}

/// pLogP between two ranks.
struct Acquisition {
  double latency_s = 0;
  GapTable gap;
};

/// What rank 0 measures with the help of the others.
class Acquirer {
 public:
  explicit Acquirer(Orders& orders) : orders_(orders) {}

  /// In about `seconds`; at least g(1) and g of a larger size.
  Acquisition acquire(int from, int to, double seconds) {
    constexpr std::int64_t kPings = 30;
    constexpr std::size_t kMostPoints = 24;
    constexpr double kShareOfBends = 0.25;
    const Clock clock(seconds);
    const double round_trip = orders_.run({from, to, Order::Kind::kPing, 1, kPings});
    const std::vector<std::int64_t> sizes(detail::kProbedSizes.begin(), detail::kProbedSizes.end());
    // Guesses go by these, not by g: that is a difference of two times, which noise can make far too small.
    std::map<std::int64_t, double> at_most;
    const auto guess_of = [&](std::int64_t bytes) {
      const auto above = at_most.lower_bound(bytes);
      double guess = above == at_most.end() ? std::numeric_limits<double>::infinity() : above->second;
      if (above != at_most.begin()) {
        const auto& [smaller, time] = *std::prev(above);
        guess = std::min(guess, time * static_cast<double>(bytes) / static_cast<double>(smaller));
      }
      return at_most.empty() ? round_trip / 2 : guess;
    };
    const auto measure = [&](std::int64_t bytes) {
      const double guess = guess_of(bytes);
      const bool listed = at_most.size() < sizes.size();
      if (at_most.size() >= 2 && static_cast<double>(kShort + kLong) * guess > clock.left()) return -1.0;
      // The listed sizes leave some time for sizes between them; their number is unknown.
      const double share =
          listed ? (clock.left() - kShareOfBends * seconds) / static_cast<double>(sizes.size() - at_most.size())
                 : clock.left() / 4;
      const Gap found = gap(from, to, bytes, guess, std::max(0.0, share));
      at_most[bytes] = found.at_most;
      return found.seconds;
    };
    Acquisition result;
    result.gap = GapTable(detail::rising(detail::measure_where_it_bends(sizes, kMostPoints, measure)));
    result.latency_s = std::max(0.0, round_trip / 2 - result.gap.points().front().seconds);
    return result;
  }

  /// How many connections between `from` and `to`, pair by pair, run side by side, each at `gap`; in about `seconds`.
  std::int64_t connections(const std::vector<int>& from, const std::vector<int>& to, const GapTable& gap,
                           double seconds) {
    constexpr double kEnough = 0.3;  // for TCP to find its rate
    const auto most = static_cast<std::int64_t>(std::min(from.size(), to.size()));
    if (most == 1) return 1;
    const std::int64_t bytes = std::min<std::int64_t>(gap.points().back().bytes, 1 << 20);
    const double levels = std::log2(static_cast<double>(most)) + 2;
    const double of_one = orders_.run({from[0], to[0], Order::Kind::kTrain, bytes, kLong}) / static_cast<double>(kLong);
    const std::int64_t count = messages_in(std::min(kEnough, seconds / levels), std::max(of_one, gap.at(bytes)));
    return detail::side_by_side(most, [&](std::int64_t flows) {
      std::vector<Order> orders;
      for (std::size_t i = 0; i < static_cast<std::size_t>(flows); ++i)
        orders.push_back({from[i], to[i], Order::Kind::kTrain, bytes, count});
      const std::vector<double> times = orders_.run(orders);
      const double slowest = *std::max_element(times.begin(), times.end());
      return static_cast<double>(flows * count * bytes) / slowest;
    });
  }

 private:
  static constexpr std::int64_t kShort = 1;
  static constexpr std::int64_t kLong = 3;
  /// Short messages must be many: what buffers and token buckets let pass at once is no rate. Simulated networks have
  /// none of these.
  static constexpr std::int64_t kMostMessages = detail::kSimulated ? 400 : 4000;

  static std::int64_t messages_in(double seconds, double of_one) {
    if (!(of_one > 0)) return kMostMessages;
    return static_cast<std::int64_t>(
        std::clamp(seconds / of_one, static_cast<double>(kLong), static_cast<double>(kMostMessages)));
  }

  struct Gap {
    double seconds = 0;  ///< g
    double at_most = 0;  ///< what each message of a long train took, its start included
  };

  /// g(bytes), about `guess` or less: the time that a long train takes longer than a short one, per message. Their
  /// starts and the time of answers are equal, and so is what a token bucket lets pass at once.
  Gap gap(int from, int to, std::int64_t bytes, double guess, double seconds) {
    constexpr std::size_t kRepetitions = 5;
    constexpr double kEnough = 0.1;  // for a train
    const double each = seconds / kRepetitions / (1 + static_cast<double>(kShort) / kLong);
    const Clock clock(seconds);
    const auto train = [&](std::int64_t count) { return orders_.run({from, to, Order::Kind::kTrain, bytes, count}); };
    std::int64_t longer = messages_in(std::min(kEnough, each), guess);
    // A first train is slower. Also, the guess may be far too long, which would make trains too short.
    for (bool known_better = guess * static_cast<double>(longer) < kEnough; known_better;) {
      const double of_one = train(longer) / static_cast<double>(longer);
      const std::int64_t fitting = messages_in(std::min(kEnough, each), of_one);
      known_better = fitting >= 2 * longer;
      if (known_better) longer = fitting;
    }
    const std::int64_t shorter = std::max<std::int64_t>(kShort, longer / 4);
    std::vector<double> gaps;
    double upper = 0;
    do {
      const double of_long = train(longer);
      const double of_short = train(shorter);
      gaps.push_back((of_long - of_short) / static_cast<double>(longer - shorter));
      upper = of_long / static_cast<double>(longer);
    } while (gaps.size() < kRepetitions && clock.left() > 0);
    const double result = detail::typical(std::move(gaps));
    return {result > 0 ? result : upper, upper};
  }

  Orders& orders_;
};

/// Ranks of a cluster, one per host, in their order.
std::vector<int> stations_of(const std::vector<std::int64_t>& ranks, const std::vector<int>& hosts) {
  std::vector<int> stations;
  std::set<int> seen;
  for (const std::int64_t rank : ranks)
    if (seen.insert(hosts[static_cast<std::size_t>(rank)]).second) stations.push_back(static_cast<int>(rank));
  return stations;
}

/// Clusters of ranks from clusters of hosts.
Clusters ranks_of(const Clusters& clusters, const std::vector<int>& stations, const std::vector<int>& hosts) {
  std::vector<std::size_t> cluster_of(hosts.size(), 0);  // by the rank that stands for a host
  for (std::size_t c = 0; c < clusters.size(); ++c)
    for (const std::int64_t host : clusters[c])
      cluster_of[static_cast<std::size_t>(stations[static_cast<std::size_t>(host)])] = c;
  Clusters result(clusters.size());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    result[cluster_of[static_cast<std::size_t>(hosts[rank])]].push_back(static_cast<std::int64_t>(rank));
  return result;
}

/// Whether there is a broadcast inside.
bool has_broadcasts(const std::vector<std::int64_t>& ranks) { return ranks.size() > 1; }

/// Rank 0: what has been measured, and how much of the time is for what comes next.
class Parts {
 public:
  Parts(const ProbeOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  /// Before all others.
  void begin_latencies(std::size_t hosts) { tell(fmt::format("latency between {}", count_text(hosts, "host"))); }
  void know(const Clusters& clusters) {
    const auto count = static_cast<std::int64_t>(clusters.size());
    total_ = 1 + count + count * (count - 1) / 2;
    if (options_.broadcasts) total_ += std::count_if(clusters.begin(), clusters.end(), has_broadcasts);
    done_ = 1;
  }
  /// Seconds for it.
  double begin(const std::string& what) {
    tell(what);
    return clock_.left() / static_cast<double>(total_ - done_++);
  }
  void end() { tell("done"); }

 private:
  void tell(const std::string& what) const {
    if (options_.progress) options_.progress(done_, total_, what);
  }

  const ProbeOptions& options_;
  const Clock& clock_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 1;
};

/// Rank 0: parts 4 and 5.
Platform acquire_all(Orders& orders, Parts& parts, const Clusters& clusters, const std::vector<int>& hosts,
                     const std::vector<std::string>& names) {
  Acquirer acquirer(orders);
  Platform platform;
  platform.ranks = static_cast<std::int64_t>(hosts.size());
  std::vector<std::vector<int>> stations;
  for (const auto& ranks : clusters) {
    PlatformCluster cluster;
    cluster.name = names[static_cast<std::size_t>(ranks.front())];
    for (std::int64_t i = 2; std::any_of(platform.clusters.begin(), platform.clusters.end(),
                                         [&](const PlatformCluster& other) { return other.name == cluster.name; });
         ++i)
      cluster.name = fmt::format("{}-{}", names[static_cast<std::size_t>(ranks.front())], i);
    cluster.ranks = ranks;
    stations.push_back(stations_of(ranks, hosts));
    const double seconds = parts.begin("inside " + cluster.name);
    if (ranks.size() > 1) {
      const bool one_host = stations.back().size() == 1;
      const int second = one_host ? static_cast<int>(ranks[1]) : stations.back()[1];
      Acquisition found = acquirer.acquire(stations.back()[0], second, seconds);
      cluster.latency_s = found.latency_s;
      cluster.gap = std::move(found.gap);
    }
    platform.clusters.push_back(std::move(cluster));
  }
  for (std::size_t a = 0; a < clusters.size(); ++a) {
    for (std::size_t b = a + 1; b < clusters.size(); ++b) {
      const double seconds =
          parts.begin(fmt::format("between {} and {}", platform.clusters[a].name, platform.clusters[b].name));
      Acquisition found = acquirer.acquire(stations[a][0], stations[b][0], kShareOfGaps * seconds);
      PlatformLink link;
      link.from = static_cast<std::int64_t>(a);
      link.to = static_cast<std::int64_t>(b);
      link.latency_s = found.latency_s;
      link.connections = acquirer.connections(stations[a], stations[b], found.gap, (1 - kShareOfGaps) * seconds);
      link.gap = std::move(found.gap);
      platform.links.push_back(std::move(link));
    }
  }
  return platform;
}

/// Every rank in one of the clusters that were given. Throws InputError.
void check_given(const Clusters& clusters, int ranks) {
  Platform platform;
  platform.ranks = ranks;
  const GapTable none({{1, 0}});
  for (const auto& cluster : clusters) platform.clusters.push_back({"", cluster, 0, none, {}, {}});
  for (std::int64_t a = 0; a < static_cast<std::int64_t>(clusters.size()); ++a)
    for (std::int64_t b = a + 1; b < static_cast<std::int64_t>(clusters.size()); ++b)
      platform.links.push_back({a, b, 0, none, 1});
  check_platform(platform, "clusters");
}

/// The options, the same on every rank. Collective.
void check_options(Channel& channel, const ProbeOptions& options) {
  std::exception_ptr failure;
  try {
    if (channel.size() == 1) throw InputError("probe", "one rank", "at least two: start it with mpirun -np N");
    if (!std::isfinite(options.tolerance) || options.tolerance < 0)
      throw InputError("tolerance", fmt::format("{}", options.tolerance), "a finite number of at least 0");
    if (!std::isfinite(options.noise_s) || options.noise_s < 0)
      throw InputError("noise", fmt::format("{} s", options.noise_s), "a finite number of at least 0");
    if (!std::isfinite(options.time_budget_s) || options.time_budget_s <= 0)
      throw InputError("time budget", fmt::format("{} s", options.time_budget_s), "seconds above 0");
    if (!options.clusters.empty()) check_given(options.clusters, channel.size());
  } catch (const InputError&) {
    failure = std::current_exception();
  }
  detail::Arguments arguments("probe");
  arguments.add_all(options.tolerance, options.noise_s, options.time_budget_s, options.rule, options.broadcasts);
  for (const auto& cluster : options.clusters) arguments.add(std::span(cluster));
  detail::agree(channel, arguments.fingerprint(), failure);
}

/// What rank 0 has, on all ranks. Collective.
Platform share(Channel& channel, const Platform& platform) {
  std::string text = channel.rank() == 0 ? to_json(platform) : "";
  auto size = static_cast<std::int64_t>(text.size());
  detail::tell_all(channel, &size, sizeof size, 0);
  text.resize(static_cast<std::size_t>(size));
  detail::tell_all(channel, text.data(), size, 0);
  std::istringstream in(text);
  return read_platform(in, "probe");
}

/// Part 6, on all ranks, cluster by cluster. Collective.
void add_broadcasts(MPI_Comm user, Channel& channel, Parts& parts, Platform& platform) {
  const auto own = static_cast<std::size_t>(platform.cluster_of(channel.rank()));
  const std::vector<std::int64_t>& own_ranks = platform.clusters[own].ranks;
  const auto place = std::ranges::find(own_ranks, channel.rank()) - own_ranks.begin();
  detail::Arguments clusters("probe");
  for (const PlatformCluster& cluster : platform.clusters) clusters.add(std::span(cluster.ranks));
  // One cluster has all ranks. Otherwise communicators are made, because MPI_Bcast needs them: see Context.
  const MPI_Comm inside = platform.clusters.size() == 1
                              ? user
                              : channel.part(clusters.bytes(), static_cast<int>(own), static_cast<int>(place)).comm;
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    PlatformCluster& cluster = platform.clusters[c];
    if (!has_broadcasts(cluster.ranks)) continue;
    std::array<double, 1> seconds{};
    if (channel.rank() == 0) seconds[0] = parts.begin("broadcasts inside " + cluster.name);
    detail::tell_all(channel, seconds.data(), sizeof seconds, 0, true);
    constexpr std::size_t kSizes = detail::kProbedSizes.size();
    std::array<double, 2 * kSizes> times{};  // by MPI_Bcast, then of our own
    times.fill(-1);                          // not measured
    if (c == own) {
      const detail::MeasuredBroadcasts measured = detail::measure_broadcasts(inside, cluster, seconds[0]);
      for (std::size_t i = 0; i < measured.native.size(); ++i) {
        times[i] = measured.native[i].seconds;
        times[kSizes + i] = measured.planned[i].seconds;
      }
    }
    detail::tell_all(channel, times.data(), sizeof times, static_cast<int>(cluster.ranks.front()), true);
    std::vector<GapTable::Point> native;
    std::vector<GapTable::Point> planned;
    for (std::size_t i = 0; i < kSizes && times[i] >= 0; ++i) {
      native.push_back({detail::kProbedSizes[i], times[i]});
      planned.push_back({detail::kProbedSizes[i], times[kSizes + i]});
    }
    cluster.broadcast = GapTable(std::move(native));
    cluster.planned_broadcast = GapTable(std::move(planned));
  }
}

Platform probe_in(MPI_Comm user, Channel& own, const ProbeOptions& options) {
  check_options(own, options);
  const std::vector<int> hosts = find_hosts(own);
  const std::vector<std::string> names = gather_names(own);
  std::vector<int> stations;
  for (int rank = 0; rank < own.size(); ++rank)
    if (hosts[static_cast<std::size_t>(rank)] == rank) stations.push_back(rank);
  const Clock clock(options.time_budget_s);
  Parts parts(options, clock);
  if (own.rank() == 0) parts.begin_latencies(stations.size());
  const bool given = !options.clusters.empty();
  const LatencyMatrix latencies = given ? LatencyMatrix() : find_latencies(own, stations, clock);
  // Groups that share a link show when hosts meet at the same time, for any latencies.
  std::vector<std::size_t> groups(stations.size(), 0);
  if (!given && stations.size() > 1 && detail::may_measure(own)) groups = detail::learn_network(own)->groups_of_hosts();
  Orders orders(own);
  Platform platform;
  if (own.rank() == 0) {
    Clusters clusters = options.clusters;
    if (!given) {
      const double noise_s = detail::kSimulated ? 0 : options.noise_s;
      clusters = find_clusters(latencies, options.tolerance, options.rule, noise_s);
      clusters = ranks_of(detail::split_by_groups(clusters, groups), stations, hosts);
    }
    for (auto& ranks : clusters) ranks = detail::host_by_host(ranks, hosts);
    parts.know(clusters);
    platform = acquire_all(orders, parts, clusters, hosts, names);
    orders.end();
  } else {
    orders.serve();
  }
  platform = share(own, platform);
  if (options.broadcasts) add_broadcasts(user, own, parts, platform);
  if (own.rank() == 0) parts.end();
  return platform;
}

}  // namespace

Platform probe(MPI_Comm comm, const ProbeOptions& options) {
  return detail::in_new_channel(comm, [&](const std::shared_ptr<detail::Context>& context, std::int64_t number) {
    Channel channel(context, number, "probe");
    const detail::Enclosing enclosing(channel);
    try {
      return probe_in(comm, channel, options);
    } catch (...) {
      // Ranks may have opened channels of its parts, and others not: no further ones are opened in this context.
      channel.give_up(std::current_exception(), channel.execution(), true);
      throw;
    }
  });
}

}  // namespace sluice::mpi
