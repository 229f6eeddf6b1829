#include "sluice/run/mpi/transfer_record.hpp"

#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi {

struct TransferRecord::State {
  std::shared_ptr<detail::Context> context;
  detail::TransferLog log;
};

TransferRecord::TransferRecord(MPI_Comm comm) : state_(std::make_unique<State>()) {
  state_->context = detail::Context::of(comm);
  if (state_->context->log() != nullptr) throw InputError("record", "a second one of a communicator", "one at a time");
  state_->context->log_to(&state_->log);
}

TransferRecord::~TransferRecord() { state_->context->log_to(nullptr); }

const std::vector<TransferTimes>& TransferRecord::sent() const { return state_->log.sent; }
const std::vector<TransferTimes>& TransferRecord::received() const { return state_->log.received; }
void TransferRecord::clear() { state_->log = {}; }

}  // namespace sluice::mpi
