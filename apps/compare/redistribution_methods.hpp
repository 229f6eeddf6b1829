#pragma once

#include <memory>
#include <string>

#include "apps/compare/comparison.hpp"
#include "apps/compare/redistribution_part.hpp"

namespace sluice::compare {

/// Names: "sluice", "sluice-fresh", "sluice-ALGORITHM", "sluice-chain", "sluice-local", "memcpy", "caterpillar",
/// "alltoallv", "alltoallw", "alltoallw-fresh", "all-at-once", "pairwise", "pdgemr2d"; of a triangle or trapezoid
/// "pdtrmr2d" in place of the last six. Between several copies "sluice-direct", which passes nothing on, and
/// "alltoallw-bcast" besides, and no "caterpillar" nor ScaLAPACK's. With `part.job.scaled` others than the library's
/// own move to memory of their own, and scale and add from there. `part` must outlive the method. Collective.
///
/// Throws InputError on all ranks for other names, and for a method that cannot do this job, saying why.
[[nodiscard]] std::unique_ptr<Method> make_redistribution_method(const std::string& name,
                                                                 const RedistributionPart& part);

// The methods of MPI and ScaLAPACK, one by one. They refuse sizes beyond int, which is all MPI-3 can count.

/// One of make_mpi_exchange over buffers that hold all messages, packed and unpacked by us; the buffers are kept.
[[nodiscard]] std::unique_ptr<Method> make_packed(const std::string& name, const RedistributionPart& part);
/// MPI_Alltoallw with a derived type per peer: MPI gathers and scatters.
[[nodiscard]] std::unique_ptr<Method> make_alltoallw(const RedistributionPart& part);
/// The same with types that are made for each execution and freed after it.
[[nodiscard]] std::unique_ptr<Method> make_fresh_alltoallw(const RedistributionPart& part);
/// MPI's usual way to several copies of the target: MPI_Alltoallw from the first copy of the source to the first one of
/// the target, then MPI_Bcast of every part among its copies.
[[nodiscard]] std::unique_ptr<Method> make_alltoallw_bcast(const RedistributionPart& part);
/// ScaLAPACK's pdgemr2d, or pdtrmr2d where a part of the matrix moves, for matrices of 8-byte elements. A row-major
/// matrix is the transpose of a column-major one.
[[nodiscard]] std::unique_ptr<Method> make_pdgemr2d(const RedistributionPart& part);
/// Whether the build found ScaLAPACK.
[[nodiscard]] bool has_pdgemr2d();
/// "2.2.1", ScaLAPACK's version; "of unknown version", and empty where the build found none.
[[nodiscard]] std::string scalapack_version();

}  // namespace sluice::compare
