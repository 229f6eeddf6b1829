#include <vector>

#include "run/mpi/compare/method.hpp"
#include "run/mpi/compare/packed_messages.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

class AllAtOnce final : public Method {
 public:
  AllAtOnce(MPI_Comm comm, const RedistributionJob& job)
      : base_(comm, job), requests_(base_.receivers.size() + base_.senders.size(), MPI_REQUEST_NULL) {}

  void execute(const void* source, void* target) override {
    MPI_Request* request = requests_.data();
    for (std::size_t i = 0; i < base_.senders.size(); ++i) {
      SLUICE_MPI(MPI_Irecv(base_.receives->data() + base_.receives->offset(i), base_.receives->bytes(i), MPI_BYTE,
                           base_.rank_of_sender(base_.senders[i]), 0, base_.comm.get(), request++));
    }
    base_.sends->pack(source);
    for (std::size_t i = 0; i < base_.receivers.size(); ++i) {
      SLUICE_MPI(MPI_Isend(base_.sends->data() + base_.sends->offset(i), base_.sends->bytes(i), MPI_BYTE,
                           base_.rank_of_receiver(base_.receivers[i]), 0, base_.comm.get(), request++));
    }
    SLUICE_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    base_.receives->unpack(target);
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return base_.buffer_bytes(); }

 private:
  PackedBase base_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Method> make_all_at_once(MPI_Comm comm, const RedistributionJob& job) {
  return std::make_unique<AllAtOnce>(comm, job);
}

}  // namespace sluice::mpi::detail
