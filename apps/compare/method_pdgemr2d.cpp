#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "apps/compare/redistribution_methods.hpp"
#include "sluice/error.hpp"

#ifdef SLUICE_SCALAPACK

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int* context, int* user_map, int leading_dimension, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int rows, int columns, const double* a, int ia, int ja, const int* desc_a, double* b, int ib, int jb,
               const int* desc_b, int context);
void Cpdtrmr2d(const char* uplo, const char* diag, int rows, int columns, const double* a, int ia, int ja,
               const int* desc_a, double* b, int ib, int jb, const int* desc_b, int context);
}

namespace sluice::compare {
namespace {

/// A BLACS grid over given ranks of a communicator; made collectively by all of them.
class BlacsGrid {
 public:
  BlacsGrid(int system_handle, std::vector<int> map, int rows, int columns) : context_(system_handle) {
    Cblacs_gridmap(&context_, map.data(), rows, rows, columns);
  }
  ~BlacsGrid() {
    // On a rank outside the grid there is none.
    if (context_ >= 0) Cblacs_gridexit(context_);
  }
  BlacsGrid(const BlacsGrid&) = delete;
  BlacsGrid& operator=(const BlacsGrid&) = delete;

  /// Negative on a rank outside the grid.
  [[nodiscard]] int context() const { return context_; }

 private:
  int context_;
};

/// A communicator's handle in the BLACS.
class SystemHandle {
 public:
  explicit SystemHandle(MPI_Comm comm) : handle_(Csys2blacs_handle(comm)) {}
  ~SystemHandle() { Cfree_blacs_system_handle(handle_); }
  SystemHandle(const SystemHandle&) = delete;
  SystemHandle& operator=(const SystemHandle&) = delete;

  [[nodiscard]] int get() const { return handle_; }

 private:
  int handle_;
};

int as_int(std::int64_t value, const char* what) {
  if (value > std::numeric_limits<int>::max()) {
    throw InputError(what, fmt::format("{}", value), "at most 2^31 - 1 for pdgemr2d");
  }
  return static_cast<int>(value);
}

/// One array as ScaLAPACK sees it: column-major, so with the dimensions of a row-major one exchanged.
struct Matrix {
  std::array<int, 9> descriptor{};
  int row = 1;  ///< where the sub-matrix begins, from 1
  int column = 1;
  int grid_rows = 1;
  int grid_columns = 1;
  std::vector<int> map;  ///< rank of each process, column by column

  Matrix(const Distribution& array, const std::vector<int>& ranks, const std::optional<Rank>& process,
         const std::array<std::int64_t, 2>& start, mpi::StorageOrder order) {
    const std::size_t r = order == mpi::StorageOrder::kColumnMajor ? 0 : 1;
    const std::size_t c = 1 - r;
    const Axis& rows = array.axis(r);
    const Axis& columns = array.axis(c);
    grid_rows = as_int(rows.processes, "grid");
    grid_columns = as_int(columns.processes, "grid");
    const std::int64_t local_rows = process ? array.local_shape(*process)[r] : 1;
    const std::int64_t local_columns = process ? array.local_shape(*process)[c] : 1;
    as_int(local_rows * std::max<std::int64_t>(1, local_columns), "local part");
    descriptor = {1,
                  -1,
                  as_int(rows.extent, "shape"),
                  as_int(columns.extent, "shape"),
                  as_int(rows.block, "block"),
                  as_int(columns.block, "block"),
                  as_int(rows.first_process, "first process"),
                  as_int(columns.first_process, "first process"),
                  std::max(1, as_int(local_rows, "local part"))};
    row = as_int(start[r] + 1, "sub-array");
    column = as_int(start[c] + 1, "sub-array");
    for (std::int64_t j = 0; j < grid_columns; ++j) {
      for (std::int64_t i = 0; i < grid_rows; ++i) {
        const std::array<Coordinate, 2> at = r == 0 ? std::array{Coordinate(i), Coordinate(j)}  //
                                                    : std::array{Coordinate(j), Coordinate(i)};
        map.push_back(ranks[static_cast<std::size_t>(array.rank(at).value)]);
      }
    }
  }
};

class Pdgemr2d final : public Method {
 public:
  explicit Pdgemr2d(const RedistributionPart& part)
      : least_bytes_((part.source_elements() + part.target_elements()) * part.job.element_size) {
    prepare_together(part.comm, [&] { describe(part); });
    if (rows_ == 0 || columns_ == 0) return;  // BLACS and pdgemr2d want something to do

    handle_.emplace(part.comm.get());
    std::vector<int> everyone(static_cast<std::size_t>(part.comm.size()));
    std::iota(everyone.begin(), everyone.end(), 0);
    all_.emplace(handle_->get(), everyone, 1, part.comm.size());
    from_.emplace(handle_->get(), source_->map, source_->grid_rows, source_->grid_columns);
    to_.emplace(handle_->get(), target_->map, target_->grid_rows, target_->grid_columns);
    source_->descriptor[1] = part.sender ? from_->context() : -1;
    target_->descriptor[1] = part.receiver ? to_->context() : -1;
  }

  void execute(const void* source, void* target) override {
    if (rows_ == 0 || columns_ == 0) return;
    // It prints and aborts on its own if something fails.
    if (cuts_) {
      Cpdtrmr2d(upper_ ? "U" : "L", unit_diagonal_ ? "U" : "N", rows_, columns_, static_cast<const double*>(source),
                source_->row, source_->column, source_->descriptor.data(), static_cast<double*>(target), target_->row,
                target_->column, target_->descriptor.data(), all_->context());
      return;
    }
    Cpdgemr2d(rows_, columns_, static_cast<const double*>(source), source_->row, source_->column,
              source_->descriptor.data(), static_cast<double*>(target), target_->row, target_->column,
              target_->descriptor.data(), all_->context());
  }
  /// It allocates and frees inside each call. It must hold at least a copy of what it sends and one of what it
  /// receives.
  [[nodiscard]] std::int64_t held_bytes() const override { return least_bytes_; }

 private:
  /// Throws InputError.
  void describe(const RedistributionPart& part) {
    const RedistributionProblem& problem = part.problem;
    if (problem.dimensions() != 2) {
      throw InputError("dimensions", fmt::format("{}", problem.dimensions()), "2 for pdgemr2d");
    }
    if (part.job.element_size != 8) {
      throw InputError("element_size", fmt::format("{}", part.job.element_size), "8 for pdgemr2d");
    }
    const AxisPattern& x = problem.axis(0);
    const AxisPattern& y = problem.axis(1);
    const mpi::StorageOrder order = part.job.options.order;
    source_.emplace(problem.from(), part.from_ranks, part.sender, std::array{x.from_start(), y.from_start()}, order);
    target_.emplace(problem.to(), part.to_ranks, part.receiver, std::array{x.to_start(), y.to_start()}, order);
    cuts_ = problem.has_part();
    // The upper part of a matrix is the lower one of its transpose.
    upper_ = (problem.part() == MatrixPart::kUpper) == (order == mpi::StorageOrder::kColumnMajor);
    unit_diagonal_ = problem.unit_diagonal();
    rows_ = as_int(order == mpi::StorageOrder::kColumnMajor ? x.extent() : y.extent(), "sub-array");
    columns_ = as_int(order == mpi::StorageOrder::kColumnMajor ? y.extent() : x.extent(), "sub-array");
  }

  std::int64_t least_bytes_;
  int rows_ = 0;
  int columns_ = 0;
  bool cuts_ = false;
  bool upper_ = false;
  bool unit_diagonal_ = false;
  std::optional<Matrix> source_;
  std::optional<Matrix> target_;
  std::optional<SystemHandle> handle_;
  std::optional<BlacsGrid> all_;
  std::optional<BlacsGrid> from_;
  std::optional<BlacsGrid> to_;
};

}  // namespace

std::unique_ptr<Method> make_pdgemr2d(const RedistributionPart& part) { return std::make_unique<Pdgemr2d>(part); }

bool has_pdgemr2d() { return true; }

std::string scalapack_version() { return SLUICE_SCALAPACK; }

}  // namespace sluice::compare

#else

namespace sluice::compare {

std::unique_ptr<Method> make_pdgemr2d(const RedistributionPart& /*part*/) {
  throw InputError("method", "pdgemr2d in a build without ScaLAPACK", "another method");
}

bool has_pdgemr2d() { return false; }

std::string scalapack_version() { return {}; }

}  // namespace sluice::compare

#endif
