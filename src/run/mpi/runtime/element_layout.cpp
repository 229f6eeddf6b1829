#include "run/mpi/runtime/element_layout.hpp"

#include <cstring>
#include <memory>

#include "run/mpi/runtime/context_registry.hpp"

namespace sluice::mpi::detail {
namespace {

/// Longer elements that are no array of a predefined type are not looked into.
constexpr std::int64_t kProbedBytes = 64 << 10;

struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;

  explicit Envelope(MPI_Datatype type) {
    SLUICE_MPI(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  }
  [[nodiscard]] bool is_copy() const { return combiner == MPI_COMBINER_DUP; }
  [[nodiscard]] bool is_array() const { return combiner == MPI_COMBINER_CONTIGUOUS && integers == 1 && types == 1; }
};

/// The datatype that a copy or an array is made of; freed unless it is predefined.
class InnerType {
 public:
  InnerType(MPI_Datatype type, const Envelope& envelope) {
    int count = 0;
    MPI_Aint address = 0;
    SLUICE_MPI(MPI_Type_get_contents(type, envelope.integers, 0, 1, &count, &address, &type_));
    is_predefined_ = Envelope(type_).combiner == MPI_COMBINER_NAMED;
    if (!is_predefined_) SLUICE_MPI(MPI_Type_commit(&type_));  // it may be packed, and the user need not have done so
  }
  ~InnerType() {
    if (!is_predefined_) MPI_Type_free(&type_);
  }
  InnerType(const InnerType&) = delete;
  InnerType& operator=(const InnerType&) = delete;
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool is_predefined_ = false;
};

/// Packs elements whose bytes tell where they lie, 8 bits of that at a time.
bool packs_in_order(MPI_Datatype type, const ElementLayout& layout) {
  const auto bytes = static_cast<std::size_t>(layout.size);
  const auto element = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  for (int shift = 0; shift == 0 || (layout.size - 1) >> shift != 0; shift += 8) {
    for (std::size_t i = 0; i < bytes; ++i) element[i] = static_cast<std::byte>(i >> shift);
    int end = 0;
    SLUICE_MPI(MPI_Pack(element.get() - layout.true_lower, 1, type, packed.get(), static_cast<int>(bytes), &end,
                        returning_self()));
    if (std::memcmp(element.get(), packed.get(), bytes) != 0) return false;
  }
  return true;
}

}  // namespace

bool is_one_run(MPI_Datatype type) {
  const ElementLayout layout(type);
  if (layout.true_extent != layout.size) return false;
  const Envelope envelope(type);
  if (layout.size == 0 || envelope.combiner == MPI_COMBINER_NAMED) return true;
  if (envelope.is_copy() || envelope.is_array()) {
    const InnerType inner(type, envelope);
    const ElementLayout each(inner.type());
    if (is_one_run(inner.type()) && (envelope.is_copy() || each.extent == each.size)) return true;
  }
  return layout.size <= kProbedBytes && packs_in_order(type, layout);
}

MPI_Datatype original_type(MPI_Datatype type) {  // NOLINT(misc-no-recursion)
  const Envelope envelope(type);
  if (!envelope.is_copy()) return type;
  const InnerType inner(type, envelope);
  const MPI_Datatype original = original_type(inner.type());
  return Envelope(original).combiner == MPI_COMBINER_NAMED ? original : type;
}

}  // namespace sluice::mpi::detail
