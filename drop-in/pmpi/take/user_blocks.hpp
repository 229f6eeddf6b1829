#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::pmpi {

/// Elements of a datatype in the program's memory.
struct Block {
  int peer = 0;
  std::byte* at = nullptr;
  std::int64_t count = 0;
  std::int64_t bytes = 0;  ///< as they travel
};

/// Whether elements of a type lie in memory one after the other in MPI's order: the type is MPI's own without gaps, or
/// several of one such type in a row. Elements of other types are packed, because nothing but MPI knows their order.
[[nodiscard]] bool lies_in_a_row(MPI_Datatype type);

/// The extent of a type in bytes. Throws MpiError.
[[nodiscard]] std::int64_t extent_of(MPI_Datatype type);

/// What MPI says of these arguments by themselves, MPI_SUCCESS or an error class. Errors are a negative count, an
/// invalid or uncommitted type, with some MPIs a null pointer. Local.
[[nodiscard]] int class_of_arguments(const void* buffer, int count, MPI_Datatype type);

/// Blocks in the form that a job takes: their bytes at addresses; `base` is the lowest. They are the program's blocks
/// if its elements lie in a row, otherwise copies.
class Packed {
 public:
  /// Blocks to send; `copy`: copies them in any case, because received data is written to the same place.
  static Packed of_sent(const std::vector<Block>& blocks, MPI_Datatype type, bool copy);
  /// Memory for received blocks.
  static Packed of_received(const std::vector<Block>& blocks, MPI_Datatype type);
  /// Memory for received blocks in one row: each begins where the one before ends. None may be empty.
  static Packed of_received_row(const std::vector<Block>& blocks, MPI_Datatype type);
  /// Copies what the program already has of the i-th block: `part`, which begins `skipped` bytes behind the start of
  /// the block. Does nothing if the bytes are the program's own. Throws MpiError.
  void take_over(std::size_t i, const Block& part, std::int64_t skipped, MPI_Datatype type);
  /// Puts what was received where it belongs. Throws MpiError.
  void unpack(const std::vector<Block>& blocks, MPI_Datatype type) const;

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::size_t span() const { return span_; }  ///< bytes from base to behind the last
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }

 private:
  void place_in_user_memory(const std::vector<Block>& blocks);
  void place_in_copy(const std::vector<Block>& blocks);

  std::vector<std::byte> copy_;
  std::byte* base_ = nullptr;
  std::size_t span_ = 0;
  std::vector<std::int64_t> offsets_;
  bool copied_ = false;
};

}  // namespace sluice::pmpi
