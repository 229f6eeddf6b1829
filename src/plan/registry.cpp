#include "sluice/plan/registry.hpp"

#include "plan/broadcast/registry.hpp"
#include "plan/collective/registry.hpp"
#include "plan/exchange/registry.hpp"
#include "plan/redistribute/registry.hpp"
#include "plan/reduce/registry.hpp"

namespace sluice {

std::span<const Algorithm> algorithms(std::string_view problem) {
  if (problem == "redistribute") return detail::redistribute_algorithms();
  if (problem == "exchange") return detail::exchange_algorithms();
  if (problem == "reduce") return detail::reduce_algorithms();
  if (problem == "broadcast") return detail::broadcast_algorithms();
  if (problem == kReductionPrograms) return detail::program_algorithms(Collective::kReduce);
  if (const auto collective = parse_collective(problem)) return detail::program_algorithms(*collective);
  return {};
}

bool has_algorithm(std::string_view problem, std::string_view name) { return has_algorithm(algorithms(problem), name); }

}  // namespace sluice
