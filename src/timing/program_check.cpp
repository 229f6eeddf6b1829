#include "sluice/timing/program_check.hpp"

#include <fmt/format.h>

#include <vector>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/clock.hpp"

namespace sluice {
namespace {

/// Sums of times come in another order than in a replay, and files have decimals.
constexpr double kTimeRounding = 1e-6;

}  // namespace

ProgramBound least_time_of(const Platform& platform, const Program& program) {
  const detail::RankNetwork network(platform);
  return detail::Clock(network, program.combine_s_per_byte).least_time(detail::lower(program));
}

std::vector<Violation> validate(const Program& program, const Platform& platform) {
  check_platform(platform, "platform");
  if (program.ranks != platform.ranks)
    throw InputError("platform", count_text(platform.ranks, "rank"),
                     fmt::format("the {} of the program", program.ranks));
  std::vector<Violation> violations = validate(program);
  if (!violations.empty()) return violations;
  const ProgramBound least = least_time_of(platform, program);
  if (program.length_s > 0 && program.length_s < least.seconds * (1 - kTimeRounding))
    violations.push_back({-1, -1,
                          fmt::format("length_s is {}, but {} takes {} s over the platform", program.length_s,
                                      least.kind, least.seconds)});
  if (program.bound.empty()) return violations;
  const ProgramBound bound = bound_of(platform, problem_of(program));
  if (program.bound_s > bound.seconds * (1 + kTimeRounding))
    violations.push_back({-1, -1,
                          fmt::format("bound_s is {}, but {} is all that the platform proves, by {}", program.bound_s,
                                      bound.seconds, bound.kind)});
  return violations;
}

}  // namespace sluice
