#include "apps/sluice/command.hpp"
#include "apps/sluice/study/moe_traffic.hpp"
#include "apps/sluice/study/planner_comparison.hpp"
#include "apps/sluice/study/study.hpp"

namespace sluice::command {

int study_moe_routing(const StudyTask& task) {
  compare_planners_at({8, 16, 32, 64}, 8, {1}, "moe-routing", "Routing to experts, log-normal popularity", moe_traffic,
                      task);
  return kDone;
}

}  // namespace sluice::command
