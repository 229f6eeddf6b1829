#include "sluice/show/text_table.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({{"algorithm", TextTable::Align::kLeft}, {"steps"}, {"", TextTable::Align::kLeft}});
  table.add_row({"classes", "7", "optimal"});
  table.add_row({"a long name", "1000000"});
  EXPECT_EQ(table.text(),
            "algorithm      steps\n"
            "classes            7  optimal\n"
            "a long name  1000000\n");
}

TEST(TextTable, WithoutRowsTheTitleIsLeft) {
  EXPECT_EQ(TextTable({{"a"}, {"b"}}).text(), "a  b\n");
  EXPECT_EQ(TextTable({{""}, {""}}).text(), "\n");
}

TEST(TextTableDeathTest, MoreCellsThanColumnsAreABug) {
  TextTable table({{"a"}});
  EXPECT_DEATH(table.add_row({"1", "2"}), "2 cells, 1 columns");
}

}  // namespace
}  // namespace sluice
