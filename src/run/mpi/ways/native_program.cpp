#include "run/mpi/ways/native_program.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/ways/long_type.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostInInt = std::numeric_limits<int>::max();

/// Blocks of different sizes on one side of a call, one after the other.
struct Blocks {
  std::vector<int> bytes;
  std::vector<int> offsets;

  void add(std::int64_t block) {
    offsets.push_back(bytes.empty() ? 0 : offsets.back() + bytes.back());
    bytes.push_back(static_cast<int>(block));
  }
};

}  // namespace

struct NativeProgram::Arguments {
  ~Arguments() {
    if (owned != MPI_DATATYPE_NULL) free_long_type(owned);
  }
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  Program shape;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_BYTE;  ///< of blocks, or of elements
  int count = 0;                 ///< of a block
  MPI_Datatype owned = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::int64_t elements = 0;
  std::int64_t extent = 0;
  std::vector<int> shares;  ///< elements
  int own_bytes = 0;        ///< the own block, if blocks differ in size
  Blocks blocks;            ///< of all ranks; for alltoall, this rank's blocks for each rank.
  Blocks received;          ///< for alltoall, the blocks of each rank for this rank

  /// Starts one of the calls in v (MPI_Ialltoallv and the like) if it is one; returns whether it is.
  bool start_by_blocks(const void* own, void* result, MPI_Request* request) const;
};

bool NativeProgram::possible(const Program& shape, const ElementOperation& operation) {
  if (shape.problem == Collective::kReduceScatter) return operation.count <= kMostInInt;
  return shape.block_offsets.empty() || largest_part(shape) <= kMostInInt;
}

const char* NativeProgram::name(const Program& shape) {
  const bool alike = shape.block_offsets.empty();
  switch (shape.problem) {
    case Collective::kScatter:
      return alike ? native_call("MPI_Scatter", "MPI_Iscatter") : native_call("MPI_Scatterv", "MPI_Iscatterv");
    case Collective::kGather:
      return alike ? native_call("MPI_Gather", "MPI_Igather") : native_call("MPI_Gatherv", "MPI_Igatherv");
    case Collective::kAllgather:
      return alike ? native_call("MPI_Allgather", "MPI_Iallgather") : native_call("MPI_Allgatherv", "MPI_Iallgatherv");
    case Collective::kAlltoall:
      return alike ? native_call("MPI_Alltoall", "MPI_Ialltoall") : native_call("MPI_Alltoallv", "MPI_Ialltoallv");
    case Collective::kAllreduce:
      return native_call("MPI_Allreduce", "MPI_Iallreduce");
    case Collective::kReduceScatter:
      return native_call("MPI_Reduce_scatter", "MPI_Ireduce_scatter");
    case Collective::kBroadcast:
      return native_call("MPI_Bcast", "MPI_Ibcast");
    case Collective::kReduce:
      return native_call("MPI_Reduce", "MPI_Ireduce");
  }
  return "";
}

NativeProgram::NativeProgram(const Program& shape, const ElementOperation& operation, MPI_Comm comm)
    : arguments_(std::make_shared<Arguments>()) {
  arguments_->shape = shape;
  arguments_->comm = comm;
  if (combines(shape.problem)) {
    arguments_->type = operation.type;
    arguments_->op = operation.op;
    arguments_->elements = operation.count;
    arguments_->extent = ElementLayout(operation.type).extent;
    for (std::int64_t rank = 0; rank < shape.ranks && shape.problem == Collective::kReduceScatter; ++rank)
      arguments_->shares.push_back(static_cast<int>(block_of(shape, rank).bytes / shape.element_bytes));
    return;
  }
  if (!shape.block_offsets.empty()) {
    int own = 0;
    SLUICE_MPI(MPI_Comm_rank(comm, &own));
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
      if (shape.problem == Collective::kAlltoall) {
        arguments_->blocks.add(block_of(shape, own, rank).bytes);
        arguments_->received.add(block_of(shape, rank, own).bytes);
      } else {
        arguments_->blocks.add(block_of(shape, rank).bytes);
      }
    }
    arguments_->own_bytes = arguments_->blocks.bytes[static_cast<std::size_t>(own)];
    return;
  }
  if (shape.size_bytes <= kMostInInt) {
    arguments_->count = static_cast<int>(shape.size_bytes);
    return;
  }
  arguments_->type = arguments_->owned = long_type(0, shape.size_bytes);
  arguments_->count = 1;
}

bool NativeProgram::Arguments::start_by_blocks(const void* own, void* result, MPI_Request* request) const {
  if (shape.block_offsets.empty()) return false;
  const int root = static_cast<int>(shape.root);
  const int *const bytes = blocks.bytes.data(), *const at = blocks.offsets.data();
  switch (shape.problem) {
    case Collective::kScatter:
      SLUICE_MPI(kSimulated
                     ? MPI_Scatterv(own, bytes, at, MPI_BYTE, result, own_bytes, MPI_BYTE, root, comm)
                     : MPI_Iscatterv(own, bytes, at, MPI_BYTE, result, own_bytes, MPI_BYTE, root, comm, request));
      return true;
    case Collective::kGather:
      SLUICE_MPI(kSimulated ? MPI_Gatherv(own, own_bytes, MPI_BYTE, result, bytes, at, MPI_BYTE, root, comm)
                            : MPI_Igatherv(own, own_bytes, MPI_BYTE, result, bytes, at, MPI_BYTE, root, comm, request));
      return true;
    case Collective::kAllgather:
      SLUICE_MPI(kSimulated ? MPI_Allgatherv(own, own_bytes, MPI_BYTE, result, bytes, at, MPI_BYTE, comm)
                            : MPI_Iallgatherv(own, own_bytes, MPI_BYTE, result, bytes, at, MPI_BYTE, comm, request));
      return true;
    case Collective::kAlltoall: {
      const int *const in = received.bytes.data(), *const to = received.offsets.data();
      SLUICE_MPI(kSimulated ? MPI_Alltoallv(own, bytes, at, MPI_BYTE, result, in, to, MPI_BYTE, comm)
                            : MPI_Ialltoallv(own, bytes, at, MPI_BYTE, result, in, to, MPI_BYTE, comm, request));
      return true;
    }
    default:
      return false;  // a reduce-scatter has shares of any size
  }
}

NativeCollective::StartNext NativeProgram::start(const void* own, void* result) const {
  return [=, with = arguments_.get(), at = std::int64_t{0}](MPI_Request* request) mutable {
    const Arguments& a = *with;
    const int root = static_cast<int>(a.shape.root);
    const std::int64_t all = a.shape.problem == Collective::kAllreduce ? a.elements : 1;
    if (at >= all || a.shape.size_bytes == 0) return NativeCollective::Started::kNone;
    if (a.start_by_blocks(own, result, request)) {
      ++at;
      return NativeCollective::Started::kLast;
    }
    const std::int64_t some = std::min(kMostInInt, all - at);
    // Simulated ranks need not give way to others, and SMPI's calls that return at once send to every rank.
    switch (a.shape.problem) {
      case Collective::kScatter:
        SLUICE_MPI(kSimulated ? MPI_Scatter(own, a.count, a.type, result, a.count, a.type, root, a.comm)
                              : MPI_Iscatter(own, a.count, a.type, result, a.count, a.type, root, a.comm, request));
        break;
      case Collective::kGather:
        SLUICE_MPI(kSimulated ? MPI_Gather(own, a.count, a.type, result, a.count, a.type, root, a.comm)
                              : MPI_Igather(own, a.count, a.type, result, a.count, a.type, root, a.comm, request));
        break;
      case Collective::kAllgather:
        SLUICE_MPI(kSimulated ? MPI_Allgather(own, a.count, a.type, result, a.count, a.type, a.comm)
                              : MPI_Iallgather(own, a.count, a.type, result, a.count, a.type, a.comm, request));
        break;
      case Collective::kAlltoall:
        SLUICE_MPI(kSimulated ? MPI_Alltoall(own, a.count, a.type, result, a.count, a.type, a.comm)
                              : MPI_Ialltoall(own, a.count, a.type, result, a.count, a.type, a.comm, request));
        break;
      case Collective::kAllreduce: {
        const void* const from = own == MPI_IN_PLACE ? own : static_cast<const std::byte*>(own) + at * a.extent;
        void* const to = static_cast<std::byte*>(result) + at * a.extent;
        SLUICE_MPI(kSimulated ? MPI_Allreduce(from, to, static_cast<int>(some), a.type, a.op, a.comm)
                              : MPI_Iallreduce(from, to, static_cast<int>(some), a.type, a.op, a.comm, request));
        break;
      }
      case Collective::kReduceScatter:
        SLUICE_MPI(kSimulated ? MPI_Reduce_scatter(own, result, a.shares.data(), a.type, a.op, a.comm)
                              : MPI_Ireduce_scatter(own, result, a.shares.data(), a.type, a.op, a.comm, request));
        break;
      case Collective::kBroadcast:
      case Collective::kReduce:
        SLUICE_ASSERT(false, "a problem that has a job of its own");
        break;
    }
    at += some;
    return at < all ? NativeCollective::Started::kMoreToCome : NativeCollective::Started::kLast;
  };
}

}  // namespace sluice::mpi::detail
