#pragma once

#include <mpi.h>

#include <cstdint>

namespace sluice::mpi::detail {

/// A committed type of `bytes` bytes in a row that begin at byte `offset`: MPI counts in int, and this is for what is
/// longer, or lies further away. Its owner frees it by free_long_type.
[[nodiscard]] MPI_Datatype long_type(std::int64_t offset, std::int64_t bytes);
/// After MPI_Finalize, which has freed it, too.
void free_long_type(MPI_Datatype type) noexcept;

}  // namespace sluice::mpi::detail
