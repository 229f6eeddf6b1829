#include "sluice/input/speeds.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "sluice/error.hpp"

namespace sluice {
namespace {

NetworkSpeeds speeds_of(const std::string& fields) {
  std::istringstream in("{\"schema\": \"sluice.speeds/1\"" + fields + "}");
  return read_speeds(in, "speeds.json");
}

std::string error_of_speeds(const std::string& fields) {
  try {
    (void)speeds_of(fields);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Speeds, AreReadExactly) {
  const NetworkSpeeds speeds = speeds_of(R"(, "senders": [1, 0.5, 0.000001], "receivers": [1000000, 2.718281],
              "backbone": [{"time": 0, "max_transfers": 2}, {"max_transfers": 1, "time": 2.5}])");
  EXPECT_EQ(speeds.senders, (std::vector<std::int64_t>{1'000'000, 500'000, 1}));
  EXPECT_EQ(speeds.receivers, (std::vector<std::int64_t>{1'000'000'000'000, 2'718'281}));
  EXPECT_EQ(speeds.backbone, (std::vector<BackboneChange>{{0, 2}, {2.5, 1}}));
  EXPECT_EQ(speeds.between(1, 0), 500'000);
  EXPECT_EQ(speeds.between(0, 1), 1'000'000);
  EXPECT_EQ(NetworkSpeeds{}.between(5, 7), kSpeedOfOne);
  EXPECT_TRUE(speeds_of(R"(, "receivers": [1])").senders.empty());
}

TEST(Speeds, TheKOfATime) {
  const std::vector<BackboneChange> backbone{{0, 2}, {2.5, 1}, {4, 7}};
  EXPECT_EQ(max_transfers_at(backbone, 0), 2);
  EXPECT_EQ(max_transfers_at(backbone, 2.25), 2);
  EXPECT_EQ(max_transfers_at(backbone, 2.5), 1);
  EXPECT_EQ(max_transfers_at(backbone, 1e300), 7);
}

TEST(Speeds, EveryNumberOfSixDecimalsIsOne) {
  for (std::int64_t millionths :
       {1L, 3L, 999'999L, 1'000'001L, 123'456'789'012L, 999'999'999'999L, 1'000'000'000'000L}) {
    const double value = static_cast<double>(millionths) / 1e6;
    EXPECT_EQ(speed_in_millionths(value), millionths);
  }
  for (const double none : {0.0, -1.0, 0.0000005, 0.0000015, 1'000'000.000001, 0.1234567, 1e300})
    EXPECT_FALSE(speed_in_millionths(none)) << none;
}

TEST(Speeds, BadFilesAreRefused) {
  EXPECT_EQ(
      error_of_speeds(R"(, "senders": [1, 0])"),
      "speeds.json:1: a speed of 0 of sender 1, expected a number from 0.000001 to 1000000 of at most 6 decimals");
  EXPECT_EQ(error_of_speeds(R"(, "receivers": [-1])"), "speeds.json:1: -1, expected a number of at least 0");
  EXPECT_EQ(error_of_speeds(""),
            "speeds.json:1: speeds of nothing, expected \"senders\", \"receivers\" or \"backbone\"");
  EXPECT_EQ(error_of_speeds(R"(, "backbone": [{"time": 1, "max_transfers": 2}])"),
            "speeds.json: a backbone from time 1 on, expected its first time to be 0");
  EXPECT_EQ(error_of_speeds(R"(, "backbone": [{"time": 0, "max_transfers": 2}, {"time": 0, "max_transfers": 3}])"),
            "speeds.json: time 0 of the backbone after 0, expected times that rise");
  EXPECT_EQ(error_of_speeds(R"(, "backbone": [{"time": 0, "max_transfers": 0}])"),
            "speeds.json: 0 transfers of the backbone at time 0, expected at least 1");
  EXPECT_NE(error_of_speeds(R"(, "speeds": [1])").find("only \"schema\", \"senders\""), std::string::npos);
  EXPECT_NE(error_of_speeds(R"(, "backbone": [{"time": 0}])").find("without \"max_transfers\""), std::string::npos);
  EXPECT_NE(error_of_speeds(R"(, "senders": [1], "senders": [1])").find("twice"), std::string::npos);
}

}  // namespace
}  // namespace sluice
