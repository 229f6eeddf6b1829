#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "run/mpi/collective/joined_ranks.hpp"
#include "run/mpi/engine/tree_executor.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// Objects that a function combines, through a tree.
class TreeObjects final : public TreeData {
 public:
  TreeObjects(ObjectOperation operation, ReductionPart part);

  void use(std::span<const std::byte> own);
  /// After an execution on the root: the object.
  void take(Bytes& result);

  std::byte* incoming(std::size_t receive, std::int64_t count, std::int64_t note) override;
  void arrived(std::size_t receive, const std::function<void()>& look) override;
  TreeMessage outgoing(std::size_t send) override;
  bool welcome(std::size_t receive) override;

  [[nodiscard]] std::int64_t held_bytes() const { return held_bytes_; }

 private:
  [[nodiscard]] std::span<const std::byte> combined() const;

  ObjectOperation operation_;
  ReductionPart part_;
  std::span<const std::byte> own_;
  bool is_own_ = true;  ///< nothing was combined with the own object yet
  Bytes combined_;
  Bytes next_;
  std::vector<Bytes> received_;  ///< by receive
  JoinedRanks joined_;
  std::mutex mutex_;  ///< of joined_
  std::int64_t held_bytes_ = 0;
};

}  // namespace sluice::mpi::detail
