// sluice._core: planning, judging and files, without MPI.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "layouts.hpp"
#include "schedules.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/plan/between_layouts.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/write_file.hpp"
#include "speeds.hpp"
#include "traffic.hpp"

namespace py = pybind11;

namespace sluice::python {

namespace {

/// Ends a search when the user presses Ctrl-C; Python itself only notes the signal.
bool interrupted() {
  const py::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

/// Raises the exception that ended a search.
void raise_if_interrupted() {
  const py::gil_scoped_acquire gil;
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

void check_starts_at_0(const PlacedLayout& layout, const char* name) {
  if (std::any_of(layout.first.begin(), layout.first.end(), [](std::int64_t each) { return each != 0; }))
    throw InputError(name, "a first process other than 0", "0, as planning takes all processes for equal");
}

StepPlan redistribution(const PlacedLayout& source, const PlacedLayout& target,
                        const std::optional<std::vector<std::int64_t>>& shape, const std::string& algorithm,
                        double setup, double effort, std::int64_t from_replicas, std::int64_t to_replicas, bool forward,
                        const std::string& part, bool unit_diagonal) {
  const py::gil_scoped_release release;
  check_starts_at_0(source, "source");
  check_starts_at_0(target, "target");
  const std::vector<std::int64_t> extents = shape.value_or(std::vector<std::int64_t>{});
  if (shape && shape->size() != source.layout.dimensions())
    throw InputError("shape", sluice::count_text(shape->size(), "dimension"),
                     fmt::format("{}, as the layouts have", source.layout.dimensions()));
  RedistributionInput input{to_string(source.layout), to_string(target.layout),
                            fmt::format("{}", fmt::join(extents, "x"))};
  input.from_replicas = from_replicas;
  input.to_replicas = to_replicas;
  const MatrixPart side = part_of_side(part, unit_diagonal);
  input.part = part_text(side, unit_diagonal);
  const RedistributionProblem problem =
      make_problem(source.layout, target.layout, extents, {"source", "target", "shape"}).with_part(side, unit_diagonal);
  LayoutPlan plan = plan_between_layouts(
      problem, input, {algorithm, setup, multiple_of_default_effort(effort, "effort"), forward, interrupted});
  raise_if_interrupted();
  const Cost total = cost(plan.schedule);
  return {std::move(plan.schedule), total, plan.optimal};
}

StepPlan exchange(const py::object& traffic, std::optional<std::int64_t> max_transfers, double setup,
                  const std::string& algorithm, double effort, std::optional<double> time_limit_s, std::uint64_t seed,
                  const std::vector<double>& sender_speeds, const std::vector<double>& receiver_speeds,
                  const std::vector<std::pair<double, std::int64_t>>& backbone) {
  ExchangeProblem problem;
  problem.traffic = traffic_of(traffic);
  if (!backbone.empty() && max_transfers)
    throw InputError("max_transfers", "cannot be used with a backbone", "one of the two: both tell k");
  const py::gil_scoped_release release;
  problem.max_transfers = max_transfers.value_or(std::min(problem.traffic.senders, problem.traffic.receivers));
  problem.setup = move_decimal_point(setup, problem.traffic.decimals);
  set_speeds(problem, speeds_in_pairs(sender_speeds, receiver_speeds, backbone), "speeds");
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.effort = effort;
  options.seed = seed;
  options.stop = interrupted;
  if (time_limit_s) options.time_limit_s = *time_limit_s;
  ExchangePlan plan = plan_exchange(problem, options);
  raise_if_interrupted();
  const Cost total = cost(plan.schedule);
  return {std::move(plan.schedule), total, plan.optimal || total.total <= plan.bound.cost.total, plan.bound.kind};
}

TreePlan reduce(std::int64_t machines, double transfer, double compute, const std::string& algorithm,
                std::int64_t arity, std::int64_t root, std::optional<std::int64_t> max_transfers,
                std::optional<std::int64_t> max_reducers, bool commutative, const std::vector<double>& arrivals,
                std::int64_t segments, std::int64_t max_segments, double transfer_overhead, double compute_overhead,
                const std::vector<double>& transfer_costs, const std::vector<double>& compute_costs, double effort) {
  const py::gil_scoped_release release;
  ReduceProblem problem;
  problem.machines = machines;
  problem.transfer = transfer;
  problem.compute = compute;
  problem.max_transfers = max_transfers;
  problem.max_reducers = max_reducers;
  problem.commutative = commutative;
  problem.root = root;
  problem.arrivals = arrivals;
  problem.segments = segments;
  problem.max_segments = max_segments;
  problem.transfer_costs = transfer_costs;
  problem.compute_costs = compute_costs;
  problem.transfer_overhead = transfer_overhead;
  problem.compute_overhead = compute_overhead;
  ReduceOptions options;
  options.algorithm = algorithm;
  options.arity = arity;
  options.effort = effort;
  ReducePlan plan = plan_reduce(problem, options);
  return {std::move(plan.schedule), plan.optimal};
}

TreePlan broadcast(const Platform& platform, std::int64_t root, std::int64_t bytes, const std::string& algorithm,
                   const std::string& lookahead, const std::string& inside, std::int64_t segments, bool early_internal,
                   double effort) {
  const py::gil_scoped_release release;
  BroadcastOptions options;
  options.algorithm = algorithm;
  options.lookahead = lookahead;
  options.inside = inside;
  options.segments = segments;
  options.early_internal = early_internal;
  options.effort = effort;
  BroadcastPlan plan = plan_broadcast(platform, root, bytes, options);
  TreePlan result{std::move(plan.schedule), plan.optimal, plan.program.algorithm};
  for (const BroadcastPlan::Candidate& each : plan.candidates)
    result.candidates.emplace_back(each.method, each.length_s);
  return result;
}

void add_planners(py::module_& module) {
  module.def("plan_redistribution", &redistribution, py::arg("source"), py::arg("target"),
             py::arg("shape") = py::none(), py::kw_only(), py::arg("algorithm") = "auto", py::arg("setup") = 1.0,
             py::arg("effort") = 1.0, py::arg("from_replicas") = 1, py::arg("to_replicas") = 1,
             py::arg("forward") = true, py::arg("part") = "", py::arg("unit_diagonal") = false);
  module.def("plan_exchange", &exchange, py::arg("traffic"), py::arg("max_transfers") = py::none(), py::kw_only(),
             py::arg("setup") = 1.0, py::arg("algorithm") = "auto", py::arg("effort") = 1.0,
             py::arg("time_limit_s") = py::none(), py::arg("seed") = 1,
             py::arg("sender_speeds") = std::vector<double>{}, py::arg("receiver_speeds") = std::vector<double>{},
             py::arg("backbone") = std::vector<std::pair<double, std::int64_t>>{});
  module.def("plan_reduce", &reduce, py::arg("machines"), py::arg("transfer"), py::arg("compute"), py::kw_only(),
             py::arg("algorithm") = "auto", py::arg("arity") = 4, py::arg("root") = 0,
             py::arg("max_transfers") = py::none(), py::arg("max_reducers") = py::none(), py::arg("commutative") = true,
             py::arg("arrivals") = std::vector<double>{}, py::arg("segments") = 1, py::arg("max_segments") = 256,
             py::arg("transfer_overhead") = 0.0, py::arg("compute_overhead") = 0.0,
             py::arg("transfer_costs") = std::vector<double>{}, py::arg("compute_costs") = std::vector<double>{},
             py::arg("effort") = 1.0);
  module.def("plan_broadcast", &broadcast, py::arg("platform"), py::arg("root"), py::arg("bytes"), py::kw_only(),
             py::arg("algorithm") = "auto", py::arg("lookahead") = "min", py::arg("inside") = "",
             py::arg("segments") = 0, py::arg("early_internal") = false, py::arg("effort") = 1.0);
  module.def(
      "algorithms",
      [](const std::string& problem) {
        std::vector<std::string> names;
        for (const Algorithm& each : algorithms(problem)) names.emplace_back(each.name);
        return names;
      },
      py::arg("problem"));
}

void add_platforms(py::module_& module) {
  py::class_<Platform>(module, "Platform", "Holds a network of clusters of ranks; seconds and bytes.")
      .def_readonly("ranks", &Platform::ranks, "Number of ranks of all clusters together.")
      .def_property_readonly(
          "clusters",
          [](const Platform& own) {
            std::vector<std::pair<std::string, std::vector<std::int64_t>>> result;
            for (const PlatformCluster& each : own.clusters) result.emplace_back(each.name, each.ranks);
            return result;
          },
          "Name and ranks of each cluster.")
      .def(
          "to_json", [](const Platform& own) { return to_json(own); },
          "Returns the platform as the text of a file: of version 2 if it has levels.")
      .def("__eq__", [](const Platform& own, const Platform& other) { return own == other; })
      .def("__repr__", [](const Platform& own) {
        return fmt::format("<sluice.Platform: {}, {}>", sluice::count_text(own.ranks, "rank"),
                           sluice::count_text(own.clusters.size(), "cluster"));
      });
  module.def(
      "read_platform", [](const std::string& path) { return read_platform(path); }, py::arg("path"));
  module.def(
      "platform_from_json",
      [](const std::string& text) {
        std::istringstream in(text);
        return read_platform(in, "text");
      },
      py::arg("text"));
}

void add_programs(py::module_& module) {
  py::class_<Program>(
      module, "Program",
      "Holds what each rank sends, receives and combines in a collective. Jobs can execute it instead of "
      "a plan.")
      .def_property_readonly(
          "problem", [](const Program& own) { return std::string(to_string(own.problem)); },
          "\"broadcast\", \"reduce\" or another collective.")
      .def_readonly("algorithm", &Program::algorithm, "Name of the algorithm that planned it.")
      .def_readonly("ranks", &Program::ranks, "Number of its ranks.")
      .def_readonly("size_bytes", &Program::size_bytes,
                    "Size of the problem in bytes, such as the message, or the elements of a rank.")
      .def_readonly("root", &Program::root, "Rank that has the message, or gets the result; 0 if there is none.")
      .def_readonly("length_s", &Program::length_s, "Seconds until the last rank is done, as its planner found.")
      .def_readonly("bound_s", &Program::bound_s, "Lower bound in seconds for every program, as its planner found.")
      .def(
          "to_json", [](const Program& own) { return to_json(own); },
          "Returns the program as the text of a file of sluice.program/1.")
      .def(
          "write", [](const Program& own, const std::string& path) { write_file_atomically(path, to_json(own)); },
          py::arg("path"), "Writes the program to the file `path`, which is replaced as a whole or not at all.")
      .def("__eq__", [](const Program& own, const Program& other) { return own == other; })
      .def("__repr__", [](const Program& own) {
        return fmt::format("<sluice.Program: {} of {}, {}>", to_string(own.problem),
                           sluice::count_text(own.size_bytes, "byte"), sluice::count_text(own.ranks, "rank"));
      });
  module.def(
      "read_program", [](const std::string& path) { return read_program(path); }, py::arg("path"));
  module.def(
      "program_from_json",
      [](const std::string& text) {
        std::istringstream in(text);
        return read_program(in, "text");
      },
      py::arg("text"));
}

}  // namespace

}  // namespace sluice::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "Planning, judging and files of Sluice; use the package sluice.";
  sluice::python::translate_exceptions();
  sluice::python::add_layouts(module);
  sluice::python::add_programs(module);
  sluice::python::add_schedules(module);
  sluice::python::add_planners(module);
  sluice::python::add_platforms(module);
  module.attr("version") = SLUICE_VERSION;
}
