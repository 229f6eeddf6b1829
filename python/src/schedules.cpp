#include "schedules.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/export.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/tree_json.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/write_file.hpp"
#include "traffic.hpp"

namespace py = pybind11;

namespace sluice::python {

namespace {

struct TransferRow {
  std::int64_t step;
  std::int64_t sender;
  std::int64_t receiver;
  std::int64_t offset;
  std::int64_t size;
};

struct TimedRow {
  std::int64_t sender;
  std::int64_t receiver;
  std::int64_t segment;
  double start;
  double end;
};

py::array_t<TransferRow> transfers_of(const StepSchedule& schedule) {
  std::size_t count = 0;
  for (const Step& step : schedule.steps) count += step.transfers.size();
  py::array_t<TransferRow> result(static_cast<py::ssize_t>(count));
  TransferRow* row = result.mutable_data();
  for (std::size_t t = 0; t < schedule.steps.size(); ++t) {
    for (const Transfer& each : schedule.steps[t].transfers)
      *row++ = {static_cast<std::int64_t>(t), each.from, each.to, each.offset, each.size};
  }
  return result;
}

py::array_t<TransferRow> copies_of(const StepSchedule& schedule) {
  py::array_t<TransferRow> result(static_cast<py::ssize_t>(schedule.copies.size()));
  TransferRow* row = result.mutable_data();
  for (const Transfer& each : schedule.copies) *row++ = {-1, each.from, each.to, each.offset, each.size};
  return result;
}

py::array_t<std::int64_t> durations_of(const StepSchedule& schedule) {
  py::array_t<std::int64_t> result(static_cast<py::ssize_t>(schedule.steps.size()));
  for (std::size_t t = 0; t < schedule.steps.size(); ++t) result.mutable_data()[t] = schedule.steps[t].duration;
  return result;
}

py::array_t<TimedRow> timed_transfers_of(const TreeSchedule& schedule) {
  py::array_t<TimedRow> result(static_cast<py::ssize_t>(schedule.transfers.size()));
  TimedRow* row = result.mutable_data();
  for (const TimedTransfer& each : schedule.transfers)
    *row++ = {each.from, each.to, each.segment, each.start, each.end};
  return result;
}

/// As sluice._results.Cost, in the unit of the sizes as the user gave them.
py::object cost_in_python(const Cost& cost) {
  return py::module_::import("sluice._results").attr("Cost")(cost.steps, cost.transmission, cost.total);
}

py::object read_from(std::istream& in, const std::string& name) {
  AnySchedule schedule = read_any_schedule(in, name);
  if (auto* const file = std::get_if<ScheduleFile>(&schedule))
    return py::cast(StepPlan{std::move(file->schedule), file->stated_cost});
  return py::cast(TreePlan{std::move(std::get<TreeSchedule>(schedule))});
}

py::list in_python(const std::vector<Violation>& violations) {
  const py::object type = py::module_::import("sluice._results").attr("Violation");
  py::list result;
  for (const Violation& each : violations) {
    const auto number = [](std::int64_t value) { return value < 0 ? py::object(py::none()) : py::cast(value); };
    result.append(type(number(each.step), number(each.rank), each.reason));
  }
  return result;
}

py::list check_steps(const StepPlan& plan, const py::object& traffic) {
  const ScheduleFile file{plan.schedule, plan.stated_cost, std::nullopt};
  if (!traffic.is_none()) return in_python(validate(file, traffic_of(traffic)));
  return in_python(validate_with_layouts(file, "schedule"));
}

}  // namespace

void add_schedules(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(TransferRow, step, sender, receiver, offset, size);
  PYBIND11_NUMPY_DTYPE(TimedRow, sender, receiver, segment, start, end);

  py::class_<StepPlan>(module, "StepSchedule")
      .def_property_readonly("problem", [](const StepPlan& own) { return own.schedule.problem; })
      .def_property_readonly("algorithm", [](const StepPlan& own) { return own.schedule.algorithm; })
      .def_property_readonly("senders", [](const StepPlan& own) { return own.schedule.senders; })
      .def_property_readonly("receivers", [](const StepPlan& own) { return own.schedule.receivers; })
      .def_property_readonly("max_transfers", [](const StepPlan& own) { return own.schedule.max_transfers; })
      .def_property_readonly("setup", [](const StepPlan& own) { return own.schedule.setup; })
      .def_property_readonly("decimals", [](const StepPlan& own) { return own.schedule.decimals; })
      .def_property_readonly("steps", [](const StepPlan& own) { return own.schedule.steps.size(); })
      .def_property_readonly("cost", [](const StepPlan& own) { return cost_in_python(cost(own.schedule)); })
      .def_property_readonly("bound", [](const StepPlan& own) { return cost_in_python(own.schedule.bound); })
      .def_readonly("optimal", &StepPlan::optimal)
      .def_readonly("bound_kind", &StepPlan::bound_kind)
      .def_property_readonly("durations", [](const StepPlan& own) { return durations_of(own.schedule); })
      .def_property_readonly("transfers", [](const StepPlan& own) { return transfers_of(own.schedule); })
      .def_property_readonly("copies", [](const StepPlan& own) { return copies_of(own.schedule); })
      .def("to_json", [](const StepPlan& own) { return to_json(own.schedule); })
      .def(
          "write",
          [](const StepPlan& own, const std::string& path) { write_file_atomically(path, to_json(own.schedule)); },
          py::arg("path"))
      .def(
          "export",
          [](const StepPlan& own, const std::string& format) { return exporter(format, "format")(own.schedule); },
          py::arg("format"))
      .def("__repr__", [](const StepPlan& own) {
        return fmt::format("<sluice.StepSchedule: {}, {} steps>", own.schedule.problem, own.schedule.steps.size());
      });

  py::class_<TreePlan>(module, "TreeSchedule")
      .def_property_readonly("problem", [](const TreePlan& own) { return own.schedule.problem; })
      .def_property_readonly("algorithm", [](const TreePlan& own) { return own.schedule.algorithm; })
      .def_property_readonly("machines", [](const TreePlan& own) { return own.schedule.machines; })
      .def_property_readonly("root", [](const TreePlan& own) { return own.schedule.root; })
      .def_property_readonly("segments", [](const TreePlan& own) { return own.schedule.segments; })
      .def_property_readonly("length", [](const TreePlan& own) { return own.schedule.length; })
      .def_property_readonly(
          "bound",
          [](const TreePlan& own) { return py::make_tuple(own.schedule.bound.lower, own.schedule.bound.upper); })
      .def_readonly("optimal", &TreePlan::optimal)
      .def_readonly("method", &TreePlan::method)
      .def_readonly("candidates", &TreePlan::candidates)
      .def_property_readonly("transfers", [](const TreePlan& own) { return timed_transfers_of(own.schedule); })
      .def("to_json", [](const TreePlan& own) { return to_json(own.schedule); })
      .def(
          "write",
          [](const TreePlan& own, const std::string& path) { write_file_atomically(path, to_json(own.schedule)); },
          py::arg("path"))
      .def("__repr__", [](const TreePlan& own) {
        return fmt::format("<sluice.TreeSchedule: {} of {} machines, length {}>", own.schedule.problem,
                           own.schedule.machines, own.schedule.length);
      });

  module.def(
      "read_schedule",
      [](const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        if (!in) throw InputError(path, "cannot be read: " + std::generic_category().message(errno), "a schedule");
        return read_from(in, path);
      },
      py::arg("path"));
  module.def(
      "schedule_from_json",
      [](const std::string& text) {
        std::istringstream in(text);
        return read_from(in, "text");
      },
      py::arg("text"));
  module.def("check", &check_steps, py::arg("schedule"), py::arg("traffic") = py::none());
  module.def(
      "check", [](const TreePlan& plan) { return in_python(validate(plan.schedule)); }, py::arg("schedule"));
}

}  // namespace sluice::python
