#include "run/mpi/runtime/handed_out.hpp"

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::size_t kNumber = sizeof(std::int64_t);

}  // namespace

bool HandedOut::possible(const Context& context) { return !kSimulated && context.shares_memory(); }

HandedOut::HandedOut(Channel& channel, const NumbersOfRanks& numbers) : context_(channel.context()) {
  if (numbers.empty() || !possible(context_)) return;
  // The begins of the numbers of each rank and the end of the last, in numbers; then the numbers.
  std::vector<std::int64_t> begins{static_cast<std::int64_t>(numbers.size()) + 1};
  for (const std::vector<std::int64_t>& each : numbers)
    begins.push_back(begins.back() + static_cast<std::int64_t>(each.size()));
  try {
    block_ = context_.arena().allocate(begins.back() * static_cast<std::int64_t>(kNumber));
  } catch (const std::bad_alloc&) {
    return;
  }
  std::byte* at = block_.at;
  const auto put = [&](const std::vector<std::int64_t>& list) {
    if (!list.empty()) std::memcpy(at, list.data(), list.size() * kNumber);
    at += list.size() * kNumber;
  };
  put(begins);
  for (const std::vector<std::int64_t>& each : numbers) put(each);
}

HandedOut::~HandedOut() {
  if (block_.at != nullptr) context_.arena().release_after(block_, {});
}

std::vector<std::int64_t> HandedOut::read(Channel& channel, std::uint64_t block) {
  const std::byte* const at = channel.context().arena().find(0, Arena::Place::of_word(block));
  std::int64_t ends[2] = {};
  std::memcpy(ends, at + static_cast<std::size_t>(channel.rank()) * kNumber, sizeof ends);
  std::vector<std::int64_t> own(static_cast<std::size_t>(ends[1] - ends[0]));
  if (!own.empty()) std::memcpy(own.data(), at + static_cast<std::size_t>(ends[0]) * kNumber, own.size() * kNumber);
  return own;
}

std::vector<std::int64_t> agree_and_hand_out(Channel& channel, const std::exception_ptr& failure,
                                             NumbersOfRanks numbers) {
  const HandedOut handed_out(channel, numbers);
  std::vector<std::uint64_t> blocks;
  Comparison own;
  own.block = handed_out.block();
  own.blocks = &blocks;
  (void)agree(channel, 0, failure, own);
  if (blocks.empty() || blocks.front() == 0) return scatter_numbers(channel, std::move(numbers));
  return channel.rank() == 0 ? std::move(numbers.front()) : HandedOut::read(channel, blocks.front());
}

}  // namespace sluice::mpi::detail
