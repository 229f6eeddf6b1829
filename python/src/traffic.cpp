#include "traffic.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/quantity_text.hpp"

namespace py = pybind11;

namespace sluice::python {

namespace {

std::string where(std::int64_t row, std::int64_t column) { return fmt::format("traffic[{}, {}]", row, column); }

std::int64_t size_of(std::int64_t value, std::int64_t row, std::int64_t column) {
  if (value < 0) throw InputError(where(row, column), fmt::format("{}", value), "at least 0");
  return value;
}

std::int64_t size_of(std::uint64_t value, std::int64_t row, std::int64_t column) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw InputError(where(row, column), fmt::format("{}", value), "at most 2^63 - 1");
  return static_cast<std::int64_t>(value);
}

std::int64_t size_of(double value, std::int64_t row, std::int64_t column) {
  constexpr double kBeyond = 0x1p63;
  if (!(value >= 0 && value < kBeyond)) throw InputError(where(row, column), fmt::format("{}", value), "0 to 2^63 - 1");
  if (value != std::floor(value))
    throw InputError(where(row, column), fmt::format("{}", value),
                     "a whole number: scale the sizes, or plan from a file");
  return static_cast<std::int64_t>(value);
}

/// Calls `visit(values)` with the array as int64, uint64 or double, by the kind of its values.
template <class Visit>
void with_values(const py::array& values, Visit&& visit) {
  const char kind = values.dtype().kind();
  using Flags = py::array_t<double, py::array::c_style | py::array::forcecast>;
  if (kind == 'i' || kind == 'b')
    visit(py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(values));
  else if (kind == 'u')
    visit(py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>(values));
  else if (kind == 'f')
    visit(Flags(values));
  else
    throw InputError("traffic", fmt::format("values of type {}", std::string(py::str(values.dtype()))),
                     "integers or floating-point numbers");
}

Traffic of_dense(const py::array& matrix) {
  if (matrix.ndim() != 2)
    throw InputError("traffic", sluice::count_text(matrix.ndim(), "dimension"),
                     "a matrix: row = sender, column = receiver");
  Traffic traffic{matrix.shape(0), matrix.shape(1), {}, 0};
  with_values(matrix, [&](const auto& values) {
    const auto* next = values.data();
    for (std::int64_t row = 0; row < traffic.senders; ++row) {
      for (std::int64_t column = 0; column < traffic.receivers; ++column, ++next) {
        const std::int64_t size = size_of(*next, row, column);
        if (size > 0) traffic.messages.push_back({row, column, size});
      }
    }
  });
  return traffic;
}

Traffic of_sparse(const py::object& matrix) {
  const py::object entries = matrix.attr("tocoo")();
  const auto shape = entries.attr("shape").cast<std::pair<std::int64_t, std::int64_t>>();
  Traffic traffic{shape.first, shape.second, {}, 0};
  using Indices = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
  const Indices rows(entries.attr("row")), columns(entries.attr("col"));
  with_values(entries.attr("data"), [&](const auto& values) {
    for (py::ssize_t i = 0; i < values.size(); ++i) {
      const std::int64_t row = rows.data()[i], column = columns.data()[i];
      const std::int64_t size = size_of(values.data()[i], row, column);
      if (size > 0) traffic.messages.push_back({row, column, size});
    }
  });
  return traffic;
}

}  // namespace

Traffic traffic_of(const py::object& matrix) {
  if (py::isinstance<py::str>(matrix) || py::hasattr(matrix, "__fspath__"))
    return read_traffic(py::module_::import("os").attr("fspath")(matrix).cast<std::string>());
  if (py::hasattr(matrix, "tocoo")) return of_sparse(matrix);
  return of_dense(py::module_::import("numpy").attr("asarray")(matrix));
}

}  // namespace sluice::python
