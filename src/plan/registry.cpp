#include "sluice/plan/registry.hpp"

#include <array>

#include "plan/exchange/registry.hpp"
#include "plan/program/registry.hpp"
#include "plan/redistribute/registry.hpp"
#include "plan/reduce/registry.hpp"

namespace sluice {

namespace {

constexpr std::string_view kSteffenel = "Steffenel 2006";
constexpr std::string_view kBhat = "Bhat et al. 2003";

constexpr std::array kBroadcast{
    Algorithm{"broadcast", "flat", "none", "O(C)", kSteffenel},
    Algorithm{"broadcast", "fef", "none", "O(C^2)", kBhat},
    Algorithm{"broadcast", "fef-gap", "none", "O(C^2)", kBhat},
    Algorithm{"broadcast", "ecef", "none", "O(C^2) a round at most", kBhat},
    Algorithm{"broadcast", "ecef-la", "none", "O(C^2) a round at most", kBhat},
    Algorithm{"broadcast", "ecef-la-tmin", "none", "O(C^2) a round at most", kSteffenel},
    Algorithm{"broadcast", "ecef-la-tmax", "none", "O(C^2) a round at most", kSteffenel},
    Algorithm{"broadcast", "bottom-up", "none", "O(C^2)", kSteffenel},
    Algorithm{"broadcast", "exact", "shortest tree between clusters; at most 16 of them", "exponential",
              "ours: branch and bound"},
    Algorithm{"broadcast", "pipelined", "none; segments flow through one tree of all ranks", "O(messages)",
              "after Kielmann et al. 2001"},
    Algorithm{"broadcast", "parallel-entry", "none; parts enter each site over several connections", "O(messages)",
              "ours"},
};

}  // namespace

std::span<const Algorithm> algorithms(std::string_view problem) {
  if (problem == "redistribute") return detail::redistribute_algorithms();
  if (problem == "exchange") return detail::exchange_algorithms();
  if (problem == "reduce") return detail::reduce_algorithms();
  if (problem == "broadcast") return kBroadcast;
  if (const auto collective = parse_collective(problem)) return detail::program_algorithms(*collective);
  return {};
}

}  // namespace sluice
