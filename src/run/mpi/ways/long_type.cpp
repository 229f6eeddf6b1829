#include "run/mpi/ways/long_type.hpp"

#include <algorithm>
#include <vector>

#include "run/mpi/runtime/context_registry.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

MPI_Datatype long_type(std::int64_t offset, std::int64_t bytes) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 30;
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (std::int64_t at = 0; at < bytes; at += kBlock) {
    lengths.push_back(static_cast<int>(std::min(kBlock, bytes - at)));
    places.push_back(static_cast<MPI_Aint>(offset + at));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  SLUICE_MPI(
      MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &type));
  try {
    SLUICE_MPI(MPI_Type_commit(&type));
  } catch (...) {
    free_long_type(type);
    throw;
  }
  return type;
}

void free_long_type(MPI_Datatype type) noexcept {
  if (!finalized()) (void)MPI_Type_free(&type);  // a failure cannot be reported here
}

}  // namespace sluice::mpi::detail
