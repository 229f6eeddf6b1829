#include "pmpi/take/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
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
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/probe.hpp"
#include "sluice/run/mpi/settings.hpp"

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
  /// Held while a communicator's attribute is read and set, so that threads do not attach one each. Nobody takes it
  /// while MPI calls forget.
  std::mutex attaching;
  std::mutex mutex;  ///< of the list; MPI is not called under it
  std::list<Communicator*> communicators;
};
World& world() {
  static auto* const kept = new World;
  return *kept;
}

int forget(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  const HeldCommunicator communicator(static_cast<Communicator*>(value));
  const std::scoped_lock lock(world().mutex);
  world().communicators.remove(communicator.get());
  return MPI_SUCCESS;
}

/// Collective over MPI_COMM_WORLD.
std::vector<int> find_hosts(int rank, int ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  SLUICE_MPI(PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host));
  int first = rank;
  SLUICE_MPI(PMPI_Bcast(&first, 1, MPI_INT, 0, host));
  SLUICE_MPI(PMPI_Comm_free(&host));
  std::vector<int> hosts(static_cast<std::size_t>(ranks));
  SLUICE_MPI(PMPI_Allgather(&first, 1, MPI_INT, hosts.data(), 1, MPI_INT, MPI_COMM_WORLD));
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
  SLUICE_MPI(PMPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD));
  if (bytes < 0) throw wrong;
  text.resize(static_cast<std::size_t>(bytes));
  SLUICE_MPI(PMPI_Bcast(text.data(), static_cast<int>(bytes), MPI_CHAR, 0, MPI_COMM_WORLD));
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
  // MPICH has 2048 communicators, most of them for the program. Calls on further ones are forwarded.
  constexpr std::size_t kMostCommunicators = 64;
  mpi::set_most_communicators(kMostCommunicators);
  all.host_of_rank = find_hosts(rank, ranks);
  const int own = PMPI_Comm_group(MPI_COMM_WORLD, &all.group) == MPI_SUCCESS &&
                  PMPI_Comm_dup(MPI_COMM_SELF, &all.self) == MPI_SUCCESS &&
                  PMPI_Comm_set_errhandler(all.self, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
                  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &all.key, nullptr) == MPI_SUCCESS;
  int everywhere = 0;
  SLUICE_MPI(PMPI_Allreduce(&own, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  if (everywhere == 0) {
    say_once_for_all("all calls are forwarded", "MPI made no group, communicator or key for the library");
    return false;
  }
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
    say_once_for_all("all calls are forwarded", error.what());
    all.platform.reset();
    return false;
  }
  return true;
}

void stop_taking() {
  std::vector<HeldCommunicator> held;
  {
    const std::scoped_lock lock(world().mutex);
    for (Communicator* const each : world().communicators) held.push_back(hold(*each));
  }
  for (const HeldCommunicator& each : held) {
    each->on = false;
    each->jobs.clear();
  }
}

namespace {

/// Whether MPI could be asked. `attached`: null if there is nothing.
bool get_attached(MPI_Comm comm, Communicator*& attached) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, world().key, &value, &found) != MPI_SUCCESS) return false;
  attached = found != 0 ? static_cast<Communicator*>(value) : nullptr;
  return true;
}

/// Finds the ranks of a communicator in MPI_COMM_WORLD. A rank of another MPI_COMM_WORLD is MPI_UNDEFINED. False if MPI
/// refuses.
bool find_ranks(MPI_Comm comm, Communicator& communicator) {
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_rank(comm, &communicator.rank) != MPI_SUCCESS ||
      PMPI_Comm_size(comm, &communicator.size) != MPI_SUCCESS || PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
    return false;
  std::vector<int> here(static_cast<std::size_t>(communicator.size));
  std::iota(here.begin(), here.end(), 0);
  communicator.world_ranks.resize(here.size());
  const int code =
      PMPI_Group_translate_ranks(group, communicator.size, here.data(), world().group, communicator.world_ranks.data());
  PMPI_Group_free(&group);
  return code == MPI_SUCCESS;
}

/// Null if MPI refuses.
std::unique_ptr<Communicator> make_communicator(MPI_Comm comm) {
  auto made = std::make_unique<Communicator>();
  int inter = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return nullptr;
  if (inter != 0) return made;
  if (!find_ranks(comm, *made)) return nullptr;
  const std::vector<int>& host_of_rank = world().host_of_rank;
  const bool ours = std::ranges::find(made->world_ranks, MPI_UNDEFINED) == made->world_ranks.end();
  const bool hosts = ours && std::ranges::any_of(made->world_ranks, [&](int rank) {
                       return host_of_rank[static_cast<std::size_t>(rank)] !=
                              host_of_rank[static_cast<std::size_t>(made->world_ranks.front())];
                     });
  made->one_host = !hosts && !settings().always;
  constexpr int kMostByMemory = 64;  // ranks; jobs of more ranks use messages, like MPI's own calls
  made->on = ours && made->size > 1 && (!made->one_host || made->size <= kMostByMemory);
  return made;
}

}  // namespace

Communicator* communicator_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;  // the error is to come from the program's call
  Communicator* attached = nullptr;
  if (!get_attached(comm, attached)) return nullptr;
  if (attached != nullptr) return attached;
  std::unique_ptr<Communicator> made = make_communicator(comm);
  if (made == nullptr) return nullptr;
  World& all = world();
  const std::scoped_lock attaching(all.attaching);
  if (!get_attached(comm, attached)) return nullptr;
  if (attached != nullptr) return attached;  // another thread has been here
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
      platform = even_platform(size);  // otherwise the job would do no more than MPI_Bcast on one host
  }
  return platform;
}

}  // namespace sluice::pmpi
