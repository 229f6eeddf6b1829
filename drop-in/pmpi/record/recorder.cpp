#include "pmpi/record/recorder.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "pmpi/neighbours.hpp"

namespace sluice::pmpi {
namespace {

/// What a communicator has attached.
struct RecordedComm {
  const RecordedRanks* ranks = nullptr;             ///< null: an intercommunicator, or ranks of another world
  std::shared_ptr<const std::vector<int>> targets;  ///< null: not asked for yet
};

struct Tables {
  /// Held while a communicator's attribute is read and set, so that threads do not attach one each. Nobody takes it
  /// while MPI calls forget_record.
  std::mutex attaching;
  std::mutex mutex;  ///< of what follows; MPI is not called under it
  std::map<std::vector<int>, std::unique_ptr<RecordedRanks>> ranks;
  std::deque<CommTable> comms;
  std::deque<CallTable> calls;
  int key = MPI_KEYVAL_INVALID;  ///< of communicators: a RecordedComm*
  MPI_Group world = MPI_GROUP_NULL;
  std::int64_t start_ticks = 0;
  std::chrono::steady_clock::time_point start;
};
/// Never destroyed, because threads may outlive main.
Tables& tables() {
  static Tables* const all = new Tables;
  return *all;
}

int forget_record(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  ++freed_communicators;
  delete static_cast<RecordedComm*>(value);
  return MPI_SUCCESS;
}

/// The ranks of a communicator; null if it is none that is recorded.
const RecordedRanks* ranks_of(MPI_Comm comm) {
  int inter = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return nullptr;
  MPI_Group group = MPI_GROUP_NULL;
  int size = 0;
  int own = 0;
  if (PMPI_Comm_size(comm, &size) != MPI_SUCCESS || PMPI_Comm_rank(comm, &own) != MPI_SUCCESS ||
      PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
    return nullptr;
  std::vector<int> here(static_cast<std::size_t>(size));
  std::vector<int> in_world(here.size());
  std::iota(here.begin(), here.end(), 0);
  const int code = PMPI_Group_translate_ranks(group, size, here.data(), tables().world, in_world.data());
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS || std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end()) return nullptr;
  const std::scoped_lock lock(tables().mutex);
  std::unique_ptr<RecordedRanks>& known = tables().ranks[in_world];
  if (!known) known = std::make_unique<RecordedRanks>(RecordedRanks{in_world, own});
  return known.get();
}

/// Whether MPI could be asked. `attached`: null if there is nothing.
bool get_attached(MPI_Comm comm, RecordedComm*& attached) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, tables().key, &value, &found) != MPI_SUCCESS) return false;
  attached = found != 0 ? static_cast<RecordedComm*>(value) : nullptr;
  return true;
}

/// Null if MPI refuses.
RecordedComm* recorded_comm(MPI_Comm comm) {
  RecordedComm* attached = nullptr;
  if (comm == MPI_COMM_NULL || !get_attached(comm, attached)) return nullptr;
  if (attached != nullptr) return attached;
  auto made = std::make_unique<RecordedComm>();
  made->ranks = ranks_of(comm);
  const std::scoped_lock lock(tables().attaching);
  if (!get_attached(comm, attached)) return nullptr;
  if (attached != nullptr) return attached;  // another thread has been here
  if (PMPI_Comm_set_attr(comm, tables().key, made.get()) != MPI_SUCCESS) return nullptr;
  return made.release();
}

}  // namespace

constinit thread_local OfThread of_thread;
constinit std::atomic<std::uint64_t> freed_communicators{0};

bool start_recorder() {
  Tables& all = tables();
  all.start = std::chrono::steady_clock::now();
  all.start_ticks = ticks();
  return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_record, &all.key, nullptr) == MPI_SUCCESS &&
         PMPI_Comm_group(MPI_COMM_WORLD, &all.world) == MPI_SUCCESS;
}

// ---- Recording

CommTable* Recording::look_up(MPI_Comm comm) {
  OfThread& last = of_thread;
  const std::uint64_t freed = freed_communicators.load(std::memory_order_relaxed);
  const RecordedComm* const recorded = recorded_comm(comm);
  if (recorded == nullptr) return nullptr;  // nothing would tell that the communicator is freed: it is not remembered
  last.comm = comm;
  last.freed = freed;
  last.table = recorded->ranks == nullptr ? nullptr : &table_of(*recorded->ranks);
  return last.table;
}

CommTable& Recording::table_of(const RecordedRanks& ranks) {
  OfThread& last = of_thread;
  for (CommTable* table = last.all; table != nullptr; table = table->next) {
    if (table->ranks == &ranks) return *table;
  }
  const std::scoped_lock lock(tables().mutex);
  CommTable& table = tables().comms.emplace_back();
  table.ranks = &ranks;
  table.next = last.all;
  last.all = &table;
  return table;
}

std::shared_ptr<const std::vector<int>> NeighbourRecording::targets_of(MPI_Comm comm) {
  RecordedComm* const recorded = recorded_comm(comm);
  if (recorded == nullptr || recorded->ranks == nullptr) return std::make_shared<const std::vector<int>>();
  const std::scoped_lock lock(tables().attaching);
  if (!recorded->targets) recorded->targets = std::make_shared<const std::vector<int>>(neighbours_of(comm).targets);
  return recorded->targets;
}

CallTable& Recording::make_call_table(CommTable& comm, Call call) {
  const std::scoped_lock lock(tables().mutex);
  CallTable& table = tables().calls.emplace_back();
  comm.calls[static_cast<std::size_t>(call)].store(&table, std::memory_order_release);
  return table;
}

Counter* Recording::make_row(const CommTable& comm, CallTable& table) {
  table.owned = std::make_unique<Counter[]>(comm.ranks->world_ranks.size());
  table.to.store(table.owned.get(), std::memory_order_release);
  return table.owned.get();
}

// ---- What has been counted

double recorded_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - tables().start).count();
}

std::vector<CountedComm> counted() {
  Tables& all = tables();
  const double seconds = recorded_seconds();
  const std::int64_t passed = ticks() - all.start_ticks;
  const double tick_s = passed > 0 ? seconds / static_cast<double>(passed) : 0;
  /// Sums over threads.
  struct Sum {
    std::int64_t to_each = 0;
    std::map<int, std::int64_t> to;
    std::map<std::size_t, CountedCall::Bin> sizes;
  };
  std::map<const RecordedRanks*, std::map<std::size_t, Sum>> sums;
  const std::scoped_lock lock(all.mutex);
  for (const CommTable& comm : all.comms) {
    for (std::size_t call = 0; call < comm.calls.size(); ++call) {
      const CallTable* const table = comm.calls[call].load(std::memory_order_acquire);
      if (table == nullptr) continue;
      Sum& sum = sums[comm.ranks][call];
      sum.to_each += table->to_each.get();
      if (const Counter* const row = table->to.load(std::memory_order_acquire); row != nullptr) {
        for (std::size_t rank = 0; rank < comm.ranks->world_ranks.size(); ++rank) {
          if (row[rank].get() > 0) sum.to[static_cast<int>(rank)] += row[rank].get();
        }
      }
      for (std::size_t i = 0; i < kSizeBins; ++i) {
        const SizeBin& bin = table->sizes[i];
        if (bin.calls.get() == 0) continue;
        CountedCall::Bin& total = sum.sizes[i];
        total.bin = i;
        total.calls += bin.calls.get();
        total.bytes += bin.bytes.get();
        total.seconds += static_cast<double>(bin.ticks.get()) * tick_s;
      }
    }
  }
  std::vector<CountedComm> result;
  for (const auto& [ranks, calls] : sums) {
    CountedComm& comm = result.emplace_back();
    comm.ranks = ranks;
    for (const auto& [call, sum] : calls) {
      CountedCall& each = comm.calls.emplace_back();
      each.call = static_cast<Call>(call);
      each.to_each = sum.to_each;
      each.to.assign(sum.to.begin(), sum.to.end());
      for (const auto& [bin, total] : sum.sizes) each.sizes.push_back(total);
    }
  }
  return result;
}

}  // namespace sluice::pmpi
