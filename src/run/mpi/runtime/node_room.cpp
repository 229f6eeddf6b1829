#include "run/mpi/runtime/node_room.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/never_destroyed.hpp"
#include "run/mpi/runtime/page.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostNodeBytes = std::int64_t{1} << 30;
constexpr std::int64_t kLeastBytes = 16 << 20;
/// The pages that the system is asked for at once, at least.
constexpr std::int64_t kReservedAtOnce = 256 << 10;
/// More free memory than this at the end of the room goes back to the system, down to half of it.
constexpr std::int64_t kMostFreeAtEnd = 64 << 20;

std::atomic<bool> is_forked_child = false;

/// The memory of the node, or of this process's control group if that has less.
std::int64_t memory_of_node() {
  std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * page_bytes();
  std::int64_t limit = 0;
  if (std::ifstream file("/sys/fs/cgroup/memory.max"); file >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

std::int64_t budget_of(int ranks) {
  const auto shares = std::max<std::int64_t>({ranks, std::thread::hardware_concurrency(), 1});
  return std::clamp(memory_of_node() / 4 / shares, kLeastBytes, kMostNodeBytes) / page_bytes() * page_bytes();
}

std::string error_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void refuse(const std::string& what, int error) {
  throw std::runtime_error(fmt::format("{}: {}", what, error_text(error)));
}

/// The descriptor of a file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) (void)close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return file_; }
  [[nodiscard]] int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

void* map_all(int file, std::int64_t bytes) {
  return mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
}

/// Puts zeros of this process's own in the place of a room.
void forget(std::byte* at, std::int64_t bytes) noexcept {
  if (at == nullptr) return;
  (void)mmap(at, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

std::uint64_t new_mark() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

}  // namespace

struct ForkHandlers {
  static void before() { NodeRoom::of_process().mutex_.lock(); }
  static void in_parent() { NodeRoom::of_process().mutex_.unlock(); }
  static void in_child() {
    NodeRoom& room = NodeRoom::of_process();
    is_forked_child = true;
    forget(room.at_, room.bytes_);
    for (const auto& [mark, peer] : room.peers_) forget(peer.at, peer.bytes);
    room.mutex_.unlock();
  }
};

bool forked_child() noexcept { return is_forked_child; }

NodeRoom& NodeRoom::of_process() {
  static NeverDestroyed<NodeRoom> room;
  return *room;
}

void NodeRoom::make(int ranks) {
  Descriptor file(memfd_create("sluice", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) refuse("memfd_create", errno);
  std::int64_t bytes = budget_of(ranks);
  void* at = MAP_FAILED;
  for (;; bytes /= 2) {
    if (ftruncate(file.get(), bytes) != 0) refuse("ftruncate", errno);
    at = map_all(file.get(), bytes);
    if (at != MAP_FAILED) break;
    if (bytes / 2 < kLeastBytes) refuse("mmap", errno);  // the limit of addresses
  }
  struct stat status {};
  // From now on the file keeps its size, so that what is mapped is there.
  if (fstat(file.get(), &status) != 0 || fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    const int error = errno;
    (void)munmap(at, static_cast<std::size_t>(bytes));
    refuse("a file in memory", error);
  }
  static const int handlers = pthread_atfork(ForkHandlers::before, ForkHandlers::in_parent, ForkHandlers::in_child);
  if (handlers != 0) refuse("pthread_atfork", handlers);
  file_ = file.release();
  device_ = static_cast<std::int64_t>(status.st_dev);
  inode_ = static_cast<std::int64_t>(status.st_ino);
  mark_ = new_mark();
  at_ = static_cast<std::byte*>(at);
  bytes_ = bytes;
  budget_ = bytes;
}

bool NodeRoom::is_own_file() const {
  struct stat status {};
  return fstat(file_, &status) == 0 && static_cast<std::int64_t>(status.st_dev) == device_ &&
         static_cast<std::int64_t>(status.st_ino) == inode_;
}

NodeRoom::Card NodeRoom::card(int ranks) {
  const std::scoped_lock lock(mutex_);
  if (at_ == nullptr) make(ranks);
  budget_ = std::min(budget_, budget_of(ranks));
  if (reserved_ == 0) {
    if (!reserve(page_bytes())) throw std::runtime_error("no memory");
    new (at_) std::uint64_t(mark_);
    put_back({at_ + kCacheLine, kCacheLine, reserved_ - kCacheLine});
  }
  HostAtomics::fence(std::memory_order_release);  // before the card is told
  return {getpid(), is_own_file() ? file_ : -1, device_, inode_, bytes_, mark_};
}

std::byte* NodeRoom::map(const Card& other) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = peers_.find(other.mark); known != peers_.end()) {
    ++known->second.users;
    return known->second.at;
  }
  if (other.file < 0)
    throw std::runtime_error(fmt::format("process {} has closed the descriptor of its memory", other.process));
  const std::string path = fmt::format("/proc/{}/fd/{}", other.process, other.file);
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) refuse(path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) refuse(path, errno);
  // The same number of a process may be another process here.
  if (!S_ISREG(status.st_mode) || static_cast<std::int64_t>(status.st_dev) != other.device ||
      static_cast<std::int64_t>(status.st_ino) != other.inode || std::int64_t{status.st_size} != other.bytes)
    throw std::runtime_error(path + ": another file");
  const auto [peer, is_new] = peers_.try_emplace(other.mark);
  void* const at = map_all(file.get(), other.bytes);
  if (at == MAP_FAILED) {
    const int error = errno;
    peers_.erase(peer);
    refuse("mmap of " + path, error);
  }
  (void)madvise(at, static_cast<std::size_t>(other.bytes), MADV_DONTDUMP);
  peer->second = {static_cast<std::byte*>(at), other.bytes, 1};
  return peer->second.at;
}

void NodeRoom::unmap(std::uint64_t mark) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto peer = peers_.find(mark);
  if (peer == peers_.end() || --peer->second.users > 0) return;
  (void)munmap(peer->second.at, static_cast<std::size_t>(peer->second.bytes));
  peers_.erase(peer);
}

bool NodeRoom::reserve(std::int64_t end) {
  if (end > budget_) return false;
  const auto bytes = static_cast<std::size_t>(end - reserved_);
  // A page that the system cannot provide later would end the program (SIGBUS).
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers lack
  if (madvise(at_ + reserved_, bytes, kPopulateWrite) == 0) {
    reserved_ = end;
    return true;
  }
  if (errno != EINVAL) return false;
  // Linux before 5.14.
  if (is_own_file() && fallocate(file_, 0, reserved_, static_cast<off_t>(bytes)) != 0) return false;
  reserved_ = end;
  return true;
}

NodeRoom::Block NodeRoom::allocate(std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  reap();
  const std::int64_t size = round_up(std::max<std::int64_t>(bytes, 1));
  if (at_ == nullptr || size > bytes_) throw std::bad_alloc();
  auto found = std::ranges::find_if(free_, [&](const Block& block) { return block.bytes >= size; });
  if (found == free_.end()) {
    free_.reserve(free_.size() + 1);
    const bool at_end = !free_.empty() && free_.back().offset + free_.back().bytes == reserved_;
    const std::int64_t begin = reserved_;
    const std::int64_t least = round_up(begin + size - (at_end ? free_.back().bytes : 0), page_bytes());
    if (!reserve(std::min(budget_, std::max(least, begin + kReservedAtOnce))) || reserved_ < least) {
      if (reserved_ > begin) put_back({at_ + begin, begin, reserved_ - begin});
      throw std::bad_alloc();
    }
    put_back({at_ + begin, begin, reserved_ - begin});
    found = std::prev(free_.end());
  }
  const Block block{found->at, found->offset, size};
  found->at += size;
  found->offset += size;
  found->bytes -= size;
  if (found->bytes == 0) free_.erase(found);
  return block;
}

void NodeRoom::release(const Block& block) noexcept {
  if (block.at == nullptr) return;
  const std::scoped_lock lock(mutex_);
  put_back(block);
  trim();
}

void NodeRoom::put_back(const Block& block) noexcept {
  try {
    auto at = free_.insert(std::ranges::lower_bound(free_, block.offset, {}, &Block::offset), block);
    const auto join_next = [&](std::vector<Block>::iterator each) {
      const auto next = std::next(each);
      if (next == free_.end() || each->offset + each->bytes != next->offset) return;
      each->bytes += next->bytes;
      free_.erase(next);
    };
    join_next(at);
    if (at != free_.begin()) join_next(std::prev(at));
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
}

void NodeRoom::release_when_left(const Block& block, std::vector<SharedRing*> rings, const Leavers* context) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    in_use_.push_back({block, std::move(rings), context});
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
}

void NodeRoom::end_context(Leavers* context, std::int64_t ranks, std::span<const Block> blocks) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    Ended& ended = ended_.emplace_back(Ended{context, ranks, {blocks.begin(), blocks.end()}});
    std::erase_if(in_use_, [&](const InUse& each) {
      if (each.context != context) return false;
      ended.blocks.push_back(each.block);
      return true;
    });
    reap();
  } catch (const std::bad_alloc&) {
    // That much room is lost.
  }
}

void NodeRoom::reap() noexcept {
  std::erase_if(in_use_, [&](const InUse& each) {
    if (!std::ranges::all_of(each.rings, [](SharedRing* ring) { return ring->all_left(); })) return false;
    put_back(each.block);
    return true;
  });
  const bool some = std::erase_if(ended_, [&](const Ended& each) {
                      if (!each.context->all_left(each.ranks)) return false;
                      for (const Block& block : each.blocks) put_back(block);
                      return true;
                    }) > 0;
  if (some) trim();
}

void NodeRoom::trim() noexcept {
  if (free_.empty() || free_.back().bytes <= kMostFreeAtEnd) return;
  Block& last = free_.back();
  if (last.offset + last.bytes != reserved_) return;
  const std::int64_t end = round_up(last.offset + kMostFreeAtEnd / 2, page_bytes());
  if (madvise(at_ + end, static_cast<std::size_t>(reserved_ - end), MADV_REMOVE) != 0) return;
  reserved_ = end;
  last.bytes = end - last.offset;
}

std::int64_t NodeRoom::held_bytes() {
  const std::scoped_lock lock(mutex_);
  return reserved_;
}

void NodeRoom::limit(std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  budget_ = std::clamp(bytes / page_bytes() * page_bytes(), reserved_, bytes_);
}

}  // namespace sluice::mpi::detail
