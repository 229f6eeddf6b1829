#include <gtest/gtest.h>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

TEST(Study, ParagonWritesItsFigures) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 16, "study redistribute-paragon --quick -o figures");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const std::string number : {"2", "3", "4"}) {
    const std::vector<std::string> rows = lines(folder.read("figures/figure" + number + ".csv"));
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].rfind("elements,bytes,", 0), 0U) << rows[0];
    EXPECT_NE(folder.read("figures/figure" + number + ".gp").find("plot \"figure" + number + ".csv\""),
              std::string::npos);
    // Without gnuplot the command says so instead.
    if (outcome.err.find("gnuplot is not installed") == std::string::npos) {
      EXPECT_NE(folder.read("figures/figure" + number + ".svg").find("</svg>"), std::string::npos);
    }
  }
  EXPECT_EQ(lines(outcome.out).back(), "every byte verified; written to figures");
}

}  // namespace
}  // namespace sluice::testing
