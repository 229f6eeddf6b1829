// MPI_Alltoall, MPI_Alltoallv and the calls of neighbours. All ranks give MPI_Alltoall equal arguments. For the others,
// all ranks add up, by one small reduction, numbers that stand for their messages; the sum stands for the pattern of
// all. If that is of no use several times in a row (messages are short, MPI is faster or no pattern returns), further
// calls are forwarded without it: twice as many each time, 1024 at most.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pmpi/neighbours.hpp"
#include "pmpi/take/pattern_numbers.hpp"
#include "pmpi/take/take.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "pmpi/take/user_blocks.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::pmpi {
namespace {

constexpr std::int64_t kFruitless = 8;
constexpr std::int64_t kMostSkipped = 1024;
/// Shared memory of a job, on a rank.
constexpr std::int64_t kExchangeMemory = 2 << 20;

/// One end of a rank's messages, the empty ones left out.
struct End {
  std::vector<Block> blocks;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::int64_t extent = 0;  ///< of the type, once there is a message

  [[nodiscard]] std::vector<mpi::MessageSize> sizes() const {
    std::vector<mpi::MessageSize> result;
    for (const Block& block : blocks) result.push_back({block.peer, block.bytes});
    return result;
  }
};

/// `offset`: in extents of the type.
void add(End& end, int peer, const void* buffer, std::int64_t offset, int count) {
  const std::int64_t bytes = bytes_of(count, end.type);
  if (bytes == 0) return;
  if (end.blocks.empty()) end.extent = extent_of(end.type);
  auto* const start = static_cast<std::byte*>(const_cast<void*>(buffer));
  end.blocks.push_back({peer, start + offset * end.extent, count, bytes});
}

/// The messages of a call, in the form that the job takes, in place or not.
struct Messages {
  End send;
  End receive;
  bool in_place = false;
};

/// Whether the memory of `one`, from first byte to last, shares bytes with the memory of `other`. MPI forbids that but
/// carries it out, for example if a program's block to itself stays in place.
bool overlap(const Packed& one, const Packed& other) {
  const auto begin = [](const Packed& packed) { return reinterpret_cast<std::uintptr_t>(packed.base()); };
  return begin(one) < begin(other) + other.span() && begin(other) < begin(one) + one.span();
}

/// Carries out the job of the pattern, which is made if need be. `sends`: the sizes to send. check(): throws if this
/// rank's arguments are wrong. False: the call is forwarded.
template <class Check>
bool carry_out(MPI_Comm comm, Communicator& communicator, Pattern& pattern, const Messages& messages,
               const std::vector<mpi::MessageSize>& sends, Taken call, const Check& check) {
  auto* const job = job_of<mpi::Exchange>(comm, communicator, pattern, kExchangeMemory, call, [&] {
    mpi::ExchangeOptions options;
    options.receives = messages.receive.sizes();
    options.try_native = !settings().always;
    return std::make_unique<mpi::Exchange>(comm, sends, options);
  });
  if (job == nullptr) return false;
  // The job has what it receives by the rank of the sender.
  std::vector<Block> by_sender = messages.receive.blocks;
  std::ranges::sort(by_sender, {}, &Block::peer);
  Packed out;
  Packed in;
  prepared(*job, [&] {
    check();
    if (job->sends() != sends) throw std::logic_error("different exchanges were taken for the same one");
    out = Packed::of_sent(messages.send.blocks, messages.send.type, messages.in_place);
    in = Packed::of_received(by_sender, messages.receive.type);
    if (overlap(out, in)) out = Packed::of_sent(messages.send.blocks, messages.send.type, /*copy=*/true);
  });
  job->execute({out.base(), out.span()}, out.offsets(), {in.base(), in.span()}, in.offsets());
  in.unpack(by_sender, messages.receive.type);
  return true;
}

// ---- The pattern of all

/// Whether a job can tell the messages apart.
bool once_each(const std::vector<Block>& blocks) {
  std::set<int> peers;
  return std::ranges::all_of(blocks, [&](const Block& block) { return peers.insert(block.peer).second; });
}

/// Collective: the pattern of all ranks' messages; null if the call is to be forwarded.
Pattern* agreed_pattern(MPI_Comm comm, Communicator& communicator, Taken call, const Messages& messages,
                        bool possible) {
  std::array<std::uint64_t, 4> own{};  // two numbers for the pattern, bytes, ranks that have none
  for (const Block& block : messages.send.blocks) {
    own[0] += number_of(kPatternSeed, communicator.rank, block.peer, block.bytes);
    own[1] += number_of(~kPatternSeed, communicator.rank, block.peer, block.bytes);
    own[2] += static_cast<std::uint64_t>(block.bytes);
  }
  for (const Block& block : messages.receive.blocks) {
    own[0] += number_of(kPatternSeed + 1, block.peer, communicator.rank, block.bytes);
    own[1] += number_of(~kPatternSeed + 1, block.peer, communicator.rank, block.bytes);
  }
  own[3] = possible && once_each(messages.send.blocks) && once_each(messages.receive.blocks) ? 0 : 1;
  std::array<std::uint64_t, 4> all{};
  SLUICE_MPI(PMPI_Allreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_UINT64_T, MPI_SUM, comm));
  Pattern* pattern = nullptr;
  const std::int64_t bytes = static_cast<std::int64_t>(all[2]) / (settings().always ? 1 : communicator.size);
  if (all[3] == 0 && bytes >= least_bytes(call, communicator)) {
    pattern =
        &communicator.jobs.at({key_of(call), static_cast<std::int64_t>(all[0]), static_cast<std::int64_t>(all[1])});
    if (!is_due(*pattern)) pattern = nullptr;
  }
  Agreements& agreements = communicator.agreements_of(call);
  if (pattern != nullptr) {
    agreements.fruitless = 0;
  } else if (++agreements.fruitless >= kFruitless && !settings().always) {
    const std::int64_t doublings = std::min<std::int64_t>(agreements.fruitless - kFruitless, 10);
    agreements.skip = std::min(kMostSkipped, std::int64_t{1} << doublings);
  }
  return pattern;
}

/// Whether a v-call goes without an agreement this time.
bool skipped(Agreements& agreements) {
  if (agreements.skip == 0) return false;
  --agreements.skip;
  return true;
}

/// Whether MPI takes what a rank says of its messages to or from n others.
bool are_messages(const void* buffer, const int* counts, const int* offsets, std::size_t n, MPI_Datatype type) {
  if (n == 0) return true;
  if (counts == nullptr || offsets == nullptr) return false;
  const auto [least, most] = std::minmax_element(counts, counts + n);
  return *least >= 0 && class_of_arguments(buffer, *most, type) == MPI_SUCCESS;
}

// ---- Neighbours

/// The messages of one side, each with a count and an offset. False if MPI refuses these arguments.
bool add_listed(End& end, const std::vector<int>& neighbours, const void* buffer, const int* counts, const int* offsets,
                MPI_Datatype type) {
  end.type = type;
  if (!are_messages(buffer, counts, offsets, neighbours.size(), type)) return false;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (neighbours[i] >= 0) add(end, neighbours[i], buffer, offsets[i], counts[i]);
  }
  return true;
}

/// The messages of one side, all of `count` elements, `distance` elements from one to the next; the place of a
/// neighbour that is not there is left free. False if MPI refuses these arguments.
bool add_equal(End& end, const std::vector<int>& neighbours, const void* buffer, int count, std::int64_t distance,
               MPI_Datatype type) {
  end.type = type;
  if (neighbours.empty()) return true;  // the other arguments may be anything
  if (class_of_arguments(buffer, count, type) != MPI_SUCCESS) return false;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (neighbours[i] >= 0) add(end, neighbours[i], buffer, static_cast<std::int64_t>(i) * distance, count);
  }
  return true;
}

/// A neighbourhood collective. fill(neighbours, messages): false if MPI refuses this rank's arguments.
template <class ByMpi, class Fill>
int take_from_neighbours(Taken call, MPI_Comm comm, const ByMpi& by_mpi, const Fill& fill) {
  Logged logged(call);
  const auto hand_on = noted(comm, by_mpi);
  const HeldCommunicator communicator = taking_communicator(call, comm);
  if (communicator == nullptr || skipped(communicator->agreements_of(call))) return hand_on();
  try {
    Messages messages;
    const bool possible = fill(neighbours_of(comm), messages);
    Pattern* const pattern = agreed_pattern(comm, *communicator, call, messages, possible);
    if (pattern == nullptr || !carry_out(comm, *communicator, *pattern, messages, messages.send.sizes(), call, [] {}))
      return hand_on();
    logged.planned();
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, call);
  }
}

}  // namespace

int take_alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  Logged logged(Taken::kAlltoall);
  const auto hand_on = [&] {
    note_forwarded(comm);
    return PMPI_Alltoall(send, count, type, receive, receive_count, receive_type, comm);
  };
  const bool in_place = send == MPI_IN_PLACE;
  const HeldCommunicator communicator = taking_communicator(Taken::kAlltoall, receive_count, receive_type, 0, comm);
  if (communicator == nullptr) return hand_on();
  try {
    const std::int64_t bytes = bytes_of(receive_count, receive_type);
    Pattern& pattern = communicator->jobs.at({key_of(Taken::kAlltoall), bytes});
    if (!is_due(pattern)) return hand_on();
    Messages messages;
    messages.in_place = in_place;
    messages.send.type = in_place ? receive_type : type;
    messages.receive.type = receive_type;
    for (int peer = 0; peer < communicator->size; ++peer) {
      const std::int64_t first = peer;
      if (in_place) {
        add(messages.send, peer, receive, first * receive_count, receive_count);
      } else {
        add(messages.send, peer, send, first * count, count);
      }
      add(messages.receive, peer, receive, first * receive_count, receive_count);
    }
    // Sizes are of received messages, like the pattern's.
    const auto check = [&] {
      check_arguments(Taken::kAlltoall, receive, receive_count, receive_type);
      if (in_place) return;
      check_arguments(Taken::kAlltoall, send, count, type);
      check_bytes(Taken::kAlltoall, bytes_of(count, type), bytes);
    };
    if (!carry_out(comm, *communicator, pattern, messages, messages.receive.sizes(), Taken::kAlltoall, check))
      return hand_on();
    logged.planned();
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, Taken::kAlltoall);
  }
}

int take_alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                   const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                   MPI_Comm comm) noexcept {
  Logged logged(Taken::kAlltoallv);
  const auto hand_on = [&] {
    note_forwarded(comm);
    return PMPI_Alltoallv(send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type, comm);
  };
  const HeldCommunicator communicator = taking_communicator(Taken::kAlltoallv, comm);
  if (communicator == nullptr || skipped(communicator->agreements_of(Taken::kAlltoallv))) return hand_on();
  try {
    Messages messages;
    messages.in_place = send == MPI_IN_PLACE;
    const auto n = static_cast<std::size_t>(communicator->size);
    const bool possible = are_messages(receive, receive_counts, receive_offsets, n, receive_type) &&
                          (messages.in_place || are_messages(send, counts, offsets, n, type));
    messages.send.type = messages.in_place ? receive_type : type;
    messages.receive.type = receive_type;
    for (int peer = 0; possible && peer < communicator->size; ++peer) {
      add(messages.receive, peer, receive, receive_offsets[peer], receive_counts[peer]);
      if (!messages.in_place) add(messages.send, peer, send, offsets[peer], counts[peer]);
    }
    if (messages.in_place) messages.send.blocks = messages.receive.blocks;
    Pattern* const pattern = agreed_pattern(comm, *communicator, Taken::kAlltoallv, messages, possible);
    if (pattern == nullptr ||
        !carry_out(comm, *communicator, *pattern, messages, messages.send.sizes(), Taken::kAlltoallv, [] {}))
      return hand_on();
    logged.planned();
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, Taken::kAlltoallv);
  }
}

int take_neighbor_allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                            MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  return take_from_neighbours(
      Taken::kNeighborAllgather, comm,
      [&] { return PMPI_Neighbor_allgather(send, count, type, receive, receive_count, receive_type, comm); },
      [&](const Neighbours& neighbours, Messages& messages) {
        return add_equal(messages.send, neighbours.targets, send, count, 0, type) &&
               add_equal(messages.receive, neighbours.sources, receive, receive_count, receive_count, receive_type);
      });
}

int take_neighbor_allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                             const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  return take_from_neighbours(
      Taken::kNeighborAllgatherv, comm,
      [&] {
        return PMPI_Neighbor_allgatherv(send, count, type, receive, receive_counts, receive_offsets, receive_type,
                                        comm);
      },
      [&](const Neighbours& neighbours, Messages& messages) {
        return add_equal(messages.send, neighbours.targets, send, count, 0, type) &&
               add_listed(messages.receive, neighbours.sources, receive, receive_counts, receive_offsets, receive_type);
      });
}

int take_neighbor_alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm) noexcept {
  return take_from_neighbours(
      Taken::kNeighborAlltoall, comm,
      [&] { return PMPI_Neighbor_alltoall(send, count, type, receive, receive_count, receive_type, comm); },
      [&](const Neighbours& neighbours, Messages& messages) {
        return add_equal(messages.send, neighbours.targets, send, count, count, type) &&
               add_equal(messages.receive, neighbours.sources, receive, receive_count, receive_count, receive_type);
      });
}

int take_neighbor_alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                            const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                            MPI_Comm comm) noexcept {
  return take_from_neighbours(
      Taken::kNeighborAlltoallv, comm,
      [&] {
        return PMPI_Neighbor_alltoallv(send, counts, offsets, type, receive, receive_counts, receive_offsets,
                                       receive_type, comm);
      },
      [&](const Neighbours& neighbours, Messages& messages) {
        return add_listed(messages.send, neighbours.targets, send, counts, offsets, type) &&
               add_listed(messages.receive, neighbours.sources, receive, receive_counts, receive_offsets, receive_type);
      });
}

}  // namespace sluice::pmpi
