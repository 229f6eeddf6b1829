/// Ranks of a node agree by what each puts up in shared memory: on the same numbers, whoever looks when.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/handed_out.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/notice_board.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

// While a rank looks for the next notice of another one, that one may be writing it over an older notice of the
// channel.
TEST(LargestOfAll, IsTheSameOnAllRanksInEachOfManyRounds) {
  constexpr std::uint64_t kRounds = 100'000;
  const std::int64_t wrong =
      in_new_channel(MPI_COMM_WORLD, [](const std::shared_ptr<Context>& context, std::int64_t number) {
        Channel channel(context, number, "test");
        const auto size = static_cast<std::uint64_t>(channel.size());
        const auto rank = static_cast<std::uint64_t>(channel.rank());
        std::int64_t differ = 0;
        for (std::uint64_t round = 0; round < (size > 2 ? kRounds / 20 : kRounds); ++round) {
          std::array<std::uint64_t, NoticeBoard::kWords> numbers{};
          // The rank with the largest number differs from number to number. Numbers rise in even rounds and fall in odd
          // rounds. So a number of an older round is wrong, whether it is too small or too large.
          const std::uint64_t base = (round % 2 == 0 ? round : kRounds - round) * size;
          for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = base + (rank + i) % size;
          largest_of_all(channel, numbers);
          for (const std::uint64_t each : numbers) differ += each == base + size - 1 ? 0 : 1;
        }
        return differ;
      });
  EXPECT_EQ(wrong, 0);
}

// Rank 0 may be rounds ahead of a rank that has not read its numbers yet: their memory is not used again before.
TEST(HandOut, EachRankGetsItsNumbersInEachOfManyRounds) {
  constexpr std::int64_t kRounds = 3000;
  const std::int64_t wrong =
      in_new_channel(MPI_COMM_WORLD, [](const std::shared_ptr<Context>& context, std::int64_t number) {
        Channel channel(context, number, "test");
        const auto list_of = [](std::int64_t round, std::int64_t rank) {
          const std::int64_t many = round % 500 == 0 ? 20'000 : 0;
          std::vector<std::int64_t> list(static_cast<std::size_t>((round + rank) % 4 + many));
          for (std::size_t i = 0; i < list.size(); ++i) list[i] = round * 1000 + rank * 10 + static_cast<int>(i);
          return list;
        };
        std::int64_t differ = 0;
        for (std::int64_t round = 0; round < kRounds; ++round) {
          NumbersOfRanks numbers;
          for (int rank = 0; channel.rank() == 0 && rank < channel.size(); ++rank)
            numbers.push_back(list_of(round, rank));
          const std::vector<std::int64_t> own = agree_and_hand_out(channel, nullptr, std::move(numbers));
          differ += own == list_of(round, channel.rank()) ? 0 : 1;
        }
        return differ;
      });
  EXPECT_EQ(wrong, 0);
}

TEST(HandOut, AFailureOfTheRankThatPlansReachesAll) {
  const auto hand_out = [](const std::shared_ptr<Context>& context, std::int64_t number) {
    Channel channel(context, number, "test");
    const std::exception_ptr failure =
        channel.rank() == 0 ? std::make_exception_ptr(InputError("plan", "none", "one")) : nullptr;
    return agree_and_hand_out(channel, failure, {}).size();
  };
  EXPECT_THROW((void)in_new_channel(MPI_COMM_WORLD, hand_out), InputError);
}

// Every rank hears what a rank has told, in order and once. If there is no room for all, the oldest words are lost, and
// the board says that some are.
TEST(NoticeBoard, FailuresAreHeardInOrderOrSaidToBeLost) {
  constexpr int kFew = 5, kMany = 50;
  const std::string faults =
      in_new_channel(MPI_COMM_WORLD, [](const std::shared_ptr<Context>& context, std::int64_t number) {
        Channel channel(context, number, "test");
        NoticeBoard& board = context->board();
        std::string seen;
        for (const int count : {kFew, kMany}) {
          for (int i = 0; i < count && channel.rank() == 0; ++i) board.tell_failure(std::as_bytes(std::span(&i, 1)));
          barrier(channel);
          std::vector<int> heard;
          const bool all = board.hear_failures([&](int from, std::span<const std::byte> word) {
            int told = -1;
            if (from == 0 && word.size() == sizeof told)
              std::ranges::copy(word, std::as_writable_bytes(std::span(&told, 1)).begin());
            heard.push_back(told);
          });
          const bool listens = board.connected() && channel.rank() != 0;
          const std::size_t least = listens ? kFew : 0;
          if (all != (count == kFew || !listens)) seen += "whether all were heard; ";
          if (heard.size() < least || (all && heard.size() != least)) seen += "how many were heard; ";
          for (std::size_t i = 0; i < heard.size(); ++i)
            if (heard[i] != count - static_cast<int>(heard.size() - i)) seen += "another word; ";
          if (!board.hear_failures([&](int, std::span<const std::byte>) { seen += "heard twice; "; })) seen += "lost; ";
          barrier(channel);
        }
        return seen;
      });
  EXPECT_EQ(faults, "");
}

}  // namespace
}  // namespace sluice::mpi::detail
