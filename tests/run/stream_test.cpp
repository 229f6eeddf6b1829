#include "run/mpi/network/stream.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sluice::mpi::detail {
namespace {

constexpr StreamLimits kLimits{.piece_bytes = 1000, .seconds = 0.010, .least_bytes = 8000, .most_seconds = 1};

/// The times of pieces that come one after the other, each of them `spans[i]` after the one before.
std::vector<double> times(double start_s, const std::vector<double>& spans) {
  std::vector<double> came;
  for (const double span : spans) came.push_back(start_s += span);
  return came;
}

TEST(StreamRate, IsThatOfEvenPieces) {
  EXPECT_NEAR(rate_of(times(5, std::vector<double>(10, 0.001)), 5, kLimits), 1e6, 1);
}

TEST(StreamRate, WhatBuffersTakeFirstIsLeftOut) {
  // Three pieces at once, the other six at 1 MB/s.
  EXPECT_NEAR(rate_of(times(0, {0, 0, 0, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001}), 0, kLimits), 1e6, 1);
}

TEST(StreamRate, ALateStartIsNotForgotten) {
  EXPECT_NEAR(rate_of(times(0, {0.005, 0.001, 0.001, 0.001, 0.001}), 0, kLimits), 5000 / 0.009, 1);
}

TEST(StreamRate, WhatComesWhenTheTimeIsOverDoesNotCount) {
  // Half of the link until the neighbours end after 10 ms, then all of it.
  std::vector<double> spans(5, 0.0019);
  spans.insert(spans.end(), 3, 0.0009);
  EXPECT_NEAR(rate_of(times(0, spans), 0, kLimits), 1000 / 0.0019, 1);
}

TEST(StreamRate, OfASlowLinkAllCounts) {
  // Four pieces in time are few: these are the five after the first third.
  EXPECT_NEAR(rate_of(times(0, {0.0022, 0.0022, 0.0022, 0.0022, 0.0044, 0.0044, 0.0044, 0.0044}), 0, kLimits),
              5000 / 0.0198, 1);
}

TEST(StreamRate, OfLessThanTwoPiecesNothingIsKnown) {
  EXPECT_EQ(rate_of({}, 0, kLimits), 0);
  EXPECT_EQ(rate_of(times(0, {0.001}), 0, kLimits), 0);
}

}  // namespace
}  // namespace sluice::mpi::detail
