#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// Data that is a function of where it is, so that whoever gets it knows what it must be.
namespace sluice::compare {

/// Word `index` of a stream: the finaliser of SplitMix64.
inline std::uint64_t known_word(std::uint64_t stream, std::uint64_t index) {
  std::uint64_t z = stream * 0x9e3779b97f4a7c15ULL + index;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// The stream of the message between two ranks, whose words are numbered by the bytes before them.
inline std::uint64_t stream_between(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

/// Fills a message, or with `complement` with what it must not be in any byte.
inline void fill_known(std::span<std::byte> message, int from, int to, bool complement = false) {
  for (std::size_t offset = 0; offset < message.size(); offset += 8) {
    const std::uint64_t word = known_word(stream_between(from, to), offset);
    const std::uint64_t value = complement ? ~word : word;
    std::memcpy(message.data() + offset, &value, std::min<std::size_t>(8, message.size() - offset));
  }
}

/// Where the first word that is wrong begins; -1 if none is.
inline std::int64_t first_wrong(std::span<const std::byte> message, int from, int to) {
  for (std::size_t offset = 0; offset < message.size(); offset += 8) {
    const std::uint64_t word = known_word(stream_between(from, to), offset);
    if (std::memcmp(message.data() + offset, &word, std::min<std::size_t>(8, message.size() - offset)) != 0)
      return static_cast<std::int64_t>(offset);
  }
  return -1;
}

}  // namespace sluice::compare
