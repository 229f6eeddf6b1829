#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "run/exchange_testing.hpp"
#include "run/platform_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::Draw;
using testing::rank;
using testing::rank_in;
using testing::size;
using testing::size_of;

Bytes bytes_of(const std::string& text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Strings one after the other: an operation that does not commute, on objects that grow.
void concatenate(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
  result.resize(left.size() + right.size());
  std::copy(left.begin(), left.end(), result.begin());
  std::copy(right.begin(), right.end(), result.begin() + static_cast<std::ptrdiff_t>(left.size()));
}

/// A word of its own for each rank, some empty, some longer than what goes along with a message's size.
std::string word_of(int owner, int round) {
  const std::array<int, 6> lengths{7, 0, 3056, 1, 70'000, 3057};
  const auto length = static_cast<std::size_t>(lengths[static_cast<std::size_t>(owner + round) % lengths.size()]);
  std::string word;
  while (word.size() < length) word += std::to_string(owner) + ":" + std::to_string(word.size()) + ",";
  word.resize(length);
  return word;
}

void expect_concatenation(MPI_Comm comm, ObjectReduction& job, int root, int round) {
  const Bytes own = bytes_of(word_of(rank_in(comm), round));
  Bytes result = bytes_of("what was there before");
  job.execute(own, result);
  if (rank_in(comm) != root) {
    EXPECT_EQ(text_of(result), "what was there before");
    return;
  }
  std::string expected;
  for (int r = 0; r < size_of(comm); ++r) expected += word_of(r, round);
  EXPECT_EQ(text_of(result), expected) << "round " << round;
}

TEST(ObjectReduction, StringsInOrderByEveryAlgorithmToEveryRoot) {
  for (const Algorithm& algorithm : algorithms("reduce")) {
    if (algorithm.name == "tree-dyn") continue;  // which is for no order
    for (int root = 0; root < size(); ++root) {
      for (const bool together : {true, false}) {
        SCOPED_TRACE(std::string(algorithm.name) + ", root " + std::to_string(root));
        ReductionOptions options;
        options.algorithm = algorithm.name;
        options.end_together = together;
        options.dynamic = together && algorithm.name == "greedy";
        const bool at_end = root == 0 || root == size() - 1;
        try {
          ObjectReduction job(MPI_COMM_WORLD, {concatenate, false}, root, options);
          for (int round = 0; round < 3; ++round) expect_concatenation(MPI_COMM_WORLD, job, root, round);
        } catch (const InputError& error) {
          EXPECT_FALSE(at_end || algorithm.name == "greedy") << error.what();
        }
      }
    }
  }
}

TEST(ObjectReduction, LateRanksAndLongOperations) {
  for (const bool dynamic : {false, true}) {
    for (const bool commute : {false, true}) {
      Draw draw(5);
      const int root = size() / 2;
      ReductionOptions options;
      options.costs = ReductionCosts{1, 3};
      options.dynamic = dynamic;
      // Sorts the characters, where it may: then the order of combining does not show.
      const auto combine = [&](std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        concatenate(left, right, result);
        if (commute) std::ranges::sort(result);
      };
      ObjectReduction job(MPI_COMM_WORLD, {combine, commute}, root, options);
      for (int round = 0; round < 4; ++round) {
        const std::int64_t late = draw.between(0, size() - 1);
        if (late == rank()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        Bytes own = bytes_of(word_of(rank(), round));
        if (commute) std::ranges::sort(own);
        Bytes result;
        job.execute(own, result);
        if (rank() != root) continue;
        std::string expected;
        for (int r = 0; r < size(); ++r) expected += word_of(r, round);
        if (commute) std::ranges::sort(expected);
        EXPECT_EQ(text_of(result), expected);
      }
    }
  }
}

/// What execute throws on this rank: 0 nothing, 1 what the operation throws, 2 JobError, 3 InputError.
int thrown_by(ObjectReduction& job, const std::string& word) {
  Bytes result;
  try {
    job.execute(bytes_of(word), result);
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(), "a bad word");
    return 1;
  } catch (const JobError& error) {
    EXPECT_NE(std::string(error.what()).find("a bad word"), std::string::npos) << error.what();
    EXPECT_NE(error.rank(), rank());
    return 2;
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "reduction") << error.what();
    return 3;
  }
  return 0;
}

/// A word of its own spoils the combination on whatever rank it meets another.
void concatenate_good(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
  concatenate(left, right, result);
  if (text_of(result).find("bad") != std::string::npos) throw std::domain_error("a bad word");
}

TEST(ObjectReduction, WhatTheOperationThrowsReachesEveryRank) {
  if (size() == 1) return;
  for (const std::string algorithm : {"chain", "binomial", "flat"}) {
    for (const int culprit : {size() - 1, 0}) {
      SCOPED_TRACE(algorithm + ", the word of rank " + std::to_string(culprit));
      ReductionOptions options;
      options.algorithm = algorithm;
      ObjectReduction job(MPI_COMM_WORLD, {concatenate_good, false}, 0, options);
      EXPECT_EQ(thrown_by(job, "word "), 0);
      const int thrown = thrown_by(job, rank() == culprit ? "bad" : "word ");
      EXPECT_TRUE(thrown == 1 || thrown == 2) << thrown;
      int all = thrown == 1 ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(all, 1);
      EXPECT_EQ(thrown_by(job, "word "), 3);
    }
  }
}

/// In the first execution, which measures and plans, and in a later one.
TEST(ObjectReduction, WhatTheOperationThrowsOverAPlatformReachesEveryRank) {
  if (size() == 1) return;
  for (const bool at_first : {true, false}) {
    SCOPED_TRACE(at_first ? "first" : "second");
    ReductionOptions options;
    options.platform = testing::platform_of(size(), 2);
    ObjectReduction job(MPI_COMM_WORLD, {concatenate_good, false}, 0, options);
    if (!at_first) {
      EXPECT_EQ(thrown_by(job, "word "), 0);
    }
    const int thrown = thrown_by(job, rank() == size() - 1 ? "bad" : "word ");
    EXPECT_TRUE(thrown == 1 || thrown == 2) << thrown;
    int all = thrown == 1 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_GE(all, 1);
    EXPECT_EQ(thrown_by(job, "word "), 3);
  }
}

TEST(ObjectReduction, WithoutAnEndTogetherTheRootKnowsAndOthersSoon) {
  if (size() == 1) return;
  for (const std::string algorithm : {"chain", "binomial", "flat"}) {
    SCOPED_TRACE(algorithm);
    ReductionOptions options;
    options.algorithm = algorithm;
    options.end_together = false;
    ObjectReduction job(MPI_COMM_WORLD, {concatenate_good, false}, 0, options);
    EXPECT_EQ(thrown_by(job, "word "), 0);
    const int thrown = thrown_by(job, rank() == size() - 1 ? "bad" : "word ");
    EXPECT_NE(thrown, 3);
    if (rank() == 0) {
      EXPECT_NE(thrown, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(thrown_by(job, "word "), thrown == 0 ? 2 : 3);
  }
}

TEST(ObjectReduction, ARankThatNeverComesHoldsNobodyUp) {
  if (size() == 1) return;
  const auto attempt = [] {
    ObjectReduction job(MPI_COMM_WORLD, {concatenate, true});
    if (rank() == size() - 1) throw std::domain_error("on the way");
    Bytes result;
    job.execute(bytes_of("a"), result);
  };
  if (rank() == size() - 1) {
    EXPECT_THROW(attempt(), std::domain_error);
    return;
  }
  try {
    attempt();
    ADD_FAILURE() << "no error";
  } catch (const JobError& error) {
    EXPECT_EQ(error.rank(), size() - 1);
    EXPECT_EQ(error.what(), "reduction given up by rank " + std::to_string(size() - 1) + ": destroyed by an exception");
  }
}

// ---- in parts

/// Two reductions under way, with roots at both ends, waited for in opposite orders on odd ranks.
TEST(ObjectReduction, TwoAtOnceInAnyOrder) {
  for (const bool together : {true, false}) {
    ReductionOptions options;
    options.end_together = together;
    struct Way {
      int root;
      ObjectReduction job;
      Bytes own;
      Bytes result;
    };
    std::vector<Way> ways;
    for (const int root : {0, size() - 1})
      ways.push_back({root, ObjectReduction(MPI_COMM_WORLD, {concatenate, false}, root, options), {}, {}});
    for (int round = 0; round < 6; ++round) {
      for (Way& way : ways) {
        way.own = bytes_of(word_of(rank(), round + way.root));
        way.result.clear();
        way.job.start(way.own, way.result);
      }
      for (std::size_t i = 0; i < ways.size(); ++i) {
        ObjectReduction& job = ways[rank() % 2 == 0 ? i : ways.size() - 1 - i].job;
        while (round % 2 == 1 && !job.test()) {
        }
        job.wait();
      }
      for (const Way& way : ways) {
        std::string expected;
        for (int r = 0; r < size() && rank() == way.root; ++r) expected += word_of(r, round + way.root);
        EXPECT_EQ(text_of(way.result), expected) << "round " << round << ", root " << way.root;
      }
    }
  }
}

// ---- costs

TEST(ObjectReduction, CostsAreMeasuredAndAgreed) {
  ReductionOptions options;
  options.measure = true;
  ObjectReduction job(MPI_COMM_WORLD, {concatenate, false}, 0, options);
  EXPECT_EQ(job.summary().method, "");
  for (int round = 0; round < 3; ++round) expect_concatenation(MPI_COMM_WORLD, job, 0, round);
  const ReductionSummary& summary = job.summary();
  EXPECT_EQ(summary.method, "best tree");
  std::array<double, 3> own{summary.costs.transfer, summary.costs.compute, summary.length};
  std::array<double, 3> least{};
  std::array<double, 3> most{};
  MPI_Allreduce(own.data(), least.data(), 3, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(own.data(), most.data(), 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, most);
  EXPECT_EQ(summary.costs.transfer > 0, size() > 1);
}

// ---- over a platform

/// Sets of numbers that are in one of the two.
void merge_numbers(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
  const auto numbers = [](std::span<const std::byte> bytes) {
    std::vector<std::int64_t> all(bytes.size() / sizeof(std::int64_t));
    if (!bytes.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  };
  std::vector<std::int64_t> both;
  std::ranges::merge(numbers(left), numbers(right), std::back_inserter(both));
  result.resize(both.size() * sizeof(std::int64_t));
  std::memcpy(result.data(), both.data(), result.size());
}

TEST(ObjectReduction, OverAPlatformToEveryRoot) {
  for (const int clusters : {1, 2, 3}) {
    for (int root = 0; root < size(); ++root) {
      for (const std::string algorithm : {"auto", "binomial", "tree-dyn"}) {
        SCOPED_TRACE(algorithm + ", " + std::to_string(clusters) + " clusters, root " + std::to_string(root));
        ReductionOptions options;
        options.platform = testing::platform_of(size(), clusters);
        options.algorithm = algorithm;
        ObjectReduction job(MPI_COMM_WORLD, {merge_numbers, true}, root, options);
        EXPECT_EQ(job.summary().method, "");
        for (int round = 0; round < 2; ++round) {
          std::vector<std::int64_t> own, expected;
          for (std::int64_t i = 0; i < 100 * (1 + rank()); ++i) own.push_back(i * size() + rank());
          for (int each = 0; each < size(); ++each)
            for (std::int64_t i = 0; i < 100 * (1 + each); ++i) expected.push_back(i * size() + each);
          std::ranges::sort(expected);
          Bytes result;
          job.execute(std::as_bytes(std::span(own)), result);
          if (rank() != root) continue;
          ASSERT_EQ(result.size(), expected.size() * sizeof(std::int64_t));
          EXPECT_EQ(std::memcmp(result.data(), expected.data(), result.size()), 0);
        }
        if (algorithm != "auto") {
          EXPECT_EQ(job.summary().method, algorithm + " tree");
        }
        EXPECT_NE(job.summary().method, "");
        EXPECT_EQ(job.summary().predicted_s, job.summary().length);
        EXPECT_EQ(job.summary().length > 0, size() > 1);
      }
      ReductionOptions options;
      options.platform = testing::platform_of(size(), clusters);
      ObjectReduction job(MPI_COMM_WORLD, {concatenate, false}, root, options);
      for (int round = 0; round < 2; ++round) expect_concatenation(MPI_COMM_WORLD, job, root, round);
    }
  }
}

// ---- bad arguments

void expect_objects_refused(const ObjectOperation& operation, int root, const ReductionOptions& options,
                            const std::string& where) {
  try {
    const ObjectReduction job(MPI_COMM_WORLD, operation, root, options);
    ADD_FAILURE() << "no error about " << where;
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), where) << error.what();
  }
}

TEST(ObjectReduction, BadArgumentsAreRefusedOnEveryRank) {
  const ObjectOperation merge{concatenate, true};
  const auto with = [](auto change) {
    ReductionOptions options;
    change(options);
    return options;
  };
  expect_objects_refused({}, 0, {}, "combine");
  expect_objects_refused(merge, size(), {}, "root");
  expect_objects_refused(merge, -1, {}, "root");
  expect_objects_refused(merge, 0, with([](auto& o) { o.algorithm = "best"; }), "algorithm");
  expect_objects_refused(merge, 0, with([](auto& o) { o.algorithm = "reduce-scatter"; }), "algorithm reduce-scatter");
  expect_objects_refused(merge, 0, with([](auto& o) { o.segments = 2; }), "segments");
  expect_objects_refused(merge, 0, with([](auto& o) { o.reproducible = false; }), "reproducible");
  const auto over = [&](int ranks, auto change) {
    return with([&](auto& o) {
      o.platform = testing::platform_of(ranks, 2);
      change(o);
    });
  };
  expect_objects_refused(merge, 0, over(size() + 1, [](auto&) {}), "platform");
  expect_objects_refused(merge, 0, over(size(), [](auto& o) { o.costs = ReductionCosts(); }), "platform");
  expect_objects_refused(merge, 0, over(size(), [](auto& o) { o.algorithm = "ecef"; }), "algorithm");
  expect_objects_refused(merge, 0, over(size(), [](auto& o) { o.segments = 2; }), "segments");
  EXPECT_THROW(ObjectReduction(MPI_COMM_NULL, merge), InputError);
}

TEST(ObjectReduction, ArgumentsThatDifferAreRefusedOnEveryRank) {
  if (size() == 1) return;
  const bool odd = rank() == size() - 1;
  expect_objects_refused({concatenate, true}, odd ? 1 : 0, {}, "arguments");
  expect_objects_refused({concatenate, true}, odd ? -1 : 0, {}, "root");
  expect_objects_refused({concatenate, odd}, 0, {}, "arguments");
  ReductionOptions options;
  options.end_together = odd;
  expect_objects_refused({concatenate, true}, 0, options, "arguments");
}

}  // namespace
}  // namespace sluice::mpi
