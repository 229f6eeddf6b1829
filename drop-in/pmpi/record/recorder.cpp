#include "pmpi/record/recorder.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "pmpi/neighbours.hpp"

namespace sluice::pmpi {
namespace {

struct Tables {
  std::mutex mutex;
  std::map<std::vector<int>, std::unique_ptr<RecordedRanks>> ranks;
  std::deque<CommTable> comms;
  std::deque<CallTable> calls;
  int key = MPI_KEYVAL_INVALID;  ///< of communicators: a RecordedComm*
  MPI_Group world = MPI_GROUP_NULL;
  std::int64_t start_ticks = 0;
  std::chrono::steady_clock::time_point start;
};
/// Never destroyed, as threads may outlive main.
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
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &own);
  PMPI_Comm_group(comm, &group);
  std::vector<int> here(static_cast<std::size_t>(size));
  std::vector<int> in_world(here.size());
  for (int i = 0; i < size; ++i) here[static_cast<std::size_t>(i)] = i;
  const int code = PMPI_Group_translate_ranks(group, size, here.data(), tables().world, in_world.data());
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) return nullptr;
  for (const int rank : in_world) {
    if (rank == MPI_UNDEFINED) return nullptr;
  }
  const std::scoped_lock lock(tables().mutex);
  std::unique_ptr<RecordedRanks>& known = tables().ranks[in_world];
  if (!known) known = std::make_unique<RecordedRanks>(RecordedRanks{in_world, own});
  return known.get();
}

RecordedComm* recorded_comm(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, tables().key, &value, &found) != MPI_SUCCESS) return nullptr;
  if (found != 0) return static_cast<RecordedComm*>(value);
  auto made = std::make_unique<RecordedComm>();
  made->ranks = ranks_of(comm);
  if (PMPI_Comm_set_attr(comm, tables().key, made.get()) != MPI_SUCCESS) return nullptr;
  return made.release();
}

}  // namespace

constinit thread_local OfThread of_thread;
constinit std::atomic<std::uint64_t> freed_communicators{0};

void start_recorder() {
  Tables& all = tables();
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_record, &all.key, nullptr);
  PMPI_Comm_group(MPI_COMM_WORLD, &all.world);
  all.start = std::chrono::steady_clock::now();
  all.start_ticks = ticks();
}

// ---- Recording

CommTable* Recording::look_up(MPI_Comm comm) {
  OfThread& last = of_thread;
  last.comm = comm;
  last.freed = freed_communicators.load(std::memory_order_relaxed);
  last.recorded = recorded_comm(comm);
  last.table = nullptr;
  if (last.recorded == nullptr || last.recorded->ranks == nullptr) return nullptr;
  CommTable* table = last.all;
  while (table != nullptr && table->ranks != last.recorded->ranks) table = table->next;
  if (table == nullptr) {
    const std::scoped_lock lock(tables().mutex);
    table = &tables().comms.emplace_back();
    table->ranks = last.recorded->ranks;
    table->next = last.all;
    last.all = table;
  }
  last.table = table;
  return table;
}

const std::vector<int>& Recording::targets() const {
  static const std::vector<int> none;
  if (comm_table() == nullptr) return none;
  RecordedComm& recorded = *of_thread.recorded;
  if (!recorded.neighbours_known) {
    recorded.targets = neighbours_of(comm_).targets;
    recorded.neighbours_known = true;
  }
  return recorded.targets;
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
