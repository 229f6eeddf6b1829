#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "run/mpi/collective/joined_ranks.hpp"
#include "run/mpi/elements/element_data.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

/// Through a tree. Nothing is copied that need not be: the first message that comes becomes, combined with the user's
/// own elements, what the next ones are combined with; the root receives into the result.
class TreeElements final : public ElementData {
 public:
  /// `part`: of `rank`, of a reduction through a tree.
  TreeElements(const ElementOperation& operation, OwnPart part, int rank);

  void use(const void* own, void* result) override;
  void finish() override;

  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t count) override;
  void arrived(std::size_t end, const Look& look) override;
  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t count) override;
  void sent(std::size_t end) override;
  bool welcome(std::size_t end) override;

 private:
  enum class Kind : std::uint8_t { kOwn, kResult, kBuffer };
  /// The place of the elements of a segment: in the user's own, which are not to be written, in the result, or in a
  /// buffer.
  struct Place {
    Kind kind = Kind::kOwn;
    std::byte* at = nullptr;
  };

  /// Elements that are received, combined and sent together.
  struct Segment {
    std::int64_t first = 0;
    std::int64_t count = 0;
    Place combined = {};
    bool result_is_free = false;
  };

  /// What the ends of `part` name, by rising elements. A rank without messages has all `count` elements in one.
  [[nodiscard]] static std::vector<Segment> segments_of(const OwnPart& part, std::int64_t count);
  [[nodiscard]] Segment& segment_of(std::size_t end) { return segments_[segment_of_[end]]; }
  [[nodiscard]] Place obtain(Segment& segment);
  void release(const Place& place, Segment& segment);
  [[nodiscard]] std::byte* in_result(const Segment& segment) const { return result_ + segment.first * extent(); }

  OwnPart part_;
  bool is_root_ = false;
  bool commutative_ = true;
  std::vector<Segment> segments_;        ///< by rising elements
  std::vector<std::size_t> segment_of_;  ///< by end
  std::int64_t longest_ = 0;             ///< of a segment, elements
  const std::byte* own_ = nullptr;
  std::byte* result_ = nullptr;  ///< null unless root
  std::vector<Place> received_;  ///< by end
  JoinedRanks joined_;
  std::mutex mutex_;  ///< of buffers and joined_, because a progress thread may ask for a place
  std::vector<std::byte*> free_buffers_;
};

}  // namespace sluice::mpi::detail
