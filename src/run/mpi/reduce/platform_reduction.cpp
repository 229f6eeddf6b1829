#include "run/mpi/reduce/platform_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "run/mpi/runtime/planned_part.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice::mpi::detail {

void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects, bool commutative) {
  const auto refuse = [](const char* found, const char* expected) { throw InputError("platform", found, expected); };
  check_platform(*options.platform, "platform");
  if (options.platform->ranks != ranks)
    throw InputError("platform", fmt::format("{} ranks", options.platform->ranks),
                     fmt::format("the {} there are", ranks));
  if (of_objects) refuse("a reduction of objects", "elements, which can be cut");
  if (!commutative) refuse("an operation that does not commute", "one that does");
  if (options.measure || options.costs) refuse("costs, or to measure them", "either");
  if (options.dynamic) refuse("dynamic", "the order of the plan");
}

OwnPieces pieces_over_platform(Channel& channel, const Platform& platform, const ReductionOptions& options, int root,
                               std::int64_t elements, std::int64_t element_bytes) {
  const auto plan_all = [&] {
    sluice::BroadcastOptions how;
    how.algorithm = options.algorithm;
    how.segments = options.segments.value_or(0);
    // Elements of no bytes are as any others to a plan.
    ReductionProgram program =
        plan_reversed_broadcast(platform, root, elements, std::max<std::int64_t>(1, element_bytes), how).program;
    std::vector<OwnPieces> all;
    for (PieceProgram& part : program.machines) all.push_back({std::move(part), program.method, program.length});
    return all;
  };
  return planned_part<OwnPieces>(channel, plan_all, [](auto& numbers, OwnPieces& own) {
    numbers(own.method, own.length_s, own.part.begin, own.part.end);
    numbers.each(own.part.receives, [&](PieceReceive& r) { numbers(r.from, r.begin, r.end, r.combine); });
    numbers.each(own.part.sends,
                 [&](PieceSend& s) { numbers(s.to, s.begin, s.end, s.after, s.port_s, s.connection_s); });
  });
}

}  // namespace sluice::mpi::detail
