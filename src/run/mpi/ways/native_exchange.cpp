#include "run/mpi/ways/native_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "run/mpi/ways/long_type.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// One direction of MPI_Alltoallw. MPI counts bytes and offsets in int: messages beyond that have types of their own.
class Side {
 public:
  explicit Side(int ranks) {
    const auto n = static_cast<std::size_t>(ranks);
    counts.resize(n);
    offsets.resize(n);
    types.resize(n);
  }
  ~Side() { free_types(); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  void fill(const std::vector<PlacedMessage>& messages) {
    free_types();
    std::ranges::fill(counts, 0);
    std::ranges::fill(offsets, 0);
    std::ranges::fill(types, MPI_BYTE);
    start = messages.empty() ? nullptr : messages.front().at;
    for (const PlacedMessage& message : messages) {
      constexpr std::int64_t kMost = std::numeric_limits<int>::max();
      const auto peer = static_cast<std::size_t>(message.peer);
      const std::int64_t offset = message.at - start;
      if (message.bytes <= kMost && offset <= kMost && offset >= -kMost) {
        counts[peer] = static_cast<int>(message.bytes);
        offsets[peer] = static_cast<int>(offset);
      } else {
        counts[peer] = 1;
        owned_.reserve(owned_.size() + 1);  // nothing may fail between making a type and keeping it
        owned_.push_back(long_type(offset, message.bytes));
        types[peer] = owned_.back();
      }
    }
  }

  std::byte* start = nullptr;
  std::vector<int> counts;
  std::vector<int> offsets;
  std::vector<MPI_Datatype> types;

 private:
  void free_types() noexcept {
    for (const MPI_Datatype type : owned_) free_long_type(type);
    owned_.clear();
  }

  std::vector<MPI_Datatype> owned_;
};

}  // namespace

struct NativeExchange::Arguments {
  explicit Arguments(int ranks) : out(ranks), in(ranks) {}
  Side out;
  Side in;
  std::shared_ptr<const void> memory;  ///< where messages lie
};

NativeExchange::NativeExchange(Channel& channel)
    : arguments_(std::make_shared<Arguments>(channel.size())), comm_(channel.comm()), collective_(channel) {}

void NativeExchange::begin(const std::vector<PlacedMessage>& sends, const std::vector<PlacedMessage>& receives,
                           std::shared_ptr<const void> memory, Turns::Turn turn) {
  arguments_->memory = std::move(memory);
  arguments_->out.fill(sends);
  arguments_->in.fill(receives);
  const auto start = [own = arguments_.get(), comm = comm_](MPI_Request* request) {
    const Side& out = own->out;
    const Side& in = own->in;
    SLUICE_MPI(kSimulated ? MPI_Alltoallw(out.start, out.counts.data(), out.offsets.data(), out.types.data(), in.start,
                                          in.counts.data(), in.offsets.data(), in.types.data(), comm)
                          : MPI_Ialltoallw(out.start, out.counts.data(), out.offsets.data(), out.types.data(), in.start,
                                           in.counts.data(), in.offsets.data(), in.types.data(), comm, request));
    return NativeCollective::Started::kLast;
  };
  collective_.begin(start, arguments_, std::move(turn));
}

}  // namespace sluice::mpi::detail
