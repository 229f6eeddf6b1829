#include "run/mpi/runtime/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr char kBetweenTexts = '\0';

/// Three parts one after the other, each short enough for all to fit the buffer of told.
std::string joined(const std::string& where, const std::string& found, const std::string& expected) {
  return where.substr(0, 300) + kBetweenTexts + found.substr(0, 300) + kBetweenTexts + expected.substr(0, 300);
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InputError& e) {
    return joined(e.where(), e.found(), e.expected());
  } catch (const std::exception& e) {
    return joined("preparation", e.what(), "no error");
  } catch (...) {
    return joined("preparation", "an unknown error", "no error");
  }
}

/// The text of `root` on every rank.
std::string told(Channel& channel, int root, const std::string& text) {
  std::array<char, 1024> buffer{};
  if (channel.rank() == root) text.copy(buffer.data(), buffer.size() - 1);
  tell_all(channel, buffer.data(), buffer.size(), root);
  return {buffer.data(), buffer.size()};
}

}  // namespace

std::uint64_t Arguments::fingerprint() const {
  // FNV-1a of words, each spread to the lower half, and the finaliser of SplitMix64.
  std::uint64_t z = 0xcbf29ce484222325ULL ^ bytes_.size();
  for (std::size_t at = 0; at < bytes_.size(); at += sizeof z) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + at, std::min(sizeof word, bytes_.size() - at));
    z = (z ^ word) * 0x100000001b3ULL;
    z ^= z >> 32;
  }
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

bool agree(Channel& channel, std::uint64_t fingerprint, const std::exception_ptr& failure, Comparison& own) {
  enum { kPrint, kNoPrint, kFailed, kNumber, kNoNumber, kLast, kProgress, kNoProgress, kDoubt, kWorn, kWords };
  std::array<std::uint64_t, kWords> words{};
  words[kPrint] = fingerprint;
  words[kNoPrint] = ~fingerprint;
  // The lowest rank that failed counts most.
  words[kFailed] = failure ? static_cast<std::uint64_t>(channel.size() - channel.rank()) : 0;
  words[kNumber] = static_cast<std::uint64_t>(own.number);
  words[kNoNumber] = ~static_cast<std::uint64_t>(own.number);
  words[kLast] = static_cast<std::uint64_t>(own.last);
  words[kProgress] = static_cast<std::uint64_t>(own.progress);
  words[kNoProgress] = ~static_cast<std::uint64_t>(own.progress);
  words[kDoubt] = static_cast<std::uint64_t>(own.doubt);
  words[kWorn] = channel.context().worn_out() ? 1 : 0;
  if (own.blocks != nullptr && channel.context().shares_memory()) {
    *own.blocks = numbers_by_memory(channel, own.block, words);
  } else {
    largest_of_all(channel, words);
  }
  if (words[kWorn] != 0) channel.context().replace();
  if (words[kFailed] != 0) {
    const int failed = channel.size() - static_cast<int>(words[kFailed]);
    const std::string text = told(channel, failed, failure ? text_of(failure) : std::string());
    channel.settle();
    if (failure) std::rethrow_exception(failure);
    const std::size_t first = text.find(kBetweenTexts);
    const std::size_t second = text.find(kBetweenTexts, first + 1);
    const std::size_t end = text.find(kBetweenTexts, second + 1);
    throw InputError(text.substr(0, first),
                     fmt::format("on rank {}: {}", failed, text.substr(first + 1, second - first - 1)),
                     text.substr(second + 1, end - second - 1));
  }
  if (words[kPrint] != ~words[kNoPrint]) {
    channel.settle();
    throw InputError("arguments", "different ones on different ranks",
                     "the same call, and the same in it, on every rank of the communicator");
  }
  own.last = static_cast<std::int64_t>(words[kLast]);
  own.doubt = static_cast<std::int64_t>(words[kDoubt]);
  own.progress =
      common_progress(static_cast<std::int64_t>(~words[kNoProgress]), static_cast<std::int64_t>(words[kProgress]));
  return words[kNumber] != 0 && words[kNumber] == ~words[kNoNumber];
}

}  // namespace sluice::mpi::detail
