#include "schedule.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <variant>

#include "failure.hpp"
#include "options.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/tree_json.hpp"
#include "sluice/schedule/tree_program.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/write_file.hpp"

namespace sluice::c {

namespace {

const std::string& problem_name(const ScheduleFile& file) { return file.schedule.problem; }
const std::string& problem_name(const TreeSchedule& tree) { return tree.problem; }
std::string_view problem_name(const Program& program) { return to_string(program.problem); }

const std::string& algorithm_of(const ScheduleFile& file) { return file.schedule.algorithm; }
template <class Schedule>
const std::string& algorithm_of(const Schedule& schedule) {
  return schedule.algorithm;
}

void put(AnySchedule schedule, std::string name, sluice_schedule** into) {
  std::string problem = std::visit([](const auto& each) { return std::string(problem_name(each)); }, schedule);
  *into = std::make_unique<sluice_schedule>(sluice_schedule{std::move(schedule), std::move(name), std::move(problem)})
              .release();
}

/// Reads into a new handle.
template <class Read>
int read_into(sluice_schedule** schedule, Read&& read) {
  return guarded([&] {
    check_given(schedule, "schedule");
    *schedule = nullptr;
    read();
  });
}

/// What a schedule is, for those that expect another kind.
const char* kind_text(const AnySchedule& schedule) {
  if (std::holds_alternative<ScheduleFile>(schedule)) return "one of steps";
  return std::holds_alternative<TreeSchedule>(schedule) ? "one of a tree" : "a program";
}

/// The schedule as `Kind`; throws InputError where it is of another kind.
template <class Kind>
const Kind& as(const sluice_schedule* schedule, const char* expected) {
  check_given(schedule, "schedule");
  const auto* const found = std::get_if<Kind>(&schedule->schedule);
  if (found == nullptr) throw InputError("schedule", kind_text(schedule->schedule), expected);
  return *found;
}

const ScheduleFile& file_of(const sluice_schedule* schedule) { return as<ScheduleFile>(schedule, "one of steps"); }
const StepSchedule& steps_of(const sluice_schedule* schedule) { return file_of(schedule).schedule; }
const TreeSchedule& tree_of(const sluice_schedule* schedule) { return as<TreeSchedule>(schedule, "one of a tree"); }

std::string text_of(const ScheduleFile& file) { return to_json(file.schedule); }
template <class Schedule>
std::string text_of(const Schedule& schedule) {
  return to_json(schedule);
}

std::string json_of(const sluice_schedule* schedule) {
  check_given(schedule, "schedule");
  return std::visit([](const auto& each) { return text_of(each); }, schedule->schedule);
}

std::vector<Violation> judge(const ScheduleFile& file, const std::string& name) {
  return validate_with_layouts(file, name);
}
template <class Schedule>
std::vector<Violation> judge(const Schedule& schedule, const std::string& /*name*/) {
  return validate(schedule);
}

sluice_cost in_c(const Cost& cost) { return {cost.steps, cost.transmission, cost.total}; }

/// How many there are, and where a list is given, all of them. Throws InputError if it is too short.
template <class Items, class Item, class Copy>
void list_all(const Items& items, std::int64_t* count, std::int64_t capacity, Item* list, Copy&& copy) {
  check_given(count, "transfers");
  const auto size = static_cast<std::int64_t>(items.size());
  if (list != nullptr) {
    if (capacity < size)
      throw InputError("capacity", fmt::format("{}", capacity),
                       fmt::format("room for {}", sluice::count_text(size, "transfer")));
    for (std::size_t i = 0; i < items.size(); ++i) list[i] = copy(items[i]);
  }
  *count = size;
}

/// Keeps what `judge()` finds.
template <class Judge>
int check(sluice_schedule* schedule, std::int64_t* violations, Judge&& judge) {
  return guarded([&] {
    check_given(schedule, "schedule");
    check_given(violations, "violations");
    std::vector<std::string> texts;
    for (const Violation& violation : judge()) texts.push_back(to_string(violation));
    schedule->violations = std::move(texts);
    *violations = static_cast<std::int64_t>(schedule->violations.size());
  });
}

}  // namespace

void put(StepSchedule schedule, sluice_schedule** into) {
  const Cost stated = cost(schedule);
  put(AnySchedule(ScheduleFile{std::move(schedule), stated, std::nullopt}), "schedule", into);
}

void put(TreeSchedule schedule, sluice_schedule** into) { put(AnySchedule(std::move(schedule)), "schedule", into); }

Traffic traffic_of(std::int64_t senders, std::int64_t receivers, std::int64_t messages, const std::int64_t* from,
                   const std::int64_t* to, const std::int64_t* size) {
  check_list(messages, from, "from");
  check_list(messages, to, "to");
  check_list(messages, size, "size");
  if (senders < 0) throw InputError("senders", fmt::format("{}", senders), "at least 0");
  if (receivers < 0) throw InputError("receivers", fmt::format("{}", receivers), "at least 0");
  Traffic traffic{senders, receivers, {}, 0};
  traffic.messages.reserve(static_cast<std::size_t>(messages));
  for (std::int64_t i = 0; i < messages; ++i) traffic.messages.push_back({from[i], to[i], size[i]});
  return traffic;
}

}  // namespace sluice::c

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face

int sluice_schedule_read(const char* path, sluice_schedule** schedule) {
  return read_into(schedule, [&] {
    check_given(path, "path");
    put(sluice::read_any_schedule(path), path, schedule);
  });
}

int sluice_schedule_parse(const char* text, sluice_schedule** schedule) {
  return read_into(schedule, [&] {
    check_given(text, "text");
    std::istringstream in(text);
    put(sluice::read_any_schedule(in, "text"), "text", schedule);
  });
}

int sluice_schedule_write(const sluice_schedule* schedule, const char* path) {
  return guarded([&] {
    const std::string text = json_of(schedule);
    check_given(path, "path");
    sluice::write_file_atomically(path, text);
  });
}

int sluice_schedule_json(sluice_schedule* schedule, const char** text) {
  return guarded([&] {
    check_given(text, "text");
    std::string json = json_of(schedule);
    schedule->json = std::move(json);
    *text = schedule->json.c_str();
  });
}

int sluice_schedule_kind(const sluice_schedule* schedule, int* kind) {
  return guarded([&] {
    check_given(schedule, "schedule");
    check_given(kind, "kind");
    *kind = std::holds_alternative<sluice::ScheduleFile>(schedule->schedule)   ? SLUICE_STEPS
            : std::holds_alternative<sluice::TreeSchedule>(schedule->schedule) ? SLUICE_TREE
                                                                               : SLUICE_PROGRAM;
  });
}

int sluice_schedule_problem(const sluice_schedule* schedule, const char** text) {
  return guarded([&] {
    check_given(schedule, "schedule");
    check_given(text, "text");
    *text = schedule->problem.c_str();
  });
}

int sluice_schedule_algorithm(const sluice_schedule* schedule, const char** text) {
  return guarded([&] {
    check_given(schedule, "schedule");
    check_given(text, "text");
    *text = std::visit([](const auto& each) { return algorithm_of(each).c_str(); }, schedule->schedule);
  });
}

int sluice_schedule_senders(const sluice_schedule* schedule, std::int64_t* senders, std::int64_t* receivers) {
  return guarded([&] {
    const sluice::StepSchedule& steps = steps_of(schedule);
    if (senders != nullptr) *senders = steps.senders;
    if (receivers != nullptr) *receivers = steps.receivers;
  });
}

int sluice_schedule_replicas(const sluice_schedule* schedule, std::int64_t* from, std::int64_t* to,
                             std::int64_t* first_passing) {
  return guarded([&] {
    const sluice::StepSchedule& steps = steps_of(schedule);
    if (from != nullptr) *from = steps.input ? steps.input->from_replicas : 1;
    if (to != nullptr) *to = steps.input ? steps.input->to_replicas : 1;
    if (first_passing != nullptr) *first_passing = steps.first_passing();
  });
}

int sluice_schedule_decimals(const sluice_schedule* schedule, int* decimals) {
  return guarded([&] {
    check_given(decimals, "decimals");
    *decimals = steps_of(schedule).decimals;
  });
}

int sluice_schedule_cost(const sluice_schedule* schedule, sluice_cost* cost, sluice_cost* bound) {
  return guarded([&] {
    const sluice::StepSchedule& steps = steps_of(schedule);
    if (cost != nullptr) *cost = in_c(sluice::cost(steps));
    if (bound != nullptr) *bound = in_c(steps.bound);
  });
}

int sluice_schedule_steps(const sluice_schedule* schedule, std::int64_t* steps) {
  return guarded([&] {
    check_given(steps, "steps");
    *steps = static_cast<std::int64_t>(steps_of(schedule).steps.size());
  });
}

int sluice_schedule_step(const sluice_schedule* schedule, std::int64_t step, std::int64_t* duration,
                         std::int64_t* transfers, std::int64_t capacity, sluice_transfer list[]) {
  return guarded([&] {
    const auto& steps = steps_of(schedule).steps;
    if (step < 0 || step >= static_cast<std::int64_t>(steps.size()))
      throw sluice::InputError("step", fmt::format("{}", step),
                               sluice::index_text(static_cast<std::int64_t>(steps.size()), "step"));
    const sluice::Step& found = steps[static_cast<std::size_t>(step)];
    list_all(found.transfers, transfers, capacity, list, [](const sluice::Transfer& each) {
      return sluice_transfer{each.from, each.to, each.offset, each.size};
    });
    if (duration != nullptr) *duration = found.duration;
  });
}

int sluice_schedule_tree(const sluice_schedule* schedule, std::int64_t* machines, std::int64_t* root, double* length) {
  return guarded([&] {
    const sluice::TreeSchedule& tree = tree_of(schedule);
    if (machines != nullptr) *machines = tree.machines;
    if (root != nullptr) *root = tree.root;
    if (length != nullptr) *length = tree.length;
  });
}

int sluice_schedule_tree_bound(const sluice_schedule* schedule, double* lower, double* upper) {
  return guarded([&] {
    const sluice::TreeSchedule& tree = tree_of(schedule);
    if (lower != nullptr) *lower = tree.bound.lower;
    if (upper != nullptr) *upper = tree.bound.upper;
  });
}

int sluice_schedule_tree_transfers(const sluice_schedule* schedule, std::int64_t* transfers, std::int64_t capacity,
                                   sluice_timed_transfer list[]) {
  return guarded([&] {
    list_all(tree_of(schedule).transfers, transfers, capacity, list, [](const sluice::TimedTransfer& each) {
      return sluice_timed_transfer{each.from, each.to, each.segment, each.start, each.end};
    });
  });
}

int sluice_schedule_program(const sluice_schedule* schedule, sluice_program** program) {
  return guarded([&] {
    check_given(program, "program");
    *program = nullptr;
    put(as<sluice::Program>(schedule, "a program"), program);
  });
}

int sluice_schedule_reduction_program(const sluice_schedule* schedule, std::int64_t size_bytes,
                                      std::int64_t element_bytes, sluice_program** program) {
  return guarded([&] {
    check_given(program, "program");
    *program = nullptr;
    put(sluice::program_of(as<sluice::TreeSchedule>(schedule, "one of a tree"), size_bytes, element_bytes), program);
  });
}

int sluice_schedule_check(sluice_schedule* schedule, std::int64_t* violations) {
  return check(schedule, violations, [&] {
    return std::visit([&](const auto& each) { return judge(each, schedule->name); }, schedule->schedule);
  });
}

int sluice_schedule_check_traffic(sluice_schedule* schedule, std::int64_t senders, std::int64_t receivers,
                                  std::int64_t messages, const std::int64_t from[], const std::int64_t to[],
                                  const std::int64_t size[], std::int64_t* violations) {
  return check(schedule, violations,
               [&] { return validate(file_of(schedule), traffic_of(senders, receivers, messages, from, to, size)); });
}

int sluice_schedule_check_file(sluice_schedule* schedule, const char* path, std::int64_t* violations) {
  return check(schedule, violations, [&] {
    const sluice::ScheduleFile& file = file_of(schedule);
    check_given(path, "path");
    return validate(file, sluice::read_traffic(path));
  });
}

int sluice_schedule_violation(const sluice_schedule* schedule, std::int64_t violation, const char** text) {
  return guarded([&] {
    check_given(schedule, "schedule");
    check_given(text, "text");
    const auto& texts = schedule->violations;
    if (violation < 0 || violation >= static_cast<std::int64_t>(texts.size()))
      throw sluice::InputError("violation", fmt::format("{}", violation),
                               texts.empty() ? "a check that found any" : fmt::format("below {}", texts.size()));
    *text = texts[static_cast<std::size_t>(violation)].c_str();
  });
}

int sluice_schedule_free(sluice_schedule* schedule) {
  delete schedule;
  return SLUICE_OK;
}
