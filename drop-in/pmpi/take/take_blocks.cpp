// MPI_Allgather, MPI_Scatter and MPI_Gather: a block of each rank, or for each, which jobs take as bytes in a row.
#include <cstddef>
#include <memory>
#include <vector>

#include "pmpi/take/take.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "pmpi/take/user_blocks.hpp"

namespace sluice::pmpi {
namespace {

/// Elements in the program's memory, in one row of their type.
struct Row {
  std::vector<Block> blocks;  ///< one, or none
  MPI_Datatype type = MPI_DATATYPE_NULL;

  Row() = default;
  Row(const void* buffer, std::int64_t first, std::int64_t count, MPI_Datatype of) : type(of) {
    auto* const start = static_cast<std::byte*>(const_cast<void*>(buffer));
    blocks.push_back({0, start + first * extent_of(type), count, bytes_of(count, type)});
  }
};

/// The arguments of a call, in the form that its job takes.
struct Rows {
  Row own;
  Row result;
  std::int64_t in_place = -1;  ///< 0 and above: `own` is a part of `result` and begins `in_place` bytes behind its
                               ///< start
};

/// A block of each rank in `receive`, this rank's among them.
Rows rows_in_place(const Communicator& communicator, const void* receive, std::int64_t count, MPI_Datatype type) {
  return {Row(receive, count * communicator.rank, count, type), Row(receive, 0, count * communicator.size, type),
          bytes_of(count, type) * communicator.rank};
}

/// rows_of(): throws if this rank's arguments are wrong.
template <class RowsOf>
void carry_out(mpi::CollectiveJob& job, const RowsOf& rows_of) {
  Rows rows;
  Packed out;
  Packed in;
  prepared(job, [&] {
    rows = rows_of();
    in = Packed::of_received(rows.result.blocks, rows.result.type);
    if (rows.in_place < 0) {
      out = Packed::of_sent(rows.own.blocks, rows.own.type, false);
    } else {
      in.take_over(0, rows.own.blocks.front(), rows.in_place, rows.own.type);
    }
  });
  job.execute(rows.in_place < 0 ? out.base() : MPI_IN_PLACE, in.base());
  in.unpack(rows.result.blocks, rows.result.type);
}

/// A call whose `count` and `type` describe a block. make(bytes of a block, options): makes the job;
/// rows_of(communicator, bytes of a block).
template <class HandOn, class Make, class RowsOf>
int take_blocks(Taken call, int count, MPI_Datatype type, int root, MPI_Comm comm, const HandOn& by_mpi,
                const Make& make, const RowsOf& rows_of) {
  Logged logged(call);
  const auto hand_on = noted(comm, by_mpi);
  const HeldCommunicator communicator = taking_communicator(call, count, type, root, comm);
  if (communicator == nullptr) return hand_on();
  try {
    const std::int64_t bytes = bytes_of(count, type);
    Pattern& pattern = communicator->jobs.at({key_of(call), bytes, root});
    if (!is_due(pattern)) return hand_on();
    auto* const job = job_of<mpi::CollectiveJob>(comm, *communicator, pattern,
                                                 shared_memory_of(bytes * communicator->size), call, [&] {
                                                   mpi::CollectiveOptions options;
                                                   options.try_native = !settings().always;
                                                   if (has_platform()) options.platform = communicator->network();
                                                   return std::make_unique<mpi::CollectiveJob>(make(bytes, options));
                                                 });
    if (job == nullptr) return hand_on();
    logged.planned();
    carry_out(*job, [&] { return rows_of(*communicator, bytes); });
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, call);
  }
}

}  // namespace

int take_allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  return take_blocks(
      Taken::kAllgather, receive_count, receive_type, 0, comm,
      [&] { return PMPI_Allgather(send, count, type, receive, receive_count, receive_type, comm); },
      [&](std::int64_t bytes, const mpi::CollectiveOptions& options) { return mpi::Allgather(comm, bytes, options); },
      [&](const Communicator& communicator, std::int64_t bytes) {
        check_arguments(Taken::kAllgather, receive, receive_count, receive_type);
        if (send == MPI_IN_PLACE) return rows_in_place(communicator, receive, receive_count, receive_type);
        check_arguments(Taken::kAllgather, send, count, type);
        check_bytes(Taken::kAllgather, bytes_of(count, type), bytes);
        const std::int64_t all = static_cast<std::int64_t>(receive_count) * communicator.size;
        return Rows{Row(send, 0, count, type), Row(receive, 0, all, receive_type)};
      });
}

int take_scatter(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept {
  const bool in_place = receive == MPI_IN_PLACE;  // on the root
  std::vector<std::byte> no_place;
  return take_blocks(
      Taken::kScatter, in_place ? count : receive_count, in_place ? type : receive_type, root, comm,
      [&] { return PMPI_Scatter(send, count, type, receive, receive_count, receive_type, root, comm); },
      [&](std::int64_t bytes, const mpi::CollectiveOptions& options) {
        return mpi::Scatter(comm, bytes, root, options);
      },
      [&](const Communicator& communicator, std::int64_t bytes) {
        Rows rows;
        if (communicator.rank == root) {
          check_arguments(Taken::kScatter, send, count, type);
          check_bytes(Taken::kScatter, bytes_of(count, type), bytes);
          rows.own = Row(send, 0, static_cast<std::int64_t>(count) * communicator.size, type);
        }
        if (in_place) {  // what the job has for the root, it has
          no_place.resize(static_cast<std::size_t>(bytes));
          rows.result = Row(no_place.data(), 0, bytes, MPI_BYTE);
        } else {
          check_arguments(Taken::kScatter, receive, receive_count, receive_type);
          rows.result = Row(receive, 0, receive_count, receive_type);
        }
        return rows;
      });
}

int take_gather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept {
  const bool in_place = send == MPI_IN_PLACE;  // on the root
  return take_blocks(
      Taken::kGather, in_place ? receive_count : count, in_place ? receive_type : type, root, comm,
      [&] { return PMPI_Gather(send, count, type, receive, receive_count, receive_type, root, comm); },
      [&](std::int64_t bytes, const mpi::CollectiveOptions& options) {
        return mpi::Gather(comm, bytes, root, options);
      },
      [&](const Communicator& communicator, std::int64_t bytes) {
        if (communicator.rank == root) {
          check_arguments(Taken::kGather, receive, receive_count, receive_type);
          check_bytes(Taken::kGather, bytes_of(receive_count, receive_type), bytes);
        }
        if (in_place) return rows_in_place(communicator, receive, receive_count, receive_type);
        check_arguments(Taken::kGather, send, count, type);
        Rows rows;
        rows.own = Row(send, 0, count, type);
        if (communicator.rank == root)
          rows.result = Row(receive, 0, static_cast<std::int64_t>(receive_count) * communicator.size, receive_type);
        return rows;
      });
}

}  // namespace sluice::pmpi
