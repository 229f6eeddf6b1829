#include "pmpi/take/communicator.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>

#include "pmpi/library.hpp"
#include "pmpi/said.hpp"
#include "pmpi/take/sub_platform.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/read_file.hpp"
#include "sluice/run/mpi/probe.hpp"

namespace sluice::pmpi {
namespace {

/// SLUICE_PROBE measures for so long.
constexpr double kProbe_s = 5;

struct World {
  int key = MPI_KEYVAL_INVALID;  ///< of communicators: a Communicator*
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm self = MPI_COMM_NULL;
  std::vector<int> host_of_rank;  ///< the lowest rank on the same host
  std::optional<Platform> platform;
  std::mutex mutex;
  std::list<Communicator*> communicators;
};
World& world() {
  static auto* const kept = new World;
  return *kept;
}

int forget(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  const std::unique_ptr<Communicator> communicator(static_cast<Communicator*>(value));
  const std::scoped_lock lock(world().mutex);
  world().communicators.remove(communicator.get());
  return MPI_SUCCESS;
}

/// Collective over MPI_COMM_WORLD.
std::vector<int> find_hosts(int rank, int ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  int first = rank;
  PMPI_Bcast(&first, 1, MPI_INT, 0, host);
  PMPI_Comm_free(&host);
  std::vector<int> hosts(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&first, 1, MPI_INT, hosts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return hosts;
}

/// Collective: the file as rank 0 reads it. Throws InputError on all ranks.
std::string read_on_one(const std::string& path, int rank) {
  constexpr const char* kExpected = "a platform";
  std::string text;
  std::int64_t bytes = -1;
  InputError wrong(path, "cannot be read", kExpected);
  if (rank == 0) {
    try {
      text = read_file(path, kExpected, std::numeric_limits<int>::max()).text();
      bytes = static_cast<std::int64_t>(text.size());
    } catch (const InputError& error) {
      wrong = error;
    }
  }
  PMPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (bytes < 0) throw wrong;
  text.resize(static_cast<std::size_t>(bytes));
  PMPI_Bcast(text.data(), static_cast<int>(bytes), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

}  // namespace

MPI_Comm returning_self() { return world().self; }

bool has_platform() { return world().platform.has_value(); }

bool start_taking() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  World& all = world();
  if (ranks == 1) return false;
  all.host_of_rank = find_hosts(rank, ranks);
  PMPI_Comm_group(MPI_COMM_WORLD, &all.group);
  PMPI_Comm_dup(MPI_COMM_SELF, &all.self);
  PMPI_Comm_set_errhandler(all.self, MPI_ERRORS_RETURN);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &all.key, nullptr);
  try {
    if (!settings().platform.empty()) {
      std::istringstream in(read_on_one(settings().platform, rank));
      all.platform = read_platform(in, settings().platform);
      if (all.platform->ranks != ranks)
        throw InputError(settings().platform,
                         fmt::format("a platform of {}", sluice::count_text(all.platform->ranks, "rank")),
                         fmt::format("one of the {} of this job", sluice::count_text(ranks, "rank")));
    } else if (settings().probe) {
      mpi::ProbeOptions options;
      options.time_budget_s = kProbe_s;
      all.platform = mpi::probe(MPI_COMM_WORLD, options);
    }
  } catch (const InputError& error) {
    say_once_for_all("all calls are handed on", error.what());
    all.platform.reset();
    return false;
  }
  return true;
}

void stop_taking() {
  const std::scoped_lock lock(world().mutex);
  for (Communicator* const each : world().communicators) {
    each->on = false;
    each->jobs.clear();
  }
}

Communicator* communicator_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;  // an error, which is the call's own and not that of PMPI_Comm_get_attr
  World& all = world();
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, all.key, &value, &found) != MPI_SUCCESS) return nullptr;
  if (found != 0) return static_cast<Communicator*>(value);
  auto made = std::make_unique<Communicator>();
  int inter = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return nullptr;
  if (inter == 0) {
    PMPI_Comm_rank(comm, &made->rank);
    PMPI_Comm_size(comm, &made->size);
    std::vector<int> here(static_cast<std::size_t>(made->size));
    made->world_ranks.resize(here.size());
    std::iota(here.begin(), here.end(), 0);
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, made->size, here.data(), all.group, made->world_ranks.data());
    PMPI_Group_free(&group);
    bool ours = true;
    bool hosts = false;
    for (const int rank : made->world_ranks) {
      ours = ours && rank != MPI_UNDEFINED;
      if (ours)
        hosts = hosts || all.host_of_rank[static_cast<std::size_t>(rank)] !=
                             all.host_of_rank[static_cast<std::size_t>(made->world_ranks.front())];
    }
    made->one_host = !hosts && !settings().always;
    constexpr int kMostByMemory = 64;  // ranks; jobs of more go by messages, as MPI's own calls do
    made->on = ours && made->size > 1 && (!made->one_host || made->size <= kMostByMemory);
  }
  if (PMPI_Comm_set_attr(comm, all.key, made.get()) != MPI_SUCCESS) return nullptr;
  const std::scoped_lock lock(all.mutex);
  all.communicators.push_back(made.get());
  return made.release();
}

const std::optional<Platform>& Communicator::network() {
  if (!platform_made) {
    platform_made = true;
    if (world().platform && !one_host)
      platform = sub_platform(*world().platform, world_ranks);
    else if (settings().always)
      platform = even_platform(size);  // else MPI_Bcast is all that the job would do on one host
  }
  return platform;
}

}  // namespace sluice::pmpi
