#include "scalapack/redistribute.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "environment.hpp"
#include "own_mpi.hpp"
#include "scalapack/home.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::scalapack {
namespace {

std::unique_ptr<mpi::Redistribution> make_job(const Call& call, MPI_Comm comm) {
  const Shared shared = share(call, comm);
  const SubMatrix& from = shared.from;
  const SubMatrix& to = shared.to;
  const auto layout = [](const SubMatrix& m) {
    return Layout{{m.grid.rows, m.grid.columns}, {m.row_block, m.column_block}};
  };
  mpi::RedistributionOptions options;
  options.from_first = {from.first_row, from.first_column};
  options.to_first = {to.first_row, to.first_column};
  options.from_start = {from.row, from.column};
  options.to_start = {to.row, to.column};
  options.extent = {call.rows, call.columns};
  options.to_shape = {to.rows, to.columns};
  options.from_ranks = shared.from_ranks;
  options.to_ranks = shared.to_ranks;
  options.part = call.part;
  options.unit_diagonal = call.unit_diagonal;
  options.order = mpi::StorageOrder::kColumnMajor;
  if (call.from.grid.has_me()) options.source_leading = {call.from.leading};
  if (call.to.grid.has_me()) options.target_leading = {call.to.leading};
  return std::make_unique<mpi::Redistribution>(comm, std::vector<std::int64_t>{from.rows, from.columns}, layout(from),
                                               layout(to), call.element_size, options);
}

/// SLUICE_LOG=1: on standard error of rank 0, a line that names the library and the MPI at the first call, and one at
/// the end of the program.
class Log {
 public:
  Log() {
    try {
      on_ = is_on("SLUICE_LOG");
    } catch (const InputError& error) {
      fmt::print(stderr, "sluice: ignored: {}\n", error.what());
    }
    if (!on_) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    on_ = rank == 0;
    if (on_)
      fmt::print(stderr, "sluice: libsluice_scalapack.so {}: under {}\n", SLUICE_VERSION,
                 name_of_mpi(MPI_Get_library_version));
  }
  ~Log() {
    if (on_)
      fmt::print(stderr, "sluice: ScaLAPACK: {} planned and carried out, {} made\n", count_text(calls_, "call"),
                 count_text(plans_, "plan"));
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void add_call() { ++calls_; }
  void add_plan() { ++plans_; }

 private:
  bool on_ = false;
  std::int64_t calls_ = 0;
  std::int64_t plans_ = 0;
};

Log& the_log() {
  static Log log;
  return log;
}

/// Nothing is thrown through a caller in C or Fortran.
void redistribute(MPI_Comm grid, const Call& call) noexcept {
  try {
    const std::shared_ptr<Home> home = Home::of(grid);
    std::vector<std::int64_t> known = known_here(call);
    mpi::Redistribution* job = home->find(known);
    the_log().add_call();
    if (job == nullptr) {
      the_log().add_plan();
      job = &home->keep(std::move(known), make_job(call, home->comm()));
    }
    job->execute(call.a, call.b);
  } catch (const std::bad_alloc&) {
    end_program("xxmr2d:out of memory\n", 2);
  } catch (const std::exception& error) {
    end_program(fmt::format("xxmr2d:{}\n", error.what()).c_str(), 1);
  }
}

void check_mpi() {
  static const bool checked = (require_own_family(MPI_Get_library_version), true);
  (void)checked;
}

/// Where the sub-matrix is empty ScaLAPACK returns without a look at anything else.
bool moves_nothing(const Call& call) { return call.rows == 0 || call.columns == 0; }

}  // namespace

void redistribute_in(int context, const Call& call) {
  check_mpi();
  if (!moves_nothing(call)) redistribute(communicator_of(context), call);
}

void redistribute_in_world(const Call& call) {
  check_mpi();
  if (!moves_nothing(call)) redistribute(MPI_COMM_WORLD, call);
}

}  // namespace sluice::scalapack
