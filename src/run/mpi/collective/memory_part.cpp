#include "run/mpi/collective/memory_part.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {
namespace {

using sluice::detail::MessageKind;
using OwnTurn = OwnPart::OwnTurn;

/// No end, because there was nothing to move.
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class PartBuilder {
 public:
  PartBuilder(const Program& shape, std::int64_t rank, bool flat) : shape_(shape), rank_(rank), flat_(flat) {}

  OwnPart run() {
    const std::int64_t root = shape_.root;
    const bool is_root = rank_ == root;
    switch (shape_.problem) {
      case Collective::kBroadcast:
        if (is_root) for_others([&](std::int64_t to) { send(to, {0, shape_.size_bytes}); });
        if (!is_root) keep(root, {0, shape_.size_bytes});
        break;
      case Collective::kScatter:
        if (is_root) for_others([&](std::int64_t to) { send(to, block_of(shape_, to)); });
        if (!is_root) keep(root, block_of(shape_, rank_));
        break;
      case Collective::kGather:
        if (is_root) for_others([&](std::int64_t from) { keep(from, block_of(shape_, from)); });
        if (!is_root) send(root, block_of(shape_, rank_));
        break;
      case Collective::kAllgather:
        for_others([&](std::int64_t to) { send(to, block_of(shape_, rank_)); });
        for_others([&](std::int64_t from) { keep(from, block_of(shape_, from)); });
        break;
      case Collective::kAlltoall:
        for_others([&](std::int64_t to) { send(to, block_of(shape_, rank_, to)); });
        for_others([&](std::int64_t from) { keep(from, block_of(shape_, from, rank_)); });
        break;
      case Collective::kReduceScatter:
        (void)combine_shares();
        break;
      case Collective::kAllreduce: {
        const Combined own = combine_shares();
        for_others([&](std::int64_t to) { send(to, share_of(rank_), own.last); });
        for_others([&](std::int64_t from) { receive_share(own, from); });
        break;
      }
      case Collective::kReduce: {
        const Combined own = combine_shares();
        if (is_root) for_others([&](std::int64_t from) { receive_share(own, from); });
        if (!is_root) send(root, share_of(rank_), own.last);
        break;
      }
    }
    return std::move(part_);
  }

 private:
  /// The ends that have combined the own share.
  struct Combined {
    std::vector<std::uint32_t> sent;  ///< by rank: that has sent it its share
    std::uint32_t last = kNone;
  };

  template <class Use>
  void for_others(Use use) {
    for (std::int64_t distance = 1; distance < shape_.ranks; ++distance) use((rank_ + distance) % shape_.ranks);
  }

  std::uint32_t send(std::int64_t to, const ByteRange& range, std::uint32_t after = kNone) {
    return add(to, true, MessageKind::kKeep, range, after);
  }
  void keep(std::int64_t from, const ByteRange& range, std::uint32_t after = kNone) {
    (void)add(from, false, MessageKind::kKeep, range, after);
  }
  /// The number of the end, unless it is of no bytes.
  std::uint32_t add(std::int64_t peer, bool sends, MessageKind kind, const ByteRange& range, std::uint32_t after,
                    bool lower = false, OwnTurn own_turn = OwnTurn::kWithMessage) {
    if (range.bytes == 0) return kNone;
    OwnPart::Own end;
    end.peer = static_cast<int>(peer);
    end.sends = sends;
    end.kind = kind;
    OwnPart::Range where{range.offset / shape_.element_bytes, range.bytes / shape_.element_bytes, lower};
    where.own_turn = own_turn;
    return part_.add(end, where, std::span(&after, after == kNone ? 0 : 1));
  }

  /// The share of the array that a rank combines.
  [[nodiscard]] ByteRange share_of(std::int64_t of) const {
    if (shape_.problem == Collective::kReduceScatter) return block_of(shape_, of);
    const std::int64_t element = shape_.element_bytes;
    if (flat_ && shape_.problem == Collective::kReduce) return {0, of == shape_.root ? shape_.size_bytes : 0};
    const std::int64_t elements = shape_.size_bytes / element;
    const std::int64_t least = elements / shape_.ranks, longer = elements % shape_.ranks;
    return {(of * least + std::min(of, longer)) * element, (least + (of < longer ? 1 : 0)) * element};
  }

  Combined combine_shares() {
    Combined own;
    own.sent.assign(static_cast<std::size_t>(shape_.ranks), kNone);
    for_others([&](std::int64_t to) { own.sent[static_cast<std::size_t>(to)] = send(to, share_of(to)); });
    if (shape_.problem == Collective::kReduce) {
      own.last = combine_as_root();
      return own;
    }
    const auto combine = [&](std::int64_t from) {
      own.last =
          add(from, false, MessageKind::kCombine, share_of(rank_), own.last, !shape_.commutative && from < rank_);
    };
    for (std::int64_t from = rank_ + 1; from < shape_.ranks; ++from) combine(from);
    for (std::int64_t from = rank_ - 1; from >= 0; --from) combine(from);
    return own;
  }

  /// Combines the own share in the order of the root: x op y for what is combined already and the elements that follow,
  /// or y op x if the operation commutes or they are of a lower rank. Returns the last end.
  std::uint32_t combine_as_root() {
    const std::int64_t root = shape_.root;
    std::vector<std::int64_t> order{root};
    for (std::int64_t from = root + 1; from < shape_.ranks; ++from) order.push_back(from);
    for (std::int64_t from = root - 1; from >= 0; --from) order.push_back(from);
    const auto own = static_cast<std::size_t>(std::ranges::find(order, rank_) - order.begin());
    std::uint32_t last = kNone;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == own) continue;
      const std::int64_t from = order[i];
      bool lower = shape_.commutative || from < root;
      OwnTurn turn = OwnTurn::kWithMessage;
      if (i == 0 && own == 1) lower = !shape_.commutative && rank_ > root;  // the own elements follow these
      if (i == 0 && own > 1) turn = OwnTurn::kLater;
      if (i > 0 && i + 1 == own) turn = rank_ < root ? OwnTurn::kAfterAsLower : OwnTurn::kAfterAsUpper;
      last = add(from, false, MessageKind::kCombine, share_of(rank_), last, lower, turn);
    }
    return last;
  }

  /// Waits for the send to `from`: the rank's own elements may lie in the memory that the share is received into.
  void receive_share(const Combined& own, std::int64_t from) {
    keep(from, share_of(from), own.sent[static_cast<std::size_t>(from)]);
  }

  const Program& shape_;
  std::int64_t rank_;
  bool flat_;
  OwnPart part_;
};

}  // namespace

OwnPart memory_part(const Program& shape, std::int64_t rank, MemoryReduction reduction) {
  return PartBuilder(shape, rank, reduction == MemoryReduction::kFlat).run();
}

const char* memory_method(Collective problem, MemoryReduction reduction) {
  switch (problem) {
    case Collective::kBroadcast:
    case Collective::kScatter:
    case Collective::kGather:
      return "flat";
    case Collective::kReduce:
      return reduction == MemoryReduction::kFlat ? "flat" : "shares";
    default:
      return "pairwise";
  }
}

}  // namespace sluice::mpi::detail
