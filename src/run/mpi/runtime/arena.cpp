#include "run/mpi/runtime/arena.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>

#include "run/mpi/runtime/cache_line.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kLeastSegment = 1 << 20;
constexpr std::size_t kMostSegments = 64;

/// Once in a process, however many communicators its ranks share no memory in.
void say_that_nothing_is_shared(int rank, const std::string& why) {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  fmt::print(stderr, "sluice: rank {} cannot share memory: {}; messages within its host go by MPI\n", rank, why);
}

}  // namespace

/// At the start of a rank's first segment: what the others need to map all of them.
struct Arena::Header {
  std::uint64_t mark = 0;  ///< of the process that made it: a number of a process may mean another one elsewhere
  struct Entry {
    std::int64_t file = -1;
    std::int64_t bytes = 0;
  };
  std::array<Entry, kMostSegments> segments;
};

Arena::~Arena() {
  for (const Segment& segment : own_) (void)munmap(segment.at, static_cast<std::size_t>(segment.bytes));
  for (const int file : files_) (void)close(file);
  for (const Neighbour& neighbour : neighbours_) {
    for (const Segment& segment : neighbour.segments) {
      if (segment.at != nullptr) (void)munmap(segment.at, static_cast<std::size_t>(segment.bytes));
    }
  }
}

bool Arena::add_segment(std::int64_t bytes) {
  const std::int64_t head = own_.empty() ? round_up(sizeof(Header)) : 0;
  const std::int64_t size = round_up(std::max(kLeastSegment, bytes + head), 4096);
  if (own_.size() == kMostSegments) return false;
  own_.reserve(own_.size() + 1);
  files_.reserve(files_.size() + 1);
  free_.reserve(free_.size() + 1);
  const int file = memfd_create("sluice", MFD_CLOEXEC);
  if (file < 0) return false;
  void* at = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    at = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (at == MAP_FAILED) {
    (void)close(file);
    return false;
  }
  own_.push_back({static_cast<std::byte*>(at), size});
  files_.push_back(file);
  auto* header = reinterpret_cast<Header*>(own_.front().at);
  if (own_.size() == 1) new (header) Header;
  header->segments[own_.size() - 1] = {file, size};
  std::atomic_thread_fence(std::memory_order_release);
  free_.push_back({own_.back().at + head, {static_cast<std::int64_t>(own_.size()) - 1, head}, size - head});
  return true;
}

void Arena::connect(MPI_Comm node, int rank) {
  int own = 0;
  int size = 0;
  SLUICE_MPI(MPI_Comm_rank(node, &own));
  SLUICE_MPI(MPI_Comm_size(node, &size));
  if (size == 1) return;
  struct Card {
    std::int64_t rank = 0;
    std::int64_t process = 0;
    std::int64_t file = -1;
    std::uint64_t mark = 0;
  };
  std::vector<Card> cards(static_cast<std::size_t>(size));
  Card& card = cards[static_cast<std::size_t>(own)];
  std::string refused;  // by the system, and what
  card.rank = rank;
  if (add_segment(0)) {
    card.process = getpid();
    card.file = files_.front();
    card.mark = std::random_device{}() + (static_cast<std::uint64_t>(getpid()) << 32);
    reinterpret_cast<Header*>(own_.front().at)->mark = card.mark;
  } else {
    refused = fmt::format("memfd_create: {}", std::generic_category().message(errno));
  }
  SLUICE_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, cards.data(), sizeof(Card), MPI_BYTE, node));
  neighbours_.reserve(cards.size() - 1);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (static_cast<int>(i) == own) continue;
    neighbours_.push_back({static_cast<int>(cards[i].rank), static_cast<pid_t>(cards[i].process), {}});
    Neighbour& neighbour = neighbours_.back();
    neighbour.segments.resize(1);
    if (cards[i].file < 0) continue;
    const std::string path = fmt::format("/proc/{}/fd/{}", cards[i].process, cards[i].file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* at = MAP_FAILED;
    if (file >= 0) {
      at = mmap(nullptr, static_cast<std::size_t>(kLeastSegment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      (void)close(file);
    }
    if (at == MAP_FAILED) {
      refused = fmt::format("{}: {}", path, std::generic_category().message(errno));
    } else {
      neighbour.segments[0] = {static_cast<std::byte*>(at), kLeastSegment};
      if (static_cast<const Header*>(at)->mark != cards[i].mark) refused = path + ": of another process";
    }
  }
  // One that cannot be reached by all is as good as none: both ends of a message must know how it goes.
  int first_refused = refused.empty() ? size : own;
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &first_refused, 1, MPI_INT, MPI_MIN, node));
  if (first_refused == own) say_that_nothing_is_shared(rank, refused);
  if (first_refused < size) {
    for (Neighbour& neighbour : neighbours_) {
      for (const Segment& segment : neighbour.segments) {
        if (segment.at != nullptr) (void)munmap(segment.at, static_cast<std::size_t>(segment.bytes));
      }
    }
    neighbours_.clear();
  }
}

bool Arena::reaches(int rank) const { return std::ranges::binary_search(neighbours_, rank, {}, &Neighbour::rank); }

std::vector<int> Arena::reached() const {
  std::vector<int> ranks;
  for (const Neighbour& neighbour : neighbours_) ranks.push_back(neighbour.rank);
  return ranks;
}

Arena::Block Arena::allocate(std::int64_t bytes) {
  std::erase_if(being_taken_, [&](const Taken& each) {
    if (!is_free(each)) return false;
    release(each.block);
    return true;
  });
  const std::int64_t size = round_up(std::max<std::int64_t>(bytes, 1));
  const auto fits = [&](const Block& block) { return block.bytes >= size; };
  auto found = std::ranges::find_if(free_, fits);
  if (found == free_.end()) {
    // Segments double, so that any number of blocks fits into a few of them.
    const std::int64_t last = own_.empty() ? 0 : own_.back().bytes;
    if (!add_segment(std::max(size, 2 * last))) throw std::bad_alloc();
    found = free_.end() - 1;
  }
  Block block = *found;
  if (found->bytes == size) {
    free_.erase(found);
  } else {
    found->at += size;
    found->place.offset += size;
    found->bytes -= size;
  }
  block.bytes = size;
  return block;
}

void Arena::release(const Block& block) noexcept {
  if (block.at == nullptr) return;
  try {
    free_.push_back(block);
    std::ranges::sort(free_, {}, [](const Block& b) { return std::pair(b.place.segment, b.place.offset); });
  } catch (const std::bad_alloc&) {
    return;  // that much room is lost
  }
  std::size_t kept = 0;
  for (std::size_t i = 1; i < free_.size(); ++i) {
    Block& before = free_[kept];
    const bool meets =
        before.place.segment == free_[i].place.segment && before.place.offset + before.bytes == free_[i].place.offset;
    if (meets) {
      before.bytes += free_[i].bytes;
    } else {
      free_[++kept] = free_[i];
    }
  }
  free_.resize(kept + 1);
}

bool Arena::is_free(const Taken& taken) const noexcept {
  return agreements_ > taken.agreements && std::ranges::all_of(taken.numbers, [](const Awaited& each) {
           return std::atomic_ref(*each.number).load(std::memory_order_acquire) >= each.value;
         });
}

void Arena::release_after(const Block& block, std::vector<Awaited> taken) noexcept {
  try {
    being_taken_.push_back({block, std::move(taken), agreements_});
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
}

std::byte* Arena::map(Neighbour& neighbour, std::int64_t segment) {
  const auto at_least = static_cast<std::size_t>(segment) + 1;
  SLUICE_ASSERT(segment >= 0 && at_least <= kMostSegments, fmt::format("segment {}", segment));
  if (neighbour.segments.size() < at_least) neighbour.segments.resize(at_least);
  Segment& mapped = neighbour.segments[at_least - 1];
  if (mapped.at != nullptr) return mapped.at;
  std::atomic_thread_fence(std::memory_order_acquire);
  const auto* header = reinterpret_cast<const Header*>(neighbour.segments[0].at);
  const Header::Entry entry = header->segments[static_cast<std::size_t>(segment)];
  const std::string path = fmt::format("/proc/{}/fd/{}", neighbour.process, entry.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* at = MAP_FAILED;
  if (file >= 0) {
    at = mmap(nullptr, static_cast<std::size_t>(entry.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
  }
  if (at == MAP_FAILED) throw std::runtime_error(fmt::format("cannot map {} of rank {}", path, neighbour.rank));
  mapped = {static_cast<std::byte*>(at), entry.bytes};
  return mapped.at;
}

std::byte* Arena::find(int rank, const Place& place) {
  const auto neighbour = std::ranges::lower_bound(neighbours_, rank, {}, &Neighbour::rank);
  return map(*neighbour, place.segment) + place.offset;
}

}  // namespace sluice::mpi::detail
