#pragma once

namespace sluice::mpi::detail {

/// A static variable that is there until the very end of the program: others, destroyed later than it would be, may
/// still need it.
template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() : value_() {}
  ~NeverDestroyed() {}
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  [[nodiscard]] T& operator*() { return value_; }
  [[nodiscard]] T* operator->() { return &value_; }

 private:
  union {
    T value_;
  };
};

}  // namespace sluice::mpi::detail
