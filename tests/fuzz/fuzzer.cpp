#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/readers.hpp"

/// The entry point of libFuzzer; SLUICE_FUZZ_READER is one function of readers.hpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::SLUICE_FUZZ_READER({reinterpret_cast<const char*>(data), size});
  return 0;
}
