/// A rank that comes to a collective of MPI's own after others have left it does not begin it: what it sends would be
/// written to memory that they have freed.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "run/mpi/runtime/control_wire.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/ways/native_broadcast.hpp"
#include "run/mpi/ways/native_collective.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Messages with word of a failure to this rank are lost, as if MPI did not move them for a long time.
int deaf_rank = MPI_PROC_NULL;

/// A broadcast by MPI's own.
class NativeBroadcast final : public Job {
 public:
  NativeBroadcast(std::shared_ptr<Context> context, std::int64_t number)
      : Job(std::move(context), number, "broadcast") {}
  ~NativeBroadcast() override { close(); }

  /// `before`: what is done at the beginning of the collective, when the rank has looked for failures.
  void run(std::vector<std::byte>* buffer, int root, const std::function<void()>& before) {
    start(
        [&] {
          if (buffer == nullptr) throw InputError("buffer", "none", "one");
        },
        [&] {
          auto by_mpi =
              broadcast_by_mpi(buffer->data(), static_cast<std::int64_t>(buffer->size()), root, channel.comm());
          collective_.begin([=](MPI_Request* request) mutable {
            before();
            return by_mpi(request);
          });
          return advance();
        });
    wait();
  }

 private:
  Advance advance() override { return collective_.advance(); }
  void abandon() noexcept override { collective_.abandon(); }
  [[nodiscard]] bool in_native_collective() const override { return true; }

  NativeCollective collective_{channel};
};

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// The last rank is the root, the first one fails, and the ranks between wait for the root. When they have thrown,
/// nobody writes to their buffers. `deaf`: the root comes after the others have left, and gets no word by MPI.
/// Otherwise the first rank fails after `failing_after_ms`. `before`: see NativeBroadcast::run, on the root.
void expect_left_alone(bool deaf, int failing_after_ms, const std::function<void()>& before) {
  constexpr std::size_t kBytes = 5000;
  constexpr std::byte kSent{0x11}, kAfterwards{0xee};
  constexpr int kUntilTheyLeave_ms = 600;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) GTEST_SKIP() << "nobody to leave";
  const int root = size - 1;
  const auto job = make_job<NativeBroadcast>(MPI_COMM_WORLD);
  std::vector<std::byte> buffer(kBytes, kSent);
  job->run(&buffer, root, [] {});  // connections are made
  MPI_Barrier(MPI_COMM_WORLD);
  if (deaf) deaf_rank = root;
  if (rank == 0) sleep_ms(failing_after_ms);
  if (deaf && rank == root) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // the first one has failed
    sleep_ms(kUntilTheyLeave_ms);
  }
  bool threw = false;
  try {
    job->run(
        rank == 0 ? nullptr : &buffer, root, rank == root ? before : [] {});
  } catch (const InputError&) {
    threw = true;
  }
  deaf_rank = MPI_PROC_NULL;
  if (deaf && rank == 0) MPI_Send(nullptr, 0, MPI_BYTE, root, 0, MPI_COMM_WORLD);
  std::ranges::fill(buffer, kAfterwards);
  // Others may end the execution before the first one fails, if that one does not get its processor in time.
  EXPECT_TRUE(threw || (rank != 0 && !deaf));
  MPI_Barrier(MPI_COMM_WORLD);
  sleep_ms(10);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(std::ranges::all_of(buffer, [&](std::byte each) { return each == kAfterwards; }));
}

TEST(LeftCollective, IsNotBegunByARankThatComesLaterAndHasNoWordByMpi) {
  expect_left_alone(true, 0, [] {});
}

TEST(LeftCollective, IsNotLeftWhileARankIsJustBeginningIt) {
  expect_left_alone(false, 100, [] { sleep_ms(700); });
}

}  // namespace
}  // namespace sluice::mpi::detail

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  using namespace sluice::mpi::detail;
  // Other control messages are shorter: channel and what they say.
  constexpr int kBytesOfOthers = sizeof(std::int64_t) + sizeof(Control);
  const bool lost = to == deaf_rank && to != MPI_PROC_NULL && tag == kControlTag && count > kBytesOfOthers;
  return PMPI_Isend(data, count, type, lost ? MPI_PROC_NULL : to, tag, comm, request);
}
