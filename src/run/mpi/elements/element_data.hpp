#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "sluice/run/mpi/element_operation.hpp"

namespace sluice::mpi::detail {

/// Elements that MPI_Op combines, by some way through the ranks.
class ElementData : public Data {
 public:
  /// For the next execution. `own`: MPI_IN_PLACE if the rank's elements are in `result`.
  virtual void use(const void* own, void* result) = 0;
  [[nodiscard]] std::int64_t held_bytes() const final { return held_bytes_; }
  /// Whether to take the time of the operation from now on: operation_s().
  void time_operation(bool timed) { operation_is_timed_ = timed; }
  [[nodiscard]] double operation_s() const { return operation_s_; }

 protected:
  explicit ElementData(const ElementOperation& operation);

  /// Memory for `count` elements, from the first on; it lasts as long as this object.
  [[nodiscard]] std::byte* allocate(std::int64_t count);
  void copy(const std::byte* from, std::byte* to, std::int64_t count) const;
  /// Calls `look`, if there is one, repeatedly meanwhile.
  void apply(const std::byte* in, std::byte* inout, std::int64_t count, const Look& look) const;
  [[nodiscard]] std::int64_t extent() const { return layout_.extent; }
  /// Whether elements are copied as bytes, one after the other.
  [[nodiscard]] bool dense() const {
    return size_ == extent() && layout_.true_extent == extent() && layout_.true_lower == 0;
  }
  [[nodiscard]] std::int64_t all() const { return count_; }

 private:
  std::int64_t count_;
  MPI_Datatype type_;
  MPI_Op op_;
  ElementLayout layout_;
  std::int64_t size_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::int64_t held_bytes_ = 0;
  bool operation_is_timed_ = false;
  mutable double operation_s_ = 0;
};

}  // namespace sluice::mpi::detail
