#include "sluice/show/trace.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

using nlohmann::json;

Timeline exchange() {
  Timeline timeline{"exchange", "oggp", 2, 3, false, "s", {}, 3};
  timeline.transfers.push_back({0, 2, 5, 0, 0, 1, 0, 1});
  timeline.transfers.push_back({0, 1, 7, 1, 1, 3, 1, 3});
  timeline.transfers.push_back({1, 2, 7, 1, 1, 3, 1, 3});
  return timeline;
}

TEST(ChromeTrace, HasATrackForWhatANodeSendsAndOneForWhatItReceives) {
  const json trace = json::parse(chrome_trace(exchange()));
  std::map<std::pair<int, int>, double> busy;
  std::map<int, std::string> names;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "process_name")
      names[event["pid"].get<int>()] = event["args"]["name"].get<std::string>();
    if (event["ph"] == "X") busy[{event["pid"].get<int>(), event["tid"].get<int>()}] += event["dur"].get<double>();
  }
  EXPECT_EQ(names.size(), 5U);
  EXPECT_EQ(names[1], "sender 1");
  EXPECT_EQ(names[4], "receiver 2");
  const std::map<std::pair<int, int>, double> expected{{{0, 0}, 3e6}, {{1, 0}, 2e6}, {{3, 1}, 2e6}, {{4, 1}, 3e6}};
  EXPECT_EQ(busy, expected);
}

TEST(ChromeTrace, MachinesThatDoBothAreOneProcess) {
  Timeline tree{"broadcast", "ecef", 2, 2, true, "", {}, 5};
  tree.transfers.push_back({0, 1, 0, -1, 0, 2, 3, 5});
  const json trace = json::parse(chrome_trace(tree));
  std::vector<json> bars;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X") bars.push_back(event);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0]["pid"], 0);
  EXPECT_EQ(bars[0]["dur"], 2.0);
  EXPECT_EQ(bars[1]["pid"], 1);
  EXPECT_EQ(bars[1]["ts"], 3.0);
  EXPECT_FALSE(bars[0]["args"].contains("size"));
  EXPECT_FALSE(bars[0]["args"].contains("offset"));
  tree.transfers[0].offset = 3;
  EXPECT_NE(chrome_trace(tree).find("\"offset\": 3}"), std::string::npos);
}

/// Machine 0 sends twice at once; machine 2 gets both, one into the other's time.
Timeline overlapping() {
  Timeline timeline{"allgather", "flat", 3, 3, true, "s", {}, 5};
  timeline.transfers.push_back({0, 2, 8, -1, 0, 3, 1, 4});
  timeline.transfers.push_back({0, 2, 8, -1, 1, 4, 2, 5});
  timeline.transfers.push_back({0, 1, 8, -1, 3, 4, 3, 4});
  return timeline;
}

TEST(ChromeTrace, WhatANodeDoesAtOnceHasTracksOfItsOwn) {
  const json trace = json::parse(chrome_trace(overlapping()));
  std::map<std::pair<int, int>, std::string> names;
  std::map<std::pair<int, int>, double> busy_until;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] != "thread_name") continue;
    const std::pair track{event["pid"].get<int>(), event["tid"].get<int>()};
    if (event["ph"] == "M") names[track] = event["args"]["name"].get<std::string>();
    if (event["ph"] != "X") continue;
    EXPECT_TRUE(names.contains(track)) << event;
    EXPECT_GE(event["ts"].get<double>(), busy_until[track]) << event;
    busy_until[track] = event["ts"].get<double>() + event["dur"].get<double>();
    EXPECT_EQ(event["args"]["size"], 8);
  }
  const std::pair second_send{0, 2}, second_receive{2, 3};
  EXPECT_EQ(names.size(), 3U * 2 + 2);
  EXPECT_EQ(names[second_send], "sends 2");
  EXPECT_EQ(names[second_receive], "receives 2");
}

/// Perfetto rounds beginnings and lengths to nanoseconds, each by itself, and leaves out what then overlaps.
TEST(ChromeTrace, SlicesThatTouchDoSoInNanoseconds) {
  Timeline timeline{"exchange", "oggp", 1, 2, false, "s", {}, 3e-9};
  timeline.transfers.push_back({0, 0, 5, 0, 0.6e-9, 1.4e-9, 0.6e-9, 1.4e-9});
  timeline.transfers.push_back({0, 1, 5, 0, 1.4e-9, 2.9e-9, 1.4e-9, 2.9e-9});
  std::vector<std::pair<double, double>> sent;
  const json trace = json::parse(chrome_trace(timeline));
  for (const json& event : trace["traceEvents"])
    if (event.value("cat", "") == "send") sent.emplace_back(event["ts"].get<double>(), event["dur"].get<double>());
  EXPECT_EQ(sent, (std::vector<std::pair<double, double>>{{0.001, 0}, {0.001, 0.002}}));
}

TEST(ChromeTrace, NamesMayHoldAnything) {
  Timeline timeline = exchange();
  timeline.algorithm = "a \"quoted\" \\ name\n";
  EXPECT_EQ(json::parse(chrome_trace(timeline))["otherData"]["algorithm"], timeline.algorithm);
}

TEST(PajeTrace, WhatANodeDoesAtOnceHasTracksOfItsOwn) {
  std::istringstream in(paje_trace(overlapping()));
  std::map<std::string, int> depth;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, time, type, track;
    words >> kind >> time >> type >> track;
    if (kind == "5" && type == "S") {
      EXPECT_EQ(++depth[track], 1) << line;
    }
    if (kind == "6") {
      EXPECT_EQ(--depth[track], 0) << line;
    }
  }
  EXPECT_EQ(depth.size(), 5U);
  EXPECT_TRUE(depth.contains("s0_1"));
  EXPECT_TRUE(depth.contains("v2_1"));
}

TEST(PajeTrace, StatesOpenAndCloseInOrderOfTime) {
  std::istringstream in(paje_trace(exchange()));
  std::map<std::string, int> depth;
  std::map<std::string, int> links;
  double last = 0;
  int states = 0, containers = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '%') continue;
    std::istringstream words(line);
    int kind = 0;
    words >> kind;
    if (kind < 3) continue;
    double time = 0;
    words >> time;
    EXPECT_GE(time, last) << line;
    last = time;
    std::string type, container;
    words >> type >> container;
    if (kind == 3) ++containers;
    if (kind == 5) {
      EXPECT_EQ(++depth[container], 1) << line;
      ++states;
    }
    if (kind == 6) {
      EXPECT_EQ(--depth[container], 0) << line;
    }
    if (kind == 7 || kind == 8) {
      const std::string key = line.substr(line.rfind(' ') + 1);
      links[key] += kind == 7 ? 1 : -1;
      EXPECT_GE(links[key], 0) << line;
    }
  }
  EXPECT_EQ(containers, 1 + 5);
  EXPECT_EQ(states, 6);
  EXPECT_EQ(last, 3);
  for (const auto& [key, open] : links) EXPECT_EQ(open, 0) << key;
}

TEST(PajeTrace, DefinesEveryEventThatItUses) {
  const std::string trace = paje_trace(exchange());
  for (const char* event : {"PajeDefineContainerType 0", "PajeDefineStateType 1", "PajeDefineLinkType 2",
                            "PajeCreateContainer 3", "PajeDestroyContainer 4", "PajePushState 5", "PajePopState 6",
                            "PajeStartLink 7", "PajeEndLink 8", "PajeDefineEntityValue 9"})
    EXPECT_NE(trace.find(std::string("%EventDef ") + event + "\n"), trace.npos) << event;
}

TEST(PajeTrace, StatesHaveTheColoursOfPictures) {
  std::istringstream in(paje_trace(exchange()));
  std::map<std::string, std::string> values;
  int states = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, first, second, third, fourth;
    words >> kind >> first >> second >> third >> fourth;
    if (kind == "9") values[first] = line.substr(line.find('"'));
    if (kind != "5") continue;
    ++states;
    EXPECT_TRUE(values.contains(fourth)) << line;
  }
  EXPECT_EQ(states, 6);
  EXPECT_EQ(values.at("t0"), "\"to 0\" \"0.00 0.45 0.70\"");
  EXPECT_EQ(values.at("f1"), "\"from 1\" \"0.90 0.62 0.00\"");
}

}  // namespace
}  // namespace sluice
