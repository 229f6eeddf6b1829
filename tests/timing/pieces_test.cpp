#include "schedule/pieces.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "schedule/early_release.hpp"
#include "timing/piece_windows.hpp"

namespace sluice::detail {
namespace {

TEST(EarlyRelease, OnceLittleIsMissing) {
  EarlyRelease release(30);
  for (const std::int64_t bytes : {100, 20, 10, 50}) release.add(bytes);
  EXPECT_FALSE(release.next().has_value()) << "nothing has come";
  release.received(0, 60);
  EXPECT_FALSE(release.next().has_value()) << "40 are missing";
  release.received(0, 20);
  EXPECT_EQ(release.next(), 0U);
  EXPECT_FALSE(release.next().has_value()) << "nothing of the second has come";
  release.received(1, 5);
  EXPECT_FALSE(release.next().has_value()) << "20 and 15 are missing";
  release.received(0, 10);
  EXPECT_EQ(release.next(), 1U);
  release.received(2, 10);
  EXPECT_EQ(release.next(), 2U) << "25 are missing of those before";
  release.received(3, 50);
  EXPECT_EQ(release.next(), 3U);
  EXPECT_FALSE(release.next().has_value());
}

TEST(EarlyRelease, NoneMayBeMissing) {
  EarlyRelease release(0);
  release.add(10);
  release.add(10);
  release.received(0, 9);
  EXPECT_FALSE(release.next().has_value());
  release.received(0, 1);
  EXPECT_EQ(release.next(), 0U);
  release.clear();
  EXPECT_FALSE(release.next().has_value());
  release.add(5);
  release.received(0, 5);
  EXPECT_EQ(release.next(), 0U);
}

TEST(Pieces, AreOfAboutOneSize) {
  EXPECT_EQ(piece_bytes(100, 1000, 1), 100);
  EXPECT_EQ(piece_bytes(1000, 1000, 1), 1000);
  EXPECT_EQ(piece_bytes(1001, 1000, 1), 501);
  EXPECT_EQ(piece_bytes(1001, 1000, 8), 504);
  EXPECT_EQ(piece_bytes(10, 4, 8), 4) << "elements longer than a piece are cut";
  EXPECT_EQ(UsualPieces{}.window_of(32 << 10), 2);
  EXPECT_EQ(UsualPieces{}.window_of(1 << 10), 64);
  EXPECT_EQ(UsualPieces{}.window_of(1 << 30), 1);
  EXPECT_EQ(usual_pieces_of_local(false).window_of(1 << 20), 16);
}

using Messages = std::vector<MessageGraph::Message>;

SimulatedMessages in_pieces(const Messages& messages, const SimulatedPieces& pieces) {
  SimulatedMessages result;
  for (const MessageGraph::Message& each : messages) result.graph.add_after(each, {});
  result.pieces = pieces;
  return result;
}

/// The pieces that begin, as message and bytes.
std::vector<std::pair<std::size_t, std::int64_t>> begun(PieceWindows& windows) {
  std::vector<std::pair<std::size_t, std::int64_t>> result;
  while (const auto piece = windows.next()) result.emplace_back(piece->message, piece->bytes);
  return result;
}

using Begun = std::vector<std::pair<std::size_t, std::int64_t>>;

TEST(PieceWindows, WorkedByHand) {
  // Host 0 sends 25 bytes to host 2 and 10 to host 3; host 1 sends 10 to host 2. Two at a time, one receive ahead.
  const SimulatedMessages all = in_pieces({{0, 2, 25}, {0, 3, 10}, {1, 2, 10}}, {10, 1, 2, 1, 10});
  PieceWindows windows(all);
  EXPECT_EQ(begun(windows), Begun{}) << "none may";
  windows.permit(1);
  EXPECT_EQ(begun(windows), Begun{}) << "it is not its turn";
  windows.permit(2);
  EXPECT_EQ(begun(windows), Begun{}) << "host 2 awaits three pieces of message 0 first";
  windows.permit(0);
  EXPECT_EQ(begun(windows), (Begun{{0, 9}, {0, 9}}));
  EXPECT_FALSE(windows.end({0, 9}));
  // A place at the sender for the last piece, and one at the receiver for what host 1 has sent.
  EXPECT_EQ(begun(windows), (Begun{{2, 10}, {0, 7}}));
  EXPECT_EQ(windows.next_released(), std::nullopt) << "16 are missing";
  EXPECT_FALSE(windows.end({0, 9}));
  EXPECT_EQ(windows.next_released(), 0U) << "7 are missing";
  EXPECT_EQ(windows.next_released(), std::nullopt);
  EXPECT_EQ(begun(windows), (Begun{{1, 10}}));
  EXPECT_TRUE(windows.end({2, 10}));
  EXPECT_TRUE(windows.end({0, 7}));
  EXPECT_TRUE(windows.end({1, 10}));
  EXPECT_TRUE(windows.next_released().has_value());
  EXPECT_TRUE(windows.next_released().has_value());
  EXPECT_EQ(windows.next_released(), std::nullopt);
}

TEST(PieceWindows, LeaveOutWhatNoJobSends) {
  const MessageGraph::Message word{0, 1, 0, MessageKind::kWord};
  EXPECT_FALSE(PieceWindows::has(word));
  EXPECT_FALSE(PieceWindows::has({2, 2, 5}));
  EXPECT_FALSE(PieceWindows::has({0, 2, 0}));
  const SimulatedMessages all = in_pieces({word, {2, 2, 5}, {0, 2, 0}, {0, 1, 5}}, {10, 1, 1, 0, 0});
  PieceWindows windows(all);
  windows.permit(3);
  EXPECT_EQ(begun(windows), (Begun{{3, 5}}));
}

/// Whatever ends first: every byte once, never more pieces than the windows, all messages released once.
TEST(PieceWindows, RandomOnesEndAndKeepTheirWindows) {
  constexpr std::int64_t kHosts = 5;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
    };
    Messages messages;
    for (std::int64_t i = draw(30); i >= 0; --i) {
      const auto from = static_cast<std::int32_t>(draw(kHosts));
      const auto to = static_cast<std::int32_t>((from + 1 + draw(kHosts - 1)) % kHosts);
      messages.push_back({from, to, 1 + draw(100)});
    }
    const int window = static_cast<int>(1 + draw(3));
    const SimulatedMessages all = in_pieces(messages, {1 + draw(20), 1, window, static_cast<int>(draw(3)), draw(40)});
    PieceWindows windows(all);
    for (std::size_t i = 0; i < messages.size(); ++i) windows.permit(i);
    std::vector<PieceWindows::Piece> running;
    std::map<std::size_t, std::int64_t> moved;
    std::map<std::int64_t, int> sending;
    std::size_t ended = 0, released = 0;
    for (;;) {
      while (const auto piece = windows.next()) {
        running.push_back(*piece);
        EXPECT_LE(++sending[messages[piece->message].from], window) << seed;
      }
      if (running.empty()) break;
      const auto last = running.begin() + draw(static_cast<std::int64_t>(running.size()));
      moved[last->message] += last->bytes;
      --sending[messages[last->message].from];
      if (windows.end(*last)) ++ended;
      running.erase(last);
      while (windows.next_released()) ++released;
    }
    EXPECT_EQ(ended, messages.size()) << seed;
    EXPECT_EQ(released, messages.size()) << seed;
    for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(moved[i], messages[i].bytes) << seed;
  }
}

}  // namespace
}  // namespace sluice::detail
