// MPI_Allgather, MPI_Allgatherv, MPI_Scatter and MPI_Gather: a block of each rank, or for each, which jobs take as
// bytes in a row.
#include <cstddef>
#include <memory>
#include <vector>

#include "pmpi/take/pattern_numbers.hpp"
#include "pmpi/take/take.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "pmpi/take/user_blocks.hpp"

namespace sluice::pmpi {
namespace {

/// Elements in the program's memory. A job has them in one row.
struct Row {
  std::vector<Block> blocks;  ///< none, one that may be empty, or several that are not
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

/// What MPI_Allgatherv sends, and receives.
struct Sent {
  const void* buffer;
  int count;
  MPI_Datatype type;
};
struct Received {
  void* buffer;
  const int* counts;
  const int* offsets;  ///< in extents of the type
  MPI_Datatype type;
};

/// Throws MpiError if the rank sends other bytes than the others expect.
Rows rows_of_list(const Communicator& communicator, const Sent& sent, const Received& received) {
  Rows rows;
  rows.result.type = received.type;
  std::int64_t before = 0;
  std::int64_t bytes = 0;
  for (int rank = 0; rank < communicator.size; ++rank) {
    const Row block(received.buffer, received.offsets[rank], received.counts[rank], received.type);
    if (rank < communicator.rank) before += block.blocks.front().bytes;
    if (rank == communicator.rank) {
      rows.own = block;
      bytes = block.blocks.front().bytes;
    }
    if (received.counts[rank] > 0) rows.result.blocks.push_back(block.blocks.front());
  }
  if (sent.buffer == MPI_IN_PLACE) {
    rows.in_place = before;
    return rows;
  }
  check_arguments(Taken::kAllgatherv, sent.buffer, sent.count, sent.type);
  check_bytes(Taken::kAllgatherv, bytes_of(sent.count, sent.type), bytes);
  rows.own = Row(sent.buffer, 0, sent.count, sent.type);
  return rows;
}

/// rows_of(): throws if this rank's arguments are wrong.
template <class RowsOf>
void carry_out(mpi::CollectiveJob& job, const RowsOf& rows_of) {
  Rows rows;
  Packed out;
  Packed in;
  prepared(job, [&] {
    rows = rows_of();
    in = Packed::of_received_row(rows.result.blocks, rows.result.type);
    if (rows.in_place < 0) {
      out = Packed::of_sent(rows.own.blocks, rows.own.type, false);
    } else {
      in.take_over(0, rows.own.blocks.front(), rows.in_place, rows.own.type);
    }
  });
  job.execute(rows.in_place < 0 ? out.base() : MPI_IN_PLACE, in.base());
  in.unpack(rows.result.blocks, rows.result.type);
}

mpi::CollectiveOptions block_options(Communicator& communicator) {
  mpi::CollectiveOptions options;
  options.try_native = !settings().always;
  if (has_platform()) options.platform = communicator.network();
  return options;
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
    auto* const job = job_of<mpi::CollectiveJob>(
        comm, *communicator, pattern, shared_memory_of(bytes * communicator->size), call,
        [&] { return std::make_unique<mpi::CollectiveJob>(make(bytes, block_options(*communicator))); });
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

int take_allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                    const int* offsets, MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  constexpr Taken kCall = Taken::kAllgatherv;
  Logged logged(kCall);
  const auto by_mpi = [&] {
    return PMPI_Allgatherv(send, count, type, receive, receive_counts, offsets, receive_type, comm);
  };
  const auto hand_on = noted(comm, by_mpi);
  const HeldCommunicator communicator = taking_communicator(kCall, comm);
  if (communicator == nullptr) return hand_on();
  const CountList list(receive_counts, communicator->size);
  const std::int64_t all = bytes_of(list.all(), receive_type);
  if (all < least_bytes(kCall, *communicator)) return hand_on();
  try {
    const auto key = list.key(receive_type);
    Pattern& pattern = communicator->jobs.at({key_of(kCall), key[0], key[1]});
    if (!is_due(pattern)) return hand_on();
    auto* const job = job_of<mpi::CollectiveJob>(comm, *communicator, pattern, shared_memory_of(all), kCall, [&] {
      return std::make_unique<mpi::CollectiveJob>(
          mpi::Allgather(comm, list.bytes(receive_type), block_options(*communicator)));
    });
    if (job == nullptr) return hand_on();
    logged.planned();
    carry_out(*job, [&] {
      check_arguments(kCall, receive, list.most(), receive_type);
      if (offsets == nullptr) throw MpiError(mpi_name(kCall), MPI_ERR_ARG);
      return rows_of_list(*communicator, {send, count, type}, {receive, receive_counts, offsets, receive_type});
    });
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, kCall);
  }
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
