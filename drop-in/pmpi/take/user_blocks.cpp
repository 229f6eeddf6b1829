#include "pmpi/take/user_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/take/communicator.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::pmpi {
namespace {

/// MPI packs as many bytes at a time as it can count in int: steps(first element, elements, first byte, bytes).
template <class Step>
void in_steps(const Block& block, Step&& step) {
  if (block.bytes == 0) return;
  const std::int64_t size = block.bytes / block.count;
  const std::int64_t most = std::max<std::int64_t>(1, std::numeric_limits<int>::max() / size);
  for (std::int64_t at = 0; at < block.count; at += most) {
    const std::int64_t some = std::min<std::int64_t>(most, block.count - at);
    step(at, static_cast<int>(some), at * size, static_cast<int>(some * size));
  }
}

/// Elements of a type as MPI_Pack takes them. MPICH's takes no null pointer, which MPI_BOTTOM is: there the type is
/// moved, so that it finds its absolute addresses from a place that is not null.
class Elements {
 public:
  Elements(std::byte* at, MPI_Datatype type) : at_(at), type_(type) {
    if (at != MPI_BOTTOM) return;
    at_ = &place_;
    MPI_Aint place = 0;
    SLUICE_MPI(PMPI_Get_address(at_, &place));
    const int one = 1;
    const MPI_Aint back = -place;
    SLUICE_MPI(PMPI_Type_create_hindexed(1, &one, &back, type, &moved_));
    type_ = moved_;
    SLUICE_MPI(PMPI_Type_commit(&type_));
  }
  ~Elements() {
    if (moved_ != MPI_DATATYPE_NULL) (void)PMPI_Type_free(&moved_);
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  [[nodiscard]] std::byte* at() const { return at_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  std::byte place_{};
  std::byte* at_;
  MPI_Datatype type_;
  MPI_Datatype moved_ = MPI_DATATYPE_NULL;
};

void pack(const Block& block, MPI_Datatype type, std::int64_t extent, std::byte* to) {
  in_steps(block, [&](std::int64_t first, int count, std::int64_t begin, int bytes) {
    const Elements elements(block.at + first * extent, type);
    int position = 0;
    SLUICE_MPI(PMPI_Pack(elements.at(), count, elements.type(), to + begin, bytes, &position, returning_self()));
  });
}

}  // namespace

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  SLUICE_MPI(PMPI_Type_get_extent(type, &lower, &extent));
  return extent;
}

bool lies_in_a_row(MPI_Datatype type) {
  int size = 0;
  MPI_Aint lower = 0;
  MPI_Aint true_extent = 0;
  SLUICE_MPI(PMPI_Type_size(type, &size));
  SLUICE_MPI(PMPI_Type_get_true_extent(type, &lower, &true_extent));
  if (size != true_extent || size != extent_of(type) || lower != 0) return false;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  SLUICE_MPI(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  if (combiner == MPI_COMBINER_NAMED) return true;
  if (combiner != MPI_COMBINER_CONTIGUOUS || integers != 1 || addresses != 0 || types != 1) return false;
  int count = 0;
  MPI_Aint no_address = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  SLUICE_MPI(PMPI_Type_get_contents(type, 1, 0, 1, &count, &no_address, &inner));
  SLUICE_MPI(PMPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner));
  if (combiner == MPI_COMBINER_NAMED) return true;
  SLUICE_MPI(PMPI_Type_free(&inner));
  return false;
}

int class_of_arguments(const void* buffer, int count, MPI_Datatype type) {
  if (buffer != nullptr && count >= 0 && is_common(type)) return MPI_SUCCESS;
  const int code = PMPI_Send(buffer, count, type, MPI_PROC_NULL, 0, returning_self());  // sends nothing
  int error_class = MPI_SUCCESS;  // the code's text would tell of MPI_Send
  PMPI_Error_class(code, &error_class);
  return error_class;
}

void Packed::place_in_user_memory(const std::vector<Block>& blocks) {
  std::byte* end = nullptr;
  for (const Block& block : blocks) {
    if (base_ == nullptr || block.at < base_) base_ = block.at;
    if (end == nullptr || block.at + block.bytes > end) end = block.at + block.bytes;
  }
  span_ = static_cast<std::size_t>(end - base_);
  for (const Block& block : blocks) offsets_.push_back(block.at - base_);
}

void Packed::place_in_copy(const std::vector<Block>& blocks) {
  copied_ = true;
  for (const Block& block : blocks) {
    offsets_.push_back(static_cast<std::int64_t>(span_));
    span_ += static_cast<std::size_t>(block.bytes);
  }
  copy_.resize(span_);
  base_ = copy_.data();
}

Packed Packed::of_sent(const std::vector<Block>& blocks, MPI_Datatype type, bool copy) {
  Packed packed;
  if (blocks.empty()) return packed;  // the type need not be one
  const bool in_a_row = lies_in_a_row(type);
  if (in_a_row && !copy) {
    packed.place_in_user_memory(blocks);
    return packed;
  }
  packed.place_in_copy(blocks);
  const std::int64_t extent = extent_of(type);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    std::byte* const to = packed.base_ + packed.offsets_[i];
    if (in_a_row) {
      std::memcpy(to, block.at, static_cast<std::size_t>(block.bytes));
      continue;
    }
    pack(block, type, extent, to);
  }
  return packed;
}

Packed Packed::of_received(const std::vector<Block>& blocks, MPI_Datatype type) {
  Packed packed;
  if (blocks.empty()) return packed;
  if (lies_in_a_row(type)) {
    packed.place_in_user_memory(blocks);
  } else {
    packed.place_in_copy(blocks);
  }
  return packed;
}

Packed Packed::of_received_row(const std::vector<Block>& blocks, MPI_Datatype type) {
  const auto apart = [](const Block& one, const Block& next) { return one.at + one.bytes != next.at; };
  if (std::ranges::adjacent_find(blocks, apart) == blocks.end()) return of_received(blocks, type);
  Packed packed;
  packed.place_in_copy(blocks);
  return packed;
}

void Packed::take_over(std::size_t i, const Block& part, std::int64_t skipped, MPI_Datatype type) {
  if (copied_) pack(part, type, extent_of(type), base_ + offsets_[i] + skipped);
}

void Packed::unpack(const std::vector<Block>& blocks, MPI_Datatype type) const {
  if (!copied_) return;
  const std::int64_t extent = extent_of(type);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    in_steps(block, [&](std::int64_t first, int count, std::int64_t begin, int bytes) {
      const Elements elements(block.at + first * extent, type);
      int position = 0;
      SLUICE_MPI(PMPI_Unpack(base_ + offsets_[i] + begin, bytes, &position, elements.at(), count, elements.type(),
                             returning_self()));
    });
  }
}

}  // namespace sluice::pmpi
