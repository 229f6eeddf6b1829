#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/run/simulate/model.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Schedules on machines that SimGrid simulates (simgrid.org). They run in a program of their own, sluice-simgrid,
/// because SimGrid's library also defines the functions of MPI, and ends the process where it finds a fault:
///
///     sluice-simgrid REQUEST TIMES
///
/// The functions below write the request and read the answer.
namespace sluice {

/// The machine to simulate.
struct SimgridMachine {
  std::string platform;                    ///< a file in SimGrid's format
  std::vector<std::string> hosts = {};     ///< in their order; empty: all, numbers in their names in numeric order
  std::vector<std::string> settings = {};  ///< NAME:VALUE, as --cfg of SimGrid's programs
};

/// Where the nodes of a schedule of steps are, and what they send.
struct SimgridNodes {
  /// Whether receiver i is the host of sender i. If not, receivers are the hosts behind those of the senders, but for
  /// processes of a redistribution that are in both grids (RedistributionInput::roles).
  bool same_hosts = false;
  double unit_bytes = 1;  ///< of a unit of size as the user wrote it; above 0
  /// Whether the short messages count by which ranks keep the order, as jobs send them in the mode of that name: fences
  /// between steps, or the words that let the next transfer begin. Each takes the latency of its route.
  bool control = false;
  /// Whether messages go in pieces as jobs send them: each a message of its own, with a latency and a share of the
  /// links, a window of them at a time, and receivers release early (ExchangeOptions::chunk_bytes). So it is with jobs
  /// under SMPI; on a real network the connection carries pieces one after the other, as it does whole messages.
  /// Control messages then count in any case.
  bool pieces = false;
  std::int64_t chunk_bytes = 0;  ///< of `pieces`: 1 to 2^30; 0: what jobs have unless told
};

/// A schedule or a program as a task for sluice-simgrid.
class SimgridTask {
 public:
  /// A transfer begins as `order` says, and takes what the machine takes: the set-up of the schedule does not count.
  /// Nothing passes the network between a host and itself. Throws as `simulate`, and InputError for a transfer of more
  /// than 2^53 bytes. @pre the schedule is sound
  SimgridTask(const StepSchedule& schedule, StepOrder order, const SimgridNodes& nodes);
  /// Rank i is host i. Messages begin when all in `after` have ended, at their sender and, unless they are combined, at
  /// their receiver; combining takes as long as the program says, in which its rank begins nothing else. `platform`,
  /// unless null, says for how long a message keeps the connection between its two ranks for itself, as one connection
  /// carries them one after the other; without it, all that are ready share. @pre the program is sound, and has as many
  /// ranks as the platform
  explicit SimgridTask(const Program& program, const Platform* platform = nullptr);
  /// A reduction, as the model has it: machine i is host i, sends and receives one transfer at a time, and no more than
  /// `max_transfers` are under way. A transfer takes what the machine takes for its share of `element_bytes`, not
  /// `transfer`; `compute` and dates are seconds. Throws InputError for a broadcast and for a tree over links.
  /// @pre the schedule is sound, element_bytes >= 0
  SimgridTask(const TreeSchedule& schedule, std::int64_t element_bytes);
  ~SimgridTask();
  SimgridTask(SimgridTask&&) noexcept;
  SimgridTask& operator=(SimgridTask&&) noexcept;

  /// How many messages are simulated. On its standard output the program says now and then how many have ended so far.
  [[nodiscard]] std::size_t message_count() const;
  /// Writes REQUEST, for the program of the same build alone.
  void write_request(std::ostream& out, const SimgridMachine& machine) const;
  /// The timeline of TIMES, in seconds. Throws InputError for an answer that is not whole.
  [[nodiscard]] Timeline read_times(std::istream& in) const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace sluice
