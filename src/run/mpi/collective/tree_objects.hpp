#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "run/mpi/collective/joined_ranks.hpp"
#include "run/mpi/engine/data.hpp"
#include "schedule/own_part.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// Objects that a function combines, through a tree.
class TreeObjects final : public Data {
 public:
  /// `part`: of `rank`, of a reduction of whole objects through a tree.
  TreeObjects(ObjectOperation operation, OwnPart part, int rank);

  void use(std::span<const std::byte> own);
  /// After an execution on the root: the object.
  void take(Bytes& result);

  void expect(std::size_t end, std::int64_t count) override;
  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t count) override;
  void arrived(std::size_t end, const Look& look) override;
  std::int64_t sent_count(std::size_t end) override;
  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t count) override;
  bool welcome(std::size_t end) override;

  [[nodiscard]] std::int64_t held_bytes() const override { return held_bytes_; }

 private:
  [[nodiscard]] std::span<const std::byte> combined() const;

  ObjectOperation operation_;
  OwnPart part_;
  std::span<const std::byte> own_;
  bool is_own_ = true;  ///< nothing was combined with the own object yet
  Bytes combined_;
  Bytes next_;
  std::vector<Bytes> received_;  ///< by end
  JoinedRanks joined_;
  std::mutex mutex_;  ///< of joined_
  std::int64_t held_bytes_ = 0;
};

}  // namespace sluice::mpi::detail
