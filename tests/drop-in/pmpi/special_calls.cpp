// What programs do besides calling collectives in turn.
//
//     special_calls errors     a job fails, and the communicator's errors are returned
//     special_calls threads    two threads, each with a communicator of its own
//     special_calls bottom     buffers that are MPI_BOTTOM, with types of absolute addresses
//     special_calls short      the same short calls again and again
//     special_calls quick      20000 calls in quick succession; prints the seconds of all ranks
//     special_calls alias      the block to itself stays where it is, in one memory for both
//     special_calls inter      an intercommunicator, and a communicator of one rank
#include <mpi.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int size = 1;
int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  std::fflush(stdout);
  ++wrong;
}

/// Expects an error of call(own data, communicator). The last rank has no data: it returns an error of its own, and
/// rank 0 hears of it.
template <class Call>
void expect_error(const Call& call) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const std::vector<double> own(1000, 1);
  const int code = call(rank == size - 1 ? nullptr : own.data(), comm);
  if (rank == 0 || rank == size - 1) expect(code != MPI_SUCCESS, "no error was returned");
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  if (rank == size - 1) expect(error_class == MPI_ERR_BUFFER, "another error than MPI_ERR_BUFFER");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
}

void errors() {
  std::vector<double> result(1000 * static_cast<std::size_t>(size));
  expect_error([&](const double* own, MPI_Comm comm) {
    return MPI_Reduce(own, result.data(), 1000, MPI_DOUBLE, MPI_SUM, 0, comm);
  });
  expect_error([&](const double* own, MPI_Comm comm) {
    return MPI_Allgather(own, 1000, MPI_DOUBLE, result.data(), 1000, MPI_DOUBLE, comm);
  });
  expect_error([&](const double* own, MPI_Comm comm) {
    return MPI_Gather(own, 1000, MPI_DOUBLE, result.data(), 1000, MPI_DOUBLE, 0, comm);
  });
  // The program goes on.
  int value = rank == 0 ? 7 : 0;
  expect(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS && value == 7, "MPI_Bcast after an error");
}

void work(MPI_Comm comm, int seed) {
  std::vector<int> numbers(3000);
  std::vector<int> others(numbers.size());
  for (int round = 0; round < 20; ++round) {
    const int root = (seed + round) % size;
    numbers.assign(numbers.size(), rank == root ? seed + round : -1);
    MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT, root, comm);
    expect(numbers.front() == seed + round && numbers.back() == seed + round, "MPI_Bcast of a thread");
    numbers.assign(numbers.size(), rank);
    const int each = static_cast<int>(numbers.size()) / size;
    MPI_Alltoall(numbers.data(), each, MPI_INT, others.data(), each, MPI_INT, comm);
    for (int i = 0; i < size; ++i) expect(others[static_cast<std::size_t>(i * each)] == i, "MPI_Alltoall of a thread");
    MPI_Allreduce(numbers.data(), others.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_SUM, comm);
    expect(others.front() == size * (size - 1) / 2 && others.back() == others.front(), "MPI_Allreduce of a thread");
    MPI_Allgather(numbers.data(), each, MPI_INT, others.data(), each, MPI_INT, comm);
    for (int i = 0; i < size; ++i) expect(others[static_cast<std::size_t>(i * each)] == i, "MPI_Allgather of a thread");
  }
}

void threads() {
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  std::thread other([&] { work(second, 100); });
  work(first, 0);
  other.join();
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

/// A type of all these integers at their absolute address.
MPI_Datatype type_at(std::vector<int>& numbers) {
  MPI_Aint at = 0;
  const int length = static_cast<int>(numbers.size());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Get_address(numbers.data(), &at);
  MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

void bottom() {
  std::vector<int> own(3000, rank);
  std::vector<int> all(own.size() * static_cast<std::size_t>(size), -1);
  MPI_Datatype at_own = type_at(own);
  MPI_Allgather(MPI_BOTTOM, 1, at_own, all.data(), 3000, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    expect(all[static_cast<std::size_t>(3000 * i)] == i && all[static_cast<std::size_t>(3000 * i + 2999)] == i,
           "MPI_Allgather from MPI_BOTTOM");
  }
  MPI_Bcast(MPI_BOTTOM, 1, at_own, size - 1, MPI_COMM_WORLD);
  expect(own.front() == size - 1 && own.back() == size - 1, "MPI_Bcast of MPI_BOTTOM");
  MPI_Scatter(all.data(), 3000, MPI_INT, MPI_BOTTOM, 1, at_own, 0, MPI_COMM_WORLD);
  expect(own.front() == rank && own.back() == rank, "MPI_Scatter to MPI_BOTTOM");
  MPI_Type_free(&at_own);
}

/// Calls of 8 KiB: too short for the library to take, if it knows nothing of the network.
void short_calls() {
  std::vector<int> numbers(2048);
  std::vector<int> sums(numbers.size());
  for (int round = 0; round < 20; ++round) {
    const int root = round % size;
    numbers.assign(numbers.size(), rank == root ? round : -1);
    MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT, root, MPI_COMM_WORLD);
    expect(numbers == std::vector<int>(numbers.size(), round), "MPI_Bcast of a short message");
    numbers.assign(numbers.size(), round + rank);
    MPI_Allreduce(numbers.data(), sums.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sums == std::vector<int>(sums.size(), size * round + size * (size - 1) / 2),
           "MPI_Allreduce of a short message");
  }
}

void quick_calls() {
  double own = rank;
  double sum = 0;
  const double start = MPI_Wtime();
  for (int i = 0; i < 20000; ++i) MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double own_s = MPI_Wtime() - start;
  double all_s = 0;
  PMPI_Allreduce(&own_s, &all_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("seconds %.6f\n", all_s);
}

/// MPI forbids it, and programs do it.
void alias() {
  const int each = 2000;
  const auto at = [](int block) { return static_cast<std::size_t>(each) * static_cast<std::size_t>(block); };
  // What is sent is in the first half, and what arrives goes to the second half, except the block to itself.
  std::vector<int> memory(at(2 * size), rank);
  const std::vector<int> counts(static_cast<std::size_t>(size), each);
  std::vector<int> from;
  std::vector<int> to;
  for (int i = 0; i < size; ++i) {
    from.push_back(each * i);
    to.push_back(each * (i == rank ? i : size + i));
  }
  for (int round = 0; round < 3; ++round) {
    MPI_Alltoallv(memory.data(), counts.data(), from.data(), MPI_INT, memory.data(), counts.data(), to.data(), MPI_INT,
                  MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
      const auto first = static_cast<std::size_t>(to[static_cast<std::size_t>(i)]);
      expect(memory[first] == i && memory[first + at(1) - 1] == i, "MPI_Alltoallv in one memory");
    }
  }
}

void inter() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  const int side = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &between);
  int in_half = 0;
  MPI_Comm_rank(half, &in_half);
  std::vector<int> numbers(10000, rank == 0 ? 5 : 0);
  const int root = side == 1 ? 0 : in_half == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(numbers.data(), 10000, MPI_INT, root, between);
  expect(numbers.back() == (rank == 0 || side == 1 ? 5 : 0), "MPI_Bcast between groups");
  // Each side gets what the other one has.
  const int here = (size + 1 - side) / 2;
  const int there = size - here;
  const std::vector<int> mine(1000, side + 1);
  numbers.assign(10000, 0);
  MPI_Allreduce(mine.data(), numbers.data(), 1000, MPI_INT, MPI_SUM, between);
  expect(numbers[999] == (2 - side) * there, "MPI_Allreduce between groups");
  MPI_Allgather(mine.data(), 1000, MPI_INT, numbers.data(), 1000, MPI_INT, between);
  expect(numbers[static_cast<std::size_t>(1000 * there - 1)] == 2 - side, "MPI_Allgather between groups");
  numbers.assign(10000, 0);
  MPI_Gather(mine.data(), 1000, MPI_INT, numbers.data(), 1000, MPI_INT, root, between);
  if (root == MPI_ROOT) expect(numbers[static_cast<std::size_t>(1000 * there - 1)] == 2, "MPI_Gather between groups");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  MPI_Bcast(numbers.data(), 10000, MPI_INT, 0, MPI_COMM_SELF);
  int alone = rank;
  int copy = -1;
  MPI_Alltoall(&alone, 1, MPI_INT, &copy, 1, MPI_INT, MPI_COMM_SELF);
  expect(copy == rank, "MPI_Alltoall of one rank");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, what == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (what == "errors") errors();
  if (what == "threads" && provided == MPI_THREAD_MULTIPLE) threads();
  if (what == "bottom") bottom();
  if (what == "short") short_calls();
  if (what == "quick") quick_calls();
  if (what == "alias") alias();
  if (what == "inter") inter();
  int all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d wrong\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
