// A program that knows MPI alone, for libsluice_pmpi.so: every call that the library may take, with random arguments,
// on communicators that come and go. See README.md for the modes.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "stress/stress.hpp"

namespace sluice::stress {
namespace {

/// The arguments of a call, and what it is called on. Buffers are kept from call to call.
struct Calls {
  Run& run;
  Buffer own{};
  Buffer result{};

  enum Kind {
    kBcast,
    kReduce,
    kAllreduce,
    kReduceScatterBlock,
    kAllgather,
    kScatter,
    kGather,
    kAlltoall,
    kAlltoallv,
    kNeighborAlltoallv,
    kKinds
  };
  static const char* name(Kind kind) {
    static const char* const names[kKinds] = {
        "MPI_Bcast",  "MPI_Reduce",   "MPI_Allreduce", "MPI_Reduce_scatter_block", "MPI_Allgather", "MPI_Scatter",
        "MPI_Gather", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Neighbor_alltoallv"};
    return names[kind];
  }

  void make(Kind kind, const Comm& on, std::int64_t bytes, unsigned drawn) {
    run.count_call();
    if (on.comm == MPI_COMM_NULL) return;
    const int root = static_cast<int>(drawn % static_cast<unsigned>(on.size));
    bool in_place = drawn / 64 % 2 == 1;
#ifdef MPICH_VERSION
    if (kind == kReduce && root != 0) in_place = false;  // MPICH 4.0.2 reads from MPI_IN_PLACE there
#endif
    step("%s, %lld bytes, root %d of %d%s", name(kind), static_cast<long long>(bytes), root, on.size,
         in_place ? ", in place" : "");
    const std::uint64_t what = run.what();
    int code = MPI_SUCCESS;
    switch (kind) {
      case kBcast:
        code = bcast(on, bytes, root, what);
        break;
      case kReduce:
      case kAllreduce:
        code = reduce(kind, on, bytes, root, in_place, what);
        break;
      case kReduceScatterBlock:
        code = reduce_scatter_block(on, bytes, what);
        break;
      case kAllgather:
      case kGather:
        code = gather(kind, on, bytes, root, in_place, what);
        break;
      case kScatter:
        code = scatter(on, bytes, root, what);
        break;
      case kAlltoall:
      case kAlltoallv:
        code = alltoall(kind, on, bytes, what);
        break;
      default:
        code = neighbours(on, bytes, what);
        break;
    }
    if (code != MPI_SUCCESS) {
      char text[MPI_MAX_ERROR_STRING] = "";
      int length = 0;
      MPI_Error_string(code, text, &length);
      run.refused(step_text.data(), text);
    }
    run.check_guard(name(kind), own);
    run.check_guard(name(kind), result);
  }

  int bcast(const Comm& on, std::int64_t bytes, int root, std::uint64_t what) {
    const Pattern pattern = Pattern::of(what, root);
    result.resize(bytes);
    if (on.rank == root) pattern.write(result.data(), bytes);
    const int code = MPI_Bcast(result.data(), static_cast<int>(bytes), MPI_BYTE, root, on.comm);
    if (code == MPI_SUCCESS) run.check("MPI_Bcast", result.data(), bytes, pattern);
    return code;
  }

  int reduce(Kind kind, const Comm& on, std::int64_t bytes, int root, bool in_place, std::uint64_t what) {
    const auto count = static_cast<int>(std::max<std::int64_t>(1, bytes / 8));
    const std::int64_t all = std::int64_t{8} * count;
    Pattern sum;
    for (int r = 0; r < on.size; ++r) sum += Pattern::of(what, r);
    const bool gets = kind == kAllreduce || on.rank == root;
    own.resize(all);
    result.resize(gets ? all : 0);
    const bool here = in_place && gets;
    Pattern::of(what, on.rank).write(here ? result.data() : own.data(), all);
    const void* const from = here ? MPI_IN_PLACE : own.data();
    const int code = kind == kAllreduce ? MPI_Allreduce(from, result.data(), count, MPI_UINT64_T, MPI_SUM, on.comm)
                                        : MPI_Reduce(from, result.data(), count, MPI_UINT64_T, MPI_SUM, root, on.comm);
    if (code == MPI_SUCCESS && gets) run.check(name(kind), result.data(), all, sum);
    if (code == MPI_SUCCESS && !here) run.check("own elements", own.data(), all, Pattern::of(what, on.rank));
    return code;
  }

  int reduce_scatter_block(const Comm& on, std::int64_t bytes, std::uint64_t what) {
    const auto count = static_cast<int>(std::max<std::int64_t>(1, bytes / 8 / on.size));
    const std::int64_t block = std::int64_t{8} * count;
    own.resize(block * on.size);
    result.resize(block);
    Pattern::of(what, on.rank).write(own.data(), own.bytes());
    Pattern sum;
    for (int r = 0; r < on.size; ++r) sum += Pattern::of(what, r);
    sum.base = sum.word(std::int64_t{count} * on.rank);
    const int code = MPI_Reduce_scatter_block(own.data(), result.data(), count, MPI_UINT64_T, MPI_SUM, on.comm);
    if (code == MPI_SUCCESS) run.check("MPI_Reduce_scatter_block", result.data(), block, sum);
    return code;
  }

  int gather(Kind kind, const Comm& on, std::int64_t bytes, int root, bool in_place, std::uint64_t what) {
    const std::int64_t block = std::max<std::int64_t>(1, bytes / on.size);
    const bool gets = kind == kAllgather || on.rank == root;
    const bool here = in_place && gets;
    own.resize(block);
    result.resize(gets ? block * on.size : 0);
    Pattern::of(what, on.rank).write(here ? result.data() + block * on.rank : own.data(), block);
    const void* const from = here ? MPI_IN_PLACE : own.data();
    const auto count = static_cast<int>(block);
    const int code = kind == kAllgather
                         ? MPI_Allgather(from, count, MPI_BYTE, result.data(), count, MPI_BYTE, on.comm)
                         : MPI_Gather(from, count, MPI_BYTE, result.data(), count, MPI_BYTE, root, on.comm);
    if (code == MPI_SUCCESS && gets) {
      for (int r = 0; r < on.size; ++r) run.check(name(kind), result.data() + block * r, block, Pattern::of(what, r));
    }
    return code;
  }

  int scatter(const Comm& on, std::int64_t bytes, int root, std::uint64_t what) {
    const std::int64_t block = std::max<std::int64_t>(1, bytes / on.size);
    own.resize(on.rank == root ? block * on.size : 0);
    result.resize(block);
    for (int r = 0; r < on.size && on.rank == root; ++r) Pattern::of(what, r).write(own.data() + block * r, block);
    const auto count = static_cast<int>(block);
    const int code = MPI_Scatter(own.data(), count, MPI_BYTE, result.data(), count, MPI_BYTE, root, on.comm);
    if (code == MPI_SUCCESS) run.check("MPI_Scatter", result.data(), block, Pattern::of(what, on.rank));
    return code;
  }

  int alltoall(Kind kind, const Comm& on, std::int64_t bytes, std::uint64_t what) {
    const std::int64_t block = std::max<std::int64_t>(1, bytes / on.size);
    const auto between = [&](int from, int to) { return Pattern::of(what, from * on.size + to); };
    // With v, no two neighbours give the same number of bytes.
    const auto size = [&](int from, int to) {
      return kind == kAlltoall ? block : std::max<std::int64_t>(0, block - (from + 2 * to) % 5 * (block / 8));
    };
    std::vector<int> counts[2];
    std::vector<int> places[2];
    std::int64_t sums[2] = {0, 0};
    for (int r = 0; r < on.size; ++r) {
      const std::int64_t both[2] = {size(on.rank, r), size(r, on.rank)};
      for (int side = 0; side < 2; ++side) {
        counts[side].push_back(static_cast<int>(both[side]));
        places[side].push_back(static_cast<int>(sums[side]));
        sums[side] += both[side];
      }
    }
    own.resize(sums[0]);
    result.resize(sums[1]);
    for (int r = 0; r < on.size; ++r) {
      const auto at = static_cast<std::size_t>(r);
      between(on.rank, r).write(own.data() + places[0][at], counts[0][at]);
    }
    const auto count = static_cast<int>(block);
    const int code = kind == kAlltoall
                         ? MPI_Alltoall(own.data(), count, MPI_BYTE, result.data(), count, MPI_BYTE, on.comm)
                         : MPI_Alltoallv(own.data(), counts[0].data(), places[0].data(), MPI_BYTE, result.data(),
                                         counts[1].data(), places[1].data(), MPI_BYTE, on.comm);
    for (int r = 0; r < on.size && code == MPI_SUCCESS; ++r) {
      const auto at = static_cast<std::size_t>(r);
      run.check(name(kind), result.data() + places[1][at], counts[1][at], between(r, on.rank));
    }
    return code;
  }

  int neighbours(const Comm& on, std::int64_t bytes, std::uint64_t what) {
    if (!on.ring) return bcast(on, bytes, 0, what);
    const auto count = static_cast<int>(bytes);
    const int none = 0;
    const int from = (on.rank + on.size - 1) % on.size;
    own.resize(bytes);
    result.resize(bytes);
    Pattern::of(what, on.rank).write(own.data(), bytes);
    const int code =
        MPI_Neighbor_alltoallv(own.data(), &count, &none, MPI_BYTE, result.data(), &count, &none, MPI_BYTE, on.comm);
    if (code == MPI_SUCCESS) run.check("MPI_Neighbor_alltoallv", result.data(), bytes, Pattern::of(what, from));
    return code;
  }
};

void mix(Run& run) {
  Calls calls{run};
  Comms comms(run);
  std::mt19937& random = run.common;
  while (run.next()) {
    if (run.begins_anew()) comms.free_all();
    if (comms.count() == 0 || (comms.count() < 6 && random() % 3 == 0)) comms.make_one();
    const std::size_t which = random() % comms.count();
    const auto kind = static_cast<Calls::Kind>(random() % Calls::kKinds);
    const std::int64_t bytes = log_uniform(random, run.options().most_bytes);
    const auto drawn = static_cast<unsigned>(random());
    // Calls are taken from the third with the same arguments on.
    const auto repeats = static_cast<int>(3 + random() % 3);
    for (int i = 0; i < repeats; ++i) calls.make(kind, comms[which], bytes, drawn);
    const auto then = static_cast<unsigned>(random() % 4);
    if (then == 0) comms.free_one(which);
    plain_call(run);
    if (then == 1) comms.free_one(random() % comms.count());
  }
}

/// MPI_Comm_dup, three broadcasts, MPI_Comm_free.
void loop(Run& run) {
  Calls calls{run};
  while (run.next()) {
    step("MPI_Comm_dup");
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const Comm on(copy);
    for (int i = 0; i < 3; ++i) calls.make(Calls::kBcast, on, std::int64_t{2} << 20, 0);
    step("MPI_Comm_free");
    MPI_Comm_free(&copy);
    if (run.round() % 2 == 0) plain_call(run);
  }
}

/// Three broadcasts; the program then ends with MPI_Finalize at once.
void finalize(Run& run) {
  Calls calls{run};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Comm world(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) calls.make(Calls::kBcast, world, std::int64_t{2} << 20, 0);
}

/// Many sizes; the library takes each of them.
void sizes(Run& run) {
  Calls calls{run};
  const Comm world(MPI_COMM_WORLD);
  constexpr int kSizes = 60;
  while (run.next()) {
    for (int i = 1; i <= kSizes; ++i) {
      for (int again = 0; again < 3; ++again) {
        calls.make(Calls::kAllreduce, world, i * (run.options().most_bytes / 64 / 8 * 8), 0);
      }
    }
    run.expect_at_most("shared memory after 60 sizes of MPI_Allreduce", Run::shared_mib());
  }
}

}  // namespace
}  // namespace sluice::stress

int main(int argc, char** argv) {
  using namespace sluice::stress;
  const Options options = read_options(argc, argv);
  start_watchdog(options);
  step("MPI_Init");
  MPI_Init(&argc, &argv);
  start_watchdog(options);  // again, as libraries of MPI have handlers of their own
  int status = 0;
  {
    Run run(options);
    if (options.mode == "mix") {
      mix(run);
    } else if (options.mode == "loop-l1") {
      loop(run);
    } else if (options.mode == "sizes") {
      sizes(run);
    } else if (options.mode == "finalize") {
      finalize(run);
      if (run.bad()) status = 1;
      step("MPI_Finalize");
      MPI_Finalize();
      return status;
    } else {
      std::fprintf(stderr, "error: %s: expected mix, loop-l1, sizes or finalize\n", options.mode.c_str());
      return 2;
    }
    status = run.end();
  }
  MPI_Finalize();
  return status;
}
