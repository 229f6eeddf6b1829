#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#define SLUICE_UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SLUICE_UNDER_THREAD_SANITIZER 1
#endif
#endif

namespace sluice::mpi::detail {

/// How ranks read and write memory that they share. SharedRing, NoticeBoard, CallLog and Leavers are templates over
/// this, so that a model checker runs the code that serves (tests/run/model).
///
/// Shared memory is plain numbers, and zeros are valid ones: a rank may map it before its owner has made anything
/// there.
struct HostAtomics {
  /// A value that one rank writes while others read or write it.
  template <class T>
  using Word = T;
  /// Memory that no rank reads while it is written.
  template <class T>
  using Plain = T;
  /// A byte of a message, which no rank reads while it is written.
  using Byte = std::byte;

  template <class T>
  [[nodiscard]] static T load(const T& word, std::memory_order order) noexcept {
    return reference(word).load(order);
  }
  template <class T>
  static void store(T& word, T value, std::memory_order order) noexcept {
    reference(word).store(value, order);
  }
  template <class T>
  static void add(T& word, T value, std::memory_order order) noexcept {
    (void)reference(word).fetch_add(value, order);
  }
  static void fence(std::memory_order order) noexcept {
#ifdef SLUICE_UNDER_THREAD_SANITIZER
    // The sanitizer knows no fences. Operations on one variable order more than fences do, so that it misses some
    // races.
    static std::atomic<int> all_fences = 0;
    (void)order;
    (void)all_fences.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(order);
#endif
  }

 private:
  template <class T>
  static std::atomic_ref<T> reference(const T& word) noexcept {
    // Locks would lie in the memory of one process, and alignment by words is all that the layouts promise.
    static_assert(std::atomic_ref<T>::is_always_lock_free);
    static_assert(std::atomic_ref<T>::required_alignment <= alignof(T) && sizeof(T) == sizeof(std::int64_t));
    return std::atomic_ref<T>(const_cast<T&>(word));
  }
};

}  // namespace sluice::mpi::detail
