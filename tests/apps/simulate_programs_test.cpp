/// The replay of programs beside SimGrid: random programs over random platforms.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

#if SLUICE_HAS_SIMGRID
using nlohmann::json;

class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}

  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  double seconds(double least, double most) {
    constexpr std::int64_t kSteps = 1'000'000;
    return least + (most - least) * static_cast<double>(whole(0, kSteps)) / kSteps;
  }

 private:
  std::mt19937 random_;
};

/// Messages of any length pass at this rate. A rank is not busy at the start of a message, because SimGrid does not
/// know such a time.
json at_speed(double bytes_per_s) {
  constexpr int kLong = 1 << 20;
  return json::array({json::array({1, 1 / bytes_per_s}), json::array({kLong, kLong / bytes_per_s})});
}

json link(double latency_s, double bytes_per_s, std::int64_t connections = 1) {
  json result{{"latency_s", latency_s}, {"gap", at_speed(bytes_per_s)}};
  if (connections > 1) result["connections"] = connections;
  return result;
}

enum class Shape { kFlat, kUplinks, kTwoLevels, kThreeLevels, kCards, kSlowInside };
constexpr std::array kShapes{Shape::kFlat,        Shape::kUplinks, Shape::kTwoLevels,
                             Shape::kThreeLevels, Shape::kCards,   Shape::kSlowInside};

json platform_of(Shape shape, Drawn& drawn) {
  const double card = 1e6 * static_cast<double>(drawn.whole(50, 200));
  json platform{{"schema", "sluice.platform/2"}, {"name", "m"}};
  const auto cluster = [&](std::int64_t ranks) {
    return json{{"name", "c"}, {"ranks", ranks}, {"link", link(drawn.seconds(2e-5, 1e-4), card)}};
  };
  switch (shape) {
    case Shape::kFlat:
      platform["ranks"] = drawn.whole(3, 12);
      platform["link"] = link(drawn.seconds(2e-5, 1e-4), card);
      break;
    case Shape::kUplinks: {
      // The link between two clusters may or may not be wide enough for what their uplinks let through.
      json part = cluster(drawn.whole(2, 4));
      part["count"] = drawn.whole(2, 3);
      part["uplink"] = at_speed(card * static_cast<double>(drawn.whole(2, 6)) / 2);
      platform["link"] =
          link(drawn.seconds(1e-3, 5e-3), card / static_cast<double>(drawn.whole(1, 4)), drawn.whole(1, 4));
      platform["parts"] = json::array({std::move(part)});
      break;
    }
    case Shape::kTwoLevels: {
      platform["link"] =
          link(drawn.seconds(1e-3, 8e-3), card / static_cast<double>(drawn.whole(2, 8)), drawn.whole(1, 5));
      platform["parts"] = json::array();
      for (std::int64_t part = drawn.whole(2, 4); part > 0; --part)
        platform["parts"].push_back(cluster(drawn.whole(2, 5)));
      break;
    }
    case Shape::kThreeLevels: {
      json part = cluster(drawn.whole(2, 3));
      part["count"] = 2;
      platform["link"] =
          link(drawn.seconds(5e-3, 9e-3), card / static_cast<double>(drawn.whole(4, 8)), drawn.whole(1, 4));
      platform["parts"] = json::array({{{"name", "s"},
                                        {"count", 2},
                                        {"link", link(drawn.seconds(2e-4, 6e-4), card, drawn.whole(1, 3))},
                                        {"parts", json::array({std::move(part)})}}});
      break;
    }
    case Shape::kCards: {
      // Clusters of hosts on one switch. A connection between two of them is as fast as the cards.
      platform["link"] =
          link(drawn.seconds(3e-3, 8e-3), card / static_cast<double>(drawn.whole(2, 8)), drawn.whole(1, 5));
      json part = cluster(drawn.whole(2, 4)), other = cluster(drawn.whole(2, 4));
      part["shares_uplink"] = other["shares_uplink"] = false;
      platform["parts"] = json::array({{{"name", "s"},
                                        {"count", 2},
                                        {"link", link(drawn.seconds(1e-4, 3e-4), card, drawn.whole(1, 2))},
                                        {"parts", json::array({std::move(part), std::move(other)})}}});
      break;
    }
    case Shape::kSlowInside: {
      // Cards that are faster to other clusters than inside, to some of them more so.
      platform["link"] = link(drawn.seconds(1e-3, 5e-3), card, drawn.whole(1, 4));
      platform["parts"] = json::array();
      for (std::int64_t part = drawn.whole(2, 4); part > 0; --part) {
        json slow = cluster(drawn.whole(2, 4));
        slow["link"]["gap"] = at_speed(card / drawn.seconds(1.2, 6));
        platform["parts"].push_back(std::move(slow));
      }
      json other = link(drawn.seconds(1e-3, 5e-3), card / drawn.seconds(1.2, 3), drawn.whole(1, 4));
      other["from"] = 0;
      other["to"] = 1;
      platform["part_links"] = json::array({std::move(other)});
      break;
    }
  }
  return platform;
}

std::int64_t ranks_of(const json& part) {
  std::int64_t ranks = part.value("ranks", std::int64_t{0});
  if (part.contains("parts"))
    for (const json& each : part["parts"]) ranks += ranks_of(each);
  return ranks * part.value("count", std::int64_t{1});
}

/// From the root along a random tree, or, combined, to it; whole, in parts of any lengths, or to each rank its block.
json along_a_tree(const std::string& problem, std::int64_t ranks, std::int64_t parts, Drawn& drawn) {
  const bool back = problem == "reduce", blocks = problem == "scatter";
  std::vector<std::int64_t> order;  // each behind its parent
  for (std::int64_t rank = 0; rank < ranks; ++rank) order.push_back(rank);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(drawn.whole(0, static_cast<std::int64_t>(i) - 1))]);
  std::vector<std::size_t> parent(order.size(), 0);
  for (std::size_t i = 1; i < order.size(); ++i)
    parent[i] = static_cast<std::size_t>(drawn.whole(0, static_cast<std::int64_t>(i) - 1));
  // For each place in `order`, the ranks whose blocks go through it.
  std::vector<std::vector<std::int64_t>> below(order.size());
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t at = i; at != 0; at = parent[at]) below[at].push_back(order[i]);
  json operations = json::array();
  std::int64_t offset = 0, bytes = 0;          // of the part at hand, or none and of a block
  std::vector<std::vector<std::size_t>> come;  // positions of what each has received of it
  const auto message = [&](std::size_t from, std::size_t to, std::size_t child) {
    json send{{"rank", order[from]}, {"kind", "send"}, {"peer", order[to]},
              {"offset", offset},    {"bytes", bytes}, {"after", come[from]}};
    if (blocks) {
      send["offset"] = below[child].front() * bytes;
      json more = json::array();
      for (std::size_t i = 1; i < below[child].size(); ++i) {
        more.push_back(below[child][i] * bytes);
        more.push_back(bytes);
      }
      if (!more.empty()) send["more"] = std::move(more);
    }
    json receive = send;
    receive["rank"] = order[to];
    receive["peer"] = order[from];
    receive["kind"] = back ? "combine" : "receive";
    receive["after"] = json::array();
    operations.push_back(std::move(send));
    if (back && !come[to].empty()) receive["after"].push_back(come[to].back());
    come[to].assign(1, operations.size());
    operations.push_back(std::move(receive));
  };
  for (std::int64_t part = 0; part < parts; ++part) {
    offset += bytes;
    bytes = drawn.whole(200'000, 3'000'000) / (blocks ? ranks : parts);
    come.assign(order.size(), {});
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::size_t child = back ? order.size() - i : i;
      back ? message(child, parent[child], child) : message(parent[child], child, child);
    }
  }
  return {{"schema", "sluice.program/1"},
          {"problem", problem},
          {"algorithm", "a random tree"},
          {"ranks", ranks},
          {"size_bytes", offset + bytes},
          {"root", order.front()},
          {"operations", operations},
          {"length_s", 0},
          {"bound_s", 0},
          {"bound", ""}};
}

/// Messages that share ports, links, uplinks and, in parts, connections. What is left is in the weights of those that
/// share: SimGrid counts 8775 bytes queued in each link on the way, the replay in ports, uplinks and connections.
TEST(SimulateWithSimgrid, RandomProgramsOverRandomPlatformsTakeWhatTheReplaySays) {
  const Folder folder;
  const auto length = [&](const std::string& more) {
    const Outcome outcome = folder.sluice(words("simulate program.json --platform p.json --json - " + more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json::parse(outcome.out)["length"].get<double>() : 0;
  };
  for (const Shape shape : kShapes) {
    for (unsigned seed = 0; seed < 18; ++seed) {
      Drawn drawn(seed + 100 * static_cast<unsigned>(shape));
      const json platform = platform_of(shape, drawn);
      folder.write("p.json", platform.dump());
      const std::string problem = std::vector<std::string>{"broadcast", "reduce", "scatter"}[seed % 3];
      const std::int64_t parts = problem == "scatter" || seed < 9 ? 1 : drawn.whole(2, 8);
      json program = along_a_tree(problem, ranks_of(platform), parts, drawn);
      // From a tenth of what a byte takes on a fast link to ten times as much.
      if (problem == "reduce" && seed % 2 == 0)
        program["combine_s_per_byte"] = 1e-10 * static_cast<double>(drawn.whole(8, 800));
      if (problem == "reduce" && seed % 2 == 1)
        for (std::int64_t rank = 0; rank < ranks_of(platform); ++rank)
          program["combine_costs"].push_back(1e-10 * static_cast<double>(drawn.whole(0, 800)));
      folder.write("program.json", program.dump());
      SCOPED_TRACE(::testing::Message() << "shape " << static_cast<int>(shape) << ", seed " << seed << ", " << problem
                                        << ' ' << platform);
      EXPECT_NEAR(length("") / length("--engine simgrid"), 1, 0.03);
    }
  }
  for (const Shape shape : kShapes) {
    for (const std::string problem :
         {"allgather --algorithm pairwise", "alltoall --algorithm pairwise", "allreduce --algorithm recursive-doubling",
          "allreduce --algorithm recursive-doubling --compute 20ns",
          "reduce-scatter --algorithm pairwise --compute 100ns", "gather --algorithm binomial"}) {
      Drawn drawn(1000 + static_cast<unsigned>(shape));
      const json platform = platform_of(shape, drawn);
      folder.write("p.json", platform.dump());
      const std::string size = std::to_string(8 * drawn.whole(10'000, 100'000));
      const Outcome planned = folder.sluice(
          words("plan " + problem + " --platform p.json --size " + size + " --json program.json --summary"));
      ASSERT_EQ(planned.status, 0) << planned.err;
      SCOPED_TRACE(planned.out);
      // Slow messages inside pass cards a whole number of times, which is up to 1 % off.
      EXPECT_NEAR(length("") / length("--engine simgrid"), 1, shape == Shape::kSlowInside ? 0.03 : 0.02);
    }
  }
}
#endif

}  // namespace
}  // namespace sluice::testing
