#include "run/mpi/steps/shared_buffers.hpp"

#include <numeric>
#include <utility>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Ranks of `to` for 0, 1, ... of `from`.
std::vector<int> translate(MPI_Comm from, MPI_Comm to) {
  int size = 0;
  SLUICE_MPI(MPI_Comm_size(from, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> result(ranks.size());
  MPI_Group from_group = MPI_GROUP_NULL;
  MPI_Group to_group = MPI_GROUP_NULL;
  SLUICE_MPI(MPI_Comm_group(from, &from_group));
  SLUICE_MPI(MPI_Comm_group(to, &to_group));
  SLUICE_MPI(MPI_Group_translate_ranks(from_group, size, ranks.data(), to_group, result.data()));
  SLUICE_MPI(MPI_Group_free(&from_group));
  SLUICE_MPI(MPI_Group_free(&to_group));
  return result;
}

}  // namespace

MPI_Comm ranks_of_node(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm node = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_rank(comm, &rank));
  SLUICE_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  return node;
}

SharedBuffers::SharedBuffers(MPI_Comm comm, MPI_Comm node, std::int64_t bytes) : node_(node) {
  SLUICE_MPI(MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN));
  node_ranks_ = translate(comm, node_);
  SLUICE_MPI(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, node_, &own_, &window_));
  SLUICE_MPI(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  SLUICE_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

SharedBuffers::~SharedBuffers() {
  int finalized = 0;
  if (node_ == MPI_COMM_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  // A destructor has nobody to tell about a failure.
  if (window_ != MPI_WIN_NULL) {
    (void)MPI_Win_unlock_all(window_);
    (void)MPI_Win_free(&window_);
  }
  (void)MPI_Comm_free(&node_);
}

SharedBuffers::SharedBuffers(SharedBuffers&& other) noexcept
    : node_(std::exchange(other.node_, MPI_COMM_NULL)),
      window_(std::exchange(other.window_, MPI_WIN_NULL)),
      own_(std::exchange(other.own_, nullptr)),
      node_ranks_(std::move(other.node_ranks_)) {}

SharedBuffers& SharedBuffers::operator=(SharedBuffers&& other) noexcept {
  std::swap(node_, other.node_);
  std::swap(window_, other.window_);
  std::swap(own_, other.own_);
  std::swap(node_ranks_, other.node_ranks_);
  return *this;
}

bool SharedBuffers::reaches(int rank) const {
  return !node_ranks_.empty() && node_ranks_[static_cast<std::size_t>(rank)] != MPI_UNDEFINED;
}

const std::byte* SharedBuffers::of(int rank) const {
  if (!reaches(rank)) return nullptr;
  MPI_Aint size = 0;
  int unit = 0;
  std::byte* base = nullptr;
  SLUICE_MPI(MPI_Win_shared_query(window_, node_ranks_[static_cast<std::size_t>(rank)], &size, &unit, &base));
  return base;
}

void SharedBuffers::sync() const { SLUICE_MPI(MPI_Win_sync(window_)); }

}  // namespace sluice::mpi::detail
