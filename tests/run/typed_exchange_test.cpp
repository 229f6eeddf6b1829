#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "run/exchange_testing.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/exchange.hpp"

/// Exchanges of messages whose types differ at both ends, compared with MPI_Alltoallw byte by byte, gaps included.
namespace sluice::mpi {
namespace {

using detail::ElementLayout;
using testing::Draw;
using testing::on_one_node;
using testing::rank;
using testing::size;

/// Types made by a test, freed with it.
class Types {
 public:
  Types() = default;
  ~Types() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  MPI_Datatype keep(MPI_Datatype type) {
    MPI_Type_commit(&type);
    made_.push_back(type);
    return type;
  }

  MPI_Datatype contiguous(int count, MPI_Datatype inner) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, inner, &type);
    return keep(type);
  }
  MPI_Datatype resized(MPI_Datatype inner, MPI_Aint extent) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(inner, 0, extent, &type);
    return keep(type);
  }
  MPI_Datatype copy(MPI_Datatype inner) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(inner, &type);
    return keep(type);
  }
  /// An int at each of these places, in this order.
  MPI_Datatype ints_at(const std::vector<int>& places) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), MPI_INT, &type);
    return keep(type);
  }
  MPI_Datatype vector(int count, int stride) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, stride, MPI_INT, &type);
    return keep(type);
  }
  MPI_Datatype pair(MPI_Datatype first, MPI_Aint first_at, MPI_Datatype second, MPI_Aint second_at) {
    const std::array<int, 2> counts{1, 1};
    const std::array<MPI_Aint, 2> places{first_at, second_at};
    const std::array<MPI_Datatype, 2> types{first, second};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type);
    return keep(type);
  }

  /// Any type of `ints` ints, no two in one place.
  MPI_Datatype any(Draw& draw, int ints) {  // NOLINT(misc-no-recursion)
    switch (draw.between(0, 6)) {
      case 0:
        return contiguous(ints, MPI_INT);
      case 1:
        return vector(ints, static_cast<int>(draw.between(1, 3)));
      case 2:  // no gap, any order
        return ints_at(draw.ranks(ints, ints));
      case 3:
        return ints_at(draw.ranks(ints, 2 * ints));
      case 4:
        return copy(any(draw, ints));
      case 5: {
        const int outer = static_cast<int>(draw.between(1, ints));
        if (ints % outer != 0) return any(draw, ints);
        const MPI_Datatype inner = any(draw, ints / outer);
        const ElementLayout layout(inner);
        const MPI_Aint gap = draw.between(0, 2) * 4;
        return contiguous(outer, resized(inner, layout.true_lower + layout.true_extent + gap));
      }
      default: {
        if (ints < 2) return any(draw, ints);
        const int some = static_cast<int>(draw.between(1, ints - 1));
        const MPI_Datatype first = any(draw, some);
        const MPI_Datatype second = any(draw, ints - some);
        const ElementLayout a(first);
        const ElementLayout b(second);
        const bool forth = draw.chance(2);
        return pair(first, (forth ? 0 : b.true_extent) - a.true_lower, second,
                    (forth ? a.true_extent : 0) - b.true_lower);
      }
    }
  }

 private:
  std::vector<MPI_Datatype> made_;
};

/// One side of an exchange on one rank, as MPI_Alltoallw takes it.
struct Side {
  std::vector<int> counts;
  std::vector<int> offsets;
  std::vector<MPI_Datatype> types;
  std::size_t bytes = 0;

  Side(Draw& draw, Types& types_made, const std::vector<std::int64_t>& ints_by_rank)
      : counts(ints_by_rank.size()), offsets(ints_by_rank.size()), types(ints_by_rank.size(), MPI_INT) {
    for (const int peer : draw.ranks(size(), size())) {
      const auto i = static_cast<std::size_t>(peer);
      if (ints_by_rank[i] == 0) continue;
      std::int64_t each = draw.between(1, 24);
      while (ints_by_rank[i] % each != 0) --each;
      types[i] = types_made.any(draw, static_cast<int>(each));
      counts[i] = static_cast<int>(ints_by_rank[i] / each);
      const ElementLayout layout(types[i]);
      // Elements must not overlap.
      if (counts[i] > 1 && layout.extent < layout.true_extent)
        types[i] = types_made.resized(types[i], layout.true_extent);
      const ElementLayout last(types[i]);
      offsets[i] = static_cast<int>(static_cast<std::int64_t>(bytes) - last.true_lower);
      bytes += static_cast<std::size_t>(last.bytes(counts[i])) + static_cast<std::size_t>(draw.between(0, 2)) * 4;
    }
  }
};

/// What rank `own` sends to each and gets of each, in ints.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> random_ints(Draw& draw, int own) {
  const testing::TrafficTable table = testing::random_traffic(draw, size(), 3000);
  std::vector<std::int64_t> received;
  for (const auto& row : table) received.push_back(row[static_cast<std::size_t>(own)]);
  return {table[static_cast<std::size_t>(own)], received};
}

std::vector<std::byte> random_bytes(Draw& draw, std::size_t bytes) {
  std::vector<std::byte> result(std::max<std::size_t>(bytes, 1));  // two null pointers would be one buffer for MPI
  for (std::byte& each : result) each = static_cast<std::byte>(draw.between(0, 255));
  return result;
}

TEST(TypedExchange, AsAlltoallwDoesIt) {
  Draw common(5);
  for (int i = 0; i < 12; ++i) {
    const auto [sent, received] = random_ints(common, rank());
    Draw draw(static_cast<std::uint64_t>(1000 * i + rank()));
    Types types;
    const Side out(draw, types, sent);
    const Side in(draw, types, received);
    const std::vector<std::byte> data = random_bytes(draw, out.bytes);
    const std::vector<std::byte> before = random_bytes(draw, in.bytes);
    std::vector<std::byte> expected = before;
    MPI_Alltoallw(data.data(), out.counts.data(), out.offsets.data(), out.types.data(), expected.data(),
                  in.counts.data(), in.offsets.data(), in.types.data(), MPI_COMM_WORLD);
    for (const ExchangeMode mode : {ExchangeMode::kAuto, ExchangeMode::kChain, ExchangeMode::kLocal,
                                    ExchangeMode::kBarrier, ExchangeMode::kList, ExchangeMode::kAtOnce}) {
      SCOPED_TRACE("case " + std::to_string(i) + ", mode " + to_string(mode));
      Exchange job(MPI_COMM_WORLD, typed_messages(out.counts, out.offsets, out.types),
                   typed_messages(in.counts, in.offsets, in.types), {.mode = mode});
      // kAuto: as many as the plan and MPI's own take turns, and one that is decided.
      const int rounds = mode == ExchangeMode::kAuto ? 10 : 2;
      for (int round = 0; round < rounds; ++round) {
        std::vector<std::byte> result = before;
        job.execute(data.data(), result.data());
        EXPECT_EQ(result, expected) << "round " << round;
      }
    }
  }
}

TEST(TypedExchange, InPlace) {
  Draw common(6);
  for (int i = 0; i < 6; ++i) {
    // As much back as forth.
    testing::TrafficTable table = testing::random_traffic(common, size(), 3000);
    std::vector<std::int64_t> ints;
    for (std::size_t peer = 0; peer < table.size(); ++peer) {
      const auto own = static_cast<std::size_t>(rank());
      ints.push_back(table[std::min(own, peer)][std::max(own, peer)]);
    }
    Draw draw(static_cast<std::uint64_t>(1000 * i + rank()));
    Types types;
    const Side side(draw, types, ints);
    const std::vector<std::byte> before = random_bytes(draw, side.bytes);
    std::vector<std::byte> expected = before;
    MPI_Alltoallw(before.data(), side.counts.data(), side.offsets.data(), side.types.data(), expected.data(),
                  side.counts.data(), side.offsets.data(), side.types.data(), MPI_COMM_WORLD);
    const auto messages = typed_messages(side.counts, side.offsets, side.types);
    Exchange job(MPI_COMM_WORLD, messages, messages);
    for (int round = 0; round < 10; ++round) {
      std::vector<std::byte> result = before;
      job.execute(MPI_IN_PLACE, result.data());
      EXPECT_EQ(result, expected) << "case " << i << ", round " << round;
    }
  }
}

// On one host it is seen when the job is made.
TEST(TypedExchange, BothEndsOfDifferentSizes) {
  if (size() < 2 || !on_one_node()) GTEST_SKIP() << "needs 2 ranks of one host";
  for (const std::int64_t received : {9, 11, 0}) {
    std::vector<TypedMessage> sends, receives;
    if (rank() == 0) sends.push_back({1, 0, 10, MPI_INT});
    if (rank() == 1) receives.push_back({0, 0, received, MPI_INT});
    std::vector<int> out(20), in(20);
    std::string error;
    try {
      Exchange job(MPI_COMM_WORLD, sends, receives);
      EXPECT_NE(rank(), 1) << received;
      job.execute(out.data(), in.data());
    } catch (const InputError& e) {
      error = e.what();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(rank() != 1 || error.find("40 bytes") != std::string::npos) << error;
  }
}

/// What making a job of this message throws, to the next rank and from the one before; "" if nothing.
std::string error_of(std::int64_t count, MPI_Datatype type, std::int64_t bytes) {
  try {
    const Exchange job(MPI_COMM_WORLD, {{(rank() + 1) % size(), 0, count, type}},
                       {{(rank() + size() - 1) % size(), 0, count, type}});
    EXPECT_EQ(job.send_bytes(), bytes);
    EXPECT_EQ(job.receive_bytes(), bytes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(TypedExchange, TypesOfMoreBytesThanAnIntCounts) {
  Types types;
  const std::int64_t gib = 1 << 30;
  const MPI_Datatype row = types.contiguous(1 << 30, MPI_BYTE);
  EXPECT_EQ(error_of(1, types.contiguous(3, row), 3 * gib), "");
  EXPECT_EQ(error_of(2, types.contiguous(3, row), 6 * gib), "");
  // With gaps it would have to be packed, which MPI does for as many bytes as it counts.
  const std::string error = error_of(1, types.contiguous(3, types.resized(row, (1 << 30) + 8)), 3 * gib);
  EXPECT_NE(error.find(std::to_string(3 * gib) + " bytes that do not lie in a row"), std::string::npos) << error;
}

TEST(TypedExchange, ATypeThatIsNotCommittedIsRefused) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  if (rank() != 0) MPI_Type_commit(&type);
  std::string error;
  try {
    std::vector<int> out(10), in(10);
    const int next = (rank() + 1) % size();
    const int before = (rank() + size() - 1) % size();
    Exchange job(MPI_COMM_WORLD, {{next, 0, 1, type}}, {{before, 0, 1, type}});
    // A rank that has nothing to do with rank 0 may be done before it hears of it: in the next execution then.
    for (int round = 0; round < 2; ++round) job.execute(out.data(), in.data());
  } catch (const std::exception& e) {
    error = e.what();
  }
  EXPECT_NE(error, "");
  MPI_Type_free(&type);
}

TEST(TypedExchange, AnArrayOfATypeThatIsNotCommitted) {
  Types types;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 1, MPI_INT, &inner);
  EXPECT_EQ(error_of(1, types.contiguous(2, inner), 24), "");
  MPI_Type_free(&inner);
}

TEST(TypedExchange, RunsOfBytes) {
  Types types;
  EXPECT_TRUE(detail::is_one_run(MPI_INT));
  EXPECT_TRUE(detail::is_one_run(types.contiguous(1 << 20, types.copy(MPI_DOUBLE))));
  EXPECT_TRUE(detail::is_one_run(types.vector(1000, 1)));
  EXPECT_TRUE(detail::is_one_run(types.ints_at({3, 4, 5})));
  EXPECT_FALSE(detail::is_one_run(types.vector(2, 2)));
  EXPECT_FALSE(detail::is_one_run(types.ints_at({1, 0})));
  std::vector<int> late(2000);
  for (std::size_t i = 0; i < late.size(); ++i) late[i] = static_cast<int>(i);
  EXPECT_TRUE(detail::is_one_run(types.ints_at(late)));
  // Bytes that differ by 256 and more in their places look alike in the first eight bits of them.
  std::swap_ranges(late.begin() + 64, late.begin() + 128, late.begin() + 640);
  EXPECT_FALSE(detail::is_one_run(types.ints_at(late)));
  // Arrays of the same elements, forth and back.
  EXPECT_TRUE(detail::is_one_run(types.contiguous(4, types.resized(MPI_INT, 4))));
  EXPECT_FALSE(detail::is_one_run(types.contiguous(4, types.resized(MPI_INT, -4))));
  // Twice the same and a gap are as long as no gap.
  EXPECT_FALSE(detail::is_one_run(types.ints_at({0, 0, 2})));
}

}  // namespace
}  // namespace sluice::mpi
