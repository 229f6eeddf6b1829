#pragma once

#include <cstdint>
#include <functional>
#include <string>

/// What a model of shared memory offers: threads that are switched at each operation on it, and loads that return what
/// the memory orders allow, old values too. Carried out by relacy, which has a file of its own (relacy_engine.cpp), as
/// its header redefines words of the language.
namespace sluice::model {

enum class Order { kRelaxed, kAcquire, kRelease, kAcquireRelease, kSequential };

/// A place of the code, for the story of a failure.
struct Place {
  const char* file = "";
  int line = 0;
};

/// Operations of the thread that runs. Memory is known by its address; what has not been set yet must not be read.
/// Accesses to what is plain must be ordered with each other, or the schedule fails.
[[nodiscard]] std::uint64_t load(const void* at, Order order, Place place);
void store(const void* at, std::uint64_t value, Order order, Place place);
void add(const void* at, std::uint64_t value, Order order, Place place);
void fence(Order order, Place place);
/// Sets a word that is loaded and stored by the operations above as plain memory is: nobody may use it meanwhile.
void set_word(const void* at, std::uint64_t value, Place place);
[[nodiscard]] std::uint64_t read_plain(const void* at, Place place);
void write_plain(const void* at, std::uint64_t value, Place place);

/// The thread that runs, from 0 on.
[[nodiscard]] int thread();
/// It waits for another thread.
void yield();
/// The schedule fails unless `holds`.
void expect(bool holds, const char* what);

/// What is run in every schedule.
class Scenario {
 public:
  virtual ~Scenario() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// 2 or 3.
  [[nodiscard]] virtual int threads() const = 0;
  /// Makes the memory; everything in it is seen by all threads.
  virtual void make() = 0;
  virtual void run(int thread) = 0;
  /// After all threads.
  virtual void end() {}
};

enum class Search {
  kRandom,   ///< `limit` schedules
  kBounded,  ///< all with at most `switches` switches that no thread asked for; gives up after `limit`
};
struct Outcome {
  std::int64_t schedules = 0;
  bool complete = false;  ///< there are no other schedules of the kind
  std::string failure;    ///< empty: none
};
/// `story`: writes each step of a schedule that fails to standard error.
[[nodiscard]] Outcome explore(Scenario& scenario, Search search, std::int64_t limit, int switches, bool story);

}  // namespace sluice::model
