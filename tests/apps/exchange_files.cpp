#include "exchange_files.hpp"

#include <fmt/format.h>

#include <random>

namespace sluice::testing {

std::vector<std::string> write_traffic_files(const Folder& folder) {
  folder.write("sparse.mtx",
               "%%MatrixMarket matrix coordinate integer general\n"
               "% an empty row, an empty column, one pair twice\n"
               "4 5 6\n1 1 7\n1 2 2\n2 2 3\n4 5 1\n1 1 4\n4 2 6\n");
  constexpr int kNodes = 8;
  constexpr unsigned kSeed = 5;
  constexpr unsigned kMost = 20;
  std::mt19937 random(kSeed);
  std::string dense =
      fmt::format("%%MatrixMarket matrix coordinate integer general\n{0} {0} {1}\n", kNodes, kNodes * kNodes);
  for (int sender = 1; sender <= kNodes; ++sender)
    for (int receiver = 1; receiver <= kNodes; ++receiver)
      dense += fmt::format("{} {} {}\n", sender, receiver, 1 + random() % kMost);
  folder.write("dense.mtx", dense);
  folder.write("real.csv", "0.125,3,0\n1e1,0,2.5\n0,0,0\n");
  folder.write("wide.csv", "2,1,3,4,5,6\n0,0,9,0,0,1\n");
  return {"sparse.mtx", "dense.mtx", "real.csv", "wide.csv"};
}

}  // namespace sluice::testing
