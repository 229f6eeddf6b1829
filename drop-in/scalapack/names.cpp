// The forty names of ScaLAPACK's REDIST: general and trapezoidal matrices of five types, with and without a global
// context, for C and for Fortran. The lengths of UPLO and DIAG that a Fortran compiler passes behind the arguments are
// not looked at.

#include <cctype>

#include "scalapack/redistribute.hpp"

namespace sluice::scalapack {
namespace {

constexpr std::int64_t kIntegerBytes = 4;
constexpr std::int64_t kRealBytes = 4;
constexpr std::int64_t kDoubleBytes = 8;
constexpr std::int64_t kComplexBytes = 8;
constexpr std::int64_t kDoubleComplexBytes = 16;

Call general(std::int64_t element_size, int m, int n, const void* a, int ia, int ja, const int* desc_a, void* b, int ib,
             int jb, const int* desc_b) {
  // Descriptors are looked at only where there is something to move.
  Call call{MatrixPart::kWhole, false, element_size, m, n, a, {}, b, {}};
  if (m == 0 || n == 0) return call;
  call.from = SubMatrix(ia, ja, desc_a);
  call.to = SubMatrix(ib, jb, desc_b);
  return call;
}

/// Other letters mean what they do in ScaLAPACK: anything but U is lower; of the upper part anything but N goes without
/// the diagonal, of the lower one U alone.
Call trapezoidal(Call call, const char* uplo, const char* diag) {
  const auto letter = [](const char* text) { return std::toupper(static_cast<unsigned char>(*text)); };
  const bool upper = letter(uplo) == 'U';
  call.part = upper ? MatrixPart::kUpper : MatrixPart::kLower;
  call.unit_diagonal = upper ? letter(diag) != 'N' : letter(diag) == 'U';
  return call;
}

}  // namespace
}  // namespace sluice::scalapack

#define SLUICE_EXPORT extern "C" __attribute__((visibility("default"))) void

#define SLUICE_MATRICES const void *a, int ia, int ja, const int *desc_a, void *b, int ib, int jb, const int *desc_b
#define SLUICE_MATRICES_BY_ADDRESS                                                                       \
  const void *a, const int *ia, const int *ja, const int *desc_a, void *b, const int *ib, const int *jb, \
      const int *desc_b
#define SLUICE_GENERAL(bytes) sluice::scalapack::general(bytes, m, n, a, ia, ja, desc_a, b, ib, jb, desc_b)
#define SLUICE_GENERAL_BY_ADDRESS(bytes) \
  sluice::scalapack::general(bytes, *m, *n, a, *ia, *ja, desc_a, b, *ib, *jb, desc_b)

#define SLUICE_NAMES(t, bytes)                                                                                        \
  SLUICE_EXPORT Cp##t##gemr2d(int m, int n, SLUICE_MATRICES, int context) {                                           \
    sluice::scalapack::redistribute_in(context, SLUICE_GENERAL(bytes));                                               \
  }                                                                                                                   \
  SLUICE_EXPORT Cp##t##gemr2do(int m, int n, SLUICE_MATRICES) {                                                       \
    sluice::scalapack::redistribute_in_world(SLUICE_GENERAL(bytes));                                                  \
  }                                                                                                                   \
  SLUICE_EXPORT Cp##t##trmr2d(const char* uplo, const char* diag, int m, int n, SLUICE_MATRICES, int context) {       \
    sluice::scalapack::redistribute_in(context, sluice::scalapack::trapezoidal(SLUICE_GENERAL(bytes), uplo, diag));   \
  }                                                                                                                   \
  SLUICE_EXPORT Cp##t##trmr2do(const char* uplo, const char* diag, int m, int n, SLUICE_MATRICES) {                   \
    sluice::scalapack::redistribute_in_world(sluice::scalapack::trapezoidal(SLUICE_GENERAL(bytes), uplo, diag));      \
  }                                                                                                                   \
  SLUICE_EXPORT p##t##gemr2d_(const int* m, const int* n, SLUICE_MATRICES_BY_ADDRESS, const int* context) {           \
    sluice::scalapack::redistribute_in(*context, SLUICE_GENERAL_BY_ADDRESS(bytes));                                   \
  }                                                                                                                   \
  SLUICE_EXPORT p##t##gemr2do_(const int* m, const int* n, SLUICE_MATRICES_BY_ADDRESS) {                              \
    sluice::scalapack::redistribute_in_world(SLUICE_GENERAL_BY_ADDRESS(bytes));                                       \
  }                                                                                                                   \
  SLUICE_EXPORT p##t##trmr2d_(const char* uplo, const char* diag, const int* m, const int* n,                         \
                              SLUICE_MATRICES_BY_ADDRESS, const int* context) {                                       \
    sluice::scalapack::redistribute_in(*context,                                                                      \
                                       sluice::scalapack::trapezoidal(SLUICE_GENERAL_BY_ADDRESS(bytes), uplo, diag)); \
  }                                                                                                                   \
  SLUICE_EXPORT p##t##trmr2do_(const char* uplo, const char* diag, const int* m, const int* n,                        \
                               SLUICE_MATRICES_BY_ADDRESS) {                                                          \
    sluice::scalapack::redistribute_in_world(                                                                         \
        sluice::scalapack::trapezoidal(SLUICE_GENERAL_BY_ADDRESS(bytes), uplo, diag));                                \
  }

SLUICE_NAMES(i, sluice::scalapack::kIntegerBytes)
SLUICE_NAMES(s, sluice::scalapack::kRealBytes)
SLUICE_NAMES(d, sluice::scalapack::kDoubleBytes)
SLUICE_NAMES(c, sluice::scalapack::kComplexBytes)
SLUICE_NAMES(z, sluice::scalapack::kDoubleComplexBytes)
