#include "run/mpi/network/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "run/mpi/network/find_groups.hpp"
#include "run/mpi/network/network_cache.hpp"
#include "run/mpi/network/network_fields.hpp"
#include "run/mpi/network/round_trip.hpp"
#include "run/mpi/network/stream.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/never_destroyed.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// What two hosts send each other when they meet: more than the first queues of a network take at any speed. All pairs
/// of a round begin together, so that rates over the same time add up.
constexpr StreamLimits kMeeting{
    .piece_bytes = 16 << 10, .seconds = 0.015, .least_bytes = 96 << 10, .most_seconds = 0.15, .most_bytes = 4 << 20};
/// What all hosts of a group send to others and get from them at once. All end at the same time, so that rates add up.
constexpr StreamLimits kUplink{.piece_bytes = 16 << 10, .seconds = 0.03, .most_bytes = 4 << 20};
constexpr int kMostPasses = 3;
/// Groups are believed if this number of passes find them independently.
constexpr int kTimesFound = 2;
constexpr int kTrain = 32;
/// Beyond this number of groups of hosts links are not measured one by one.
constexpr std::size_t kMostGroups = 6;

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Whether a variable of 0 or 1 is 1; `unset` if it is not set. Another value is said once, and counts as that.
bool is_on(const char* name, bool unset) {
  const char* const value = variable(name);
  if (value == nullptr) return unset;
  const std::string_view text = value;
  if (text == "0" || text == "1") return text == "1";
  static std::mutex mutex;
  static NeverDestroyed<std::set<std::string>> said;
  const std::scoped_lock lock(mutex);
  if (said->insert(name).second) fmt::print(stderr, "sluice: ignored: {}: '{}', expected 1 or 0\n", name, text);
  return unset;
}

// ---- Meetings

/// How long each of many short messages to `peer` keeps the rank with `first`; 0 on the other rank.
double short_message(Channel& channel, int peer, bool first) {
  const auto byte = std::make_shared<char>();
  const double start = MPI_Wtime();
  for (int i = 0; i < kTrain; ++i) {
    if (first) {
      send_and_wait(channel, byte, byte.get(), 1, peer, Tag::kMeasure);
    } else {
      receive_and_wait(channel, byte, byte.get(), 1, peer, Tag::kMeasure);
    }
  }
  return first ? (MPI_Wtime() - start) / kTrain : 0;
}

/// The ranks that measure: the first one of each host.
std::vector<int> stations_of(const std::vector<int>& host_of_rank) {
  std::vector<int> stations;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    if (host_of_rank[rank] == static_cast<int>(stations.size())) stations.push_back(static_cast<int>(rank));
  }
  return stations;
}

/// What a rank noted of a meeting: what came to its host.
struct Note {
  int round = 0;
  int other = 0;
  double latency_s = 0;
  double rate = 0;
  double message_s = 0;
};

std::vector<Note> meet(Channel& channel, const std::vector<int>& stations, int own) {
  std::vector<Note> notes;
  const std::shared_ptr<std::byte[]> byte(new std::byte[1]());
  const auto hosts = static_cast<int>(stations.size());
  const std::vector<MeetingRound> rounds = rounds_of(hosts);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const int other = own < 0 ? -1 : rounds[i].partner(own, hosts);
    const bool meets = own >= 0 && other != own && other < hosts;
    const int peer = meets ? stations[static_cast<std::size_t>(other)] : MPI_PROC_NULL;
    Note note{static_cast<int>(i), other, 0, 0, 0};
    barrier(channel);
    if (meets) note.latency_s = half_of_round_trip(channel, peer, own < other, byte, 1);
    if (meets && i <= 1) note.message_s = short_message(channel, peer, own < other);
    barrier(channel);  // some pairs had to connect first
    if (!meets) continue;
    note.rate = stream(channel, {.to = peer, .from = peer}, kMeeting);
    notes.push_back(note);
  }
  return notes;
}

/// Adds on rank 0 what hosts noted in a pass.
void gather_meetings(Channel& channel, const std::vector<Note>& notes, int own, int pass,
                     std::vector<Meeting>& meetings, double& message_s) {
  std::vector<std::int64_t> numbers;
  for (const Note& note : notes) {
    const auto bits = [](double value) { return std::bit_cast<std::int64_t>(value); };
    numbers.insert(numbers.end(),
                   {own, note.round, note.other, bits(note.latency_s), bits(note.rate), bits(note.message_s)});
  }
  constexpr std::size_t kNumbers = 6;
  std::map<std::pair<int, int>, Meeting> of_pair;  // both hosts have noted it
  for (const std::vector<std::int64_t>& of_rank : gather_numbers(channel, std::move(numbers))) {
    for (std::size_t i = 0; i < of_rank.size(); i += kNumbers) {
      const auto host = static_cast<int>(of_rank[i]);
      const auto round = static_cast<int>(of_rank[i + 1]);
      const auto other = static_cast<int>(of_rank[i + 2]);
      const auto latency = std::bit_cast<double>(of_rank[i + 3]);
      const auto rate = std::bit_cast<double>(of_rank[i + 4]);
      if (const auto seconds = std::bit_cast<double>(of_rank[i + 5]); seconds > 0)
        message_s = std::min(message_s, seconds);
      const int a = std::min(host, other);
      const int b = std::max(host, other);
      Meeting& meeting = of_pair.try_emplace({a, b}, Meeting{a, b, round, latency, 0, 0, pass}).first->second;
      meeting.latency_s = std::min(meeting.latency_s, latency);
      (host == a ? meeting.to_a : meeting.to_b) = rate;
    }
  }
  for (const auto& [pair, meeting] : of_pair) meetings.push_back(meeting);
}

/// Measures each link between two groups once more, with one connection that has it to itself. `network` is equal on
/// all ranks.
void measure_links(Channel& channel, const std::vector<int>& stations, const std::vector<Meeting>& meetings,
                   HostNetwork& network) {
  if (network.groups.size() < 2 || network.groups.size() > kMostGroups) return;
  for (GroupLink& link : network.links) {
    const HostGroup& from = network.groups[link.from];
    const HostGroup& to = network.groups[link.to];
    const int a = stations[static_cast<std::size_t>(from.hosts.front())];
    const int b = stations[static_cast<std::size_t>(to.hosts.front())];
    double rate = 0;
    if (channel.rank() == a) (void)stream(channel, {.to = b}, kMeeting);
    if (channel.rank() == b) rate = stream(channel, {.from = a}, kMeeting);
    rate = largest(rate, channel);
    if (channel.rank() != 0) continue;
    const auto pairs = static_cast<std::int64_t>(std::min(from.hosts.size(), to.hosts.size()));
    set_single_connection(link, rate, std::max(most_carried(from, to, meetings), most_carried(to, from, meetings)),
                          pairs);
  }
}

/// Measures what each group's links to all others carry together; for two groups it tells how many connections fit.
/// `network` is equal on all ranks.
void measure_uplinks(Channel& channel, const std::vector<int>& stations, int own, HostNetwork& network) {
  if (network.groups.size() < 2 || network.groups.size() > kMostGroups) return;
  const std::size_t groups = network.groups.size() == 2 ? 1 : network.groups.size();  // one of two says it for both
  std::vector<std::int64_t> came;  // to this rank: the group, whether it is the rank's own, bytes per second
  for (std::size_t group = 0; group < groups; ++group) {
    barrier(channel);
    for (const auto& [inside, outside] : pairs_across(network, group)) {
      if (own != inside && own != outside) continue;
      const int peer = stations[static_cast<std::size_t>(own == inside ? outside : inside)];
      const double rate = stream(channel, {.to = peer, .from = peer}, kUplink);
      came.insert(came.end(), {static_cast<std::int64_t>(group), own == inside, std::bit_cast<std::int64_t>(rate)});
    }
  }
  std::vector<std::array<double, 2>> carried(groups);  // out and in
  for (const std::vector<std::int64_t>& of_rank : gather_numbers(channel, std::move(came)))
    for (std::size_t i = 0; i < of_rank.size(); i += 3)
      carried[static_cast<std::size_t>(of_rank[i])][static_cast<std::size_t>(of_rank[i + 1])] +=
          std::bit_cast<double>(of_rank[i + 2]);
  for (std::size_t group = 0; group < groups && channel.rank() == 0; ++group)
    set_uplink(network, group, std::ranges::max(carried[group]));
}

HostNetwork measure(Channel& channel, std::vector<int> host_of_rank) {
  const double start = MPI_Wtime();
  const std::vector<int> stations = stations_of(host_of_rank);
  const int host = host_of_rank[static_cast<std::size_t>(channel.rank())];
  const int own = stations[static_cast<std::size_t>(host)] == channel.rank() ? host : -1;
  const auto hosts = static_cast<int>(stations.size());
  double message_s = std::numeric_limits<double>::infinity();
  std::vector<Meeting> meetings;  // rank 0
  const auto tell = [&](HostNetwork found) {
    return tell_part<HostNetwork>(channel, std::move(found), kNetworkFields);
  };
  HostNetwork network;                   // of rank 0 until it is settled
  std::vector<HostNetwork> of_one_pass;  // found by one pass alone; of rank 0 until it is settled
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const std::vector<Note> notes = meet(channel, stations, own);
    const std::size_t before = meetings.size();
    gather_meetings(channel, notes, own, pass, meetings, message_s);
    std::int64_t settled = 0;
    if (channel.rank() == 0) {
      of_one_pass.push_back(find_groups(hosts, std::span(meetings).subspan(before)));
      network = pass == 0 ? of_one_pass.front() : find_groups(hosts, meetings);
      const auto times =
          std::ranges::count_if(of_one_pass, [&](const HostNetwork& each) { return same_groups(each, network); });
      const bool clear = pass == 0 ? beyond_doubt(hosts, meetings) : network.groups.size() < 2;
      settled = clear || times >= kTimesFound ? 1 : 0;
      if (settled == 0 && pass + 1 == kMostPasses) network = one_group(hosts, meetings);
    }
    tell_all(channel, &settled, sizeof settled, 0);
    if (settled != 0) break;
  }
  network = tell(std::move(network));
  measure_links(channel, stations, meetings, network);
  measure_uplinks(channel, stations, own, network);
  if (channel.rank() == 0) {
    // Handing a message on takes part of a latency, too: an end has to notice it.
    double latency_s = std::numeric_limits<double>::infinity();
    for (const HostGroup& group : network.groups) {
      if (group.hosts.size() > 1) latency_s = std::min(latency_s, group.latency_s);
    }
    for (const GroupLink& link : network.links) latency_s = std::min(latency_s, link.latency_s);
    network.message_s = std::isfinite(latency_s) ? std::max(message_s, latency_s / 2) : 0;
    network.source = "measured";
    network.measured_s = MPI_Wtime() - start;
    network.host_of_rank = std::move(host_of_rank);
  }
  return tell(std::move(network));
}

// ---- What other communicators know

/// A network and whose it is: ranks of MPI_COMM_WORLD.
struct Known {
  std::vector<int> world_ranks;
  std::shared_ptr<const HostNetwork> network;
};

std::list<Known>& known_networks() {
  static NeverDestroyed<std::list<Known>> all;
  return *all;
}
std::mutex& mutex_of_known() {
  static std::mutex mutex;
  return mutex;
}

std::vector<int> world_ranks(MPI_Comm comm) {
  MPI_Group own = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  SLUICE_MPI(MPI_Comm_group(comm, &own));
  SLUICE_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
  int size = 0;
  SLUICE_MPI(MPI_Group_size(own, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> result(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
  SLUICE_MPI(MPI_Group_translate_ranks(own, size, ranks.data(), world, result.data()));
  SLUICE_MPI(MPI_Group_free(&own));
  SLUICE_MPI(MPI_Group_free(&world));
  return result;
}

std::uint64_t print_of(const HostNetwork& network, const std::vector<int>& ranks) {
  NumberWriter writer;
  HostNetwork copy = network;
  kNetworkFields(writer, copy);
  Arguments arguments("network");
  const std::vector<std::int64_t> numbers = writer.take();
  arguments.add(std::span(numbers));
  arguments.add(std::span(ranks));
  return arguments.fingerprint() | 1;
}

/// The part of a network that some of its ranks see; `places`: theirs in it.
HostNetwork restricted(const HostNetwork& all, const std::vector<std::size_t>& places) {
  HostNetwork part = all;
  part.host_of_rank.clear();
  std::vector<int> new_number(static_cast<std::size_t>(all.hosts()), -1);
  int hosts = 0;
  for (const std::size_t place : places) {
    int& number = new_number[static_cast<std::size_t>(all.host_of_rank[place])];
    if (number < 0) number = hosts++;
    part.host_of_rank.push_back(number);
  }
  std::vector<std::size_t> new_group(all.groups.size(), all.groups.size());
  part.groups.clear();
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    HostGroup group = all.groups[g];
    group.hosts.clear();
    for (const int host : all.groups[g].hosts) {
      if (const int number = new_number[static_cast<std::size_t>(host)]; number >= 0) group.hosts.push_back(number);
    }
    if (group.hosts.empty()) continue;
    std::ranges::sort(group.hosts);
    new_group[g] = part.groups.size();
    part.groups.push_back(std::move(group));
  }
  part.links.clear();
  for (GroupLink link : all.links) {
    link.from = new_group[link.from];
    link.to = new_group[link.to];
    if (link.from < all.groups.size() && link.to < all.groups.size()) part.links.push_back(link);
  }
  return part;
}

/// What a communicator that has all ranks of this one knows; on all ranks, or on none.
std::optional<HostNetwork> inherited(Channel& channel, const std::vector<int>& ranks) {
  std::shared_ptr<const HostNetwork> found;
  std::vector<std::size_t> places;
  std::uint64_t print = 0;
  {
    const std::scoped_lock lock(mutex_of_known());
    for (const Known& each : known_networks()) {
      places.clear();
      for (const int rank : ranks) {
        const auto at = std::ranges::find(each.world_ranks, rank);
        if (rank == MPI_UNDEFINED || at == each.world_ranks.end()) break;
        places.push_back(static_cast<std::size_t>(at - each.world_ranks.begin()));
      }
      if (places.size() != ranks.size()) continue;
      found = each.network;
      print = print_of(*each.network, each.world_ranks);
      break;
    }
  }
  // All ranks have the same value if the largest is the least.
  std::array<std::uint64_t, 2> agreed{print, ~print};
  largest_of_all(channel, agreed);
  if (agreed[0] == 0 || agreed[0] != ~agreed[1]) return std::nullopt;
  return restricted(*found, places);
}

}  // namespace

std::vector<int> hosts_of_ranks(Channel& channel) {
  std::vector<int> hosts(static_cast<std::size_t>(channel.size()));
  const auto all = gather_numbers(channel, {channel.context().first_of_node()});
  std::vector<int> firsts;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto first = static_cast<std::size_t>(all[rank].front());
    hosts[rank] = first == rank ? static_cast<int>(firsts.size()) : hosts[first];
    if (first == rank) firsts.push_back(static_cast<int>(rank));
  }
  tell_all(channel, hosts.data(), static_cast<std::int64_t>(hosts.size() * sizeof(int)), 0);
  return hosts;
}

void forget_networks() {
  const std::scoped_lock lock(mutex_of_known());
  known_networks().clear();
}

bool may_measure(Channel& channel) {
  if (kSimulated) return false;
  std::int64_t yes = channel.rank() == 0 && is_on("SLUICE_MEASURE", true) ? 1 : 0;
  tell_all(channel, &yes, sizeof yes, 0);
  return yes != 0;
}

std::shared_ptr<const HostNetwork> learn_network(Channel& channel) {
  std::shared_ptr<const HostNetwork>& known = channel.context().network();
  if (largest(std::int64_t{known ? 0 : 1}, channel) == 0) return known;
  const std::vector<int> ranks = world_ranks(channel.comm());
  HostNetwork network;
  if (auto from_others = inherited(channel, ranks)) {
    network = std::move(*from_others);
  } else {
    std::vector<int> hosts = hosts_of_ranks(channel);
    NetworkCache cache(channel, variable("SLUICE_PLATFORM_CACHE"), hosts);
    std::optional<HostNetwork> kept = cache.read();
    network = kept ? std::move(*kept) : measure(channel, std::move(hosts));
    if (!kept) cache.write(network);
    if (channel.rank() == 0 && is_on("SLUICE_LOG", false))
      fmt::print(stderr, "sluice: {} ({} in {:.2f} s)\n", to_text(network), network.source, network.measured_s);
  }
  auto result = std::make_shared<const HostNetwork>(std::move(network));
  const std::scoped_lock lock(mutex_of_known());
  known_networks().push_front({ranks, result});
  constexpr std::size_t kMostKnown = 16;
  if (known_networks().size() > kMostKnown) known_networks().pop_back();
  return known = std::move(result);
}

namespace {

/// The file as JSON; empty, and said why, if it does not serve.
std::string read_text(const char* path, int ranks) {
  try {
    const Platform platform = read_platform(path);
    if (platform.ranks != ranks)
      throw InputError(path, count_text(platform.ranks, "rank"), fmt::format("the {} there are", ranks));
    return to_json(platform);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sluice: SLUICE_PLATFORM: {}; not used\n", error.what());
    return "";
  }
}

}  // namespace

std::shared_ptr<const Platform> platform_of_variable(Channel& channel) {
  GivenPlatform& given = channel.context().given_platform();
  if (channel.rank() == 0 && !given.was_read) {
    given.was_read = true;
    if (const char* const path = variable("SLUICE_PLATFORM"); path != nullptr)
      given.text = read_text(path, channel.size());
  }
  auto bytes = static_cast<std::int64_t>(given.text.size());
  tell_all(channel, &bytes, sizeof bytes, 0);
  if (bytes == 0) return nullptr;
  std::string text = given.text;
  text.resize(static_cast<std::size_t>(bytes));
  tell_all(channel, text.data(), bytes, 0);
  std::istringstream in(text);
  return std::make_shared<const Platform>(read_platform(in, "SLUICE_PLATFORM"));
}

namespace {

/// Between clusters and parts of the platform.
template <class Change>
void change_link_gaps(Platform& platform, Change change) {
  for (PlatformLink& link : platform.links) change(link.gap);
  for (PlatformLink& link : platform.part_links) change(link.gap);
}

/// Counts the time of a message besides its bytes twice. It was measured between ranks that do nothing else, and
/// measurements differ by factors. A rank that forwards what it receives does twice as much for each message.
Platform of_busy_ranks(Platform platform) {
  const auto count_messages_twice = [](GapTable& gap) {
    std::vector<GapTable::Point> points = gap.points();
    if (points.empty()) return;
    const double once_more_s = points.front().seconds;
    for (GapTable::Point& point : points) point.seconds += once_more_s;
    gap = GapTable(std::move(points));
  };
  for (PlatformCluster& cluster : platform.clusters) count_messages_twice(cluster.gap);
  change_link_gaps(platform, count_messages_twice);
  return platform;
}

}  // namespace

JobPlatform platform_of_job(Channel& channel) {
  if (const auto given = platform_of_variable(channel)) return {*given, true};
  if (may_measure(channel)) return {of_busy_ranks(to_platform(*learn_network(channel))), true};
  return usual_platform(channel);
}

JobPlatform usual_platform(Channel& channel) {
  constexpr std::int64_t kAtOnce = 32 << 10, kAskedFor = 64 << 10, kLong = 1 << 20;
  Platform platform = to_platform(usual_network(hosts_of_ranks(channel)));
  const auto lengthen = [](GapTable& gap) {
    if (gap.points().empty()) return;
    const double asking_s = gap.at(kAskedFor);
    gap = GapTable({{1, gap.at(1)},
                    {kAtOnce, gap.at(kAtOnce)},
                    {kAskedFor, gap.at(kAskedFor) + asking_s},
                    {kLong, gap.at(kLong) + asking_s}});
  };
  // Hosts of one rank each are one cluster; otherwise hosts are clusters, whose ranks share memory.
  if (platform.clusters.size() == 1) lengthen(platform.clusters.front().gap);
  change_link_gaps(platform, lengthen);
  return {std::move(platform), false};
}

}  // namespace sluice::mpi::detail
