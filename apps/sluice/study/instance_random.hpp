#pragma once

#include <cstdint>
#include <vector>

namespace sluice::command {

/// Random numbers of an instance: equal arguments, equal numbers.
class InstanceRandom {
 public:
  InstanceRandom(std::uint64_t seed, std::int64_t nodes, std::int64_t number);

  /// From 0 up to below 1.
  double uniform();
  /// A number of mean 0 and variance 1, nearly normal: the sum of twelve uniform ones, less 6. At most 6 either way.
  double normal();
  /// 0 .. n - 1 in random order.
  std::vector<std::int64_t> permutation(std::int64_t n);

 private:
  std::uint64_t next();

  std::uint64_t state_;
};

}  // namespace sluice::command
