#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/range_map.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::detail {

/// The operations of a rank that have used its bytes last: the next one has to wait for them (see program.hpp).
/// Operations come in the order of the list. Ranges that were read together share the list of their readers, so memory
/// is linear in the operations and in the pieces that they cut and meet.
class ByteUses {
 public:
  /// need(position) for each operation that one of `kind` on `range` has to name, some more than once; until it returns
  /// false.
  template <class Need>
  void for_needed(ProgramOperation::Kind kind, const ByteRange& range, Need need) {
    const bool writes = kind != ProgramOperation::Kind::kSend;
    bool go_on = true;
    ++walk_;
    (void)uses_.visit(range.offset, range.end(), [&](std::int64_t, std::int64_t, const Uses& uses) {
      if (!go_on) return;
      if (!writes || uses.reader == kNone) {
        if (uses.writer >= 0) go_on = need(uses.writer);
        return;
      }
      for (std::size_t at = uses.reader; go_on && at != kNone && readers_[at].walk != walk_; at = readers_[at].before) {
        readers_[at].walk = walk_;
        go_on = need(readers_[at].position);
      }
    });
  }

  void add(ProgramOperation::Kind kind, const ByteRange& range, std::int64_t position) {
    if (kind != ProgramOperation::Kind::kSend) {
      uses_.assign(range.offset, range.end(), {position, kNone});
      return;
    }
    std::size_t before = kNone, own = kNone;
    uses_.update(range.offset, range.end(), [&](Uses& uses) {
      if (own == kNone || before != uses.reader) {
        before = uses.reader;
        own = readers_.size();
        readers_.push_back({position, before, 0});
      }
      uses.reader = own;
    });
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Uses {
    std::int64_t writer = -1;
    std::size_t reader = kNone;  ///< the last one since, in readers_

    friend bool operator==(const Uses&, const Uses&) = default;
  };
  struct Reader {
    std::int64_t position;
    std::size_t before;
    std::uint64_t walk;  ///< the last that met it
  };
  RangeMap<Uses> uses_;
  std::vector<Reader> readers_;
  std::uint64_t walk_ = 0;
};

}  // namespace sluice::detail
