#include "run/mpi/runtime/collective.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

using Numbers = std::vector<std::int64_t>;

int bytes_of(const Numbers& numbers) {
  constexpr std::size_t kMost = std::size_t{1} << 28;
  if (numbers.size() >= kMost) throw InputError("planning", "2^28 numbers or more for one rank", "fewer transfers");
  return static_cast<int>(numbers.size() * sizeof(std::int64_t));
}

/// The next message of numbers from a rank, MPI_ANY_SOURCE: any, whose size is not known.
std::pair<int, Numbers> receive_numbers(Channel& channel, int from) {
  MPI_Status status;
  const int tag = channel.tag(Tag::kCollective);
  if (kSimulated) {
    SLUICE_MPI(MPI_Probe(from, tag, channel.comm(), &status));
  } else {
    channel.wait_until([&] {
      int there = 0;
      SLUICE_MPI(MPI_Iprobe(from, tag, channel.comm(), &there, &status));
      return there != 0;
    });
  }
  int bytes = 0;
  SLUICE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  const auto numbers = std::make_shared<Numbers>(static_cast<std::size_t>(bytes) / sizeof(std::int64_t));
  receive_and_wait(channel, numbers, numbers->data(), bytes, status.MPI_SOURCE, Tag::kCollective);
  return {status.MPI_SOURCE, std::move(*numbers)};
}

/// If all ranks share memory: puts up `own` numbers, reads each other rank's numbers into `numbers`, keeping the larger
/// of the two, and calls `there(other)`. A rank that waits yields, because it calls no MPI that would.
template <class There>
void read_by_memory(Channel& channel, std::span<const std::uint64_t> own, std::span<std::uint64_t> numbers,
                    There there) {
  constexpr unsigned kLooksBetweenChecks = 8;
  // Ranks that have come here differ in what they agree on, which says more than their calls.
  constexpr std::chrono::milliseconds kAlone(200);
  std::optional<std::chrono::steady_clock::time_point> start;
  NoticeBoard& board = channel.context().board();
  const NoticeBoard::Subject subject{channel.number(), channel.next_round()};
  board.put_up(subject, own);
  unsigned looks = 0;
  for (std::size_t other = 0; other < board.others();) {
    switch (board.read(other, subject, numbers)) {
      case NoticeBoard::Notice::kThere:
        there(other++);
        break;
      case NoticeBoard::Notice::kNotYet:
        if (++looks % kLooksBetweenChecks == 0) {
          channel.look_on();
          const auto now = std::chrono::steady_clock::now();
          if (now - start.value_or(now) > kAlone) channel.check_calls();
          if (!start) start = now;
        }
        std::this_thread::yield();
        break;
      case NoticeBoard::Notice::kLost:
        channel.check();
        throw std::runtime_error("the other ranks have agreed on too much else");
    }
  }
  channel.context().arena().note_agreement();
  channel.check_known();
}

}  // namespace

struct LargestOfAll::Round {
  std::vector<std::uint64_t> out;
  std::vector<std::uint64_t> in;
};

LargestOfAll::LargestOfAll(Channel& channel, std::vector<std::uint64_t> numbers)
    : channel_(channel), numbers_(std::move(numbers)) {}

bool LargestOfAll::advance() {
  const int size = channel_.size();
  const auto bytes = static_cast<int>(std::span(numbers_).size_bytes());
  for (; distance_ < size; distance_ *= 2) {
    if (!round_) {
      round_ = std::make_shared<Round>();
      round_->out = numbers_;
      round_->in.resize(numbers_.size());
      in_.emplace(channel_, round_);
      out_.emplace(channel_, round_);
      in_->receive(round_->in.data(), bytes, (channel_.rank() - distance_ + size) % size, Tag::kCollective);
      out_->send(round_->out.data(), bytes, (channel_.rank() + distance_) % size, Tag::kCollective);
    }
    if (!in_->advance() || !out_->advance()) return false;
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = std::max(numbers_[i], round_->in[i]);
    in_.reset();
    out_.reset();
    round_.reset();
  }
  return true;
}

void largest_of_all(Channel& channel, std::span<std::uint64_t> numbers) {
  if (channel.context().shares_memory() && numbers.size() <= NoticeBoard::kWords) {
    read_by_memory(channel, numbers, numbers, [](std::size_t) {});
    return;
  }
  LargestOfAll all(channel, {numbers.begin(), numbers.end()});
  for (Patience patience; !all.advance(); patience.look_again()) channel.move_on_others();
  std::ranges::copy(all.numbers(), numbers.begin());
}

std::vector<std::uint64_t> numbers_by_memory(Channel& channel, std::uint64_t own, std::span<std::uint64_t> numbers) {
  SLUICE_ASSERT(numbers.size() < NoticeBoard::kWords, "too many numbers for a notice");
  // Last, so that the other numbers are compared even with a rank that is in another call.
  std::array<std::uint64_t, NoticeBoard::kWords> words{};
  std::ranges::copy(numbers, words.begin());
  words[numbers.size()] = own;
  std::array<std::uint64_t, NoticeBoard::kWords> found{};
  const std::size_t count = numbers.size() + 1;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(channel.size()), own);
  const NoticeBoard& board = channel.context().board();
  read_by_memory(channel, std::span(words).first(count), std::span(found).first(count), [&](std::size_t other) {
    all[static_cast<std::size_t>(board.rank_of(other))] = found[numbers.size()];
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], found[i]);
    found.fill(0);
  });
  return all;
}

std::int64_t largest(std::int64_t value, Channel& channel) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;  // negative numbers below the others
  std::uint64_t word = static_cast<std::uint64_t>(value) ^ kSign;
  largest_of_all(channel, {&word, 1});
  return static_cast<std::int64_t>(word ^ kSign);
}

double largest(double value, Channel& channel) {
  std::uint64_t word = ordered_word(value);
  largest_of_all(channel, {&word, 1});
  return number_of(word);
}

void tell_all(Channel& channel, void* data, std::int64_t bytes, int root, bool aside) {
  const int size = channel.size();
  if (size == 1) return;
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  const int place = (channel.rank() - root + size) % size;
  const auto rank_at = [&](int at) { return (at + root) % size; };
  int distance = 1;
  if (place == 0) {
    std::copy_n(static_cast<const std::byte*>(data), bytes, memory->begin());
    while (distance < size) distance *= 2;
  } else {
    while ((place & distance) == 0) distance *= 2;
    Pending in(channel, memory);
    in.receive(memory->data(), static_cast<int>(bytes), rank_at(place - distance), Tag::kCollective);
    if (aside) {
      in.wait_aside();
    } else {
      in.wait();
    }
    std::copy_n(memory->begin(), bytes, static_cast<std::byte*>(data));
  }
  std::deque<Pending> out;
  for (distance /= 2; distance > 0; distance /= 2) {
    if (place + distance >= size) continue;
    out.emplace_back(channel, memory);
    out.back().send(memory->data(), static_cast<int>(bytes), rank_at(place + distance), Tag::kCollective);
  }
  for (Pending& each : out) each.wait();
}

std::vector<Numbers> gather_numbers(Channel& channel, Numbers own) {
  if (channel.rank() != 0) {
    const auto numbers = std::make_shared<const Numbers>(std::move(own));
    send_and_wait(channel, numbers, numbers->data(), bytes_of(*numbers), 0, Tag::kCollective);
    return {};
  }
  std::vector<Numbers> all(static_cast<std::size_t>(channel.size()));
  all[0] = std::move(own);
  for (int rank = 1; rank < channel.size(); ++rank)
    all[static_cast<std::size_t>(rank)] = receive_numbers(channel, rank).second;
  return all;
}

Numbers scatter_numbers(Channel& channel, std::vector<Numbers> parts) {
  if (channel.rank() != 0) return receive_numbers(channel, 0).second;
  Numbers own = std::move(parts.at(0));
  const auto memory = std::make_shared<const std::vector<Numbers>>(std::move(parts));
  std::deque<Pending> out;
  for (std::size_t rank = 1; rank < memory->size(); ++rank) {
    const Numbers& numbers = (*memory)[rank];
    out.emplace_back(channel, memory);
    out.back().send(numbers.data(), bytes_of(numbers), static_cast<int>(rank), Tag::kCollective);
  }
  for (Pending& each : out) each.wait();
  return own;
}

double start_together(Channel& channel) {
  barrier(channel);
  if (!kSimulated) return MPI_Wtime();
  constexpr double kLongEnough_s = 0.1;  // for everybody to know
  const double start = largest(MPI_Wtime(), channel) + kLongEnough_s;
  sleep_simulated(start - MPI_Wtime());
  return start;
}

}  // namespace sluice::mpi::detail
