#include <vector>

#include "run/mpi/compare/method.hpp"
#include "run/mpi/compare/packed_messages.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

class Alltoallv final : public Method {
 public:
  Alltoallv(MPI_Comm comm, const RedistributionJob& job) : base_(comm, job) {
    const auto ranks = static_cast<std::size_t>(base_.comm.size());
    for (auto* list : {&send_counts_, &send_offsets_, &receive_counts_, &receive_offsets_}) list->assign(ranks, 0);
    for (std::size_t i = 0; i < base_.receivers.size(); ++i) {
      const auto rank = static_cast<std::size_t>(base_.rank_of_receiver(base_.receivers[i]));
      send_counts_[rank] = base_.sends->bytes(i);
      send_offsets_[rank] = base_.sends->offset(i);
    }
    for (std::size_t i = 0; i < base_.senders.size(); ++i) {
      const auto rank = static_cast<std::size_t>(base_.rank_of_sender(base_.senders[i]));
      receive_counts_[rank] = base_.receives->bytes(i);
      receive_offsets_[rank] = base_.receives->offset(i);
    }
  }

  void execute(const void* source, void* target) override {
    base_.sends->pack(source);
    SLUICE_MPI(MPI_Alltoallv(base_.sends->data(), send_counts_.data(), send_offsets_.data(), MPI_BYTE,
                             base_.receives->data(), receive_counts_.data(), receive_offsets_.data(), MPI_BYTE,
                             base_.comm.get()));
    base_.receives->unpack(target);
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return base_.buffer_bytes(); }

 private:
  PackedBase base_;
  std::vector<int> send_counts_;
  std::vector<int> send_offsets_;
  std::vector<int> receive_counts_;
  std::vector<int> receive_offsets_;
};

}  // namespace

std::unique_ptr<Method> make_alltoallv(MPI_Comm comm, const RedistributionJob& job) {
  return std::make_unique<Alltoallv>(comm, job);
}

}  // namespace sluice::mpi::detail
