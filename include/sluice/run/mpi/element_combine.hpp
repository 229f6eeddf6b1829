#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

namespace sluice::mpi {

/// combine(in, inout, count) combines `count` consecutive elements that arrived with those that are there, and leaves
/// the results there. Neither array need be aligned for its type.
using ElementCombine = std::function<void(const std::byte* in, std::byte* inout, std::int64_t count)>;

/// inout = beta inout + alpha op(in), elements of T: a floating-point type, or std::complex of one. op conjugates if
/// `conjugate` says so. As in the BLAS, what has the factor 0 is not read, so it may hold anything.
template <class T>
[[nodiscard]] ElementCombine scale_and_add(T alpha, T beta, bool conjugate = false) {
  return [alpha, beta, conjugate](const std::byte* in, std::byte* inout, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i, in += sizeof(T), inout += sizeof(T)) {
      T result{};
      if (beta != T{}) {
        std::memcpy(&result, inout, sizeof result);
        if (beta != T{1}) result *= beta;
      }
      if (alpha != T{}) {
        T value{};
        std::memcpy(&value, in, sizeof value);
        if constexpr (!std::is_arithmetic_v<T>) {
          if (conjugate) value = std::conj(value);
        } else {
          (void)conjugate;  // of real numbers nothing
        }
        result += alpha == T{1} ? value : alpha * value;
      }
      std::memcpy(inout, &result, sizeof result);
    }
  };
}

}  // namespace sluice::mpi
