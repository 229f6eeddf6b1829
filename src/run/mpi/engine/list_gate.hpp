#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/mpi/engine/fence.hpp"
#include "run/mpi/engine/gate.hpp"
#include "run/mpi/engine/grants.hpp"
#include "run/mpi/engine/throughput_tuner.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "schedule/early_release.hpp"

namespace sluice::mpi::detail {

/// Who puts the messages of mode `list` in order for the data's sake: told of every message that is added to the lists
/// of the carrier, in that order.
class ListedMessages {
 public:
  virtual ~ListedMessages() = default;
  /// The next outgoing message is the message posted with that number.
  virtual void sending(std::int64_t number) = 0;
  virtual void receiving(int from, std::int64_t bytes) = 0;
};

/// Mode `list`: no plan; rank 0 coordinates. Ranks announce their messages as they learn of them, the coordinator
/// grants whole messages (Grants), receivers report when one is released (EarlyRelease).
///
/// Guarantee: as chain's, for a k that can be changed at any time.
///
/// End: as in a non-blocking consensus. A rank that has posted and sent all its messages enters a barrier without
/// waiting, and goes on receiving until all ranks have entered. The coordinator enters last: when all announced
/// messages are released and every rank has said that it has posted all. So when the barrier opens no message is left
/// to come, and no rank had to be told how much it would receive.
///
/// No deadlock: grants are in one order, and both ends have theirs in that order; an announced message waits only for
/// transfers that run.
///
/// Cost: three short messages per transfer through the coordinator, and its time at every one. Memory: O(own messages),
/// at the coordinator O(ranks + all that wait).
///
/// Source: the end follows Hoefler, Siebert, Lumsdaine, "Scalable Communication Protocols for Dynamic Sparse Data
/// Exchange" (2010).
class ListGate final : public Gate {
 public:
  struct Limits {
    std::int64_t max_transfers = 1;
    bool tune = false;  ///< whether the coordinator changes k by what it measures
    std::int64_t early_bytes = 0;
  };
  /// `messages` must outlive the gate.
  ListGate(Channel& channel, ListedMessages& messages, const Limits& limits);

  /// A message of this execution: any time after begin, `bytes` at least 1, not to oneself.
  void post(int to, std::int64_t bytes, std::int64_t number);
  /// All messages of this execution have been posted.
  void posted_all() { posted_all_ = true; }
  /// On any rank, at any time: changes the coordinator's k, as soon as the coordinator hears of it. It hears in the
  /// present execution or, if this rank has already posted all, in the next.
  void set_max_transfers(std::int64_t max_transfers);
  /// The coordinator's k on rank 0, what was given to the constructor elsewhere.
  [[nodiscard]] std::int64_t max_transfers() const { return coordinator_ ? coordinator_->grants.max_transfers() : k_; }

  [[nodiscard]] bool grows() const override { return true; }
  [[nodiscard]] bool synchronous() const override { return true; }
  void begin(OrderedCarrier& carrier) override;
  bool progress(OrderedCarrier& carrier) override;
  void sent(std::size_t send, std::int64_t bytes) override;
  void received(std::size_t receive, std::int64_t bytes) override { release_.received(receive, bytes); }
  bool finish() override;

 private:
  struct Coordinator {
    Grants grants;
    std::optional<ThroughputTuner> tuner;
    int ranks_done = 0;  ///< have posted everything
  };
  struct Posted {
    int to = 0;
    std::int64_t bytes = 0;
  };

  void tell(int rank, std::int64_t kind, std::int64_t number, std::int64_t other = 0, std::int64_t bytes = 0);
  void announce();
  void take(const Channel::Received& message, OrderedCarrier& carrier);
  void coordinate(const Channel::Received& message);
  void grant();

  Channel& channel_;
  ListedMessages& messages_;
  std::int64_t k_;
  std::optional<Coordinator> coordinator_;
  sluice::detail::EarlyRelease release_;
  Fence fence_;

  std::optional<std::int64_t> wanted_;  ///< a new k that the coordinator has not been told
  std::int64_t execution_ = -1;
  std::vector<Channel::Received> early_;  ///< what ranks that are one execution ahead have sent

  // The present execution.
  std::vector<Posted> posted_;  ///< by position; numbers_ are the caller's
  std::vector<std::int64_t> numbers_;
  std::size_t announced_ = 0;
  std::int64_t unsent_bytes_ = 0;
  std::vector<std::int64_t> incoming_;  ///< the coordinator's id of each receive
  bool posted_all_ = false;
  bool told_ = false;     ///< the coordinator, that everything is posted
  bool started_ = false;  ///< the execution before is over everywhere
  bool entered_ = false;  ///< the barrier at the end
};

}  // namespace sluice::mpi::detail
