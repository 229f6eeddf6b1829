#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "run/mpi/reduce/element_layout.hpp"
#include "run/mpi/tree/tree_executor.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/schedule/reduction_program.hpp"

namespace sluice::mpi::detail {

/// A message that a rank gets in a reduction: of which part, and of the elements of which ranks it is the combination.
struct CombinedPart {
  std::int64_t segment = 0;
  std::int64_t begin = 0;  ///< ranks begin to end - 1
  std::int64_t end = 0;
};

/// What one rank does in a reduction.
struct ReductionPart {
  int rank = 0;
  bool commutative = true;
  std::int64_t segments = 1;
  std::vector<CombinedPart> receives;  ///< in order of the executor's
  std::vector<std::int64_t> sends;     ///< the segment of each; empty on the root
};

/// The ranks whose elements are combined, or will be by messages that were asked for, part by part: without
/// commutativity only neighbours may join.
class JoinedRanks {
 public:
  explicit JoinedRanks(const ReductionPart& part) : part_(part) { reset(); }
  void reset();
  [[nodiscard]] bool adjoins(std::size_t receive) const;
  void join(std::size_t receive);

 private:
  const ReductionPart& part_;
  std::vector<CombinedPart> runs_;  ///< by segment
};

/// Elements that MPI_Op combines, by some way through the ranks.
class ElementData : public TreeData {
 public:
  /// For the next execution. `own`: MPI_IN_PLACE if the rank's elements are in `result`.
  virtual void use(const void* own, void* result) = 0;
  /// After it, on the root: the result is in its place.
  virtual void finish() = 0;
  [[nodiscard]] std::int64_t held_bytes() const { return held_bytes_; }

 protected:
  explicit ElementData(const ElementOperation& operation);

  /// Room for so many elements, from the first on; it lasts as long as this.
  [[nodiscard]] std::byte* allocate(std::int64_t count);
  void copy(const std::byte* from, std::byte* to, std::int64_t count) const;
  /// Calls `look`, if there is one, every now and then.
  void apply(const std::byte* in, std::byte* inout, std::int64_t count, const std::function<void()>& look) const;
  [[nodiscard]] std::int64_t extent() const { return layout_.extent; }
  [[nodiscard]] std::int64_t all() const { return count_; }

 private:
  std::int64_t count_;
  MPI_Datatype type_;
  MPI_Op op_;
  ElementLayout layout_;
  std::int64_t size_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::int64_t held_bytes_ = 0;
};

/// Through a tree. Nothing is copied that need not be: the first message that comes becomes, combined with the user's
/// own elements, what the next ones are combined with; the root receives into the result.
class ElementReduction final : public ElementData {
 public:
  /// `part` must last as long as this.
  ElementReduction(const ElementOperation& operation, const ReductionPart& part);

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
  /// Where the elements of a segment are: in the user's own, which are not to be written, in the result, or in a
  /// buffer.
  struct Place {
    Kind kind = Kind::kOwn;
    std::byte* at = nullptr;
  };

  [[nodiscard]] Place obtain(std::int64_t segment);
  void release(const Place& place, std::int64_t segment);
  [[nodiscard]] std::byte* in_result(std::int64_t segment) const;

  const ReductionPart& part_;
  const std::byte* own_ = nullptr;
  std::byte* result_ = nullptr;       ///< null unless root
  std::vector<Place> combined_;       ///< by segment
  std::vector<Place> received_;       ///< by receive
  std::vector<char> result_is_free_;  ///< by segment
  JoinedRanks joined_;
  std::mutex mutex_;  ///< of buffers and joined_, as a progress thread may ask for a place
  std::vector<std::byte*> free_buffers_;
};

/// Range by range, each its own way. The first message of a range comes to where the range is combined, later ones to a
/// buffer; what is gathered comes to its place in the result, or in what is passed on. A root that gathers nothing
/// combines in the result.
class PieceReduction final : public ElementData {
 public:
  PieceReduction(const ElementOperation& operation, PieceProgram program, bool root);

  void use(const void* own, void* result) override;
  void finish() override;

  std::byte* incoming(std::size_t receive, std::int64_t count, std::int64_t note) override;
  void arrived(std::size_t receive, const std::function<void()>& look) override;
  TreeMessage outgoing(std::size_t send) override;

  [[nodiscard]] const PieceProgram& program() const { return program_; }
  /// The receives that a send waits for.
  [[nodiscard]] std::vector<std::size_t> awaited(std::size_t send) const;

 private:
  enum class Source : std::uint8_t { kOwn, kCombined, kGathered };
  /// A range of elements that are together in memory.
  struct Room {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::byte* at = nullptr;

    void include(std::int64_t from, std::int64_t to);
  };

  /// Elements of a receive that are combined, or of a send.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool first = false;  ///< nothing was combined with the own ones before
  };

  [[nodiscard]] std::byte* in(const Room& room, std::int64_t element) const {
    return room.at + (element - room.begin) * extent();
  }
  [[nodiscard]] const std::byte* in_own(std::int64_t element) const { return own_ + element * extent(); }
  /// The range in parts, by whether any of the first `receives` was of it, to be combined.
  [[nodiscard]] std::vector<Part> parts_of(std::int64_t begin, std::int64_t end, std::size_t receives) const;
  [[nodiscard]] bool has_gathered(std::size_t receives, std::int64_t begin, std::int64_t end) const;
  /// Whether a message comes to where its elements are combined.
  [[nodiscard]] bool direct(std::size_t receive) const {
    return !own_in_place_ && parts_[receive].size() == 1 && parts_[receive].front().first;
  }
  /// Puts this rank's share beside what it has gathered.
  void add_share();

  PieceProgram program_;
  bool root_;
  bool gathers_ = false;
  std::vector<std::vector<Part>> parts_;  ///< by receive
  std::vector<Source> sources_;           ///< by send
  std::vector<std::vector<Part>> alone_;  ///< by send of what was combined: what was not
  Room combined_;
  Room gathered_;
  bool own_in_place_ = false;      ///< the own elements are where they are combined
  std::byte* kept_own_ = nullptr;  ///< a copy of the own elements, where what is gathered takes their place
  const std::byte* own_ = nullptr;
  std::vector<std::byte*> received_;  ///< by receive, of those that go to a buffer
  std::int64_t longest_ = 0;          ///< of these
  std::vector<std::byte*> free_buffers_;
  std::mutex mutex_;  ///< of buffers, as a progress thread may ask for a place
};

/// Objects that a function combines. A failure of the function goes to the root in place of what it would have
/// returned.
class ObjectReduction final : public TreeData {
 public:
  /// `part` must last as long as this.
  ObjectReduction(ObjectOperation operation, const ReductionPart& part);

  void use(std::span<const std::byte> own);
  /// After an execution on the root: the object. Not if something failed.
  void take(Bytes& result);

  /// What threw first, as far as this rank knows; rank -1: nothing.
  struct Failure {
    int rank = -1;
    std::string text;
    std::exception_ptr own;  ///< what it threw, if it was here
  };
  [[nodiscard]] const Failure& failure() const { return failure_; }

  std::byte* incoming(std::size_t receive, std::int64_t count, std::int64_t note) override;
  void arrived(std::size_t receive, const std::function<void()>& look) override;
  TreeMessage outgoing(std::size_t send) override;
  bool welcome(std::size_t receive) override;

  [[nodiscard]] std::int64_t held_bytes() const { return held_bytes_; }

 private:
  struct Received {
    Bytes bytes;
    std::int64_t note = 0;
  };

  [[nodiscard]] std::span<const std::byte> combined() const;
  void combine(std::size_t receive, std::span<const std::byte> object);

  ObjectOperation operation_;
  const ReductionPart& part_;
  std::span<const std::byte> own_;
  bool is_own_ = true;  ///< nothing was combined with the own object yet
  Bytes combined_;
  Bytes next_;
  std::vector<Received> received_;  ///< by receive
  Failure failure_;
  JoinedRanks joined_;
  std::mutex mutex_;  ///< of joined_
  std::int64_t held_bytes_ = 0;
};

}  // namespace sluice::mpi::detail
