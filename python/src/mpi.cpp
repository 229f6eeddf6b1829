// sluice._mpi: jobs on addresses, which sluice/mpi.py gets from buffers.
#include <fmt/format.h>
#include <mpi.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "layouts.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/refuse_job.hpp"
#include "sluice/run/mpi/settings.hpp"
#include "speeds.hpp"

namespace py = pybind11;

namespace sluice::python {

namespace {

/// An address of a handle of MPI inside an object of mpi4py, or of memory.
using Address = std::uintptr_t;

template <class Handle>
Handle handle_at(Address address) {
  return *reinterpret_cast<const Handle*>(address);
}

MPI_Comm comm_at(Address address) {
  int initialized = 0, finalized = 0;
  if (MPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0 || MPI_Finalized(&finalized) != MPI_SUCCESS ||
      finalized != 0)
    throw InputError("MPI", "not running", "a call between MPI.Init and MPI.Finalize");
  const auto comm = handle_at<MPI_Comm>(address);
  if (comm == MPI_COMM_NULL) throw InputError("comm", "MPI_COMM_NULL, or one that was freed", "a communicator");
  return comm;
}

/// Binds the functions that all jobs have. The GIL is released while they run.
template <class Job, class Class>
void add_job_methods(Class& type) {
  type.def(
          "test", [](Job& own) { return own.test(); }, py::call_guard<py::gil_scoped_release>())
      .def(
          "wait", [](Job& own) { own.wait(); }, py::call_guard<py::gil_scoped_release>())
      .def(
          "give_up",
          [](Job& own, const std::string& why) { own.give_up(std::make_exception_ptr(std::invalid_argument(why))); },
          py::call_guard<py::gil_scoped_release>());
}

/// Makes the combining function for elements of numpy's kind 'f' or 'c'.
mpi::ElementCombine scale_and_add_of(char kind, std::int64_t itemsize, std::complex<double> alpha,
                                     std::complex<double> beta, bool conjugate) {
  const auto real = [&]<class T>(T /*example*/) {
    return mpi::scale_and_add(static_cast<T>(alpha.real()), static_cast<T>(beta.real()), conjugate);
  };
  const auto complex = [&]<class T>(T /*example*/) {
    return mpi::scale_and_add(std::complex<T>(alpha), std::complex<T>(beta), conjugate);
  };
  if (kind == 'f' && itemsize == sizeof(float)) return real(float{});
  if (kind == 'f' && itemsize == sizeof(double)) return real(double{});
  if (kind == 'c' && itemsize == 2 * sizeof(float)) return complex(float{});
  if (kind == 'c' && itemsize == 2 * sizeof(double)) return complex(double{});
  throw InputError("dtype", fmt::format("'{}{}' with alpha, beta or conjugate", kind, itemsize),
                   "float32, float64, complex64 or complex128");
}

using Released = py::call_guard<py::gil_scoped_release>;

/// Binds the options of an array.
template <class Options>
void add_array_options(py::class_<Options>& type) {
  type.def(py::init<>())
      .def_readwrite("from_start", &Options::from_start)
      .def_readwrite("to_start", &Options::to_start)
      .def_readwrite("extent", &Options::extent)
      .def_readwrite("to_shape", &Options::to_shape)
      .def_readwrite("transpose", &Options::transpose)
      .def_readwrite("from_ranks", &Options::from_ranks)
      .def_readwrite("to_ranks", &Options::to_ranks)
      .def_property(
          "column_major", [](const Options& own) { return own.order == mpi::StorageOrder::kColumnMajor; },
          [](Options& own, bool column_major) {
            own.order = column_major ? mpi::StorageOrder::kColumnMajor : mpi::StorageOrder::kRowMajor;
          })
      .def("scale_and_add",
           [](Options& own, char kind, std::int64_t itemsize, std::complex<double> alpha, std::complex<double> beta,
              bool conjugate) { own.combine = scale_and_add_of(kind, itemsize, alpha, beta, conjugate); })
      .def("set_part",
           [](Options& own, const std::string& side, bool unit_diagonal) {
             own.part = part_of_side(side, unit_diagonal);
             own.unit_diagonal = unit_diagonal;
           })
      .def_readwrite("source_leading", &Options::source_leading)
      .def_readwrite("target_leading", &Options::target_leading);
}

/// Binds the options of planning and execution.
template <class Options>
void add_redistribution_job_options(py::class_<Options>& type) {
  type.def_readwrite("algorithm", &Options::algorithm)
      .def_readwrite("setup", &Options::setup)
      .def_readwrite("effort", &Options::effort)
      .def_readwrite("chunk_bytes", &Options::chunk_bytes)
      .def_readwrite("window", &Options::window)
      .def_readwrite("shared_from_bytes", &Options::shared_from_bytes)
      .def_readwrite("try_native", &Options::try_native)
      .def_readwrite("relabel", &Options::relabel);
}

/// Checks in one call whether buffers of a redistribution are what nearly all are: contiguous arrays of NumPy with the
/// type and shape of this rank's parts. The target must be writable and must not overlap the source.
class PlainArrays {
 public:
  PlainArrays(py::dtype dtype, std::vector<py::ssize_t> source, std::vector<py::ssize_t> target, bool column_major)
      : dtype_(std::move(dtype)),
        shapes_{std::move(source), std::move(target)},
        contiguous_(column_major ? py::array::f_style : py::array::c_style) {}

  /// Returns their addresses, or None if they are anything else, which may still be right.
  [[nodiscard]] std::optional<std::pair<Address, Address>> addresses(py::handle source, py::handle target) const {
    if (!is_plain(source, shapes_[0]) || !is_plain(target, shapes_[1])) return std::nullopt;
    const auto from = py::reinterpret_borrow<py::array>(source);
    const auto to = py::reinterpret_borrow<py::array>(target);
    const auto at = reinterpret_cast<Address>(from.data());
    const auto there = reinterpret_cast<Address>(to.data());
    const bool apart =
        at + static_cast<Address>(from.nbytes()) <= there || there + static_cast<Address>(to.nbytes()) <= at;
    if (!to.writeable() || !apart) return std::nullopt;
    return std::pair{at, there};
  }

 private:
  [[nodiscard]] bool is_plain(py::handle given, const std::vector<py::ssize_t>& shape) const {
    if (!py::isinstance<py::array>(given)) return false;
    const auto array = py::reinterpret_borrow<py::array>(given);
    return array.size() > 0 && array.dtype().is(dtype_) && (array.flags() & contiguous_) != 0 &&
           std::equal(shape.begin(), shape.end(), array.shape(), array.shape() + array.ndim());
  }

  py::dtype dtype_;
  std::vector<py::ssize_t> shapes_[2];
  int contiguous_;
};

void add_redistribution(py::module_& module) {
  py::class_<PlainArrays>(module, "PlainArrays")
      .def(py::init<py::dtype, std::vector<py::ssize_t>, std::vector<py::ssize_t>, bool>())
      .def("addresses", &PlainArrays::addresses);
  using Job = mpi::Redistribution;
  using Options = mpi::RedistributionOptions;
  py::class_<Options> options_type(module, "RedistributionOptions");
  add_array_options(options_type);
  options_type.def_readwrite("from_replicas", &Options::from_replicas)
      .def_readwrite("to_replicas", &Options::to_replicas)
      .def_readwrite("forward", &Options::forward);
  add_redistribution_job_options(options_type);
  py::class_<Job> type(module, "Redistribution");
  type.def(py::init([](Address comm, const std::vector<std::int64_t>& shape, const PlacedLayout& source,
                       const PlacedLayout& target, std::int64_t element_bytes, const Options& given) {
             const MPI_Comm own = comm_at(comm);
             Options options = given;
             options.from_first = source.first;
             options.to_first = target.first;
             return Job(own, shape, source.layout, target.layout, element_bytes, options);
           }),
           Released())
      .def(
          "execute",
          [](Job& own, Address source, Address target) {
            own.execute(reinterpret_cast<const void*>(source), reinterpret_cast<void*>(target));
          },
          Released())
      .def(
          "start",
          [](Job& own, Address source, Address target) {
            own.start(reinterpret_cast<const void*>(source), reinterpret_cast<void*>(target));
          },
          Released())
      .def_property_readonly("to_ranks", &Job::to_ranks)
      .def_property_readonly("source_extent", &Job::source_extent)
      .def_property_readonly("target_extent", &Job::target_extent)
      .def_property_readonly("extra_bytes", &Job::peak_extra_bytes)
      .def_property_readonly("steps", [](const Job& own) { return own.plan().steps(); })
      .def_property_readonly("native", &Job::native);
  add_job_methods<Job>(type);
}

/// Holds shape, layouts, bytes of an element and options of one array.
using GivenArray = std::tuple<std::vector<std::int64_t>, PlacedLayout, PlacedLayout, std::int64_t, mpi::ArrayOptions>;

void add_redistribution_batch(py::module_& module) {
  using Job = mpi::RedistributionBatch;
  using Options = mpi::RedistributionJobOptions;
  py::class_<mpi::ArrayOptions> array_type(module, "ArrayOptions");
  add_array_options(array_type);
  py::class_<Options> options_type(module, "RedistributionJobOptions");
  options_type.def(py::init<>());
  add_redistribution_job_options(options_type);
  py::class_<Job> type(module, "RedistributionBatch");
  const auto pointers = []<class Pointer>(const std::vector<Address>& addresses, Pointer /*example*/) {
    std::vector<Pointer> result;
    for (const Address each : addresses) result.push_back(reinterpret_cast<Pointer>(each));
    return result;
  };
  using Addresses = const std::vector<Address>&;
  type.def(py::init([](Address comm, const std::vector<GivenArray>& given, const Options& options) {
             std::vector<mpi::RedistributionArray> arrays;
             for (const auto& [shape, source, target, element_bytes, of_array] : given) {
               arrays.push_back({shape, source.layout, target.layout, element_bytes, of_array});
               arrays.back().options.from_first = source.first;
               arrays.back().options.to_first = target.first;
             }
             return Job(comm_at(comm), arrays, options);
           }),
           Released())
      .def(
          "execute",
          [pointers](Job& own, Addresses sources, Addresses targets) {
            own.execute(pointers(sources, static_cast<const void*>(nullptr)),
                        pointers(targets, static_cast<void*>(nullptr)));
          },
          Released())
      .def(
          "start",
          [pointers](Job& own, Addresses sources, Addresses targets) {
            own.start(pointers(sources, static_cast<const void*>(nullptr)),
                      pointers(targets, static_cast<void*>(nullptr)));
          },
          Released())
      .def("source_extent", &Job::source_extent)
      .def("target_extent", &Job::target_extent)
      .def("to_ranks", &Job::to_ranks)
      .def_property_readonly("extra_bytes", &Job::peak_extra_bytes)
      .def_property_readonly("steps", &Job::steps)
      .def_property_readonly("native", &Job::native);
  add_job_methods<Job>(type);
}

std::span<const std::byte> readable(Address address, std::int64_t bytes) {
  return {reinterpret_cast<const std::byte*>(address), static_cast<std::size_t>(bytes)};
}
std::span<std::byte> writable(Address address, std::int64_t bytes) {
  return {reinterpret_cast<std::byte*>(address), static_cast<std::size_t>(bytes)};
}

std::vector<std::pair<int, std::int64_t>> in_python(const std::vector<mpi::MessageSize>& messages) {
  std::vector<std::pair<int, std::int64_t>> result;
  for (const mpi::MessageSize& each : messages) result.emplace_back(each.peer, each.bytes);
  return result;
}

void add_exchange(py::module_& module) {
  using Job = mpi::Exchange;
  using Options = mpi::ExchangeOptions;
  py::class_<Options>(module, "ExchangeOptions")
      .def(py::init<>())
      .def_readwrite("max_transfers", &Options::max_transfers)
      .def_property(
          "mode", [](const Options& own) { return to_string(own.mode); },
          [](Options& own, const std::string& mode) { own.mode = mpi::parse_exchange_mode(mode); })
      .def_readwrite("algorithm", &Options::algorithm)
      .def_readwrite("setup_bytes", &Options::setup_bytes)
      .def_readwrite("effort", &Options::effort)
      .def_readwrite("time_limit_s", &Options::time_limit_s)
      .def_readwrite("chunk_bytes", &Options::chunk_bytes)
      .def_readwrite("window", &Options::window)
      .def_readwrite("early_release_bytes", &Options::early_release_bytes)
      .def_readwrite("try_native", &Options::try_native)
      .def_property(
          "sender_speeds", [](const Options& own) { return speeds_as_numbers(own.speeds.senders); },
          [](Options& own, const std::vector<double>& speeds) {
            own.speeds.senders = speeds_in_pairs(speeds, {}, {}).senders;
          })
      .def_property(
          "receiver_speeds", [](const Options& own) { return speeds_as_numbers(own.speeds.receivers); },
          [](Options& own, const std::vector<double>& speeds) {
            own.speeds.receivers = speeds_in_pairs({}, speeds, {}).receivers;
          })
      .def_property(
          "backbone",
          [](const Options& own) {
            std::vector<std::pair<double, std::int64_t>> result;
            for (const BackboneChange& each : own.speeds.backbone) result.emplace_back(each.time, each.max_transfers);
            return result;
          },
          [](Options& own, const std::vector<std::pair<double, std::int64_t>>& backbone) {
            own.speeds.backbone = speeds_in_pairs({}, {}, backbone).backbone;
          })
      .def_property(
          "local_links",
          [](const Options& own) -> std::optional<std::pair<double, std::optional<double>>> {
            if (!own.local_links) return std::nullopt;
            return std::pair(own.local_links->unit_cost, own.local_links->setup);
          },
          [](Options& own, const std::optional<std::pair<double, std::optional<double>>>& links) {
            own.local_links.reset();
            if (links) own.local_links = LocalLinks{links->first, links->second};
          })
      .def_readwrite("sender_ranks", &Options::sender_ranks)
      .def_readwrite("receiver_ranks", &Options::receiver_ranks);
  py::class_<Job> type(module, "Exchange");
  type.def(py::init([](Address comm, const std::vector<std::pair<int, std::int64_t>>& sends, const Options& options) {
             std::vector<mpi::MessageSize> messages;
             for (const auto& [peer, bytes] : sends) messages.push_back({peer, bytes});
             return Job(comm_at(comm), messages, options);
           }),
           Released())
      .def(
          "execute",
          [](Job& own, Address send, std::int64_t send_bytes, Address receive, std::int64_t receive_bytes) {
            own.execute(readable(send, send_bytes), writable(receive, receive_bytes));
          },
          Released())
      .def(
          "start",
          [](Job& own, Address send, std::int64_t send_bytes, Address receive, std::int64_t receive_bytes) {
            own.start(readable(send, send_bytes), writable(receive, receive_bytes));
          },
          Released())
      .def_property_readonly("sends", [](const Job& own) { return in_python(own.sends()); })
      .def_property_readonly("receives", [](const Job& own) { return in_python(own.receives()); })
      .def_property_readonly("send_bytes", &Job::send_bytes)
      .def_property_readonly("receive_bytes", &Job::receive_bytes)
      .def_property_readonly("mode", [](const Job& own) { return to_string(own.mode()); })
      .def_property_readonly("steps", &Job::steps)
      .def_property_readonly("extra_bytes", &Job::peak_extra_bytes)
      .def_property_readonly("native", &Job::native);
  add_job_methods<Job>(type);
}

void add_reduction(py::module_& module) {
  using Job = mpi::ElementReduction;
  using Options = mpi::ReductionOptions;
  using Costs = mpi::ReductionCosts;
  py::class_<Costs>(module, "ReductionCosts")
      .def(py::init([](double transfer, double compute, double transfer_overhead, double compute_overhead) {
        return Costs{transfer, compute, transfer_overhead, compute_overhead};
      }));
  py::class_<Options>(module, "ReductionOptions")
      .def(py::init<>())
      .def_readwrite("costs", &Options::costs)
      .def_readwrite("measure", &Options::measure)
      .def_readwrite("platform", &Options::platform)
      .def_readwrite("program", &Options::program)
      .def_readwrite("algorithm", &Options::algorithm)
      .def_readwrite("arity", &Options::arity)
      .def_readwrite("segments", &Options::segments)
      .def_readwrite("effort", &Options::effort)
      .def_readwrite("reproducible", &Options::reproducible)
      .def_readwrite("try_native", &Options::try_native)
      .def_readwrite("dynamic", &Options::dynamic)
      .def_readwrite("progress_thread", &Options::progress_thread);
  py::class_<Job> type(module, "Reduction");
  type.def(
          py::init([](Address comm, std::int64_t count, Address datatype, Address op, int root,
                      const Options& options) {
            return Job(comm_at(comm), {count, handle_at<MPI_Datatype>(datatype), handle_at<MPI_Op>(op)}, root, options);
          }),
          Released())
      // 0 stands for MPI_IN_PLACE.
      .def(
          "execute",
          [](Job& own, Address mine, Address result) {
            own.execute(mine == 0 ? MPI_IN_PLACE : reinterpret_cast<const void*>(mine),
                        reinterpret_cast<void*>(result));
          },
          Released())
      .def(
          "start",
          [](Job& own, Address mine, Address result) {
            own.start(mine == 0 ? MPI_IN_PLACE : reinterpret_cast<const void*>(mine), reinterpret_cast<void*>(result));
          },
          Released())
      .def_property_readonly("method", [](const Job& own) { return own.summary().method; })
      .def_property_readonly("extra_bytes", &Job::peak_extra_bytes)
      .def_property_readonly("native", [](const Job& own) { return own.summary().native; });
  add_job_methods<Job>(type);
}

void add_broadcast(py::module_& module) {
  using Job = mpi::Broadcast;
  using Options = mpi::BroadcastOptions;
  using Plan = sluice::BroadcastOptions;
  py::class_<Options> options(module, "BroadcastOptions");
  options.def(py::init<>())
      .def_readwrite("platform", &Options::platform)
      .def_readwrite("program", &Options::program)
      .def_readwrite("try_native", &Options::try_native);
  const auto of_plan = [&](const char* name, auto Plan::*field) {
    options.def_property(
        name, [field](const Options& own) { return own.plan.*field; },
        [field](Options& own, const std::decay_t<decltype(own.plan.*field)>& value) { own.plan.*field = value; });
  };
  of_plan("algorithm", &Plan::algorithm);
  of_plan("lookahead", &Plan::lookahead);
  of_plan("inside", &Plan::inside);
  of_plan("segments", &Plan::segments);
  of_plan("early_internal", &Plan::early_internal);
  of_plan("effort", &Plan::effort);
  py::class_<Job> type(module, "Broadcast");
  type.def(py::init([](Address comm, int root, const Options& given) { return Job(comm_at(comm), root, given); }),
           Released())
      .def(
          "execute",
          [](Job& own, Address buffer, std::int64_t bytes) { own.execute(reinterpret_cast<void*>(buffer), bytes); },
          Released())
      .def(
          "start",
          [](Job& own, Address buffer, std::int64_t bytes) { own.start(reinterpret_cast<void*>(buffer), bytes); },
          Released())
      .def(
          "chosen", [](Job& own, std::int64_t bytes) { return own.chosen(bytes).method; }, Released());
  add_job_methods<Job>(type);
}

mpi::CollectiveJob collective_of(MPI_Comm comm, Collective problem, const std::vector<std::int64_t>& sizes, int root,
                                 const mpi::CollectiveOptions& options) {
  if (sizes.size() == 1) return {comm, problem, sizes.front(), root, options};
  return {comm, problem, sizes, root, options};
}

mpi::CollectiveJob combining_of(MPI_Comm comm, Collective problem, const mpi::ElementOperation& operation,
                                const std::vector<std::int64_t>& counts, const mpi::CollectiveOptions& options) {
  if (counts.empty()) return {comm, problem, operation, options};
  return {comm, problem, operation, counts, options};
}

void add_collectives(py::module_& module) {
  using Job = mpi::CollectiveJob;
  using Options = mpi::CollectiveOptions;
  py::class_<Options>(module, "CollectiveOptions")
      .def(py::init<>())
      .def_readwrite("platform", &Options::platform)
      .def_readwrite("program", &Options::program)
      .def_readwrite("algorithm", &Options::algorithm)
      .def_readwrite("segments", &Options::segments)
      .def_readwrite("effort", &Options::effort)
      .def_readwrite("reproducible", &Options::reproducible)
      .def_readwrite("try_native", &Options::try_native);
  py::class_<Job> type(module, "Collective");
  type.def(py::init([](Address comm, const std::string& problem, const std::vector<std::int64_t>& sizes, int root,
                       const Options& options) {
             return collective_of(comm_at(comm), parse_collective(problem).value(), sizes, root, options);
           }),
           Released())
      .def(py::init([](Address comm, const std::string& problem, std::int64_t count, Address datatype, Address op,
                       const std::vector<std::int64_t>& counts, const Options& options) {
             const mpi::ElementOperation operation{count, handle_at<MPI_Datatype>(datatype), handle_at<MPI_Op>(op)};
             return combining_of(comm_at(comm), parse_collective(problem).value(), operation, counts, options);
           }),
           Released())
      // None stands for MPI_IN_PLACE.
      .def(
          "execute",
          [](Job& own, std::optional<Address> mine, Address result) {
            own.execute(mine ? reinterpret_cast<const void*>(*mine) : MPI_IN_PLACE, reinterpret_cast<void*>(result));
          },
          Released())
      .def(
          "start",
          [](Job& own, std::optional<Address> mine, Address result) {
            own.start(mine ? reinterpret_cast<const void*>(*mine) : MPI_IN_PLACE, reinterpret_cast<void*>(result));
          },
          Released())
      .def_property_readonly("own_bytes", &Job::own_bytes)
      .def_property_readonly("result_bytes", &Job::result_bytes)
      .def_property_readonly("method", [](const Job& own) { return own.chosen().method; })
      .def_property_readonly("extra_bytes", &Job::peak_extra_bytes)
      .def_property_readonly("native", &Job::native);
  add_job_methods<Job>(type);
}

}  // namespace

}  // namespace sluice::python

PYBIND11_MODULE(_mpi, module) {
  using sluice::python::Address;
  module.doc() = "Jobs of Sluice under MPI; use the module sluice.mpi.";
  py::module_::import("sluice._core");  // it has the classes Layout, Platform and Program
  sluice::python::translate_exceptions();
  sluice::python::add_redistribution(module);
  sluice::python::add_redistribution_batch(module);
  sluice::python::add_exchange(module);
  sluice::python::add_reduction(module);
  sluice::python::add_broadcast(module);
  sluice::python::add_collectives(module);
  module.def(
      "refuse_job",
      [](Address comm, const std::string& why) {
        sluice::mpi::refuse_job(sluice::python::comm_at(comm), std::make_exception_ptr(std::invalid_argument(why)));
      },
      sluice::python::Released());
  module.def(
      "set_agreed_arguments",
      [](Address comm, bool agreed) { sluice::mpi::set_agreed_arguments(sluice::python::comm_at(comm), agreed); },
      sluice::python::Released());
  module.def("size_of_handles", [] { return py::make_tuple(sizeof(MPI_Comm), sizeof(MPI_Datatype), sizeof(MPI_Op)); });
  module.attr("mpi_family") = SLUICE_MPI_FAMILY;
}
