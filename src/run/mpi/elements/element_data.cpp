#include "run/mpi/elements/element_data.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "run/mpi/runtime/context_registry.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

namespace {

/// The most bytes that an operation is applied to between two looks at the network.
constexpr std::int64_t kBytesBetweenLooks = 256 << 10;
constexpr std::int64_t kMostElements = std::numeric_limits<int>::max();

}  // namespace

ElementData::ElementData(const ElementOperation& operation)
    : count_(operation.count),
      type_(operation.type),
      op_(operation.op),
      layout_(operation.type),
      size_(std::max<std::int64_t>(layout_.size, 1)) {}

std::byte* ElementData::allocate(std::int64_t count) {
  const std::int64_t bytes = layout_.bytes(count);
  buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
  held_bytes_ += bytes;
  return buffers_.back().get() - layout_.true_lower;
}

void ElementData::copy(const std::byte* from, std::byte* to, std::int64_t count) const {
  if (dense()) {
    if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count * extent()));
    return;
  }
  // Only what belongs to the type: what lies between is not ours. By way of a packed piece: MPI has no other copy that
  // sends nothing.
  constexpr std::int64_t kPackedBytes = 64 << 10;
  const std::int64_t piece = std::max<std::int64_t>(1, kPackedBytes / size_);
  int room = 0;
  SLUICE_MPI(MPI_Pack_size(static_cast<int>(std::min(piece, count)), type_, returning_self(), &room));
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(room));
  for (std::int64_t at = 0; at < count; at += piece) {
    const auto some = static_cast<int>(std::min(piece, count - at));
    int end = 0;
    SLUICE_MPI(MPI_Pack(from + at * extent(), some, type_, packed.get(), room, &end, returning_self()));
    int begin = 0;
    SLUICE_MPI(MPI_Unpack(packed.get(), end, &begin, to + at * extent(), some, type_, returning_self()));
  }
}

void ElementData::apply(const std::byte* in, std::byte* inout, std::int64_t count, const Look& look) const {
  const double start_s = operation_is_timed_ ? MPI_Wtime() : 0;
  const std::int64_t most = look ? std::max<std::int64_t>(1, kBytesBetweenLooks / size_) : kMostElements;
  for (std::int64_t at = 0; at < count; at += most) {
    if (at > 0 && look) look();
    SLUICE_MPI(MPI_Reduce_local(in + at * extent(), inout + at * extent(), static_cast<int>(std::min(most, count - at)),
                                type_, op_));
  }
  if (operation_is_timed_) operation_s_ += MPI_Wtime() - start_s;
}

}  // namespace sluice::mpi::detail
