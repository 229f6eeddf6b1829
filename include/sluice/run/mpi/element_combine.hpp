#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

namespace sluice::mpi {

/// Combines elements: combine(in, inout, count) combines `count` consecutive elements at `in`, which have arrived, with
/// those at `inout`, and leaves the results at `inout`. Neither array need be aligned for its type.
using ElementCombine = std::function<void(const std::byte* in, std::byte* inout, std::int64_t count)>;

/// Makes the function for inout = beta inout + alpha op(in).
///
///  - `T`: type of the elements: a floating-point type, or std::complex of one
///  - `alpha`, `beta`: factors; as in the BLAS, what has the factor 0 is not read, so it may hold anything
///  - `conjugate`: op conjugates complex elements if true
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
          (void)conjugate;  // real numbers have no conjugate
        }
        result += alpha == T{1} ? value : alpha * value;
      }
      std::memcpy(inout, &result, sizeof result);
    }
  };
}

}  // namespace sluice::mpi
