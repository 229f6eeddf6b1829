#include "sluice/run/mpi/settings.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/context_registry.hpp"
#include "run/mpi/runtime/job.hpp"

namespace sluice::mpi {

void set_kept_plans(MPI_Comm comm, std::size_t plans) {
  const std::shared_ptr<detail::Context> context = detail::Context::of(comm);
  context->settings().kept_plans = plans;
  context->plans().set_capacity(plans);
}

void set_agreed_arguments(MPI_Comm comm, bool agreed) {
  detail::in_new_channel(comm, [&](const std::shared_ptr<detail::Context>& context, std::int64_t number) {
    detail::Channel channel(context, number, "settings");
    detail::Arguments arguments("agreed arguments");
    arguments.add(agreed);
    detail::agree(channel, arguments.fingerprint(), nullptr);
    context->settings().agreed_arguments = agreed;
  });
}

void set_calls_in_order(MPI_Comm comm, bool in_order) {
  detail::Context::of(comm)->settings().calls_in_order = in_order;
}

void note_other_call(MPI_Comm comm) noexcept {
  struct Known {
    MPI_Comm comm = MPI_COMM_NULL;
    std::uint64_t changes = 0;
    detail::CallLog* log = nullptr;
  };
  constexpr std::size_t kKnown = 8;
  thread_local std::array<Known, kKnown> known;
  detail::ContextRegistry& all = detail::context_registry();
  const std::uint64_t changes = all.changes.load(std::memory_order_acquire);
  if (changes == 0) return;  // there has been no job
  std::size_t at = 0;
  while (at + 1 < kKnown && known[at].comm != comm && known[at].comm != MPI_COMM_NULL) ++at;
  Known& each = known[at];
  if (each.comm != comm || each.changes != changes) each = {comm, changes, all.log_of(comm)};
  if (each.log != nullptr) (void)each.log->begin({});
}

void set_most_communicators(std::size_t most) {
  detail::ContextRegistry& all = detail::context_registry();
  const std::scoped_lock lock(all.mutex);
  all.most = most;
}

}  // namespace sluice::mpi
