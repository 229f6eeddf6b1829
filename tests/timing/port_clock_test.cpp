#include "timing/port_clock.hpp"

#include <gtest/gtest.h>

namespace sluice::detail {
namespace {

TEST(PortClock, PortsCarryOneTransferAtATime) {
  PortClock clock(2, 3);
  EXPECT_EQ(clock.ports_free(0, 0), 0);
  clock.keep_ports(0, 0, 5);
  clock.keep_ports(1, 2, 7);
  EXPECT_EQ(clock.ports_free(0, 1), 5);
  EXPECT_EQ(clock.ports_free(1, 0), 7);
  EXPECT_EQ(clock.ports_free(0, 2), 7);
}

TEST(PortClock, ALinkGivesTheNextTransferWhatComesFreeFirst) {
  PortClock clock(1, 1);
  clock.add_link(2);
  clock.add_link(0);
  clock.keep_link(0, 9);
  EXPECT_EQ(clock.link_free(0), 0);
  clock.keep_link(0, 4);
  EXPECT_EQ(clock.link_free(0), 4);
  clock.keep_link(0, 6);  // after the transfer until 4
  EXPECT_EQ(clock.link_free(0), 6);
  clock.keep_link(0, 12);  // after the transfer until 6
  EXPECT_EQ(clock.link_free(0), 9);
  for (int i = 0; i < 3; ++i) clock.keep_link(1, 5);
  EXPECT_EQ(clock.link_free(1), 0);
}

}  // namespace
}  // namespace sluice::detail
