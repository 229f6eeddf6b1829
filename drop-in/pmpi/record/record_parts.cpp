#include "pmpi/record/record_parts.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "own_mpi.hpp"
#include "pmpi/record/recorder.hpp"

namespace sluice::pmpi {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPartSchema = "sluice.record-part/1";
/// More entries make no matrix: a call that lets all ranks send the same data to all says as much in one number.
constexpr std::size_t kMostEntries = std::size_t{1} << 20;

std::int64_t upper_bytes(std::size_t bin) { return bin == 0 ? 0 : std::int64_t{1} << (bin - 1); }

std::vector<int> all_ranks(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// One call with a communicator, summed over its ranks.
struct CallSum {
  std::map<int, std::int64_t> to_each;                  ///< by sender
  std::map<std::pair<int, int>, std::int64_t> entries;  ///< by sender and receiver
  struct Bin {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
  };
  std::map<std::size_t, Bin> sizes;
  std::map<int, double> seconds;  ///< by rank
};
/// Keys: the ranks of the communicator, then the name of the call.
using Sums = std::map<std::vector<int>, std::map<std::string, CallSum>>;

void add_part(const Json& part, const RecordedRun& run, Sums& sums) {
  const int rank = part.at("rank").get<int>();
  for (const Json& comm : part.at("communicators")) {
    const Json& listed = comm.at("ranks");
    const auto ranks = listed.is_string() ? all_ranks(run.ranks) : listed.get<std::vector<int>>();
    const auto own = static_cast<int>(std::ranges::find(ranks, rank) - ranks.begin());
    for (const Json& call : comm.at("calls")) {
      CallSum& sum = sums[ranks][call.at("call").get<std::string>()];
      if (const auto bytes = call.at("to_each").get<std::int64_t>(); bytes > 0) sum.to_each[own] += bytes;
      for (const Json& entry : call.at("to"))
        sum.entries[{own, entry.at(0).get<int>()}] += entry.at(1).get<std::int64_t>();
      for (const Json& size : call.at("sizes")) {
        CallSum::Bin& bin = sum.sizes[size.at(0).get<std::size_t>()];
        bin.calls += size.at(1).get<std::int64_t>();
        bin.bytes += size.at(2).get<std::int64_t>();
        bin.seconds += size.at(3).get<double>();
        sum.seconds[own] += size.at(3).get<double>();
      }
    }
  }
}

/// "world", or the number of ranks, the first of them in MPI_COMM_WORLD and a number made of all.
std::string name_of(const std::vector<int>& ranks, int world) {
  if (ranks == all_ranks(world)) return "world";
  std::uint32_t hash = 2166136261U;
  for (const int rank : ranks) hash = (hash ^ static_cast<std::uint32_t>(rank)) * 16777619U;
  return fmt::format("comm-{}-from-{}-{:08x}", ranks.size(), ranks.empty() ? 0 : ranks.front(), hash);
}

std::string file_name(const std::string& comm, const std::string& call) {
  std::string lower = call.substr(std::string("MPI_").size());
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return comm + '-' + lower + ".mtx";
}

std::size_t entries_of(const CallSum& sum, std::size_t ranks) {
  return sum.entries.size() + sum.to_each.size() * (ranks - 1);
}

std::string matrix_text(const CallSum& sum, std::size_t ranks, const std::string& comm, const std::string& call) {
  std::map<std::pair<int, int>, std::int64_t> entries = sum.entries;
  for (const auto& [from, bytes] : sum.to_each) {
    for (int to = 0; to < static_cast<int>(ranks); ++to) {
      if (to != from) entries[{from, to}] += bytes;
    }
  }
  std::string text =
      fmt::format("%%MatrixMarket matrix coordinate integer general\n% {}, {}: bytes from row to column\n{} {} {}\n",
                  comm, call, ranks, ranks, entries.size());
  for (const auto& [pair, bytes] : entries)
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", pair.first + 1, pair.second + 1, bytes);
  return text;
}

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The origin of the record, in the form that the command uses for its results. Bytes that are no UTF-8 are replaced.
Json about(const std::set<std::string>& hosts) {
  std::vector<std::string> command;
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(words, word, '\0');) command.push_back(word);
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  (void)::gmtime_r(&now, &parts);
  std::array<char, 32> date{};
  (void)std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {{"version", SLUICE_VERSION},
          {"command", command},
          {"date", date.data()},
          {"hosts", hosts},
          {"mpi", name_of_mpi(PMPI_Get_library_version)},
          {"inputs", Json::array()}};
}

constexpr auto kReplace = Json::error_handler_t::replace;

}  // namespace

std::string record_part(const RecordedRun& run) {
  Json part = {{"schema", kPartSchema},
               {"run", run.number},
               {"host", this_host()},
               {"rank", run.rank},
               {"ranks", run.ranks},
               {"elapsed_s", recorded_seconds()},
               {"communicators", Json::array()}};
  const std::vector<int> world = all_ranks(run.ranks);
  for (const CountedComm& comm : counted()) {
    Json calls = Json::array();
    for (const CountedCall& call : comm.calls) {
      Json to = Json::array();
      for (const auto& [peer, bytes] : call.to) to.push_back({peer, bytes});
      Json sizes = Json::array();
      for (const CountedCall::Bin& bin : call.sizes) sizes.push_back({bin.bin, bin.calls, bin.bytes, bin.seconds});
      calls.push_back({{"call", fmt::format("MPI_{}", kCallNames[static_cast<std::size_t>(call.call)])},
                       {"to_each", call.to_each},
                       {"to", std::move(to)},
                       {"sizes", std::move(sizes)}});
    }
    const std::vector<int>& ranks = comm.ranks->world_ranks;
    part["communicators"].push_back(
        {{"ranks", ranks == world ? Json("world") : Json(ranks)}, {"calls", std::move(calls)}});
  }
  return part.dump(-1, ' ', false, kReplace) + '\n';
}

std::vector<RecordFile> record_files(const RecordedRun& run, const std::vector<std::string>& parts, bool at_end) {
  Sums sums;
  std::set<int> heard;
  std::set<std::string> hosts;
  double elapsed_s = 0;
  for (const std::string& text : parts) {
    try {
      const Json part = Json::parse(text);
      if (part.at("schema") != kPartSchema || part.at("run") != run.number || part.at("ranks") != run.ranks) continue;
      if (!heard.insert(part.at("rank").get<int>()).second) continue;
      hosts.insert(part.at("host").get<std::string>());
      elapsed_s = std::max(elapsed_s, part.at("elapsed_s").get<double>());
      add_part(part, run, sums);
    } catch (const Json::exception&) {
      continue;  // not one of ours
    }
  }
  std::vector<RecordFile> files;
  Json comms = Json::array();
  for (const auto& [ranks, by_call] : sums) {
    const std::string comm = name_of(ranks, run.ranks);
    Json calls = Json::array();
    for (const auto& [call, sum] : by_call) {
      std::int64_t count = 0;
      std::int64_t bytes = 0;
      double seconds = 0;
      double slowest_s = 0;
      Json sizes = Json::array();
      for (const auto& [bin, all] : sum.sizes) {
        count += all.calls;
        bytes += all.bytes;
        seconds += all.seconds;
        sizes.push_back(
            {{"up_to_bytes", upper_bytes(bin)}, {"calls", all.calls}, {"bytes", all.bytes}, {"time_s", all.seconds}});
      }
      for (const auto& [rank, time] : sum.seconds) slowest_s = std::max(slowest_s, time);
      Json file = nullptr;
      const std::size_t entries = entries_of(sum, ranks.size());
      if (entries > 0 && entries <= kMostEntries) {
        file = file_name(comm, call);
        files.push_back({file_name(comm, call), matrix_text(sum, ranks.size(), comm, call)});
      }
      calls.push_back({{"call", call},
                       {"file", std::move(file)},
                       {"calls", count},
                       {"bytes", bytes},
                       {"time_s", seconds},
                       {"slowest_rank_s", slowest_s},
                       {"sizes", std::move(sizes)}});
    }
    comms.push_back({{"name", comm},
                     {"size", ranks.size()},
                     {"ranks", comm == "world" ? Json("all") : Json(ranks)},
                     {"calls", std::move(calls)}});
  }
  const bool complete = at_end && heard.size() == static_cast<std::size_t>(run.ranks);
  const Json record = {{"schema", "sluice.record/1"},      {"about", about(hosts)}, {"ranks", run.ranks},
                       {"ranks_heard", heard.size()},      {"complete", complete},  {"elapsed_s", elapsed_s},
                       {"communicators", std::move(comms)}};
  files.push_back({"record.json", record.dump(1, ' ', false, kReplace) + '\n'});
  return files;
}

}  // namespace sluice::pmpi
