#include <cstddef>
#include <iostream>
#include <memory>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine.hpp"
// Relacy replaces the allocation of the whole program by its own, inline, and switches threads there. Not inline, those
// of allocation.cpp take their place.
__attribute__((noipa)) void* operator new(std::size_t);
__attribute__((noipa)) void* operator new[](std::size_t);
__attribute__((noipa)) void operator delete(void*) noexcept;
__attribute__((noipa)) void operator delete[](void*) noexcept;
// Last: it redefines `new`, names of memory orders and more.
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

namespace sluice::model {
namespace {

/// A word of shared memory. All atomic operations read `plain`, so that one that is not ordered with a plain access to
/// the word is a race.
struct Cell {
  rl::atomic<std::uint64_t> word;
  rl::var<std::uint64_t> plain;
};

/// The words in use, of one schedule. Relacy's objects must go before the schedule ends; where it fails they cannot.
class Memory {
 public:
  Cell& at(const void* address) {
    Cell*& cell = cells_[address];
    if (cell == nullptr) {
      if (used_ == pool_.size()) pool_.push_back(std::make_unique<Room>());
      cell = new (pool_[used_++]->bytes) Cell;
    }
    return *cell;
  }
  void clear() {
    for (std::size_t i = 0; i < used_; ++i) reinterpret_cast<Cell*>(pool_[i]->bytes)->~Cell();
    forget();
  }
  void forget() {
    used_ = 0;
    cells_.clear();
  }

 private:
  struct Room {
    alignas(Cell) std::byte bytes[sizeof(Cell)];
  };
  std::unordered_map<const void*, Cell*> cells_;
  std::vector<std::unique_ptr<Room>> pool_;
  std::size_t used_ = 0;
};

Memory memory;
Scenario* scenario = nullptr;
std::int64_t schedules = 0;
std::int64_t most_schedules = 0;

rl::debug_info info_of(Place place) { return {"", place.file, static_cast<unsigned>(place.line)}; }

rl::memory_order order_of(Order order) {
  switch (order) {
    case Order::kRelaxed:
      return rl::mo_relaxed;
    case Order::kAcquire:
      return rl::mo_acquire;
    case Order::kRelease:
      return rl::mo_release;
    case Order::kAcquireRelease:
      return rl::mo_acq_rel;
    case Order::kSequential:
      break;
  }
  return rl::mo_seq_cst;
}

template <int kThreads>
struct Suite : rl::test_suite<Suite<kThreads>, kThreads> {
  void before() {
    // The schedule before may have failed.
    memory.forget();
    ++schedules;
    scenario->make();
  }
  void thread(unsigned index) {
    RL_UNTIL(schedules > most_schedules);
    scenario->run(static_cast<int>(index));
  }
  void after() {
    scenario->end();
    memory.clear();
  }
};

template <int kThreads>
void run(Search search, rl::test_params& params, bool again) {
  std::ostringstream state;
  if (search == Search::kRandom) {
    (void)rl::run_test<Suite<kThreads>, rl::random_scheduler<kThreads>>(params, state, again);
  } else {
    (void)rl::run_test<Suite<kThreads>, rl::context_bound_scheduler<kThreads>>(params, state, again);
  }
  params.initial_state = state.str();
}

template <int kThreads>
Outcome explore_with(Search search, bool story, rl::test_params& params) {
  run<kThreads>(search, params, false);
  Outcome outcome;
  outcome.schedules = std::min(schedules, most_schedules);
  const rl::test_result_e result = params.test_result;
  if (result == rl::test_result_success) {
    outcome.complete = search == Search::kBounded;
  } else if (result != rl::test_result_until_condition_hit) {
    outcome.failure = rl::test_result_str(result);
    if (story) {
      // The schedule that failed once more, now with its history.
      params.collect_history = true;
      schedules = 0;
      run<kThreads>(search, params, true);
    }
  }
  return outcome;
}

}  // namespace

std::uint64_t load(const void* at, Order order, Place place) {
  Cell& cell = memory.at(at);
  (void)cell.plain(info_of(place)).load();
  return cell.word.load(order_of(order), info_of(place));
}

void store(const void* at, std::uint64_t value, Order order, Place place) {
  Cell& cell = memory.at(at);
  (void)cell.plain(info_of(place)).load();
  cell.word.store(value, order_of(order), info_of(place));
}

void add(const void* at, std::uint64_t value, Order order, Place place) {
  Cell& cell = memory.at(at);
  (void)cell.plain(info_of(place)).load();
  (void)cell.word.fetch_add(value, order_of(order), info_of(place));
}

void fence(Order order, Place place) { rl::atomic_thread_fence(order_of(order), info_of(place)); }

void set_word(const void* at, std::uint64_t value, Place place) {
  Cell& cell = memory.at(at);
  cell.plain(info_of(place)).store(value);
  cell.word.store(value, rl::mo_relaxed, info_of(place));
}

std::uint64_t read_plain(const void* at, Place place) { return memory.at(at).plain(info_of(place)).load(); }

void write_plain(const void* at, std::uint64_t value, Place place) { memory.at(at).plain(info_of(place)).store(value); }

int thread() { return static_cast<int>(rl::thread_index()); }

void yield() { rl::yield(1, $); }

void expect(bool holds, const char* what) {
  if (!holds) rl::ctx().fail_test(what, rl::test_result_user_assert_failed, $);
}

Outcome explore(Scenario& explored, Search search, std::int64_t limit, int switches, bool story) {
  scenario = &explored;
  schedules = 0;
  most_schedules = limit;
  std::ostringstream progress;
  rl::test_params params;
  params.output_stream = &std::cerr;
  params.progress_stream = &progress;
  params.iteration_count = static_cast<rl::iteration_t>(limit);
  params.search_type = search == Search::kRandom ? rl::sched_random : rl::sched_bound;
  params.context_bound = static_cast<unsigned>(switches);
  return explored.threads() == 2 ? explore_with<2>(search, story, params) : explore_with<3>(search, story, params);
}

}  // namespace sluice::model
