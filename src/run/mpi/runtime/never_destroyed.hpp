#pragma once

#include <cstddef>
#include <new>

namespace sluice::mpi::detail {

/// A static variable that is there until the very end of the program: others, destroyed later than it would be, may
/// still need it, and so may a late MPI_Finalize. Nothing is registered to run at exit.
template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() : value_(::new (static_cast<void*>(memory_)) T()) {}
  ~NeverDestroyed() = default;
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  [[nodiscard]] T& operator*() { return *value_; }
  [[nodiscard]] T* operator->() { return value_; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
  T* value_;
};

}  // namespace sluice::mpi::detail
