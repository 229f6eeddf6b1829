#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "run/mpi/runtime/planned_part.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {
namespace {

using sluice::detail::OwnPart;

/// The only form in which a part goes from rank to rank: what is read is what was written.
TEST(OwnPartFields, AreAllTold) {
  OwnPart part;
  const std::uint32_t first = part.add(3, false, sluice::detail::MessageKind::kCombine);
  part.add_range({5, 7, true});
  part.add_range({0, 2, false});
  (void)part.add(1, true);
  part.add_range({5, 7, false});
  part.wait_for(first);
  part.pace = {{0, 0}, {0.25, 1.5}};
  part.runs = {{2, 4}, {0, 0}};
  const auto all = [](auto& numbers, OwnPart& each) { fields(numbers, each); };
  EXPECT_EQ(part_of_numbers<OwnPart>(numbers_of(std::vector<OwnPart>{part}, all).front(), all), part);
}

}  // namespace
}  // namespace sluice::mpi::detail
