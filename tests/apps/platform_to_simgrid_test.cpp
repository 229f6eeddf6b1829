#include <gtest/gtest.h>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

TEST(PlatformToSimgrid, WritesThePlatformAndItsHosts) {
  const Folder folder;
  const std::string file = std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88";
  const Outcome outcome = folder.sluice({"platform-to-simgrid", file + ".json", "-o", "p.xml", "--hosts", "p.hosts"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "p.xml: 88 hosts in 6 clusters\n");
  EXPECT_EQ(folder.read("p.hosts"), read_text(file + ".hosts"));
  EXPECT_EQ(folder.read("p.xml").rfind("<?xml version='1.0'?>\n", 0), 0U);
}

TEST(PlatformToSimgrid, RefusesBadInput) {
  const Folder folder;
  folder.write("broken.json", R"({"schema": "sluice.platform/1", "ranks": 1, "clusters": [], "links": []})");
  expect_refused(folder.sluice({"platform-to-simgrid"}), "no file");
  expect_refused(folder.sluice({"platform-to-simgrid", "broken.json"}), "no -o");
  expect_refused(folder.sluice({"platform-to-simgrid", "broken.json", "-o", "p.xml"}),
                 "broken.json: rank 0 in no cluster");
  expect_refused(folder.sluice({"platform-to-simgrid", "none.json", "-o", "p.xml"}), "none.json");
  expect_refused(folder.sluice({"platform-to-simgrid", "broken.json", "-o", "no/p.xml"}), "no/p.xml");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"broken.json"}));
}

}  // namespace
}  // namespace sluice::testing
