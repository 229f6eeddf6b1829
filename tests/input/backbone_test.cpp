#include "sluice/input/backbone.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"

namespace sluice {
namespace {

Backbone of(const char* backbone, const char* sender_link, const char* receiver_link, const char* latency) {
  return {parse_speed(backbone, "backbone"), parse_speed(sender_link, "sender"), parse_speed(receiver_link, "receiver"),
          parse_time(latency, "latency")};
}

void expect_model(const BackboneModel& model, double speed, std::int64_t max_transfers, double setup) {
  EXPECT_DOUBLE_EQ(model.transfer_bytes_per_s, speed);
  EXPECT_EQ(model.max_transfers, max_transfers);
  EXPECT_DOUBLE_EQ(model.setup_bytes, setup);
}

TEST(BackboneModel, OfThePapersExample) {
  expect_model(model(of("1Gbit", "10Mbit", "100Mbit", "1ms"), 200, 100), 1.25e6, 100, 1250);
  expect_model(model(of("1Gbit", "100Mbit", "10Mbit", "1ms"), 100, 200), 1.25e6, 100, 1250);
}

TEST(BackboneModel, FewNodesLimitTheTransfers) {
  expect_model(model(of("1Gbit", "100Mbit", "1Gbit", "1ms"), 20, 20), 12.5e6, 10, 12500);
  EXPECT_EQ(model(of("1Gbit", "100Mbit", "1Gbit", "1ms"), 7, 20).max_transfers, 7);
  EXPECT_EQ(model(of("1Gbit", "100Mbit", "1Gbit", "1ms"), 20, 3).max_transfers, 3);
  EXPECT_EQ(model(of("1Gbit", "100Mbit", "1Gbit", "1ms"), 0, 3).max_transfers, 1);
}

TEST(BackboneModel, ASlowBackboneTakesOneTransferAtItsOwnSpeed) {
  expect_model(model(of("10Mbit", "100Mbit", "1Gbit", "2s"), 20, 20), 1.25e6, 1, 2.5e6);
}

TEST(BackboneModel, RoundsTransfersDownButNotRoundingItself) {
  EXPECT_EQ(model(of("1Gbit", "334Mbit", "1Gbit", "0s"), 9, 9).max_transfers, 2);
  EXPECT_EQ(model(of("1Gbit", "333Mbit", "1Gbit", "0s"), 9, 9).max_transfers, 3);
  EXPECT_EQ(model({0.3, 0.1, 0.1, 0}, 9, 9).max_transfers, 3);  // 0.3 / 0.1 < 3 in doubles
  EXPECT_EQ(model({0.29999, 0.1, 0.1, 0}, 9, 9).max_transfers, 2);
  EXPECT_EQ(model({1e300, 1e-300, 1, 0}, 9, 8).max_transfers, 8);
}

TEST(BackboneModel, NoLatencyIsNoSetUp) { EXPECT_EQ(model(of("1Gbit", "1Gbit", "1Gbit", "0s"), 2, 2).setup_bytes, 0); }

TEST(BackboneModel, RefusesWhatIsNoBackbone) {
  const auto where = [](const Backbone& backbone, std::int64_t senders = 1, std::int64_t receivers = 1) {
    try {
      (void)model(backbone, senders, receivers);
    } catch (const InputError& error) {
      return error.where();
    }
    return std::string("no error");
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(where({1, 1, 1, 0}), "no error");
  EXPECT_EQ(where({0, 1, 1, 0}), "speed of the backbone");
  EXPECT_EQ(where({kInfinity, 1, 1, 0}), "speed of the backbone");
  EXPECT_EQ(where({1, -1, 1, 0}), "speed of a sender's link");
  EXPECT_EQ(where({1, 1, std::nan(""), 0}), "speed of a receiver's link");
  EXPECT_EQ(where({1, 1, 1, -1}), "latency");
  EXPECT_EQ(where({1, 1, 1, kInfinity}), "latency");
  EXPECT_EQ(where({1e300, 1e300, 1e300, 1e300}), "latency");
  EXPECT_EQ(where({1, 1, 1, 0}, -1, 1), "number of senders");
  EXPECT_EQ(where({1, 1, 1, 0}, 1, -1), "number of receivers");
}

}  // namespace
}  // namespace sluice
