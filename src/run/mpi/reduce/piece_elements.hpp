#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "run/mpi/reduce/element_data.hpp"
#include "sluice/schedule/reduction_program.hpp"

namespace sluice::mpi::detail {

/// Range by range, each its own way. The first message of a range comes to where the range is combined, later ones to a
/// buffer; what is gathered comes to its place in the result, or in what is passed on. A root that gathers nothing
/// combines in the result.
class PieceElements final : public ElementData {
 public:
  PieceElements(const ElementOperation& operation, PieceProgram program, bool root);

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

}  // namespace sluice::mpi::detail
