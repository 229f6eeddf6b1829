#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/engine/carrier.hpp"
#include "run/mpi/engine/data.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/runtime/withdraw.hpp"

namespace sluice::mpi::detail {

/// Carries out a rank's part of a plan, any number of times. Carriers move the messages, each carrier its own; the data
/// say what the messages consist of. Work that needs no communication fills the time when nothing has moved.
///
/// No deadlock: carriers advance side by side, so a message of one may wait for a message of another. Who makes the
/// engine makes sure that there is no circle.
class Engine {
 public:
  Engine(Channel& channel, std::shared_ptr<Data> data) : channel_(channel), data_(std::move(data)) {}
  /// After abandon(), if an execution has not ended.
  ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Before the first execution.
  void add(std::unique_ptr<Carrier> carrier);

  void begin();
  /// Does what can be done without waiting. Throws what carriers and data throw.
  Advance advance();
  /// Ends the execution before it is over, if one is running: nothing more is written into the user's memory, if MPI
  /// can be stopped. Nothing can begin any more.
  void abandon() noexcept;
  void warm_up() {
    for (const Lane& lane : lanes_) lane.carrier->warm_up();
  }
  /// Bytes that carriers and data hold beyond the user's.
  [[nodiscard]] std::int64_t buffer_bytes() const;

 private:
  struct Lane {
    std::unique_ptr<Carrier> carrier;
    bool over = true;
  };

  Channel& channel_;
  std::shared_ptr<Data> data_;
  std::vector<Lane> lanes_;
  std::vector<Withdrawn> withdrawn_;  ///< room for what abandon() finds
  bool abandoned_ = false;

  // The present execution.
  bool running_ = false;
  bool working_ = false;
  std::optional<TransferTrace> trace_;  ///< where it is recorded
};

}  // namespace sluice::mpi::detail
