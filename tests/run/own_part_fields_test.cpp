#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/runtime/planned_part.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {
namespace {

using sluice::detail::OwnPart;

/// A part goes from rank to rank only in this form: what is read is what was written.
TEST(OwnPartFields, AreAllTold) {
  OwnPart part;
  const OwnPart::Range ranges[] = {{5, 7, true, 0, OwnPart::OwnTurn::kLater}, {0, 2, false, -1}};
  const std::uint32_t first = part.add({3, false, sluice::detail::MessageKind::kCombine, 1, 0, 4}, ranges);
  (void)part.add({1, true}, ranges[0], std::span(&first, 1));
  (void)part.add({2, true}, ranges[1]);
  part.pace = {{0, 0}, {0.25, 1.5}, {0, 0}};
  part.runs = {{2, 4}, {0, 0}, {0, 0}};
  part.permits = {0, 2, 1};
  const OwnPart::Hears hears[] = {{7, 8}, {9, 10}};
  part.grants.add(hears);
  part.grants.add({});
  part.grants.add({});
  const auto all = [](auto& numbers, OwnPart& each) { fields(numbers, each); };
  EXPECT_EQ(part_of_numbers<OwnPart>(numbers_of(std::vector<OwnPart>{part}, all).front(), all), part);
}

}  // namespace
}  // namespace sluice::mpi::detail
