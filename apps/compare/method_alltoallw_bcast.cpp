#include <fmt/format.h>

#include <limits>
#include <utility>

#include "apps/compare/redistribution_methods.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

/// The part of a rank in the movement from first copy to first copy.
RedistributionPart between_first_copies(RedistributionPart part) {
  const auto targets = static_cast<std::size_t>(part.problem.to().processes());
  std::erase_if(part.receivers, [&](const RedistributionPart::Peer& peer) {
    return part.to_ranks[static_cast<std::size_t>(peer.process.value)] != peer.rank;
  });
  if (part.target_copy > 0) part.senders.clear();
  part.to_ranks.resize(targets);
  return part;
}

class AlltoallwBcast final : public Method {
 public:
  explicit AlltoallwBcast(const RedistributionPart& part)
      : part_(between_first_copies(part)), bytes_(part.target_elements() * part.job.element_size) {
    prepare_together(part.comm, [&] {
      if (bytes_ > std::numeric_limits<int>::max())
        throw InputError("size", fmt::format("{} of a process", count_text(bytes_, "byte")),
                         "at most 2^31 - 1 for MPI_Bcast");
    });
    first_ = make_alltoallw(part_);
    const int color = part.receiver ? static_cast<int>(part.receiver->value) : MPI_UNDEFINED;
    SLUICE_MPI(MPI_Comm_split(part.comm.get(), color, static_cast<int>(part.target_copy), &copies_));
  }
  ~AlltoallwBcast() override {
    if (copies_ != MPI_COMM_NULL) (void)MPI_Comm_free(&copies_);  // a destructor has nobody to tell about a failure
  }
  AlltoallwBcast(const AlltoallwBcast&) = delete;
  AlltoallwBcast& operator=(const AlltoallwBcast&) = delete;

  void execute(const void* source, void* target) override {
    first_->execute(source, target);
    if (copies_ != MPI_COMM_NULL) SLUICE_MPI(MPI_Bcast(target, static_cast<int>(bytes_), MPI_BYTE, 0, copies_));
  }

 private:
  RedistributionPart part_;
  std::int64_t bytes_;
  std::unique_ptr<Method> first_;
  MPI_Comm copies_ = MPI_COMM_NULL;
};

}  // namespace

std::unique_ptr<Method> make_alltoallw_bcast(const RedistributionPart& part) {
  return std::make_unique<AlltoallwBcast>(part);
}

}  // namespace sluice::compare
