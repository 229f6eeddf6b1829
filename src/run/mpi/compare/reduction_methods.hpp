#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "run/mpi/communicator.hpp"
#include "run/mpi/compare/comparison.hpp"
#include "sluice/run/mpi/compare_reductions.hpp"

namespace sluice::mpi::detail {

/// A reduction of known contents, and the methods that can do it.
class ComparedReduction final : public ComparedJob {
 public:
  /// Collective. Throws InputError on all ranks as compare_reductions does. `comm` must outlive this.
  ComparedReduction(const Communicator& comm, const ReductionContents& contents, const ReductionSpec& spec);
  ~ComparedReduction() override;

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override;
  [[nodiscard]] std::string beyond(const std::string& method) const override;
  [[nodiscard]] std::int64_t bytes_moved() const override;
  [[nodiscard]] const std::byte* source() const override { return reinterpret_cast<const std::byte*>(own_.data()); }
  [[nodiscard]] std::byte* target() override { return reinterpret_cast<std::byte*>(result_.data()); }
  void reset_target() override;
  [[nodiscard]] std::string check_target() const override;

  // What methods work on.

  [[nodiscard]] bool is_root() const { return comm_.rank() == spec_.root; }
  [[nodiscard]] const ReductionSpec& spec() const { return spec_; }
  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] bool of_objects() const { return contents_.operation == ReductionContents::Operation::kMerge; }
  /// Not of objects.
  [[nodiscard]] const ElementOperation& elements() const { return elements_; }
  [[nodiscard]] std::span<const std::byte> own_bytes() const { return std::as_bytes(std::span(own_)); }
  /// Objects: the result of a method, words behind which there may be room.
  void set_result(std::span<const std::byte> bytes);
  /// The words of the largest set there is.
  [[nodiscard]] std::int64_t result_words() const { return result_words_; }

  /// Prepares one of ours.
  [[nodiscard]] Reduction reduction(const std::string& algorithm) const;
  /// Executes it.
  void execute(Reduction& job, Bytes& object);
  /// As `spec` says, once for all.
  void measure();

 private:
  using Words = std::vector<std::uint64_t>;

  [[nodiscard]] Words words_of(int rank) const;
  /// What one process computes of the elements of all.
  [[nodiscard]] Words expected() const;

  const Communicator& comm_;
  ReductionContents contents_;
  ReductionSpec spec_;
  ElementOperation elements_;
  MPI_Datatype matrix_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  Words own_;
  Words result_;  ///< root only
  Words expected_;
  std::int64_t result_words_ = 0;  ///< of result_ and expected_, on all ranks
};

}  // namespace sluice::mpi::detail
