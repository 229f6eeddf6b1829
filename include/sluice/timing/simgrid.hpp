#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/timing/model.hpp"

/// Runs schedules on machines that SimGrid simulates (simgrid.org). They run in a separate program, sluice-simgrid,
/// because SimGrid's library also defines the functions of MPI, and ends the process if it finds a fault:
///
///     sluice-simgrid REQUEST TIMES
///
/// The functions below write the request and read the answer.
namespace sluice {

/// Describes the machine to simulate.
struct SimgridMachine {
  std::string platform;  ///< name of a file in SimGrid's format
  /// Hosts in their order; empty: all hosts, with numbers in their names in numeric order.
  std::vector<std::string> hosts = {};
  std::vector<std::string> settings = {};  ///< NAME:VALUE, as --cfg of SimGrid's programs
};

/// Says where the nodes of a schedule of steps are, and what they send.
struct SimgridNodes {
  /// Says that receiver i is the host of sender i. If false, receivers are the hosts after the hosts of the senders. An
  /// exception are processes of a redistribution that are in both grids (RedistributionInput::roles).
  bool same_hosts = false;
  double unit_bytes = 1;  ///< bytes of a unit of size as the user wrote it; above 0
  /// Counts control messages, which keep the order of ranks, as jobs send them in the mode of that name. They are
  /// fences between steps, or the messages that release the next transfer. Each takes the latency of its route.
  bool control = false;
  /// Sends messages in pieces as jobs do. Each piece is a message of its own with a latency and a share of the links; a
  /// window of them is under way at a time, and receivers release early (ExchangeOptions::chunk_bytes). Jobs under SMPI
  /// behave like this. On a real network the connection carries pieces one after another, as it carries whole messages.
  /// Control messages then always count.
  bool pieces = false;
  std::int64_t chunk_bytes = 0;  ///< size of a piece for `pieces`, 1 to 2^30; 0: the default of jobs
};

/// Holds a schedule or a program as a task for sluice-simgrid.
class SimgridTask {
 public:
  /// Makes the task of a schedule of steps.
  ///
  ///  - `order`: says when a transfer begins
  ///  - `nodes`: hosts of the nodes, and what they send
  ///
  /// A transfer takes the time of the machine: the set-up of the schedule does not count. Data from a host to itself
  /// does not pass the network. Throws as `simulate`, and InputError for a transfer of more than 2^53 bytes. @pre the
  /// schedule is sound
  SimgridTask(const StepSchedule& schedule, StepOrder order, const SimgridNodes& nodes);
  /// Makes the task of a program; rank i is host i. A message begins when all in `after` have ended, at its sender and,
  /// unless it is combined, at its receiver. Combining takes as long as the program says; its rank begins nothing else
  /// in this time. A connection carries messages one after another for as long as `platform` says, unless it is null.
  /// Without a platform, all ready messages share the connection. @pre the program is sound, and has as many ranks as
  /// the platform
  explicit SimgridTask(const Program& program, const Platform* platform = nullptr);
  /// Makes the task of a reduction, as the model has it. Machine i is host i and sends and receives one transfer at a
  /// time; at most `max_transfers` are under way. A transfer takes the time of the machine for its share of
  /// `element_bytes`, not `transfer`; `compute` and dates are seconds. Throws InputError for a broadcast and for a tree
  /// over links. @pre the schedule is sound, element_bytes >= 0
  SimgridTask(const TreeSchedule& schedule, std::int64_t element_bytes);
  ~SimgridTask();
  SimgridTask(SimgridTask&&) noexcept;
  SimgridTask& operator=(SimgridTask&&) noexcept;

  /// Returns the number of simulated messages. On standard output, sluice-simgrid sometimes prints how many have ended.
  [[nodiscard]] std::size_t message_count() const;
  /// Writes REQUEST, which only sluice-simgrid of the same build can read.
  void write_request(std::ostream& out, const SimgridMachine& machine) const;
  /// Reads TIMES and returns the timeline in seconds. Throws InputError for an incomplete answer.
  [[nodiscard]] Timeline read_times(std::istream& in) const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace sluice
