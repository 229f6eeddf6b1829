#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "job.hpp"
#include "layout.hpp"
#include "options.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face
using sluice::mpi::Redistribution;
using sluice::mpi::RedistributionBatch;

namespace {

/// Y = beta Y + alpha op(X).
struct Scaling {
  std::string element_type;
  double alpha = 1;
  double beta = 0;
  bool conjugate = false;
};

template <class T>
sluice::mpi::ElementCombine combine_of(const Scaling& how, std::int64_t element_bytes) {
  if (element_bytes != static_cast<std::int64_t>(sizeof(T))) {
    throw sluice::InputError(
        "element_type",
        fmt::format("'{}' for elements of {}", how.element_type, sluice::count_text(element_bytes, "byte")),
        fmt::format("elements of {} bytes", sizeof(T)));
  }
  using Real = decltype(std::abs(T{}));
  return sluice::mpi::scale_and_add(T(static_cast<Real>(how.alpha)), T(static_cast<Real>(how.beta)), how.conjugate);
}

/// Empty where elements are only moved.
sluice::mpi::ElementCombine combine_of(const Scaling& how, std::int64_t element_bytes) {
  const bool moves = how.alpha == 1 && how.beta == 0 && !how.conjugate;
  if (how.element_type.empty() && moves) return {};
  if (how.element_type == "float") return combine_of<float>(how, element_bytes);
  if (how.element_type == "double") return combine_of<double>(how, element_bytes);
  if (how.element_type == "float complex") return combine_of<std::complex<float>>(how, element_bytes);
  if (how.element_type == "double complex") return combine_of<std::complex<double>>(how, element_bytes);
  throw sluice::InputError("element_type", how.element_type.empty() ? "none" : fmt::format("'{}'", how.element_type),
                           "float, double, float complex or double complex beside alpha, beta and conjugate");
}

void read_array(OptionReader& reader, sluice::mpi::ArrayOptions& options, std::int64_t element_bytes) {
  Scaling scaling;
  bool column_major = false;
  reader.read("from_start", options.from_start);
  reader.read("to_start", options.to_start);
  reader.read("extent", options.extent);
  reader.read("to_shape", options.to_shape);
  reader.read("transpose", options.transpose);
  reader.read_part(options.part, options.unit_diagonal);
  reader.read("from_ranks", options.from_ranks);
  reader.read("to_ranks", options.to_ranks);
  reader.read("column_major", column_major);
  reader.read("alpha", scaling.alpha);
  reader.read("beta", scaling.beta);
  reader.read("conjugate", scaling.conjugate);
  reader.read("element_type", scaling.element_type);
  reader.read("source_leading", options.source_leading);
  reader.read("target_leading", options.target_leading);
  options.combine = combine_of(scaling, element_bytes);
  if (column_major) options.order = sluice::mpi::StorageOrder::kColumnMajor;
}

void read_job(OptionReader& reader, sluice::mpi::RedistributionJobOptions& options) {
  reader.read("algorithm", options.algorithm);
  reader.read("setup", options.setup);
  reader.read("effort", options.effort);
  reader.read("chunk_bytes", options.chunk_bytes);
  reader.read("window", options.window);
  reader.read("shared_from_bytes", options.shared_from_bytes);
  reader.read("try_native", options.try_native);
  reader.read("relabel", options.relabel);
}

sluice::mpi::RedistributionOptions redistribution_options(const sluice_options* given, std::int64_t element_bytes) {
  sluice::mpi::RedistributionOptions options;
  OptionReader reader(given);
  read_array(reader, options, element_bytes);
  reader.read("from_replicas", options.from_replicas);
  reader.read("to_replicas", options.to_replicas);
  reader.read("forward", options.forward);
  read_job(reader, options);
  reader.done();
  return options;
}

sluice::mpi::RedistributionArray array_of(const sluice_array& given) {
  sluice::mpi::RedistributionArray array;
  array.from = layout_of(given.from, "from");
  array.to = layout_of(given.to, "to");
  check_given(given.shape, "shape");
  array.shape = shape_of(given.shape, array.from.dimensions());
  array.element_size = given.element_bytes;
  OptionReader reader(given.options);
  read_array(reader, array.options, given.element_bytes);
  reader.done();
  array.options.from_first = first_of(*given.from);
  array.options.to_first = first_of(*given.to);
  return array;
}

/// How many ranks there are, and where there is room for them, all of them.
void list_ranks(const std::vector<int>& found, std::int64_t* count, std::int64_t capacity, int* ranks) {
  check_given(count, "count");
  const auto size = static_cast<std::int64_t>(found.size());
  if (ranks != nullptr) {
    if (capacity < size)
      throw sluice::InputError("capacity", fmt::format("{}", capacity),
                               fmt::format("room for {}", sluice::count_text(size, "rank")));
    std::ranges::copy(found, ranks);
  }
  *count = size;
}

/// The number of an array of the batch.
std::size_t number_of(std::int64_t array) {
  if (array < 0) throw sluice::InputError("array", fmt::format("{}", array), "at least 0");
  return static_cast<std::size_t>(array);
}

/// `count` pointers at `list`.
template <class Pointer>
std::span<const Pointer> pointers(const Pointer* list, const RedistributionBatch& job) {
  return {list, list == nullptr ? 0 : job.arrays()};
}

}  // namespace

int sluice_redistribution_create(MPI_Comm comm, const std::int64_t shape[], const sluice_layout* from,
                                 const sluice_layout* to, std::int64_t element_bytes, const sluice_options* options,
                                 sluice_job** job) {
  return create<Redistribution>(comm, job, [&] {
    const sluice::Layout source = layout_of(from, "from"), target = layout_of(to, "to");
    check_given(shape, "shape");
    sluice::mpi::RedistributionOptions how = redistribution_options(options, element_bytes);
    how.from_first = first_of(*from);
    how.to_first = first_of(*to);
    return std::tuple(shape_of(shape, source.dimensions()), source, target, element_bytes, std::move(how));
  });
}

int sluice_redistribution_create_f(MPI_Fint comm, const std::int64_t shape[], const sluice_layout* from,
                                   const sluice_layout* to, std::int64_t element_bytes, const sluice_options* options,
                                   sluice_job** job) {
  return sluice_redistribution_create(comm_of(comm), shape, from, to, element_bytes, options, job);
}

int sluice_redistribution_extents(const sluice_job* job, std::int64_t* source, std::int64_t* target) {
  return guarded([&] {
    const auto& own = job_of<Redistribution>(job);
    if (source != nullptr) *source = own.source_extent();
    if (target != nullptr) *target = own.target_extent();
  });
}

int sluice_redistribution_to_ranks(const sluice_job* job, std::int64_t* count, std::int64_t capacity, int ranks[]) {
  return guarded([&] { list_ranks(job_of<Redistribution>(job).to_ranks(), count, capacity, ranks); });
}

int sluice_redistribution_execute(sluice_job* job, const void* source, void* target) {
  return guarded([&] { job_of<Redistribution>(job).execute(source, target); });
}

int sluice_redistribution_start(sluice_job* job, const void* source, void* target) {
  return guarded([&] { job_of<Redistribution>(job).start(source, target); });
}

int sluice_redistribution_batch_create(MPI_Comm comm, std::int64_t count, const sluice_array arrays[],
                                       const sluice_options* options, sluice_job** job) {
  return create<RedistributionBatch>(comm, job, [&] {
    if (count < 1) throw sluice::InputError("count", fmt::format("{}", count), "at least one array");
    check_given(arrays, "arrays");
    std::vector<sluice::mpi::RedistributionArray> all;
    for (std::int64_t a = 0; a < count; ++a) all.push_back(array_of(arrays[a]));
    sluice::mpi::RedistributionJobOptions how;
    OptionReader reader(options);
    read_job(reader, how);
    reader.done();
    return std::tuple(std::move(all), std::move(how));
  });
}

int sluice_redistribution_batch_create_f(MPI_Fint comm, std::int64_t count, const sluice_array arrays[],
                                         const sluice_options* options, sluice_job** job) {
  return sluice_redistribution_batch_create(comm_of(comm), count, arrays, options, job);
}

int sluice_redistribution_batch_arrays(const sluice_job* job, std::int64_t* count) {
  return guarded([&] {
    check_given(count, "count");
    *count = static_cast<std::int64_t>(job_of<RedistributionBatch>(job).arrays());
  });
}

int sluice_redistribution_batch_extents(const sluice_job* job, std::int64_t array, std::int64_t* source,
                                        std::int64_t* target) {
  return guarded([&] {
    const auto& own = job_of<RedistributionBatch>(job);
    const std::size_t number = number_of(array);
    const std::int64_t extents[] = {own.source_extent(number), own.target_extent(number)};
    if (source != nullptr) *source = extents[0];
    if (target != nullptr) *target = extents[1];
  });
}

int sluice_redistribution_batch_to_ranks(const sluice_job* job, std::int64_t array, std::int64_t* count,
                                         std::int64_t capacity, int ranks[]) {
  return guarded(
      [&] { list_ranks(job_of<RedistributionBatch>(job).to_ranks(number_of(array)), count, capacity, ranks); });
}

int sluice_redistribution_batch_execute(sluice_job* job, const void* const sources[], void* const targets[]) {
  return guarded([&] {
    auto& own = job_of<RedistributionBatch>(job);
    own.execute(pointers(sources, own), pointers(targets, own));
  });
}

int sluice_redistribution_batch_start(sluice_job* job, const void* const sources[], void* const targets[]) {
  return guarded([&] {
    auto& own = job_of<RedistributionBatch>(job);
    own.start(pointers(sources, own), pointers(targets, own));
  });
}
