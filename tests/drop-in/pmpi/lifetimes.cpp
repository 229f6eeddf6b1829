// Communicators, threads, processes and MPI itself end while others go on.
//
//     lifetimes first-use      two threads use a communicator for the first time at once, again and again
//     lifetimes free-other     a thread makes and frees communicators while another one calls on its own
//     lifetimes free-send      a communicator is freed while another thread sends on it
//     lifetimes free-reduce    ... while another thread is in MPI_Allreduce on it
//     lifetimes free-persistent  ... before a persistent send on it is started
//     lifetimes unreceived     a message on MPI_COMM_WORLD that nobody receives
//     lifetimes no-folder      the folder "record" is replaced by a file before MPI_Finalize
//     lifetimes early-end      the last rank ends without MPI_Finalize
//     lifetimes calls          a few calls
//     lifetimes fork           children that exit, one that calls MPI_Finalize, one that starts a program
//     lifetimes descriptors    prints how many there are after MPI_Init
//     lifetimes close-files    files and memory are closed right after MPI_Init, and others opened in their place
//     lifetimes other-count    rank 1 gives another count than the others, in three ways
//     lifetimes many           hundreds of communicators live at once, each with calls that may be taken
//     lifetimes ... late       calls more, and then MPI_Finalize, when static variables are destroyed
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
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

MPI_Comm duplicate(MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &made);
  return made;
}

void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

/// To the right, from the left.
void pass_on(MPI_Comm comm, int tag) {
  const int mine = 10 * rank + tag;
  int came = -1;
  const int left = (rank + size - 1) % size;
  MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, tag, &came, 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
  expect(came == 10 * left + tag, "MPI_Sendrecv of a thread");
}

void sum(MPI_Comm comm) {
  const std::vector<double> own(8192, rank);
  std::vector<double> all(own.size(), -1);
  MPI_Allreduce(own.data(), all.data(), 8192, MPI_DOUBLE, MPI_SUM, comm);
  expect(all == std::vector<double>(all.size(), size * (size - 1) / 2), "MPI_Allreduce");
}

constexpr int kRounds = 20;

void first_use() {
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm comm = duplicate();
    std::thread other([&] { pass_on(comm, 1); });
    pass_on(comm, 0);
    other.join();
    MPI_Comm_free(&comm);
  }
}

void free_other() {
  MPI_Comm kept = duplicate();
  MPI_Comm source = duplicate();
  std::thread other([&] {
    for (int round = 0; round < 2 * kRounds; ++round) {
      MPI_Comm comm = duplicate(source);
      pass_on(comm, 2);
      sum(comm);
      MPI_Comm_free(&comm);
    }
  });
  for (int round = 0; round < 2 * kRounds; ++round) {
    pass_on(kept, 3);
    sum(kept);
  }
  other.join();
  MPI_Comm_free(&source);
  MPI_Comm_free(&kept);
}

/// The others come to the call when rank 0 has freed the communicator in the middle of it, after a first one that makes
/// what later ones need.
void free_within(const std::function<void(MPI_Comm)>& call) {
  MPI_Comm comm = duplicate();
  call(comm);
  if (rank == 0) {
    MPI_Comm handle = comm;
    std::thread within([&call, comm] { call(comm); });
    wait_a_moment();
    MPI_Comm_free(&handle);
    MPI_Barrier(MPI_COMM_WORLD);
    within.join();
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    call(comm);
    MPI_Comm_free(&comm);
  }
}

void free_send() {
  free_within([](MPI_Comm comm) {
    int value = rank == 0 ? 7 : 0;
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 0, comm);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    if (rank <= 1) expect(value == 7, "MPI_Ssend");
  });
}

void free_persistent() {
  MPI_Comm comm = duplicate();
  const int left = (rank + size - 1) % size;
  int in = -1;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Send_init(&rank, 1, MPI_INT, (rank + 1) % size, 0, comm, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, left, 0, comm, &requests[1]);
  MPI_Comm_free(&comm);
  for (MPI_Request& request : requests) MPI_Start(&request);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect(in == left, "MPI_Start");
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void call_all() {
  pass_on(MPI_COMM_WORLD, 4);
  for (int round = 0; round < 4; ++round) sum(MPI_COMM_WORLD);
}

void unreceived() {
  call_all();
  for (int tag = 0; tag < 3; ++tag) {
    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
}

void no_folder() {
  call_all();
  if (rank == 0) expect(std::rename("record", "old-record") == 0 && std::fopen("record", "w") != nullptr, "the folder");
  MPI_Barrier(MPI_COMM_WORLD);
  wait_a_moment();  // files are to be renewed meanwhile
}

/// Whether a file holds the text, within 20 seconds.
bool is_written(const char* file, const std::string& text) {
  for (int i = 0; i < 100; ++i) {
    std::ifstream in(file);
    if (std::string(std::istreambuf_iterator<char>(in), {}).find(text) != std::string::npos) return true;
    wait_a_moment();
  }
  return false;
}

void early_end() {
  call_all();
  if (rank == size - 1) expect(is_written("record/record.json", "MPI_Allreduce"), "the record is not renewed");
  if (rank == size - 1) _exit(0);
}

/// Destroyed after everything that is made while main runs.
struct Last {
  bool calls_finalize = false;
  ~Last() {
    if (!calls_finalize) return;
    call_all();
    MPI_Finalize();
    if (wrong > 0) _exit(1);
  }
} last;

/// How a child ends; by SIGKILL if it takes more than ten seconds.
int status_of(const std::function<void()>& child) {
  const pid_t pid = fork();
  if (pid == 0) {
    child();
#ifdef OPEN_MPI
    std::exit(0);
#else
    _exit(0);  // MPICH's UCX ends a child that exits
#endif
  }
  int status = -1;
  for (int i = 0; i < 100; ++i) {
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return status;
}

void forks() {
  call_all();
  expect(status_of([] {}) == 0, "a child that exits");
  expect(status_of([] { MPI_Finalize(); }) == 0, "a child that calls MPI_Finalize");
  expect(status_of([] { execlp("true", "true", nullptr); }) == 0, "a child that starts a program");
  call_all();
}

/// What each open descriptor above 2 is.
std::map<int, std::string> descriptors() {
  std::map<int, std::string> all;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int number = std::stoi(each.path().filename());
    std::error_code gone;  // the one that reads this folder
    const std::string what = std::filesystem::read_symlink(each.path(), gone);
    if (number > 2 && !gone && what.find("/fd") == std::string::npos) all[number] = what;
  }
  return all;
}

void count_descriptors() {
  const auto here = static_cast<int>(descriptors().size());
  int most = 0;
  PMPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("descriptors %d\n", most);
  call_all();
}

/// Sockets, events and pipes belong to the MPI, which ends without them; they stay open.
void close_files() {
  for (const auto& [number, what] : descriptors()) {
    if (what.starts_with('/')) close(number);
  }
  std::FILE* const mine = std::fopen(("file-" + std::to_string(rank)).c_str(), "w+");
  for (int i = 0; i < 50; ++i) expect(dup(fileno(mine)) > 0, "dup");
  call_all();
  wait_a_moment();
  call_all();
  std::fseek(mine, 0, SEEK_END);
  expect(std::ftell(mine) == 0, "something was written to a file of the program");
}

constexpr int kFewer = 10000, kMore = 12000, kShort = 300;

/// What a call returns on a communicator whose patterns of kFewer and kMore integers have jobs. `call(count, comm)`.
template <class MpiCall>
int after_jobs(MpiCall call, int last_count) {
  MPI_Comm comm = duplicate();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < 4; ++i) {
    expect(call(kFewer, comm) == MPI_SUCCESS, "a call");
    expect(call(kMore, comm) == MPI_SUCCESS, "a longer call");
  }
  int error = MPI_SUCCESS;
  if (const int code = call(last_count, comm); code != MPI_SUCCESS) MPI_Error_class(code, &error);
  MPI_Comm_free(&comm);
  return error;
}

/// Each rank ends its call: those that can tell with an error.
void other_counts() {
  static std::vector<int> in(kMore), out(kMore);
  const auto broadcast = [](int count, MPI_Comm comm) { return MPI_Bcast(in.data(), count, MPI_INT, 0, comm); };
  const auto add = [](int count, MPI_Comm comm) {
    return MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm);
  };
  // Lists with the same count for every rank.
  const auto gather_lists = [](int count, MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<int> counts(static_cast<std::size_t>(ranks), count), offsets, all(counts.size() * kMore);
    for (int each = 0; each < ranks; ++each) offsets.push_back(each * kMore);
    return MPI_Allgatherv(in.data(), count, MPI_INT, all.data(), counts.data(), offsets.data(), MPI_INT, comm);
  };
  const auto add_lists = [](int count, MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const std::vector<int> counts(static_cast<std::size_t>(ranks), count), all(counts.size() * kMore);
    return MPI_Reduce_scatter(all.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, comm);
  };
  const bool odd = rank == 1;
  int error = after_jobs(broadcast, odd ? kFewer : kMore);
  expect(error == (odd ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "a broadcast of another size");
  error = after_jobs(broadcast, odd ? kFewer : kShort);
  expect(error == (odd ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "a broadcast that the others forward");
  error = after_jobs(add, odd ? kFewer : kMore);
  expect(error != MPI_SUCCESS, "an allreduce of another size");
  error = after_jobs(gather_lists, odd ? kFewer : kMore);
  expect(error != MPI_SUCCESS, "an allgatherv of other sizes");
  error = after_jobs(add_lists, odd ? kFewer : kMore);
  expect(error != MPI_SUCCESS, "a reduce-scatter of other sizes");
}

void many_communicators() {
  constexpr int kBytes = 32 << 10;
  std::vector<MPI_Comm> all;
  std::vector<unsigned char> buffer(kBytes);
  for (int i = 0; i < 300; ++i) {
    all.push_back(duplicate());
    for (int round = 0; round < 4; ++round) {
      std::ranges::fill(buffer, static_cast<unsigned char>(rank == 0 ? i + round : 255));
      MPI_Bcast(buffer.data(), kBytes, MPI_BYTE, 0, all.back());
      expect(buffer.front() == (i + round) % 256 && buffer.back() == (i + round) % 256, "MPI_Bcast");
    }
  }
  int files = 0;
  for (const auto& [number, what] : descriptors()) files += what.find("memfd") != std::string::npos ? 1 : 0;
  expect(files <= 1, "a descriptor for each communicator");
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::map<std::string, std::function<void()>> programs{
      {"first-use", first_use},
      {"free-other", free_other},
      {"free-send", free_send},
      {"free-reduce", [] { free_within(sum); }},
      {"free-persistent", free_persistent},
      {"unreceived", unreceived},
      {"no-folder", no_folder},
      {"early-end", early_end},
      {"calls", call_all},
      {"fork", forks},
      {"descriptors", count_descriptors},
      {"close-files", close_files},
      {"other-count", other_counts},
      {"many", many_communicators},
  };
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(provided == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");
  programs.at(what)();
  int all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d wrong\n", all);
  last.calls_finalize = argc > 2 && std::string(argv[2]) == "late";
  if (!last.calls_finalize) MPI_Finalize();
  return all == 0 ? 0 : 1;
}
