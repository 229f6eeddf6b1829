#include "run/mpi/compare/packed_messages.hpp"

#include <fmt/format.h>

#include <limits>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

PackedMessages::PackedMessages(const MethodBase& base, CopyKind kind)
    : copies_(base.part, kind, kind == CopyKind::kPack ? base.receivers : base.senders) {
  for (std::size_t message = 0; message < copies_.size(); ++message) {
    const std::int64_t bytes = copies_[message].bytes();
    if (bytes > std::numeric_limits<int>::max() - total_) {
      throw InputError("size", fmt::format("more than {} bytes on rank {}", total_, base.comm.rank()),
                       "at most 2^31 - 1 for a method that sends all at once");
    }
    bytes_.push_back(static_cast<int>(bytes));
    offsets_.push_back(static_cast<int>(total_));
    total_ += bytes;
  }
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(total_));
}

void PackedMessages::pack(const void* source) {
  for (std::size_t message = 0; message < size(); ++message) {
    copies_[message].copy(0, bytes_[message], static_cast<const std::byte*>(source), 0,
                          buffer_.get() + offsets_[message], 0);
  }
}

void PackedMessages::unpack(void* target) const {
  for (std::size_t message = 0; message < size(); ++message) {
    copies_[message].copy(0, bytes_[message], buffer_.get() + offsets_[message], 0, static_cast<std::byte*>(target), 0);
  }
}

PackedBase::PackedBase(MPI_Comm user, const RedistributionJob& job) : MethodBase(user, job) {
  std::exception_ptr failure;
  try {
    sends = std::make_unique<PackedMessages>(*this, CopyKind::kPack);
    receives = std::make_unique<PackedMessages>(*this, CopyKind::kUnpack);
  } catch (...) {
    failure = std::current_exception();
  }
  agree(comm, failure);
}

}  // namespace sluice::mpi::detail
