#include "sluice/plan/registry.hpp"

#include <array>

#include "plan/exchange/registry.hpp"
#include "plan/program/registry.hpp"

namespace sluice {

namespace {

constexpr std::string_view kDesprez = "Desprez et al. 1997";

constexpr std::array kRedistribute{
    Algorithm{"redistribute", "classes", "NS and TC optimal; needs gcd(r, Q) = gcd(s, P) = 1", "O(classes)", kDesprez},
    Algorithm{"redistribute", "stepwise", "NS optimal; TC optimal for r = 1 on grids that are not full",
              "NS weighted matchings on the quotient", kDesprez},
    Algorithm{"redistribute", "greedy", "none; often a lower TC with more steps",
              "NS weighted matchings on the quotient", kDesprez},
    Algorithm{"redistribute", "coloring", "NS optimal; TC as it comes", "O(m log m) on the quotient", kDesprez},
    Algorithm{"redistribute", "caterpillar", "max(P, Q) steps: the baseline of ScaLAPACK", "O(1)",
              "Prylli, Tourancheau 1996"},
    Algorithm{"redistribute", "exact", "NS and TC optimal at once, or the best total; says what is proven",
              "--effort; mostly milliseconds", "ours: integer program over classes"},
};

constexpr std::string_view kCanon = "Canon, Antoniu 2012";

constexpr std::array kReduce{
    Algorithm{"reduce", "greedy", "optimal, also with a limit on transfers or reducers, or with dates", "O(n)", kCanon},
    Algorithm{"reduce", "binomial", "at most 1 + min(d, c) / max(d, c) times the optimum", "O(n log n)", kCanon},
    Algorithm{"reduce", "fibonacci", "at most 2 times the optimum; optimal for d = c", "O(n log n)", kCanon},
    Algorithm{"reduce", "flat", "none", "O(n log n)", "Pjesivac-Grbovic et al. 2005"},
    Algorithm{"reduce", "chain", "none; good for many segments", "O(n log n)", "Pjesivac-Grbovic et al. 2005"},
    Algorithm{"reduce", "binary", "none", "O(n log n)", "Pjesivac-Grbovic et al. 2005"},
    Algorithm{"reduce", "k-ary", "none", "O(n log n)", "Pjesivac-Grbovic et al. 2005"},
    Algorithm{"reduce", "exact", "optimal with any limits; at most 12 machines", "exponential", "exhaustive search"},
};

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
  if (problem == "redistribute") return kRedistribute;
  if (problem == "exchange") return detail::exchange_algorithms();
  if (problem == "reduce") return kReduce;
  if (problem == "broadcast") return kBroadcast;
  if (const auto collective = parse_collective(problem)) return detail::program_algorithms(*collective);
  return {};
}

}  // namespace sluice
