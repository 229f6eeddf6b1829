#include "layouts.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace py = pybind11;

namespace sluice::python {

namespace {

/// Cuts of each dimension: block boundaries and owners; nothing for a block-cyclic dimension.
using GivenCuts = std::vector<std::optional<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>>;

PlacedLayout make_layout(std::vector<std::int64_t> grid, std::vector<std::int64_t> block,
                         std::vector<std::int64_t> first, GivenCuts cuts) {
  if (grid.empty() || grid.size() > kMaxDimensions)
    throw InputError("grid", sluice::count_text(grid.size(), "dimension"), fmt::format("1 to {}", kMaxDimensions));
  if (block.size() != grid.size())
    throw InputError("block", sluice::count_text(block.size(), "dimension"),
                     fmt::format("{}, as the grid has", grid.size()));
  if (!cuts.empty() && cuts.size() != grid.size())
    throw InputError("cuts", sluice::count_text(cuts.size(), "dimension"),
                     fmt::format("{}, as the grid has", grid.size()));
  PlacedLayout result{{std::move(grid), std::move(block)}, std::move(first)};
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    if (!cuts[d]) continue;
    auto& [at, owners] = *cuts[d];
    if (at.size() < 2)
      throw InputError("cuts", fmt::format("{} in dimension {}", sluice::count_text(at.size(), "cut"), d),
                       "None, or 2 at least: 0 first, and the extent last");
    result.layout.block[d] = 1;
    result.layout.cuts.resize(cuts.size());
    result.layout.cuts[d] = {std::move(at), std::move(owners)};
  }
  // A layout cannot be wrong in dimensions that the array leaves out.
  (void)Distribution(result.layout, result.layout.shape_of_cuts(), result.first, "layout");
  return result;
}

/// Returns the cuts of each dimension as make_layout takes them.
GivenCuts cuts_of(const Layout& layout) {
  GivenCuts result(layout.dimensions());
  for (std::size_t d = 0; d < layout.cuts.size(); ++d)
    if (!layout.cuts[d].at.empty()) result[d].emplace(layout.cuts[d].at, layout.cuts[d].owners);
  return result;
}

Distribution distribution_of(const PlacedLayout& layout, const std::vector<std::int64_t>& shape) {
  return {layout.layout, shape, layout.first, "layout"};
}

}  // namespace

void add_layouts(py::module_& module) {
  py::class_<PlacedLayout>(
      module, "Layout",
      "Describes a layout: in each dimension blocks of `block` elements go to `grid` processes in turn, "
      "the first block to process `first`. With `cuts` blocks have any sizes instead.\n"
      "\n"
      "- grid, block, first: one number per dimension; block is 1 in dimensions with cuts\n"
      "- cuts: per dimension None, or (starts, owners). starts: block boundaries, from 0 to the extent. "
      "owners: the process of each block; if empty, block i is on process i modulo the grid\n"
      "- text: \"GRID:BLOCK\", such as \"4x2:64x64\", or with cuts instead of a block \"2x2:0,10,35,100x64\", "
      "or \"@FILE\" for the text in that file\n"
      "\n"
      "A bad layout raises InputError.")
      .def(py::init(&make_layout), py::arg("grid"), py::arg("block"), py::arg("first") = std::vector<std::int64_t>{},
           py::arg("cuts") = GivenCuts{})
      .def(py::init([](const std::string& text) { return PlacedLayout{read_layout(text, "layout")}; }), py::arg("text"))
      .def_property_readonly(
          "grid", [](const PlacedLayout& own) { return py::tuple(py::cast(own.layout.grid)); },
          "Number of processes in each dimension.")
      .def_property_readonly(
          "block", [](const PlacedLayout& own) { return py::tuple(py::cast(own.layout.block)); },
          "Number of elements of a block in each dimension.")
      .def_property_readonly(
          "first",
          [](const PlacedLayout& own) {
            std::vector<std::int64_t> first = own.first;
            first.resize(own.layout.grid.size(), 0);
            return py::tuple(py::cast(first));
          },
          "Process that has the first block, in each dimension.")
      .def_property_readonly(
          "cuts",
          [](const PlacedLayout& own) {
            py::tuple result(own.layout.dimensions());
            const GivenCuts cuts = cuts_of(own.layout);
            for (std::size_t d = 0; d < cuts.size(); ++d) {
              result[d] = py::none();
              if (cuts[d])
                result[d] = py::make_tuple(py::tuple(py::cast(cuts[d]->first)), py::tuple(py::cast(cuts[d]->second)));
            }
            return result;
          },
          "Block boundaries and owners per dimension; None for a dimension without cuts.")
      .def_property_readonly(
          "processes",
          [](const PlacedLayout& own) { return distribution_of(own, own.layout.shape_of_cuts()).processes(); },
          "Number of processes of the whole grid.")
      .def("__str__", [](const PlacedLayout& own) { return to_string(own.layout); })
      .def("__repr__",
           [](const PlacedLayout& own) { return fmt::format("sluice.Layout('{}')", to_string(own.layout)); })
      .def("__eq__", [](const PlacedLayout& own, const PlacedLayout& other) {
        return own.layout == other.layout && own.first == other.first;
      });
  module.def(
      "local_shape",
      [](const PlacedLayout& layout, const std::vector<std::int64_t>& shape, std::int64_t process) {
        const Distribution distribution = distribution_of(layout, shape);
        if (process < 0 || process >= distribution.processes())
          throw InputError("process", fmt::format("{}", process), index_text(distribution.processes(), "process"));
        return py::tuple(py::cast(distribution.local_shape(Rank(process))));
      },
      py::arg("layout"), py::arg("shape"), py::arg("process"));
  module.def(
      "global_indices",
      [](const PlacedLayout& layout, const std::vector<std::int64_t>& shape, std::int64_t process) {
        const Distribution distribution = distribution_of(layout, shape);
        if (process < 0 || process >= distribution.processes())
          throw InputError("process", fmt::format("{}", process), index_text(distribution.processes(), "process"));
        const std::vector<Coordinate> at = distribution.coordinates(Rank(process));
        std::vector<std::vector<std::int64_t>> result;
        for (std::size_t d = 0; d < distribution.dimensions(); ++d) {
          const Axis& axis = distribution.axis(d);
          std::vector<std::int64_t>& indices = result.emplace_back();
          for (std::int64_t i = 0; i < axis.local_extent(at[d]); ++i)
            indices.push_back(axis.global(at[d], LocalIndex(i)).value);
        }
        return result;
      },
      py::arg("layout"), py::arg("shape"), py::arg("process"));
  py::implicitly_convertible<py::str, PlacedLayout>();
}

}  // namespace sluice::python
