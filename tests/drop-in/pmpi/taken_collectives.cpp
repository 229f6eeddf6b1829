// Calls MPI_Allreduce, MPI_Reduce_scatter_block, MPI_Allgather, MPI_Scatter and MPI_Gather with random types, counts,
// roots and communicators.
//
//     taken_collectives [ROUNDS [SEED]]
#include "random_calls.hpp"

namespace {

using namespace sluice::testing;

int any_root(const Round& round) { return static_cast<int>(round.common() % static_cast<unsigned>(round.size)); }

void allreduce(const Round& round) {
  const auto [type, op] = round.operations.any(round.common);
  const int count = any_count(round.common);
  const bool in_place = round.common() % 3 == 0;
  const Bytes mine = elements(count, type, round.own);
  Bytes is(mine.size(), 0x5a);
  if (in_place) is = mine;
  Bytes should = is;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(mine.data());
  PMPI_Allreduce(from, should.data(), count, type, op, round.comm);
  MPI_Allreduce(from, is.data(), count, type, op, round.comm);
  clear_gaps(is, type);
  clear_gaps(should, type);
  expect_equal(is, should, "MPI_Allreduce", round.number, round.comm);
}

void reduce_scatter_block(const Round& round) {
  const auto [type, op] = round.operations.any(round.common);
  const int count = any_count(round.common) / 4;
  const bool in_place = round.common() % 3 == 0;
  const Bytes mine = elements(static_cast<std::int64_t>(count) * round.size, type, round.own);
  Bytes is(in_place ? mine.size() : bytes_of(count, type) + 16, 0x5a);
  if (in_place) is = mine;
  Bytes should = is;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(mine.data());
  PMPI_Reduce_scatter_block(from, should.data(), count, type, op, round.comm);
  MPI_Reduce_scatter_block(from, is.data(), count, type, op, round.comm);
  if (in_place) {  // what is behind the block may be anything
    is.resize(bytes_of(count, type));
    should.resize(is.size());
  }
  clear_gaps(is, type);
  clear_gaps(should, type);
  expect_equal(is, should, "MPI_Reduce_scatter_block", round.number, round.comm);
}

void allgather(const Round& round) {
  const int count = any_count(round.common) / 4;
  const bool in_place = round.common() % 3 == 0;
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const auto block = static_cast<std::size_t>(count);
  const Bytes mine = filled(block, round.own);
  Bytes is = filled(block * static_cast<std::size_t>(round.size), round.own);
  Bytes should = is;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(mine.data());
  PMPI_Allgather(from, count, send_type, should.data(), count, type, round.comm);
  MPI_Allgather(from, count, send_type, is.data(), count, type, round.comm);
  expect_equal(is, should, "MPI_Allgather", round.number, round.comm);
}

void scatter(const Round& round) {
  const int count = any_count(round.common) / 4;
  const int root = any_root(round);
  const bool in_place = round.common() % 3 == 0 && round.rank == root;
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const auto block = static_cast<std::size_t>(count);
  const Bytes all = filled(block * static_cast<std::size_t>(round.size), round.own);
  Bytes is = filled(block, round.own);
  Bytes should = is;
  // What is not looked at need not be anything.
  const bool is_root = round.rank == root;
  const void* const from = is_root ? all.data() : nullptr;
  const int send_count = is_root ? count : -1;
  const int receive_count = in_place ? -1 : count;
  const auto to = [&](Bytes& bytes) { return in_place ? MPI_IN_PLACE : static_cast<void*>(bytes.data()); };
  PMPI_Scatter(from, send_count, is_root ? send_type : MPI_DATATYPE_NULL, to(should), receive_count,
               in_place ? MPI_DATATYPE_NULL : type, root, round.comm);
  MPI_Scatter(from, send_count, is_root ? send_type : MPI_DATATYPE_NULL, to(is), receive_count,
              in_place ? MPI_DATATYPE_NULL : type, root, round.comm);
  expect_equal(is, should, "MPI_Scatter", round.number, round.comm);
}

void gather(const Round& round) {
  const int count = any_count(round.common) / 4;
  const int root = any_root(round);
  const bool in_place = round.common() % 3 == 0 && round.rank == root;
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const auto block = static_cast<std::size_t>(count);
  const bool is_root = round.rank == root;
  const Bytes mine = filled(block, round.own);
  Bytes is = filled(is_root ? block * static_cast<std::size_t>(round.size) : 0, round.own);
  Bytes should = is;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(mine.data());
  const int send_count = in_place ? -1 : count;
  const int receive_count = is_root ? count : -1;
  const auto to = [&](Bytes& bytes) { return is_root ? bytes.data() : nullptr; };
  PMPI_Gather(from, send_count, in_place ? MPI_DATATYPE_NULL : send_type, to(should), receive_count,
              is_root ? type : MPI_DATATYPE_NULL, root, round.comm);
  MPI_Gather(from, send_count, in_place ? MPI_DATATYPE_NULL : send_type, to(is), receive_count,
             is_root ? type : MPI_DATATYPE_NULL, root, round.comm);
  expect_equal(is, should, "MPI_Gather", round.number, round.comm);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Call> calls{allreduce, reduce_scatter_block, allgather, scatter, gather};
  return random_calls(argc, argv, calls, calls);
}
