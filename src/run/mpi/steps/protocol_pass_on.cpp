#include "run/mpi/steps/protocol_pass_on.hpp"

#include <utility>

namespace sluice::mpi::detail {

PassOnProtocol::PassOnProtocol(std::unique_ptr<StepProtocol> beside, std::vector<std::size_t> receives_before,
                               std::vector<std::int64_t> receive_bytes)
    : beside_(std::move(beside)),
      receives_before_(std::move(receives_before)),
      receive_bytes_(std::move(receive_bytes)) {}

void PassOnProtocol::begin(StepExecutor& executor) {
  missing_ = receive_bytes_;
  there_ = 0;
  beside_->begin(executor);
}

void PassOnProtocol::received(std::size_t receive, std::int64_t bytes) {
  missing_[receive] -= bytes;
  while (there_ < missing_.size() && missing_[there_] == 0) ++there_;
  beside_->received(receive, bytes);
}

}  // namespace sluice::mpi::detail
