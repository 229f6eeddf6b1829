#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::mpi::detail {

/// The ranks of `comm` that can share memory with this one. Collective; to be freed, or given to SharedBuffers.
[[nodiscard]] MPI_Comm ranks_of_node(MPI_Comm comm);

/// A buffer of each rank that the ranks of its node can read in place (MPI_Win_allocate_shared): a message through it
/// is copied twice, by its packing and its unpacking, where MPI would copy it once or twice more.
///
/// Who reads what another rank wrote must be told so by a message, with sync() before sending and after receiving it.
class SharedBuffers {
 public:
  SharedBuffers() = default;
  /// Collective over `node`, ranks of `comm` that can share memory; becomes its owner. `bytes`: of this rank's buffer,
  /// may be 0. Throws MpiError.
  SharedBuffers(MPI_Comm comm, MPI_Comm node, std::int64_t bytes);
  /// Collective over the node, unless MPI is finalised.
  ~SharedBuffers();
  SharedBuffers(SharedBuffers&& other) noexcept;
  SharedBuffers& operator=(SharedBuffers&& other) noexcept;
  SharedBuffers(const SharedBuffers&) = delete;
  SharedBuffers& operator=(const SharedBuffers&) = delete;

  [[nodiscard]] std::byte* own() const { return own_; }
  /// The buffer of a rank of `comm`, null if it is on another node. Local.
  [[nodiscard]] const std::byte* of(int rank) const;
  /// Whether a rank of `comm` is on this node.
  [[nodiscard]] bool reaches(int rank) const;
  void sync() const;

 private:
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* own_ = nullptr;
  std::vector<int> node_ranks_;  ///< of each rank of `comm`; MPI_UNDEFINED on other nodes
};

}  // namespace sluice::mpi::detail
