#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "run/mpi/collective/joined_ranks.hpp"
#include "run/mpi/elements/element_data.hpp"

namespace sluice::mpi::detail {

/// Through a tree. Nothing is copied that need not be: the first message that comes becomes, combined with the user's
/// own elements, what the next ones are combined with; the root receives into the result.
class TreeElements final : public ElementData {
 public:
  TreeElements(const ElementOperation& operation, ReductionPart part);

  void use(const void* own, void* result) override;
  void finish() override;

  std::byte* incoming(std::size_t receive, std::int64_t count, std::int64_t note) override;
  void arrived(std::size_t receive, const std::function<void()>& look) override;
  TreeMessage outgoing(std::size_t send) override;
  void sent(std::size_t send) override;
  bool welcome(std::size_t receive) override;

  [[nodiscard]] std::int64_t first(std::int64_t segment) const;
  [[nodiscard]] std::int64_t count(std::int64_t segment) const { return first(segment + 1) - first(segment); }

 private:
  enum class Kind : std::uint8_t { kOwn, kResult, kBuffer };
  /// The place of the elements of a segment: in the user's own, which are not to be written, in the result, or in a
  /// buffer.
  struct Place {
    Kind kind = Kind::kOwn;
    std::byte* at = nullptr;
  };

  [[nodiscard]] Place obtain(std::int64_t segment);
  void release(const Place& place, std::int64_t segment);
  [[nodiscard]] std::byte* in_result(std::int64_t segment) const;

  ReductionPart part_;
  const std::byte* own_ = nullptr;
  std::byte* result_ = nullptr;       ///< null unless root
  std::vector<Place> combined_;       ///< by segment
  std::vector<Place> received_;       ///< by receive
  std::vector<char> result_is_free_;  ///< by segment
  JoinedRanks joined_;
  std::mutex mutex_;  ///< of buffers and joined_, because a progress thread may ask for a place
  std::vector<std::byte*> free_buffers_;
};

}  // namespace sluice::mpi::detail
