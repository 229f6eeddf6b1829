#include "schedules.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <sstream>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/export.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_json.hpp"
#include "sluice/schedule/tree_program.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/show/gantt.hpp"
#include "sluice/show/tree_picture.hpp"
#include "sluice/timing/model.hpp"
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

/// Makes sluice._results.Cost, in the unit of the sizes that the user gave.
py::object cost_in_python(const Cost& cost) {
  return py::module_::import("sluice._results").attr("Cost")(cost.steps, cost.transmission, cost.total);
}

py::object in_python(AnySchedule schedule) {
  if (auto* const file = std::get_if<ScheduleFile>(&schedule))
    return py::cast(StepPlan{std::move(file->schedule), file->stated_cost});
  if (auto* const program = std::get_if<Program>(&schedule)) return py::cast(std::move(*program));
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

std::vector<Violation> violations_of(const Program& program) {
  const py::gil_scoped_release release;
  return validate(program);
}

py::list check_steps(const StepPlan& plan, const py::object& traffic) {
  const ScheduleFile file{plan.schedule, plan.stated_cost, std::nullopt};
  if (!traffic.is_none()) return in_python(validate(file, traffic_of(traffic)));
  return in_python(validate_with_layouts(file, "schedule"));
}

/// The title of a picture.
template <class Schedule>
std::string title_of(const Schedule& schedule) {
  return fmt::format("{}, {}", schedule.problem, schedule.algorithm);
}

std::string picture_of_steps(const StepPlan& plan, const std::string& rows) {
  if (rows != "senders" && rows != "receivers")
    throw InputError("rows", '\'' + rows + '\'', "'senders' or 'receivers'");
  if (plan.schedule.switches > 1)
    throw InputError("svg", "a plan for several switches, which is not simulated", "a plan for one switch");
  return gantt_svg(simulate(plan.schedule, StepOrder::kBarrier), title_of(plan.schedule),
                   rows == "receivers" ? GanttRow::kReceiver : GanttRow::kSender);
}

std::string picture_of_tree(const TreePlan& plan) { return tree_svg(plan.schedule, title_of(plan.schedule)); }

std::string text_of(const StepPlan& plan) {
  return fmt::format("<sluice.StepSchedule: {}, {}>", plan.schedule.problem,
                     sluice::count_text(plan.schedule.steps.size(), "step"));
}

std::string text_of(const TreePlan& plan) {
  return fmt::format("<sluice.TreeSchedule: {} of {}, length {}>", plan.schedule.problem,
                     sluice::count_text(plan.schedule.machines, "machine"), plan.schedule.length);
}

std::string picture_of(const StepPlan& plan) { return picture_of_steps(plan, "senders"); }
std::string picture_of(const TreePlan& plan) { return picture_of_tree(plan); }

/// What a notebook shows: the picture, or nothing if there is none, and then it shows the text.
template <class Plan>
py::object in_notebook(const Plan& plan) {
  try {
    return py::str(picture_of(plan));
  } catch (const InputError&) {
    return py::none();
  }
}

}  // namespace

void add_schedules(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(TransferRow, step, sender, receiver, offset, size);
  PYBIND11_NUMPY_DTYPE(TimedRow, sender, receiver, segment, start, end);

  py::class_<StepPlan>(module, "StepSchedule",
                       "Holds steps of transfers; in one step a process sends, and receives, at most one.")
      .def_property_readonly(
          "problem", [](const StepPlan& own) { return own.schedule.problem; }, "\"redistribute\" or \"exchange\".")
      .def_property_readonly(
          "algorithm", [](const StepPlan& own) { return own.schedule.algorithm; },
          "Name of the algorithm that planned it.")
      .def_property_readonly(
          "senders", [](const StepPlan& own) { return own.schedule.senders; }, "Number of senders.")
      .def_property_readonly(
          "receivers", [](const StepPlan& own) { return own.schedule.receivers; }, "Number of receivers.")
      .def_property_readonly(
          "replicas",
          [](const StepPlan& own) {
            const auto& input = own.schedule.input;
            return py::make_tuple(input ? input->from_replicas : 1, input ? input->to_replicas : 1);
          },
          "Number of copies of the source array and of the target array, usually (1, 1).")
      .def_property_readonly(
          "first_passing", [](const StepPlan& own) { return own.schedule.first_passing(); },
          "If copies of the target may forward data, sender first_passing + i is receiver i; otherwise the "
          "number of senders.")
      .def_property_readonly(
          "max_transfers", [](const StepPlan& own) { return own.schedule.max_transfers; }, "Most transfers in a step.")
      .def_property_readonly(
          "setup", [](const StepPlan& own) { return own.schedule.setup; },
          "Set-up cost of a step, in the unit of the sizes.")
      .def_property_readonly(
          "decimals", [](const StepPlan& own) { return own.schedule.decimals; },
          "Sizes are in units of 10^-decimals of the given unit; 0 if they are whole.")
      .def_property_readonly(
          "steps", [](const StepPlan& own) { return own.schedule.steps.size(); }, "Number of steps.")
      .def_property_readonly(
          "cost", [](const StepPlan& own) { return cost_in_python(cost(own.schedule)); }, "Cost of the schedule.")
      .def_property_readonly(
          "bound", [](const StepPlan& own) { return cost_in_python(own.schedule.bound); },
          "Lower bound on the cost of every schedule of the problem, for each of the three values alone.")
      .def_readonly("optimal", &StepPlan::optimal,
                    "True if the schedule is proven to have the least total; None if it was read from a file.")
      .def_readonly(
          "bound_kind", &StepPlan::bound_kind,
          "Source of the bound on the total of an exchange: \"eta\", \"splits\", \"lp\" or \"exact\"; otherwise None.")
      .def_property_readonly(
          "durations", [](const StepPlan& own) { return durations_of(own.schedule); }, "Duration of each step.")
      .def_property_readonly(
          "transfers", [](const StepPlan& own) { return transfers_of(own.schedule); },
          "Fields step, sender, receiver, offset, size, all int64; in the order of the steps.")
      .def_property_readonly(
          "copies", [](const StepPlan& own) { return copies_of(own.schedule); },
          "Data that processes send to themselves outside of the steps; step is -1.")
      .def(
          "to_json", [](const StepPlan& own) { return to_json(own.schedule); },
          "Returns the schedule as the text of a file of sluice.schedule/1.")
      .def(
          "write",
          [](const StepPlan& own, const std::string& path) { write_file_atomically(path, to_json(own.schedule)); },
          py::arg("path"), "Writes the schedule to the file `path`, which is replaced as a whole or not at all.")
      .def(
          "export",
          [](const StepPlan& own, const std::string& format) { return exporter(format, "format")(own.schedule); },
          py::arg("format"),
          "Returns the steps for another engine: \"ppermute\", \"p2p\" or \"msccl\", as `sluice plan --export` "
          "writes them.")
      .def("svg", &picture_of_steps, py::arg("rows") = "senders",
           "Draws when each transfer runs by the model, as `sluice plan --svg` draws it: a row for each of the "
           "\"senders\", or \"receivers\".")
      .def("_repr_html_", [](const StepPlan& own) { return in_notebook(own); })
      .def("__repr__", [](const StepPlan& own) { return text_of(own); });

  py::class_<TreePlan>(module, "TreeSchedule", "Holds timed transfers along a tree.")
      .def_property_readonly(
          "problem", [](const TreePlan& own) { return own.schedule.problem; }, "\"reduce\" or \"broadcast\".")
      .def_property_readonly(
          "algorithm", [](const TreePlan& own) { return own.schedule.algorithm; },
          "Name of the algorithm that planned it.")
      .def_property_readonly(
          "machines", [](const TreePlan& own) { return own.schedule.machines; },
          "Number of machines; for a broadcast between clusters, number of clusters.")
      .def_property_readonly(
          "root", [](const TreePlan& own) { return own.schedule.root; },
          "Machine that gets the result, or has the message.")
      .def_property_readonly(
          "segments", [](const TreePlan& own) { return own.schedule.segments; },
          "Number of parts of the element or the message; 1 if it is whole.")
      .def_property_readonly(
          "length", [](const TreePlan& own) { return own.schedule.length; },
          "Time when the root has the result, or the last machine has the message.")
      .def_property_readonly(
          "bound",
          [](const TreePlan& own) { return py::make_tuple(own.schedule.bound.lower, own.schedule.bound.upper); },
          "Lower and upper bound on the length of the shortest schedule.")
      .def_readonly("optimal", &TreePlan::optimal, "True if no schedule is shorter; None if it was read from a file.")
      .def_readonly("method", &TreePlan::method, "Method of a broadcast, for people; otherwise None.")
      .def_readonly("candidates", &TreePlan::candidates,
                    "Methods that \"auto\" compared for a broadcast, and their lengths; the chosen one comes first.")
      .def_property_readonly(
          "transfers", [](const TreePlan& own) { return timed_transfers_of(own.schedule); },
          "Fields sender, receiver, segment (int64), start, end (float64); in the order of their start.")
      .def(
          "to_json", [](const TreePlan& own) { return to_json(own.schedule); },
          "Returns the schedule as the text of a file of sluice.schedule/1.")
      .def(
          "write",
          [](const TreePlan& own, const std::string& path) { write_file_atomically(path, to_json(own.schedule)); },
          py::arg("path"), "Writes the schedule to the file `path`, which is replaced as a whole or not at all.")
      .def(
          "program",
          [](const TreePlan& own, std::int64_t size_bytes, std::int64_t element_bytes) {
            return program_of(own.schedule, size_bytes, element_bytes);
          },
          py::arg("size_bytes"), py::arg("element_bytes") = 1,
          "Makes the program of a reduction, which jobs can execute.\n"
          "\n"
          "- size_bytes: bytes of all elements of each rank\n"
          "- element_bytes: bytes of pieces that are never cut")
      .def("svg", &picture_of_tree, "Draws the tree with each transfer at its time, as `sluice plan --tree` draws it.")
      .def("_repr_html_", [](const TreePlan& own) { return in_notebook(own); })
      .def("__repr__", [](const TreePlan& own) { return text_of(own); });

  module.def(
      "read_schedule", [](const std::string& path) { return in_python(read_any_schedule(path)); }, py::arg("path"));
  module.def(
      "schedule_from_json",
      [](const std::string& text) {
        std::istringstream in(text);
        return in_python(read_any_schedule(in, "text"));
      },
      py::arg("text"));
  module.def("check", &check_steps, py::arg("schedule"), py::arg("traffic") = py::none());
  module.def(
      "check", [](const TreePlan& plan) { return in_python(validate(plan.schedule)); }, py::arg("schedule"));
  module.def(
      "check", [](const Program& program) { return in_python(violations_of(program)); }, py::arg("schedule"));
}

}  // namespace sluice::python
