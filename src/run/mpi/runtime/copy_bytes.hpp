#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "run/mpi/runtime/cache_line.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sluice::mpi::detail {

/// memcpy for the sizes where the call costs more than the copy.
inline void copy_bytes(std::byte* to, const std::byte* from, std::int64_t n) {
  if (n > 64) {
    std::memcpy(to, from, static_cast<std::size_t>(n));
    return;
  }
  // Two moves that may overlap cover a whole interval of sizes.
  const auto both_ends = [&]<std::size_t Width>() {
    std::array<std::byte, Width> head;
    std::array<std::byte, Width> tail;
    std::memcpy(head.data(), from, Width);
    std::memcpy(tail.data(), from + n - Width, Width);
    std::memcpy(to, head.data(), Width);
    std::memcpy(to + n - Width, tail.data(), Width);
  };
  if (n > 32) return both_ends.operator()<32>();
  if (n > 16) return both_ends.operator()<16>();
  if (n >= 8) return both_ends.operator()<8>();
  if (n >= 4) return both_ends.operator()<4>();
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

/// Bytes from the beginning of its line to `at`.
inline std::int64_t behind_line(const std::byte* at) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % kCacheLine);
}

/// Copies as copy_bytes, past the cache: for memory that outgrows_cache(). A store through the cache reads a line of
/// the target before it writes it. Short copies work as copy_bytes, and so do all copies on machines without such
/// stores. After the last copy, before other threads may read, call end_streaming().
inline void stream_bytes(std::byte* to, const std::byte* from, std::int64_t n) {
#ifdef __SSE2__
  constexpr std::int64_t kLeast = 3 * kCacheLine;
  if (n >= kLeast) {
    const std::int64_t head = (kCacheLine - behind_line(to)) % kCacheLine;
    copy_bytes(to, from, head);
    std::int64_t at = head;
    for (; at + kCacheLine <= n; at += kCacheLine) {
      constexpr std::int64_t kWord = sizeof(__m128i);
      for (std::int64_t word = at; word < at + kCacheLine; word += kWord) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + word),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + word)));
      }
    }
    copy_bytes(to + at, from + at, n - at);
    return;
  }
#endif
  copy_bytes(to, from, n);
}

inline void end_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// How far ahead, in bytes, it pays to ask for memory that outgrows_cache(). The processor does so by itself, but not
/// across the ends of runs, and not as far.
inline constexpr std::int64_t kFetchedAhead = 1024;

/// Asks for n bytes that will be read.
inline void fetch(const std::byte* from, std::int64_t n) {
  for (std::int64_t at = 0; at < n; at += kCacheLine) __builtin_prefetch(from + at);
}

/// Whether this number of bytes of one rank does not stay in its processor's cache from one execution to the next.
inline bool outgrows_cache(std::int64_t bytes) { return bytes > 1 << 20; }

}  // namespace sluice::mpi::detail
