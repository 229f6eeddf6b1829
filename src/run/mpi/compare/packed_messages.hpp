#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/compare/method.hpp"
#include "run/mpi/redistribute/message_copies.hpp"

namespace sluice::mpi::detail {

/// All messages of one direction one behind the other in one buffer, as the methods that know no steps want them.
class PackedMessages {
 public:
  /// Throws InputError when a message, or all of them together, are beyond int.
  PackedMessages(const MethodBase& base, CopyKind kind);

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// Bytes of a message, and where it begins in the buffer.
  [[nodiscard]] int bytes(std::size_t message) const { return bytes_[message]; }
  [[nodiscard]] int offset(std::size_t message) const { return offsets_[message]; }
  [[nodiscard]] std::byte* data() { return buffer_.get(); }
  [[nodiscard]] std::int64_t total() const { return total_; }

  void pack(const void* source);
  void unpack(void* target) const;

 private:
  MessageCopies copies_;
  std::vector<int> bytes_;
  std::vector<int> offsets_;
  std::int64_t total_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
};

/// Both directions. Collective: throws InputError on every rank if one has messages beyond int.
struct PackedBase : MethodBase {
  PackedBase(MPI_Comm user, const RedistributionJob& job);

  std::unique_ptr<PackedMessages> sends;
  std::unique_ptr<PackedMessages> receives;

  [[nodiscard]] std::int64_t buffer_bytes() const { return sends->total() + receives->total(); }
};

}  // namespace sluice::mpi::detail
