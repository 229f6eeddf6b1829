#include "run/mpi/collective/memory_part.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {
namespace {

using Kind = PartOperation::Kind;

/// No operation, because there was nothing to move.
constexpr std::int64_t kNone = -1;

class PartBuilder {
 public:
  PartBuilder(const Program& shape, std::int64_t rank, bool flat) : flat_(flat) {
    part_.shape = shape;
    part_.rank = rank;
  }

  ProgramPart run() {
    const std::int64_t root = shape().root;
    const bool is_root = rank() == root;
    switch (shape().problem) {
      case Collective::kBroadcast:
        name("flat");
        if (is_root) for_others([&](std::int64_t to) { add(Kind::kSend, to, {0, shape().size_bytes}); });
        if (!is_root) add(Kind::kReceive, root, {0, shape().size_bytes});
        break;
      case Collective::kScatter:
        name("flat");
        if (is_root) for_others([&](std::int64_t to) { add(Kind::kSend, to, block_of(shape(), to)); });
        if (!is_root) add(Kind::kReceive, root, block_of(shape(), rank()));
        break;
      case Collective::kGather:
        name("flat");
        if (is_root) for_others([&](std::int64_t from) { add(Kind::kReceive, from, block_of(shape(), from)); });
        if (!is_root) add(Kind::kSend, root, block_of(shape(), rank()));
        break;
      case Collective::kAllgather:
        name("pairwise");
        for_others([&](std::int64_t to) { add(Kind::kSend, to, block_of(shape(), rank())); });
        for_others([&](std::int64_t from) { add(Kind::kReceive, from, block_of(shape(), from)); });
        break;
      case Collective::kAlltoall:
        name("pairwise");
        for_others([&](std::int64_t to) { add(Kind::kSend, to, block_of(shape(), rank(), to)); });
        for_others([&](std::int64_t from) { add(Kind::kReceive, from, block_of(shape(), from, rank())); });
        break;
      case Collective::kReduceScatter:
        name("pairwise");
        (void)combine_shares();
        break;
      case Collective::kAllreduce: {
        name("pairwise");
        const Combined own = combine_shares();
        for_others([&](std::int64_t to) { add(Kind::kSend, to, share_of(rank()), {own.last}); });
        for_others([&](std::int64_t from) { receive_share(own, from); });
        break;
      }
      case Collective::kReduce: {
        name(flat_ ? "flat" : "shares");
        const Combined own = combine_shares();
        if (is_root) for_others([&](std::int64_t from) { receive_share(own, from); });
        if (!is_root) add(Kind::kSend, root, share_of(rank()), {own.last});
        break;
      }
    }
    return std::move(part_);
  }

 private:
  /// The operations that have combined the own share.
  struct Combined {
    std::vector<std::int64_t> sent;  ///< by rank: that has sent it its share
    std::int64_t last = kNone;
  };

  [[nodiscard]] const Program& shape() const { return part_.shape; }
  [[nodiscard]] std::int64_t rank() const { return part_.rank; }
  void name(const char* algorithm) { part_.shape.algorithm = algorithm; }

  template <class Use>
  void for_others(Use use) {
    for (std::int64_t distance = 1; distance < shape().ranks; ++distance) use((rank() + distance) % shape().ranks);
  }

  /// The position of the operation, unless it is of no bytes.
  std::int64_t add(Kind kind, std::int64_t peer, const ByteRange& range, std::vector<std::int64_t> after = {},
                   bool lower = false, OwnTurn own_turn = OwnTurn::kWithMessage) {
    if (range.bytes == 0) return kNone;
    std::erase(after, kNone);
    const std::int64_t element = shape().element_bytes;
    part_.operations.push_back(
        {kind, peer, {{range.offset / element, range.bytes / element, lower, own_turn}}, std::move(after), {}});
    return static_cast<std::int64_t>(part_.operations.size()) - 1;
  }

  /// The share of the array that a rank combines.
  [[nodiscard]] ByteRange share_of(std::int64_t of) const {
    if (shape().problem == Collective::kReduceScatter) return block_of(shape(), of);
    const std::int64_t element = shape().element_bytes;
    if (flat_ && shape().problem == Collective::kReduce) return {0, of == shape().root ? shape().size_bytes : 0};
    const std::int64_t elements = shape().size_bytes / element;
    const std::int64_t least = elements / shape().ranks, longer = elements % shape().ranks;
    return {(of * least + std::min(of, longer)) * element, (least + (of < longer ? 1 : 0)) * element};
  }

  Combined combine_shares() {
    Combined own;
    own.sent.assign(static_cast<std::size_t>(shape().ranks), kNone);
    for_others([&](std::int64_t to) { own.sent[static_cast<std::size_t>(to)] = add(Kind::kSend, to, share_of(to)); });
    if (shape().problem == Collective::kReduce) {
      own.last = combine_as_root();
      return own;
    }
    const auto combine = [&](std::int64_t from) {
      own.last = add(Kind::kCombine, from, share_of(rank()), {own.last}, !shape().commutative && from < rank());
    };
    for (std::int64_t from = rank() + 1; from < shape().ranks; ++from) combine(from);
    for (std::int64_t from = rank() - 1; from >= 0; --from) combine(from);
    return own;
  }

  /// Combines the own share in the order in which the root combines: x op y for what is combined already and the
  /// elements that follow, or y op x if the operation commutes or they are of a lower rank. Returns the last operation.
  std::int64_t combine_as_root() {
    const std::int64_t root = shape().root;
    std::vector<std::int64_t> order{root};
    for (std::int64_t from = root + 1; from < shape().ranks; ++from) order.push_back(from);
    for (std::int64_t from = root - 1; from >= 0; --from) order.push_back(from);
    const auto own = static_cast<std::size_t>(std::ranges::find(order, rank()) - order.begin());
    std::int64_t last = kNone;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == own) continue;
      const std::int64_t from = order[i];
      bool lower = shape().commutative || from < root;
      OwnTurn turn = OwnTurn::kWithMessage;
      if (i == 0 && own == 1) lower = !shape().commutative && rank() > root;  // the own elements follow these
      if (i == 0 && own > 1) turn = OwnTurn::kLater;
      if (i > 0 && i + 1 == own) turn = rank() < root ? OwnTurn::kAfterAsLower : OwnTurn::kAfterAsUpper;
      last = add(Kind::kCombine, from, share_of(rank()), {last}, lower, turn);
    }
    return last;
  }

  /// Waits for the send to `from`: the rank's own elements may lie in the memory that the share is received into.
  void receive_share(const Combined& own, std::int64_t from) {
    add(Kind::kReceive, from, share_of(from), {own.sent[static_cast<std::size_t>(from)]});
  }

  bool flat_;
  ProgramPart part_;
};

}  // namespace

ProgramPart memory_part(const Program& shape, std::int64_t rank, MemoryReduction reduction) {
  return PartBuilder(shape, rank, reduction == MemoryReduction::kFlat).run();
}

}  // namespace sluice::mpi::detail
