#include "run/mpi/network/host_names.hpp"

#include <array>
#include <cstdint>

#include "run/mpi/runtime/collective.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

std::vector<std::string> gather_names(Channel& channel) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  SLUICE_MPI(MPI_Get_processor_name(name.data(), &length));
  std::vector<std::string> names;
  for (const std::vector<std::int64_t>& own :
       gather_numbers(channel, std::vector<std::int64_t>(name.begin(), name.begin() + length)))
    names.emplace_back(own.begin(), own.end());
  return names;
}

}  // namespace sluice::mpi::detail
