#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/channel.hpp"

/// Numbers that rank 0 has for each rank.
namespace sluice::mpi::detail {

using NumbersOfRanks = std::vector<std::vector<std::int64_t>>;

/// If all ranks share memory: the numbers of all ranks are there, and the others learn the place by an agreement, with
/// no message. They read the numbers before they come to another agreement. So this object has to live until that
/// agreement is over, or has failed.
class HandedOut {
 public:
  /// Whether it is possible, equal on all ranks.
  [[nodiscard]] static bool possible(const Context& context);

  /// Hands out `numbers`, one list for each rank, unless there are none, or there is no memory for them.
  HandedOut(Channel& channel, const NumbersOfRanks& numbers);
  ~HandedOut();
  HandedOut(const HandedOut&) = delete;
  HandedOut& operator=(const HandedOut&) = delete;

  /// Comparison::block for the agreement; 0: nothing is handed out.
  [[nodiscard]] std::uint64_t block() const { return block_.place().word(); }

  /// The list of this rank, which is not rank 0, from what rank 0 has handed out in `block`.
  [[nodiscard]] static std::vector<std::int64_t> read(Channel& channel, std::uint64_t block);

 private:
  Context& context_;
  Arena::Block block_;
};

/// Like agree, for `failure`. Returns this rank's list of the `numbers` of rank 0, which matter only there.
[[nodiscard]] std::vector<std::int64_t> agree_and_hand_out(Channel& channel, const std::exception_ptr& failure,
                                                           NumbersOfRanks numbers);

}  // namespace sluice::mpi::detail
