// Sums of sizes that do not fit 64 bits are refused, never wrapped around.
#include <fmt/core.h>

#include <cstdint>

#include "sluice/checked.hpp"

int main() {
  const std::int64_t elements = sluice::checked::multiply(4096, 4096, "elements of the array");
  fmt::print("{} elements\n", elements);
  try {
    fmt::print("{} bytes\n", sluice::checked::multiply(elements, std::int64_t{1} << 40, "bytes of the array"));
  } catch (const sluice::InputError& error) {
    fmt::print("refused: {}\n", error.what());
  }
}
