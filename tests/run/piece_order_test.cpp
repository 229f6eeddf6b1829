#include "run/mpi/engine/piece_order.hpp"

#include <gtest/gtest.h>

#include <string>

#include "run/redistribution_testing.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::Draw;

/// "message:offset+bytes" of all pieces.
std::string pieces_of(PieceOrder& order) {
  std::string text;
  while (order.more()) {
    const std::size_t message = order.message();
    const bool at_start = order.at_start();
    const PieceOrder::Piece piece = order.next();
    EXPECT_EQ(piece.message, message);
    EXPECT_EQ(piece.offset == 0, at_start);
    text +=
        std::to_string(piece.message) + ":" + std::to_string(piece.offset) + "+" + std::to_string(piece.bytes) + " ";
  }
  return text;
}

TEST(PieceOrder, MessageByMessageAndInRounds) {
  const std::vector<StepMessage> messages{{1, 5}, {2, 0}, {3, 12}, {1, 3}};
  PieceOrder steps(messages, 5, 1, false);
  EXPECT_EQ(pieces_of(steps), "0:0+5 2:0+4 2:4+4 2:8+4 3:0+3 ");
  PieceOrder rounds(messages, 5, 1, true);
  EXPECT_EQ(pieces_of(rounds), "0:0+5 2:0+4 3:0+3 2:4+4 2:8+4 ");
  EXPECT_FALSE(rounds.more());
  rounds.restart();
  EXPECT_EQ(pieces_of(rounds), "0:0+5 2:0+4 3:0+3 2:4+4 2:8+4 ");
}

TEST(PieceOrder, NothingToSend) {
  const std::vector<StepMessage> none;
  const std::vector<StepMessage> empty{{1, 0}, {2, 0}};
  for (const bool in_rounds : {false, true}) {
    for (const auto* messages : {&none, &empty}) {
      PieceOrder order(*messages, 100, 8, in_rounds);
      EXPECT_FALSE(order.more());
    }
  }
}

TEST(PieceOrder, InRoundsEachByteOnceAndEveryRoundInTheOrderOfTheList) {
  Draw draw(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<StepMessage> messages;
    for (std::int64_t count = draw.between(0, 6); count > 0; --count)
      messages.push_back({0, draw.between(0, 3) * draw.between(0, 200)});
    const std::int64_t chunk = draw.between(1, 100);
    const std::int64_t granule = draw.one_of<std::int64_t>({1, 4, 8});
    PieceOrder order(messages, chunk, granule, true);
    std::vector<std::int64_t> sent(messages.size(), 0), pieces(messages.size(), 0);
    std::int64_t round = 0;
    std::size_t last = 0;
    bool started = false;
    while (order.more()) {
      const PieceOrder::Piece piece = order.next();
      EXPECT_EQ(piece.offset, sent[piece.message]);
      EXPECT_GT(piece.bytes, 0);
      EXPECT_LE(piece.bytes, chunk);
      sent[piece.message] += piece.bytes;
      const std::int64_t of_piece = pieces[piece.message]++;
      EXPECT_GE(of_piece, round);
      if (started && of_piece == round) {
        EXPECT_GT(piece.message, last);
      }
      started = true;
      round = of_piece;
      last = piece.message;
    }
    for (std::size_t m = 0; m < messages.size(); ++m) EXPECT_EQ(sent[m], messages[m].bytes);
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
