// Calls with arguments that MPI refuses, by their MPI_ and their PMPI_ names: both must call the communicator's error
// handler once, and return codes of one class. The error handlers of MPI_COMM_WORLD and MPI_COMM_SELF end the program,
// so that nothing may go wrong on those instead.
//
//     bad_arguments all        all ranks give the same bad arguments
//     bad_arguments one        the last rank alone does, in arguments that the others do not know; by MPI_ names
//     bad_arguments then       one rank alone does, while others may be done with the call, and all go on
#include <mpi.h>

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace {

int rank = 0;
int size = 1;
int wrong = 0;
int handled = 0;  ///< calls of the error handler

void count_call(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++handled; }

std::string name_of(int error_class) {
  std::string text(MPI_MAX_ERROR_STRING, ' ');
  int length = 0;
  MPI_Error_string(error_class, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

constexpr int kCount = 1000;
constexpr int kRanks = 32;  // the buffers have room for 32 ranks, or for a long message of each of six ranks
std::vector<double> numbers(std::size_t{kCount} * kRanks, 1);
std::vector<double> results(numbers.size());
double* const own = numbers.data();
double* const result = results.data();

/// What a call came to.
struct Outcome {
  int error_class = MPI_SUCCESS;
  int handled = 0;
};

template <class Call>
Outcome outcome_of(const Call& call) {
  handled = 0;
  Outcome outcome;
  MPI_Error_class(call(), &outcome.error_class);
  outcome.handled = handled;
  return outcome;
}

void expect_same(const char* call, const char* what, const Outcome& by_us, const Outcome& by_mpi) {
  if (by_us.error_class == by_mpi.error_class && by_us.handled == by_mpi.handled) return;
  std::printf("rank %d: %s, %s: %s, %d errors handled, by MPI %s, %d\n", rank, call, what,
              name_of(by_us.error_class).c_str(), by_us.handled, name_of(by_mpi.error_class).c_str(), by_mpi.handled);
  std::fflush(stdout);
  ++wrong;
}

/// A communicator of all ranks whose errors are returned, once the handler has counted them if it counts.
class Returning {
 public:
  explicit Returning(bool counts) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    if (counts) {
      MPI_Comm_create_errhandler(count_call, &handler_);
      MPI_Comm_set_errhandler(comm_, handler_);
    } else {
      MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
  }
  ~Returning() {
    MPI_Comm_free(&comm_);
    if (handler_ != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler_);
  }
  Returning(const Returning&) = delete;
  Returning& operator=(const Returning&) = delete;
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// call(function, communicator). A communicator of its own for each call, as one that has seen an error may be left to
/// MPI from then on. `before` is carried out on it first, so that what is kept of good calls is there.
template <class Function, class Call, class Before>
void all_ranks(const char* name, const char* what, Function* by_us, Function* by_mpi, const Call& call,
               const Before& before) {
  for (const bool counts : {true, false}) {
    for (const bool again : {false, true}) {
      const Returning returning(counts);
      if (again) before(returning.comm());
      const Outcome ours = outcome_of([&] { return call(by_us, returning.comm()); });
      expect_same(name, what, ours, outcome_of([&] { return call(by_mpi, returning.comm()); }));
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

/// The last rank makes the bad call, which fails so, the others a good one, which succeeds, or fails, but ends. MPI
/// itself would wait for ever in some of them.
template <class Function, class Bad, class Good>
void one_rank(const char* name, const char* what, int error_class, Function* by_us, const Bad& bad, const Good& good) {
  for (const bool again : {false, true}) {
    const Returning returning(true);
    if (again) good(by_us, returning.comm());
    if (rank == size - 1)
      expect_same(name, what, outcome_of([&] { return bad(by_us, returning.comm()); }), {error_class, 1});
    else
      good(by_us, returning.comm());
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// all_ranks with `bad` arguments, behind a call with `good` ones.
#define ALL_RANKS(name, what, bad, good)           \
  all_ranks(                                       \
      "MPI_" #name, what, MPI_##name, PMPI_##name, \
      [&](auto* call, [[maybe_unused]] MPI_Comm comm) { return call bad; }, [&](MPI_Comm comm) { MPI_##name good; })
#define ONE_RANK(name, what, error_class, bad, good)                        \
  one_rank(                                                                 \
      "MPI_" #name, what, error_class, MPI_##name,                          \
      [&](auto* call, [[maybe_unused]] MPI_Comm comm) { return call bad; }, \
      [&](auto* call, MPI_Comm comm) { call good; })

void in_all_ranks() {
  const auto n = static_cast<std::size_t>(size);
  MPI_Datatype row = MPI_DATATYPE_NULL;  // neither is committed
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &row);
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &gaps);
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const MPI_Datatype type = MPI_DOUBLE;

  ALL_RANKS(Bcast, "a negative count", (own, -1, type, 0, comm), (own, kCount, type, 0, comm));
  ALL_RANKS(Bcast, "the least count", (own, std::numeric_limits<int>::min(), type, 0, comm),
            (own, kCount, type, 0, comm));
  ALL_RANKS(Bcast, "no type", (own, kCount, none, 0, comm), (own, kCount, type, 0, comm));
  ALL_RANKS(Bcast, "a type that is not committed", (own, kCount / 2, row, 0, comm), (own, kCount, type, 0, comm));
  ALL_RANKS(Bcast, "a type with gaps that is not committed", (own, kCount / 4, gaps, 0, comm),
            (own, kCount, type, 0, comm));
  ALL_RANKS(Bcast, "a root too high", (own, kCount, type, size, comm), (own, kCount, type, 0, comm));
  ALL_RANKS(Bcast, "a negative root", (own, kCount, type, -9, comm), (own, kCount, type, 0, comm));
  ALL_RANKS(Reduce, "no type", (own, result, kCount, none, MPI_SUM, 0, comm),
            (own, result, kCount, type, MPI_SUM, 0, comm));
  ALL_RANKS(Reduce, "no operation", (own, result, kCount, type, MPI_OP_NULL, 0, comm),
            (own, result, kCount, type, MPI_SUM, 0, comm));
  ALL_RANKS(Reduce, "an operation of other types", (own, result, kCount, type, MPI_BXOR, 0, comm),
            (own, result, kCount, type, MPI_SUM, 0, comm));
  ALL_RANKS(Reduce, "a root too high", (own, result, kCount, type, MPI_SUM, size, comm),
            (own, result, kCount, type, MPI_SUM, 0, comm));

#ifndef MPICH_VERSION  // MPICH 4.0 itself crashes
  ALL_RANKS(Scan, "a negative count", (own, result, -1, type, MPI_SUM, comm),
            (own, result, kCount, type, MPI_SUM, comm));
  ALL_RANKS(Allreduce, "a negative count", (own, result, -1, type, MPI_SUM, comm),
            (own, result, kCount, type, MPI_SUM, comm));
  ALL_RANKS(Reduce_scatter_block, "a negative count", (own, result, -1, type, MPI_SUM, comm),
            (own, result, kCount, type, MPI_SUM, comm));
#endif
  ALL_RANKS(Allreduce, "no type", (own, result, kCount, none, MPI_SUM, comm),
            (own, result, kCount, type, MPI_SUM, comm));
  ALL_RANKS(Allreduce, "no operation", (own, result, kCount, type, MPI_OP_NULL, comm),
            (own, result, kCount, type, MPI_SUM, comm));
  ALL_RANKS(Allreduce, "an operation of other types", (own, result, kCount, type, MPI_BXOR, comm),
            (own, result, kCount, type, MPI_SUM, comm));

  ALL_RANKS(Reduce_scatter_block, "no type", (own, result, kCount, none, MPI_SUM, comm),
            (own, result, kCount, type, MPI_SUM, comm));
  ALL_RANKS(Reduce_scatter_block, "no operation", (own, result, kCount, type, MPI_OP_NULL, comm),
            (own, result, kCount, type, MPI_SUM, comm));

  ALL_RANKS(Allgather, "a negative count", (own, -1, type, result, -1, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Allgather, "a negative count to send", (own, -1, type, result, kCount, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Allgather, "a negative count to receive", (own, kCount, type, result, -1, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Allgather, "no type to send", (own, kCount, none, result, kCount, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Allgather, "no type to receive", (own, kCount, type, result, kCount, none, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Allgather, "a type that is not committed", (own, kCount / 2, row, result, kCount, type, comm),
            (own, kCount, type, result, kCount, type, comm));

  ALL_RANKS(Scatter, "a negative count", (own, -1, type, result, -1, type, 0, comm),
            (own, kCount, type, result, kCount, type, 0, comm));
  ALL_RANKS(Scatter, "a negative count to receive", (own, kCount, type, result, -1, type, 0, comm),
            (own, kCount, type, result, kCount, type, 0, comm));
  ALL_RANKS(Scatter, "no type to receive", (own, kCount, type, result, kCount, none, 0, comm),
            (own, kCount, type, result, kCount, type, 0, comm));
  ALL_RANKS(Scatter, "a root too high", (own, kCount, type, result, kCount, type, size, comm),
            (own, kCount, type, result, kCount, type, 0, comm));

  ALL_RANKS(Gather, "a negative count", (own, -1, type, result, -1, type, 0, comm),
            (own, kCount, type, result, kCount, type, 0, comm));
  ALL_RANKS(Gather, "a negative count to send", (own, -1, type, result, kCount, type, 0, comm),
            (own, kCount, type, result, kCount, type, 0, comm));
  ALL_RANKS(Gather, "no type to send", (own, kCount, none, result, kCount, type, 0, comm),
            (own, kCount, type, result, kCount, type, 0, comm));
  ALL_RANKS(Gather, "a root too high", (own, kCount, type, result, kCount, type, size, comm),
            (own, kCount, type, result, kCount, type, 0, comm));

  ALL_RANKS(Alltoall, "a negative count", (own, -1, type, result, -1, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Alltoall, "a negative count to send", (own, -1, type, result, kCount, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Alltoall, "a negative count to receive", (own, kCount, type, result, -1, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Alltoall, "no type to send", (own, kCount, none, result, kCount, type, comm),
            (own, kCount, type, result, kCount, type, comm));
  ALL_RANKS(Alltoall, "a type with gaps that is not committed", (own, kCount / 4, gaps, result, kCount / 2, type, comm),
            (own, kCount / 2, type, result, kCount / 2, type, comm));

  const std::vector<int> counts(n, kCount);
  std::vector<int> some_negative = counts;
  some_negative.back() = -1;
  std::vector<int> offsets(n);
  for (std::size_t i = 0; i < n; ++i) offsets[i] = static_cast<int>(i) * kCount;
  const int* const good = counts.data();
  const int* const bad = some_negative.data();
  const int* const at = offsets.data();
  ALL_RANKS(Alltoallv, "a negative count to send", (own, bad, at, type, result, good, at, type, comm),
            (own, good, at, type, result, good, at, type, comm));
  ALL_RANKS(Alltoallv, "a negative count to receive", (own, good, at, type, result, bad, at, type, comm),
            (own, good, at, type, result, good, at, type, comm));
#ifndef MPICH_VERSION  // which looks at them unasked
  ALL_RANKS(Alltoallv, "no counts to send", (own, nullptr, at, type, result, good, at, type, comm),
            (own, good, at, type, result, good, at, type, comm));
  ALL_RANKS(Alltoallv, "no counts to receive", (own, good, at, type, result, nullptr, at, type, comm),
            (own, good, at, type, result, good, at, type, comm));
  ALL_RANKS(Alltoallv, "no offsets to send", (own, good, nullptr, type, result, good, at, type, comm),
            (own, good, at, type, result, good, at, type, comm));
  ALL_RANKS(Alltoallv, "no offsets to receive", (own, good, at, type, result, good, nullptr, type, comm),
            (own, good, at, type, result, good, at, type, comm));
#endif
  ALL_RANKS(Alltoallv, "no type to send", (own, good, at, none, result, good, at, type, comm),
            (own, good, at, type, result, good, at, type, comm));
  ALL_RANKS(Alltoallv, "no type to receive", (own, good, at, type, result, good, at, none, comm),
            (own, good, at, type, result, good, at, type, comm));

  ALL_RANKS(Allgatherv, "a negative count to send", (own, -1, type, result, good, at, type, comm),
            (own, kCount, type, result, good, at, type, comm));
  ALL_RANKS(Allgatherv, "no type to receive", (own, kCount, type, result, good, at, none, comm),
            (own, kCount, type, result, good, at, type, comm));
  ALL_RANKS(Reduce_scatter, "no type", (own, result, good, none, MPI_SUM, comm),
            (own, result, good, type, MPI_SUM, comm));
  ALL_RANKS(Reduce_scatter, "no operation", (own, result, good, type, MPI_OP_NULL, comm),
            (own, result, good, type, MPI_SUM, comm));

  // Calls that are recorded, never taken.
  ALL_RANKS(Send, "a negative count", (own, -1, type, rank, 0, comm), (own, 0, type, MPI_PROC_NULL, 0, comm));
  ALL_RANKS(Send, "a rank too high", (own, 1, type, size, 0, comm), (own, 0, type, MPI_PROC_NULL, 0, comm));
  ALL_RANKS(Gatherv, "a negative count", (own, -1, type, result, good, at, type, 0, comm),
            (own, kCount, type, result, good, at, type, 0, comm));
  MPI_Type_free(&row);
  MPI_Type_free(&gaps);

  // Errors without a communicator go to MPI_COMM_WORLD, with MPICH to MPI_COMM_SELF.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_call, &handler);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
  const auto without = [&](const char* name, auto* by_us, auto* by_mpi, const auto& call) {
    const Outcome ours = outcome_of([&] { return call(by_us); });
    expect_same(name, "no communicator", ours, outcome_of([&] { return call(by_mpi); }));
  };
  const MPI_Comm null = MPI_COMM_NULL;
  without("MPI_Bcast", MPI_Bcast, PMPI_Bcast, [&](auto* call) { return call(own, kCount, type, 0, null); });
  without("MPI_Allreduce", MPI_Allreduce, PMPI_Allreduce,
          [&](auto* call) { return call(own, result, kCount, type, MPI_SUM, null); });
  without("MPI_Alltoall", MPI_Alltoall, PMPI_Alltoall,
          [&](auto* call) { return call(own, kCount, type, result, kCount, type, null); });
  without("MPI_Alltoallv", MPI_Alltoallv, PMPI_Alltoallv,
          [&](auto* call) { return call(own, good, at, type, result, good, at, type, null); });
  without("MPI_Neighbor_alltoallv", MPI_Neighbor_alltoallv, PMPI_Neighbor_alltoallv,
          [&](auto* call) { return call(own, good, at, type, result, good, at, type, null); });
  without("MPI_Barrier", MPI_Barrier, PMPI_Barrier, [&](auto* call) { return call(null); });
  without("MPI_Request_free", MPI_Request_free, PMPI_Request_free, [&](auto* call) { return call(nullptr); });
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

void in_one_rank() {
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const MPI_Datatype type = MPI_DOUBLE;
  const int root = size - 1;
  ONE_RANK(Allgather, "a negative count to send", MPI_ERR_COUNT, (own, -1, type, result, kCount, type, comm),
           (own, kCount, type, result, kCount, type, comm));
  ONE_RANK(Allgather, "no type to send", MPI_ERR_TYPE, (own, kCount, none, result, kCount, type, comm),
           (own, kCount, type, result, kCount, type, comm));
  ONE_RANK(Gather, "a negative count to receive", MPI_ERR_COUNT, (own, kCount, type, result, -1, type, root, comm),
           (own, kCount, type, result, kCount, type, root, comm));
  ONE_RANK(Gather, "no type to receive", MPI_ERR_TYPE, (own, kCount, type, result, kCount, none, root, comm),
           (own, kCount, type, result, kCount, type, root, comm));
  ONE_RANK(Scatter, "a negative count to send", MPI_ERR_COUNT, (own, -1, type, result, kCount, type, root, comm),
           (own, kCount, type, result, kCount, type, root, comm));
  ONE_RANK(Scatter, "no type to send", MPI_ERR_TYPE, (own, kCount, none, result, kCount, type, root, comm),
           (own, kCount, type, result, kCount, type, root, comm));
  ONE_RANK(Alltoall, "a negative count to send", MPI_ERR_COUNT, (own, -1, type, result, kCount, type, comm),
           (own, kCount, type, result, kCount, type, comm));
  ONE_RANK(Alltoall, "no type to send", MPI_ERR_TYPE, (own, kCount, none, result, kCount, type, comm),
           (own, kCount, type, result, kCount, type, comm));
  // Other bytes than the other ranks have.
  ONE_RANK(Allgather, "a count to send too low", MPI_ERR_TRUNCATE, (own, kCount / 2, type, result, kCount, type, comm),
           (own, kCount, type, result, kCount, type, comm));
  ONE_RANK(Gather, "a count to receive too low", MPI_ERR_TRUNCATE,
           (own, kCount, type, result, kCount / 2, type, root, comm),
           (own, kCount, type, result, kCount, type, root, comm));
}

/// After a call that failed on some ranks, while other ranks may not know of it. Makes calls that jobs carried out, new
/// calls, and short calls that MPI carries out.
void then_others() {
  constexpr int kLong = 5000;  // 40 KB
  constexpr int kRounds = 6;
  for (int bad = 0; bad < size; ++bad) {
    const Returning returning(false);
    const MPI_Comm comm = returning.comm();
    const auto all_reduced = [&](int count) {
      return outcome_of([&] { return MPI_Allreduce(own, result, count, MPI_DOUBLE, MPI_SUM, comm); }).error_class;
    };
    for (int round = 0; round < kRounds; ++round) {
      MPI_Bcast(own, kLong, MPI_DOUBLE, 0, comm);
      (void)all_reduced(kLong);
    }
    MPI_Bcast(rank == bad ? nullptr : own, kLong, MPI_DOUBLE, 0, comm);
    int last = MPI_SUCCESS;
    for (int round = 0; round < kRounds; ++round) last = all_reduced(kLong);
    for (int round = 0; round < kRounds; ++round)
      MPI_Allgather(own, kLong, MPI_DOUBLE, result, kLong, MPI_DOUBLE, comm);
    if (last != MPI_ERR_OTHER || all_reduced(1) != MPI_SUCCESS) {
      std::printf("rank %d, rank %d failed: then %s, and a short call %s\n", rank, bad, name_of(last).c_str(),
                  name_of(all_reduced(1)).c_str());
      ++wrong;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (what == "all") in_all_ranks();
  if (what == "one") in_one_rank();
  if (what == "then") then_others();
  int all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d wrong\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
