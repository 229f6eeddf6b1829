#include "apps/sluice/process/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sluice::command {

namespace {

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  const std::string_view digits = text;
  int value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || rest != digits.data() + digits.size() || value < 0) return {};
  return value;
}

std::optional<Launch> launched_by_environment() {
  struct Names {
    const char* rank;
    const char* ranks;
  };
  for (const Names& names : {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Names{"PMI_RANK", "PMI_SIZE"},
                             Names{"PMIX_RANK", "PMIX_SIZE"}})
    if (const auto rank = number_in(names.rank)) return Launch{*rank, number_in(names.ranks).value_or(0)};
  // Slurm gives its variables to batch scripts too; a step is what srun starts.
  if (number_in("SLURM_STEP_ID"))
    if (const auto rank = number_in("SLURM_PROCID"))
      return Launch{*rank, number_in("SLURM_STEP_NUM_TASKS").value_or(0)};
  return {};
}

}  // namespace

std::optional<Launch> launched() {
  static const std::optional<Launch> result = launched_by_environment();
  return result;
}

}  // namespace sluice::command
