#include "apps/sluice/tune/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::command {

namespace {

using P = LibraryPattern;

constexpr std::array kKinds = {
    CallKind{Call::kBcast, "bcast", Collective::kBroadcast, false, 7, false, false, "Bcast"},
    CallKind{Call::kReduce, "reduce", Collective::kReduce, true, 11, false, false, "Reduce"},
    CallKind{Call::kAllreduce, "allreduce", Collective::kAllreduce, true, 2, false, false, "Allreduce"},
    CallKind{Call::kAllgather, "allgather", Collective::kAllgather, false, 0, true, true, "Allgather"},
    CallKind{Call::kAlltoall, "alltoall", Collective::kAlltoall, false, 3, true, false, "Alltoall"},
    CallKind{Call::kGather, "gather", Collective::kGather, false, 9, true, true, ""},
    CallKind{Call::kScatter, "scatter", Collective::kScatter, false, 15, true, true, ""},
    CallKind{Call::kReduceScatter, "reduce_scatter", Collective::kReduceScatter, true, 12, false, false,
             "Reduce_scatter"},
    CallKind{Call::kReduceScatterBlock, "reduce_scatter_block", Collective::kReduceScatter, true, 13, false, false,
             "Reduce_scatter_block"},
};

constexpr bool kSegments = true;
constexpr bool kCommutes = false;  // only operations that commute
using F = FitsRanks;

// Numbers and names: ompi_info --param coll tuned --level 9. Which keep the order of ranks was tried with products of
// matrices.
constexpr std::array kOpenMpi = {
    LibraryAlgorithm{Call::kBcast, "basic_linear", 1, P::kLinear},
    LibraryAlgorithm{Call::kBcast, "chain", 2, P::kChains4, kSegments},
    LibraryAlgorithm{Call::kBcast, "pipeline", 3, P::kPipeline, kSegments},
    LibraryAlgorithm{Call::kBcast, "split_binary_tree", 4, std::nullopt, kSegments},
    LibraryAlgorithm{Call::kBcast, "binary_tree", 5, P::kBinary, kSegments},
    LibraryAlgorithm{Call::kBcast, "binomial", 6, P::kBinomialNear, kSegments},
    LibraryAlgorithm{Call::kBcast, "knomial", 7, P::kKnomial4, kSegments},
    LibraryAlgorithm{Call::kBcast, "scatter_allgather", 8, P::kScatterDoubling},
    LibraryAlgorithm{Call::kBcast, "scatter_allgather_ring", 9, P::kScatterRing},
    LibraryAlgorithm{Call::kReduce, "linear", 1, P::kLinear},
    LibraryAlgorithm{Call::kReduce, "chain", 2, P::kChains4, kSegments, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kReduce, "pipeline", 3, P::kPipeline, kSegments, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kReduce, "binary", 4, P::kBinary, kSegments, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kReduce, "binomial", 5, P::kBinomial, kSegments, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kReduce, "in-order_binary", 6, std::nullopt, kSegments},
    LibraryAlgorithm{Call::kReduce, "rabenseifner", 7, P::kRabenseifner},
    LibraryAlgorithm{Call::kAllreduce, "basic_linear", 1, P::kLinear},
    LibraryAlgorithm{Call::kAllreduce, "nonoverlapping", 2},
    LibraryAlgorithm{Call::kAllreduce, "recursive_doubling", 3, P::kDoubling},
    LibraryAlgorithm{Call::kAllreduce, "ring", 4, P::kRing, false, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kAllreduce, "segmented_ring", 5, std::nullopt, kSegments, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kAllreduce, "rabenseifner", 6, P::kRabenseifner},
    LibraryAlgorithm{Call::kAllgather, "linear", 1},
    LibraryAlgorithm{Call::kAllgather, "bruck", 2, P::kBruck},
    LibraryAlgorithm{Call::kAllgather, "recursive_doubling", 3, P::kDoubling},
    LibraryAlgorithm{Call::kAllgather, "ring", 4, P::kRing},
    LibraryAlgorithm{Call::kAllgather, "neighbor", 5, P::kNeighbors, false, F::kEven},
    LibraryAlgorithm{Call::kAllgather, "two_proc", 6, P::kDirect, false, F::kTwo},
    LibraryAlgorithm{Call::kAlltoall, "linear", 1, P::kDirect},
    LibraryAlgorithm{Call::kAlltoall, "pairwise", 2, P::kDirect},
    LibraryAlgorithm{Call::kAlltoall, "modified_bruck", 3, P::kBruck},
    LibraryAlgorithm{Call::kAlltoall, "linear_sync", 4, P::kDirect},
    LibraryAlgorithm{Call::kAlltoall, "two_proc", 5, P::kDirect, false, F::kTwo},
    LibraryAlgorithm{Call::kGather, "basic_linear", 1, P::kLinear},
    LibraryAlgorithm{Call::kGather, "binomial", 2, P::kBinomial},
    LibraryAlgorithm{Call::kGather, "linear_sync", 3},
    LibraryAlgorithm{Call::kScatter, "basic_linear", 1, P::kLinear},
    LibraryAlgorithm{Call::kScatter, "binomial", 2, P::kBinomial},
    LibraryAlgorithm{Call::kScatter, "linear_nb", 3, P::kLinear},
    LibraryAlgorithm{Call::kReduceScatter, "non-overlapping", 1},
    LibraryAlgorithm{Call::kReduceScatter, "recursive_halving", 2, P::kHalving, false, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kReduceScatter, "ring", 3, P::kRing, false, F::kAll, kCommutes},
    LibraryAlgorithm{Call::kReduceScatter, "butterfly", 4},
    LibraryAlgorithm{Call::kReduceScatterBlock, "basic_linear", 1},
    LibraryAlgorithm{Call::kReduceScatterBlock, "recursive_doubling", 2},
    LibraryAlgorithm{Call::kReduceScatterBlock, "recursive_halving", 3},
    LibraryAlgorithm{Call::kReduceScatterBlock, "butterfly", 4},
};

// What its selection can name for communicators of one level, without its non-blocking collectives.
constexpr std::array kMpich = {
    LibraryAlgorithm{Call::kBcast, "binomial", 0, P::kBinomial},
    LibraryAlgorithm{Call::kBcast, "scatter_recursive_doubling_allgather", 0, P::kScatterDoubling, false,
                     F::kPowerOfTwo},
    LibraryAlgorithm{Call::kBcast, "scatter_ring_allgather", 0, P::kScatterRing},
    LibraryAlgorithm{Call::kReduce, "binomial", 0, P::kBinomial},
    LibraryAlgorithm{Call::kReduce, "reduce_scatter_gather", 0, P::kRabenseifner},
    LibraryAlgorithm{Call::kAllreduce, "recursive_doubling", 0, P::kDoubling},
    LibraryAlgorithm{Call::kAllreduce, "reduce_scatter_allgather", 0, P::kRabenseifner},
    LibraryAlgorithm{Call::kAllgather, "brucks", 0, P::kBruck},
    LibraryAlgorithm{Call::kAllgather, "recursive_doubling", 0, P::kDoubling, false, F::kPowerOfTwo},
    LibraryAlgorithm{Call::kAllgather, "ring", 0, P::kRing},
    LibraryAlgorithm{Call::kAlltoall, "brucks", 0, P::kBruck},
    LibraryAlgorithm{Call::kAlltoall, "pairwise", 0, P::kDirect},
    LibraryAlgorithm{Call::kAlltoall, "scattered", 0, P::kDirect},
    LibraryAlgorithm{Call::kReduceScatter, "recursive_halving", 0, P::kHalving},
    LibraryAlgorithm{Call::kReduceScatter, "pairwise", 0, P::kDirect},
    LibraryAlgorithm{Call::kReduceScatter, "recursive_doubling", 0},
    LibraryAlgorithm{Call::kReduceScatterBlock, "recursive_halving", 0, P::kHalving},
    LibraryAlgorithm{Call::kReduceScatterBlock, "pairwise", 0, P::kDirect},
    LibraryAlgorithm{Call::kReduceScatterBlock, "recursive_doubling", 0},
};

constexpr std::int64_t kSegmentSizes[] = {8 << 10, 32 << 10, 128 << 10};
/// The most segments that are replayed: the next larger segments differ by little from more of them.
constexpr std::int64_t kMostSegments = 128;

constexpr std::int64_t kKi = 1024, kMi = kKi * kKi, kAnySize = std::numeric_limits<std::int64_t>::max();

/// The number of an algorithm below this number of ranks and of bytes.
struct Threshold {
  std::int64_t bytes;
  int number;
};
struct Default {
  std::int64_t ranks;
  std::vector<Threshold> sizes;
};

/// The choices of coll/tuned as of 4.1, for operations that commute; a chain there is a single one, which is the
/// pipeline, 3. reduce_scatter_block goes by the bytes of one share, other calls go by the bytes of CallKind.
const std::vector<Default>& defaults_of(Call call) {
  static const std::vector<Default> kBcast{
      {4,
       {{32, 3},
        {256, 5},
        {512, 3},
        {1 * kKi, 7},
        {32 * kKi, 1},
        {128 * kKi, 5},
        {256 * kKi, 3},
        {512 * kKi, 1},
        {kMi, 6},
        {kAnySize, 5}}},
      {8, {{64, 5}, {128, 6}, {2 * kKi, 5}, {8 * kKi, 6}, {kMi, 1}, {kAnySize, 3}}},
      {16, {{8, 7}, {64, 5}, {4 * kKi, 7}, {16 * kKi, 5}, {32 * kKi, 6}, {kAnySize, 1}}},
      {32, {{4 * kKi, 7}, {kMi, 6}, {kAnySize, 8}}},
      {64, {{2 * kKi, 6}, {kAnySize, 7}}},
      {128, {{kAnySize, 7}}},
      {256, {{2, 6}, {16 * kKi, 5}, {32 * kKi, 1}, {64 * kKi, 5}, {kAnySize, 7}}},
      {1024, {{16 * kKi, 7}, {32 * kKi, 4}, {kAnySize, 7}}},
      {2048, {{512 * kKi, 7}, {kAnySize, 8}}},
      {4096, {{256 * kKi, 7}, {kAnySize, 8}}},
      {kAnySize, {{8 * kKi, 7}, {16 * kKi, 5}, {256 * kKi, 7}, {kAnySize, 8}}}};
  static const std::vector<Default> kReduce{
      {4, {{8, 7}, {16, 4}, {32, 3}, {256 * kKi, 1}, {kAnySize, 3}}},
      {8, {{4 * kKi, 4}, {64 * kKi, 3}, {256 * kKi, 5}, {512 * kKi, 1}, {kMi, 5}, {kAnySize, 1}}},
      {16, {{8 * kKi, 4}, {kAnySize, 5}}},
      {32, {{4 * kKi, 4}, {kAnySize, 5}}},
      {256, {{kAnySize, 5}}},
      {512, {{8 * kKi, 5}, {16 * kKi, 6}, {kAnySize, 5}}},
      {2048, {{kAnySize, 5}}},
      {4096, {{512, 5}, {kKi, 6}, {8 * kKi, 5}, {16 * kKi, 6}, {kAnySize, 5}}},
      {kAnySize, {{16, 5}, {32, 6}, {kKi, 5}, {2 * kKi, 6}, {8 * kKi, 5}, {16 * kKi, 6}, {kAnySize, 5}}}};
  static const std::vector<Default> kAllreduce{
      {4, {{8, 4}, {4 * kKi, 3}, {8 * kKi, 4}, {16 * kKi, 3}, {64 * kKi, 4}, {256 * kKi, 5}, {kAnySize, 6}}},
      {8, {{16, 4}, {8 * kKi, 3}, {kAnySize, 6}}},
      {16, {{8 * kKi, 3}, {kAnySize, 6}}},
      {32, {{64, 5}, {4 * kKi, 3}, {kAnySize, 6}}},
      {64, {{128, 5}, {kAnySize, 6}}},
      {128, {{256 * kKi, 3}, {kAnySize, 6}}},
      {256, {{128 * kKi, 2}, {256 * kKi, 3}, {kAnySize, 6}}},
      {512, {{4 * kKi, 2}, {kAnySize, 6}}},
      {2048, {{2 * kKi, 2}, {16 * kKi, 3}, {kAnySize, 6}}},
      {4096, {{2 * kKi, 2}, {4 * kKi, 5}, {16 * kKi, 3}, {kAnySize, 6}}},
      {kAnySize, {{2 * kKi, 2}, {16 * kKi, 5}, {32 * kKi, 3}, {kAnySize, 6}}}};
  static const std::vector<Default> kAllgather{
      {3, {{kAnySize, 6}}},
      {32, {{kAnySize, 3}}},
      {64, {{kKi, 3}, {64 * kKi, 5}, {kAnySize, 4}}},
      {128, {{512, 3}, {64 * kKi, 5}, {kAnySize, 4}}},
      {256, {{512, 3}, {128 * kKi, 5}, {512 * kKi, 4}, {kMi, 5}, {kAnySize, 4}}},
      {512, {{32, 3}, {128, 2}, {kKi, 3}, {128 * kKi, 5}, {512 * kKi, 4}, {kMi, 5}, {kAnySize, 4}}},
      {1024, {{64, 3}, {256, 2}, {2 * kKi, 3}, {kAnySize, 5}}},
      {2048, {{4, 3}, {8, 2}, {16, 3}, {32, 2}, {256, 3}, {512, 2}, {4 * kKi, 3}, {kAnySize, 5}}},
      {4096, {{32, 2}, {128, 3}, {512, 2}, {4 * kKi, 3}, {kAnySize, 5}}},
      {kAnySize, {{2, 3}, {8, 2}, {16, 3}, {512, 2}, {4 * kKi, 3}, {kAnySize, 5}}}};
  static const std::vector<Default> kAlltoall{
      {3,
       {{2, 2},
        {4, 5},
        {16, 2},
        {64, 5},
        {256, 2},
        {4 * kKi, 5},
        {32 * kKi, 2},
        {256 * kKi, 4},
        {kMi, 5},
        {kAnySize, 2}}},
      {8, {{8 * kKi, 4}, {16 * kKi, 1}, {64 * kKi, 4}, {512 * kKi, 1}, {kMi, 2}, {kAnySize, 1}}},
      {16, {{256 * kKi, 4}, {kAnySize, 1}}},
      {32, {{4, 4}, {512, 3}, {8 * kKi, 4}, {32 * kKi, 1}, {256 * kKi, 4}, {512 * kKi, 1}, {kAnySize, 4}}},
      {64, {{512, 3}, {512 * kKi, 1}, {kAnySize, 4}}},
      {128, {{kKi, 3}, {2 * kKi, 1}, {4 * kKi, 4}, {256 * kKi, 1}, {kAnySize, 2}}},
      {256, {{kKi, 3}, {2 * kKi, 4}, {256 * kKi, 1}, {kAnySize, 2}}},
      {512, {{kKi, 3}, {8 * kKi, 4}, {32 * kKi, 1}, {kAnySize, 2}}},
      {1024, {{512, 3}, {8 * kKi, 4}, {16 * kKi, 1}, {128 * kKi, 4}, {256 * kKi, 1}, {kAnySize, 2}}},
      {2048, {{512, 3}, {kKi, 4}, {2 * kKi, 1}, {16 * kKi, 4}, {256 * kKi, 1}, {kAnySize, 4}}},
      {4096, {{kKi, 3}, {4 * kKi, 4}, {8 * kKi, 1}, {128 * kKi, 4}, {kAnySize, 1}}},
      {kAnySize, {{2 * kKi, 3}, {8 * kKi, 4}, {16 * kKi, 1}, {32 * kKi, 4}, {64 * kKi, 1}, {kAnySize, 4}}}};
  static const std::vector<Default> kGather{
      {4, {{2, 3}, {4, 1}, {32 * kKi, 2}, {64 * kKi, 1}, {128 * kKi, 2}, {kAnySize, 3}}},
      {8, {{kKi, 2}, {8 * kKi, 1}, {32 * kKi, 2}, {256 * kKi, 1}, {kAnySize, 3}}},
      {256, {{kAnySize, 2}}},
      {512, {{2 * kKi, 2}, {8 * kKi, 1}, {kAnySize, 2}}},
      {kAnySize, {{kAnySize, 2}}}};
  static const std::vector<Default> kScatter{
      {4, {{2, 3}, {128 * kKi, 1}, {256 * kKi, 3}, {kAnySize, 1}}},
      {8, {{2 * kKi, 2}, {4 * kKi, 1}, {8 * kKi, 2}, {32 * kKi, 1}, {kMi, 3}, {kAnySize, 1}}},
      {16, {{16 * kKi, 2}, {kMi, 3}, {kAnySize, 1}}},
      {32, {{16 * kKi, 2}, {32 * kKi, 1}, {kAnySize, 3}}},
      {64, {{512, 2}, {8 * kKi, 3}, {16 * kKi, 2}, {kAnySize, 3}}},
      {kAnySize, {{512, 2}, {kAnySize, 3}}}};
  static const std::vector<Default> kReduceScatter{
      {4, {{64 * kKi, 3}, {128 * kKi, 4}, {kAnySize, 3}}},
      {8, {{8, 1}, {256 * kKi, 2}, {kAnySize, 3}}},
      {32, {{256 * kKi, 2}, {kAnySize, 3}}},
      {64, {{64, 1}, {2 * kKi, 2}, {512 * kKi, 4}, {kAnySize, 3}}},
      {128, {{256, 1}, {512, 2}, {2 * kKi, 4}, {4 * kKi, 2}, {kAnySize, 4}}},
      {256, {{256, 1}, {512, 2}, {kAnySize, 4}}},
      {512, {{256, 1}, {kKi, 2}, {kAnySize, 4}}},
      {1024, {{512, 1}, {2 * kKi, 2}, {8 * kKi, 4}, {16 * kKi, 2}, {kAnySize, 4}}},
      {2048, {{512, 1}, {4 * kKi, 2}, {16 * kKi, 4}, {32 * kKi, 2}, {kAnySize, 4}}},
      {4096, {{512, 1}, {4 * kKi, 2}, {kAnySize, 4}}},
      {kAnySize, {{kKi, 1}, {8 * kKi, 2}, {kAnySize, 4}}}};
  static const std::vector<Default> kReduceScatterBlock{
      {4, {{4, 2}, {8, 4}, {16, 3}, {128, 4}, {256, 3}, {4 * kKi, 4}, {8 * kKi, 3}, {128 * kKi, 4}, {kAnySize, 1}}},
      {8, {{8, 3}, {32, 2}, {256, 4}, {8 * kKi, 3}, {16 * kKi, 4}, {kMi, 3}, {kAnySize, 1}}},
      {16, {{4, 1}, {32, 3}, {128, 4}, {512 * kKi, 3}, {4 * kMi, 1}, {kAnySize, 4}}},
      {32, {{32, 1}, {512 * kKi, 3}, {2 * kMi, 1}, {4 * kMi, 3}, {kAnySize, 4}}},
      {kAnySize, {{4, 3}, {16, 1}, {64 * kKi, 4}, {256 * kKi, 1}, {kAnySize, 4}}}};
  switch (call) {
    case Call::kBcast:
      return kBcast;
    case Call::kReduce:
      return kReduce;
    case Call::kAllreduce:
      return kAllreduce;
    case Call::kAllgather:
      return kAllgather;
    case Call::kAlltoall:
      return kAlltoall;
    case Call::kGather:
      return kGather;
    case Call::kScatter:
      return kScatter;
    case Call::kReduceScatter:
      return kReduceScatter;
    case Call::kReduceScatterBlock:
      return kReduceScatterBlock;
  }
  return kBcast;
}

/// "8Ki", "100".
std::string short_size(std::int64_t bytes) {
  if (bytes >= kMi && bytes % kMi == 0) return fmt::format("{}Mi", bytes / kMi);
  if (bytes >= kKi && bytes % kKi == 0) return fmt::format("{}Ki", bytes / kKi);
  return fmt::format("{}", bytes);
}

}  // namespace

Library parse_library(const std::string& name, const std::string& where) {
  if (name == "openmpi") return Library::kOpenMpi;
  if (name == "mpich") return Library::kMpich;
  throw InputError(where, name.empty() ? "nothing" : "'" + name + "'", "openmpi or mpich");
}

std::string_view library_name(Library library) { return library == Library::kOpenMpi ? "Open MPI" : "MPICH"; }

std::span<const CallKind> call_kinds() { return kKinds; }

const CallKind& kind_of(Call call) { return kKinds[static_cast<std::size_t>(call)]; }

std::vector<Call> tunable_calls(Library library) {
  std::vector<Call> calls;
  for (const CallKind& kind : kKinds)
    if (library == Library::kOpenMpi || !kind.mpich_as.empty()) calls.push_back(kind.call);
  return calls;
}

std::span<const LibraryAlgorithm> library_algorithms(Library library) {
  if (library == Library::kOpenMpi) return kOpenMpi;
  return kMpich;
}

bool fits(const LibraryAlgorithm& algorithm, std::int64_t ranks) {
  switch (algorithm.fits) {
    case FitsRanks::kAll:
      return true;
    case FitsRanks::kPowerOfTwo:
      return std::has_single_bit(static_cast<std::uint64_t>(ranks));
    case FitsRanks::kEven:
      return ranks % 2 == 0;
    case FitsRanks::kTwo:
      return ranks == 2;
  }
  return false;
}

std::string LibraryChoice::text() const {
  std::string result(algorithm->name);
  if (segment_bytes > 0) result += " in " + short_size(segment_bytes);
  return result;
}

std::vector<LibraryChoice> library_choices(Library library, Call call, std::int64_t ranks, std::int64_t bytes,
                                           bool modelled, bool any_order) {
  std::vector<LibraryChoice> choices;
  for (const LibraryAlgorithm& algorithm : library_algorithms(library)) {
    if (algorithm.call != call || !fits(algorithm, ranks)) continue;
    if (modelled && !algorithm.pattern) continue;
    // What the root spends on combining for all is not in the model.
    if (modelled && kind_of(call).combines && algorithm.pattern == LibraryPattern::kLinear) continue;
    if (!any_order && !algorithm.keeps_order) continue;
    choices.push_back({&algorithm, 0});
    if (!algorithm.segments) continue;
    for (const std::int64_t segment : kSegmentSizes)
      if (segment < bytes && (!modelled || bytes / segment <= kMostSegments)) choices.push_back({&algorithm, segment});
  }
  return choices;
}

LibraryChoice open_mpi_default(Call call, std::int64_t ranks, std::int64_t bytes) {
  if (call == Call::kReduceScatterBlock) bytes /= ranks;
  for (const Default& row : defaults_of(call)) {
    if (ranks >= row.ranks && row.ranks != kAnySize) continue;
    for (const Threshold& threshold : row.sizes) {
      if (bytes >= threshold.bytes && threshold.bytes != kAnySize) continue;
      for (const LibraryAlgorithm& algorithm : kOpenMpi)
        if (algorithm.call == call && algorithm.number == threshold.number) return {&algorithm, 0};
    }
  }
  SLUICE_ASSERT(false, fmt::format("{} of {} ranks", kind_of(call).name, ranks));
  return {};
}

std::optional<LibraryRun> run_of(const LibraryChoice& choice, std::int64_t bytes, std::int64_t ranks) {
  if (choice.algorithm == nullptr || !choice.algorithm->pattern) return std::nullopt;
  LibraryRun run;
  run.problem = kind_of(choice.algorithm->call).problem;
  run.pattern = *choice.algorithm->pattern;
  run.size_bytes = bytes;
  run.segment_bytes = choice.segment_bytes;
  const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(ranks));
  // Open MPI's recursive doubling is Bruck's algorithm where it does not fit.
  if (run.problem == Collective::kAllgather && run.pattern == LibraryPattern::kDoubling && !power_of_two)
    run.pattern = LibraryPattern::kBruck;
  return run;
}

std::string open_mpi_rules(const std::vector<TunedSize>& sizes, std::int64_t ranks) {
  constexpr const char* kOwn = "0 0 0 0";
  std::vector<std::pair<Call, std::string>> calls;
  const auto key = [&](const CallKind& kind, std::int64_t bytes) {
    return kind.open_mpi_counts_all ? bytes * ranks : bytes;
  };
  for (const CallKind& kind : kKinds) {
    std::vector<std::string> rules;
    std::int64_t end = 0;
    const LibraryChoice* last = nullptr;
    for (const TunedSize& size : sizes) {
      if (size.call != kind.call) continue;
      if (rules.empty() || size.bytes != end) {
        if (rules.empty())
          rules.emplace_back(fmt::format("{}  # Open MPI's own", kOwn));
        else
          rules.emplace_back(fmt::format("{} 0 0 0", key(kind, end)));
        last = nullptr;
      }
      if (last == nullptr || !(*last == size.to))
        rules.push_back(fmt::format("{} {} {} {}  # {}, in place of {}", key(kind, size.bytes),
                                    size.to.algorithm->number,
                                    size.to.algorithm->pattern == LibraryPattern::kChains4 ? 4 : 0,
                                    size.to.segment_bytes, size.to.text(), size.from));
      last = &size.to;
      end = size.below;
    }
    if (rules.empty()) continue;
    rules.emplace_back(fmt::format("{} 0 0 0", key(kind, end)));
    std::string text = fmt::format("{}  # {}\n3  # sizes of communicators: below {}, {}, above\n0\n1\n{}\n{}\n{}\n",
                                   kind.open_mpi_id, kind.name, ranks, ranks, kOwn, ranks, rules.size());
    for (const std::string& rule : rules) text += rule + '\n';
    text += fmt::format("{}\n1\n{}\n", ranks + 1, kOwn);
    calls.emplace_back(kind.call, std::move(text));
  }
  // Open MPI wants at least one collective.
  if (calls.empty()) calls.emplace_back(Call::kBcast, fmt::format("7  # bcast\n1\n0\n1\n{}  # Open MPI's own\n", kOwn));
  std::string text = fmt::format(
      "# Rules of Open MPI's coll/tuned for communicators of {}, by sluice tune. To use them:\n"
      "#   coll_tuned_use_dynamic_rules = 1\n"
      "#   coll_tuned_dynamic_rules_filename = (this file)\n"
      "# A line of four: from so many bytes on, algorithm (0: Open MPI's own), fan, bytes of a segment.\n",
      count_text(ranks, "rank"));
  text += fmt::format("{}  # collectives\n", calls.size());
  for (const auto& call : calls) text += call.second;
  return text;
}

}  // namespace sluice::command
