#pragma once

#include <string_view>

/// One function a reader, fed with any bytes: by libFuzzer (fuzzer.cpp) and with the corpus (corpus_test.cpp). Each
/// returns if the reader either threw an InputError as it should be (one line, at a line of the file) or returned what
/// its header promises; asserts otherwise. Any other exception passes through.
namespace sluice::fuzz {

/// Traffic that was read also has to come back from a file that holds it.
void matrix_market(std::string_view text);
void traffic_csv(std::string_view text);
/// Latencies that were read are clustered too.
void latency_matrix(std::string_view text);
/// A platform that was read has to come back from its own file.
void platform(std::string_view text);
/// A schedule that was read is judged too, and has to come back from its own file.
void schedule(std::string_view text);

}  // namespace sluice::fuzz
