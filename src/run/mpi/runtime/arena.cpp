#include "run/mpi/runtime/arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "run/mpi/runtime/atomics.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Once in a process, however many communicators its ranks share no memory in.
void say_that_nothing_is_shared(int rank, const std::string& why) {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  fmt::print(stderr, "sluice: rank {} cannot share memory: {}; messages within its host go by MPI\n", rank, why);
}

/// What a rank tells the others of its node.
struct Card {
  std::int64_t rank = 0;
  std::int64_t home = 0;  ///< 0: it shares nothing
  NodeRoom::Card room;
};

}  // namespace

Arena::~Arena() {
  NodeRoom& room = NodeRoom::of_process();
  if (neighbours_.empty()) return;
  try {
    for (const Waiting& each : waiting_) until_end_.push_back(each.block);
    until_end_.push_back(home_);
    room.end_context(leavers(), static_cast<std::int64_t>(neighbours_.size()), until_end_);
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
  // The others' memory is not touched after this.
  for (const Neighbour& each : neighbours_) {
    reinterpret_cast<Leavers*>(each.at + each.home)->leave();
    room.unmap(each.mark);
  }
}

void Arena::connect(MPI_Comm node, int rank, std::int64_t home_bytes) {
  int own = 0;
  int size = 0;
  SLUICE_MPI(MPI_Comm_rank(node, &own));
  SLUICE_MPI(MPI_Comm_size(node, &size));
  if (size == 1) return;
  NodeRoom& room = NodeRoom::of_process();
  std::vector<Card> cards(static_cast<std::size_t>(size));
  Card& card = cards[static_cast<std::size_t>(own)];
  std::string refused;  // by the system, and what
  card.rank = rank;
  try {
    card.room = room.card(size);
    home_ = allocate(kHomeOffset + home_bytes);
    std::memset(home_.at, 0, static_cast<std::size_t>(home_.bytes));
    new (home_.at) Leavers;
    card.home = home_.offset;
  } catch (const std::bad_alloc&) {
    refused = "its share of the node's memory is in use";
  } catch (const std::exception& error) {
    refused = error.what();
  }
  HostAtomics::fence(std::memory_order_release);
  SLUICE_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, cards.data(), sizeof(Card), MPI_BYTE, node));
  HostAtomics::fence(std::memory_order_acquire);
  std::vector<Neighbour> mapped;
  try {
    mapped.reserve(cards.size() - 1);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      if (static_cast<int>(i) == own || cards[i].home == 0) continue;
      std::byte* const at = room.map(cards[i].room);
      mapped.push_back({static_cast<int>(cards[i].rank), cards[i].room.mark, cards[i].room.bytes, at, cards[i].home});
      std::uint64_t mark = 0;
      std::memcpy(&mark, at, sizeof mark);
      if (mark != cards[i].room.mark)
        throw std::runtime_error(fmt::format("/proc/{}: of another process", cards[i].room.process));
    }
  } catch (const std::exception& error) {
    if (refused.empty()) refused = error.what();
  }
  // One that cannot be reached by all is as good as none: both ends of a message must know how it goes. And nobody
  // looks at another one's home before all have come here.
  int first_refused = refused.empty() ? size : own;
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &first_refused, 1, MPI_INT, MPI_MIN, node));
  if (first_refused == own) say_that_nothing_is_shared(rank, refused);
  if (first_refused == size) {
    neighbours_ = std::move(mapped);
    return;
  }
  for (const Neighbour& each : mapped) room.unmap(each.mark);
  room.release(std::exchange(home_, {}));
}

const Arena::Neighbour& Arena::neighbour(int rank) const {
  return *std::ranges::lower_bound(neighbours_, rank, {}, &Neighbour::rank);
}

bool Arena::reaches(int rank) const { return std::ranges::binary_search(neighbours_, rank, {}, &Neighbour::rank); }

std::vector<int> Arena::reached() const {
  std::vector<int> ranks;
  for (const Neighbour& each : neighbours_) ranks.push_back(each.rank);
  return ranks;
}

std::byte* Arena::home_of(int rank) const {
  const Neighbour& of = neighbour(rank);
  return of.at + of.home + kHomeOffset;
}

Arena::Block Arena::allocate(std::int64_t bytes) { return {NodeRoom::of_process().allocate(bytes)}; }

void Arena::release(const Block& block) noexcept { NodeRoom::of_process().release(block); }

void Arena::release_after(const Block& block, std::vector<SharedRing*> rings) noexcept {
  try {
    waiting_.push_back({block, std::move(rings)});
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
}

void Arena::release_at_end(const Block& block) noexcept {
  try {
    until_end_.push_back(block);
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
}

void Arena::note_agreement() noexcept {
  for (Waiting& each : waiting_) NodeRoom::of_process().release_when_left(each.block, std::move(each.rings), leavers());
  waiting_.clear();
}

std::byte* Arena::find(int rank, const Place& place) const {
  const Neighbour& of = neighbour(rank);
  SLUICE_ASSERT(place.offset > 0 && place.offset < of.bytes, fmt::format("place {} of rank {}", place.offset, rank));
  return of.at + place.offset;
}

}  // namespace sluice::mpi::detail
