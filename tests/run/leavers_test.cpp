#include "run/mpi/runtime/leavers.hpp"

#include <gtest/gtest.h>

namespace sluice::mpi::detail {
namespace {

TEST(Leavers, AllHaveLeftWhenEachHas) {
  Leavers leavers;
  EXPECT_TRUE(leavers.all_left(0));
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_FALSE(leavers.all_left(3));
    leavers.leave();
  }
  EXPECT_TRUE(leavers.all_left(3));
}

}  // namespace
}  // namespace sluice::mpi::detail
