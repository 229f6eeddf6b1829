// main of the MPI tests: every rank runs every test, or with --file=NAME.cpp every test of that file, and the job fails
// if one fails on any rank. With SLUICE_THREADS in the environment threads may call MPI.

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "run/any_rank_failed.hpp"

namespace {

/// At the end of each test no rank goes on to the next one before all have come.
class TogetherToTheNext : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& /*test*/) override { (void)sluice::mpi::testing::any_rank_failed(); }
};

/// Prints what failed, and the rank.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::printf("rank %d: %s:%d: %s\n", rank_, result.file_name() == nullptr ? "?" : result.file_name(),
                result.line_number(), result.message());
    std::fflush(stdout);
  }

  int rank_;
};

/// GoogleTest's filter for the tests of a file, given without its folder; empty if it has none.
std::string tests_of(std::string_view file) {
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      std::string_view found = test.file();
      found.remove_prefix(found.rfind('/') + 1);  // of none npos + 1, which is 0
      if (found == file) filter += std::string(suite.name()) + '.' + test.name() + ':';
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, std::getenv("SLUICE_THREADS") != nullptr ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kFile = "--file=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string tests = argument.substr(0, kFile.size()) == kFile ? tests_of(argument.substr(kFile.size())) : "";
    if (tests.empty()) {
      std::fprintf(stderr, "error: %s, expected --file= and a file with tests\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    GTEST_FLAG_SET(filter, tests);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  listeners.Append(new TogetherToTheNext);
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
