#include "run/mpi/network/network_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "run/mpi/network/host_names.hpp"
#include "run/mpi/network/network_fields.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/write_file.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr const char* kFirstWord = "sluice-network";
constexpr int kVersion = 2;

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  SLUICE_MPI(MPI_Get_library_version(text.data(), &length));
  return {text.data(), static_cast<std::size_t>(length)};
}

constexpr std::string_view kFirstLine =
    "# What sluice measured of the network between the hosts of a program, for its next run.";

std::string content(const HostNetwork& network, std::uint64_t key) {
  std::string text = fmt::format("{}\n", kFirstLine);
  std::istringstream lines(to_text(network));
  for (std::string line; std::getline(lines, line);) text += "# " + line + '\n';
  text += fmt::format("{} {} {:016x}\n", kFirstWord, kVersion, key);
  NumberWriter writer;
  HostNetwork fields = network;
  kNetworkFields(writer, fields);
  for (const std::int64_t number : writer.take()) text += fmt::format("{}\n", number);
  return text;
}

bool is_number(double value) { return std::isfinite(value) && value >= 0; }

/// Whether the fields fit together: every host in one group, a link for each pair of groups.
bool is_whole(const HostNetwork& network, std::size_t ranks) {
  const std::int64_t hosts = network.hosts();
  if (network.host_of_rank.size() != ranks || !is_number(network.message_s)) return false;
  std::vector<bool> seen(static_cast<std::size_t>(hosts), false);
  const auto in_range = [&](int host) { return host >= 0 && host < hosts; };
  for (const HostGroup& group : network.groups) {
    if (group.hosts.empty() || !is_number(group.latency_s) || !std::isnormal(group.bytes_per_s) ||
        !is_number(group.uplink_bytes_per_s))
      return false;
    for (const int host : group.hosts) {
      if (!in_range(host) || seen[static_cast<std::size_t>(host)]) return false;
      seen[static_cast<std::size_t>(host)] = true;
    }
  }
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const GroupLink& link : network.links) {
    if (link.from >= link.to || link.to >= network.groups.size() || link.connections < 1 ||
        !is_number(link.latency_s) || !std::isnormal(link.bytes_per_s))
      return false;
    pairs.insert({link.from, link.to});
  }
  const std::size_t groups = network.groups.size();
  return std::ranges::all_of(network.host_of_rank, in_range) && pairs.size() == network.links.size() &&
         pairs.size() == groups * (groups - 1) / 2 && groups > 0;
}

}  // namespace

NetworkCache::NetworkCache(Channel& channel, const char* path, const std::vector<int>& host_of_rank)
    : channel_(channel), path_(channel.rank() == 0 && path != nullptr ? path : ""), ranks_(host_of_rank.size()) {
  std::int64_t used = path_.empty() ? 0 : 1;
  tell_all(channel_, &used, sizeof used, 0);
  used_ = used != 0;
  if (!used_) return;
  const std::vector<std::string> names = gather_names(channel_);
  Arguments arguments("hosts");
  for (const std::string& name : names) arguments.add(name);
  arguments.add(std::span(host_of_rank));
  arguments.add(mpi_version());
  key_ = arguments.fingerprint();
}

void NetworkCache::say(const std::string& what) const {
  fmt::print(stderr, "sluice: SLUICE_PLATFORM_CACHE: {}: {}\n", path_, what);
}

std::optional<HostNetwork> NetworkCache::read_file() {
  std::ifstream in(path_);
  if (!in) return std::nullopt;  // the first run
  std::string line;
  if (std::getline(in, line) && line != kFirstLine) {
    say("not written by Sluice; left as it is, and nothing is kept");
    keeps_ = false;
    return std::nullopt;
  }
  while (std::getline(in, line) && line.starts_with('#')) {
  }
  std::istringstream head(line);
  std::string word;
  std::string key;
  int version = 0;
  if (!(head >> word >> version >> key) || word != kFirstWord || version != kVersion) {
    say("no network that this version wrote; measured anew");
    return std::nullopt;
  }
  if (key != fmt::format("{:016x}", key_)) {
    say("the network of other hosts, or of another MPI; measured anew");
    return std::nullopt;
  }
  try {
    std::vector<std::int64_t> numbers;
    while (std::getline(in, line)) {
      std::int64_t number = 0;
      const char* const end = line.data() + line.size();
      const auto [at, error] = std::from_chars(line.data(), end, number);
      if (error != std::errc() || at != end) throw std::invalid_argument(line);
      numbers.push_back(number);
    }
    NumberReader reader(std::move(numbers));
    HostNetwork network;
    kNetworkFields(reader, network);
    if (!reader.at_end() || !is_whole(network, ranks_)) throw std::invalid_argument("fields");
    return network;
  } catch (const std::exception&) {
    say("broken; measured anew");
    return std::nullopt;
  }
}

std::optional<HostNetwork> NetworkCache::read() {
  if (!used_) return std::nullopt;
  std::optional<HostNetwork> kept;
  if (channel_.rank() == 0) kept = read_file();
  std::int64_t found = kept ? 1 : 0;
  tell_all(channel_, &found, sizeof found, 0);
  if (found == 0) return std::nullopt;
  if (kept) {
    kept->source = path_;
    kept->measured_s = 0;
  }
  return tell_part<HostNetwork>(channel_, kept ? std::move(*kept) : HostNetwork{}, kNetworkFields);
}

void NetworkCache::write(const HostNetwork& network) {
  if (path_.empty() || !keeps_) return;
  try {
    write_file_atomically(path_, content(network, key_));
  } catch (const InputError& error) {
    fmt::print(stderr, "sluice: SLUICE_PLATFORM_CACHE: {}; nothing is kept\n", error.what());  // it names the file
  }
}

}  // namespace sluice::mpi::detail
