// A system that refuses memory which ranks share: jobs do without, and say so once.

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "run/mpi/runtime/context.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace {

bool refuses = false;

}  // namespace

/// Takes the place of the system's own in this program.
extern "C" int memfd_create(const char* name, unsigned int flags) noexcept {
  if (!refuses) return static_cast<int>(syscall(SYS_memfd_create, name, flags));
  errno = EPERM;
  return -1;
}

namespace sluice::mpi {
namespace {

using testing::rank;
using testing::size;

/// What this rank says while it moves an array on a communicator that no job has been made on yet.
std::string said_in_a_job() {
  const testing::Comm comm;
  testing::Case c{{300, 260}, {{size(), 1}, {7, 260}}, {{1, size()}, {300, 9}}, 8, {}};
  c.options.shared_from_bytes = 0;
  testing::Arrays arrays = make_arrays(c, rank());
  ::testing::internal::CaptureStderr();
  Redistribution job(comm.get(), c.shape, c.from, c.to, c.element_size, c.options);
  for (int i = 0; i < 3; ++i) job.execute(arrays.source.data(), arrays.target.data());
  std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(testing::difference(arrays.target, arrays.expected), "");
  return said;
}

int on_all_ranks(int number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return number;
}

TEST(RefusedMemory, IsSaidOnceAndDoneWithout) {
  if (size() == 1) return;
  // On the last rank first, whose process asks for memory in vain; the others have theirs.
  refuses = rank() == size() - 1;
  const std::string said = said_in_a_job();
  EXPECT_EQ(said, rank() != size() - 1 ? ""
                                       : "sluice: rank " + std::to_string(size() - 1) +
                                             " cannot share memory: memfd_create: Operation not permitted; messages "
                                             "within its host go by MPI\n");
  EXPECT_EQ(on_all_ranks(static_cast<int>(std::ranges::count(said, '\n'))), 1);
  EXPECT_EQ(said_in_a_job(), "") << "said again";
  refuses = false;
  EXPECT_EQ(said_in_a_job(), "");
  // Nothing more is asked for.
  refuses = true;
  EXPECT_EQ(said_in_a_job(), "");
  EXPECT_EQ(detail::Context::of(MPI_COMM_WORLD)->shares_memory(), size() <= 64);
}

}  // namespace
}  // namespace sluice::mpi
