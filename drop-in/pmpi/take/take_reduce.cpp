#include <optional>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/said.hpp"
#include "pmpi/take/reducible.hpp"
#include "pmpi/take/take.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "pmpi/take/user_blocks.hpp"
#include "sluice/error.hpp"

namespace sluice::pmpi {
namespace {

constexpr std::int64_t kOfElements = 20;  // first number of keys

mpi::ReductionOptions options_of(Communicator& communicator) {
  mpi::ReductionOptions options;
  options.try_native = !settings().always;
  // By default a trial decides, and with it in which order elements are combined.
  options.reproducible = settings().reproducible;
  if (has_platform()) options.platform = communicator.network();
  return options;
}

/// By an operation of the program's. A job is made for each call, as handles of operations say nothing of their
/// identity on other ranks; its plan is kept with the communicator.
int reduce_once(const void* send, void* receive, const mpi::ElementOperation& operation, int root, MPI_Comm comm) {
  mpi::ReductionOptions options;
  options.try_native = false;
  mpi::ElementReduction job(comm, operation, root, options);
  job.execute(send, receive);
  return MPI_SUCCESS;
}

}  // namespace

int take_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm) noexcept {
  const std::int64_t bytes = settings().reduce ? bytes_of(count, type) : 0;
  Logged logged(Taken::kReduce);
  const auto hand_on = [&] { return PMPI_Reduce(send, receive, count, type, op, root, comm); };
  if (bytes < least(kLeastReduction)) return hand_on();
  const std::optional<Reducible> known = reducible(type, op);
  if (!known && !(settings().always && is_users(op))) return hand_on();
  Communicator* const communicator = communicator_of(comm);
  if (communicator == nullptr || !communicator->on || root < 0 || root >= communicator->size) return hand_on();
  try {
    if (!known) {
      if (!lies_in_a_row(type)) return hand_on();
      logged.planned();
      return reduce_once(send, receive, {count, type, op}, root, comm);
    }
    Pattern& pattern = communicator->jobs.at({kOfElements, count, known->type_number, known->op_number, root});
    if (pattern.handed_on || ++pattern.seen < first_taken()) return hand_on();
    if (pattern.job.index() == 0) {
      try {
        pattern.job = std::make_unique<mpi::ElementReduction>(comm, mpi::ElementOperation{count, known->type, op}, root,
                                                              options_of(*communicator));
      } catch (const InputError& error) {  // on all ranks
        pattern.handed_on = true;
        say_once_for_all("MPI_Reduce is handed on", error.what());
        return hand_on();
      }
    }
    auto& job = *std::get<std::unique_ptr<mpi::ElementReduction>>(pattern.job);
    if (!settings().always && job.summary().native) {
      pattern.handed_on = true;
      pattern.job = std::monostate();
      return hand_on();
    }
    logged.planned();
    job.execute(send, receive);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, "MPI_Reduce");
  }
}

}  // namespace sluice::pmpi
