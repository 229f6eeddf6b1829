#include "run/mpi/runtime/context_registry.hpp"

#include <algorithm>
#include <memory>

#include "run/mpi/runtime/never_destroyed.hpp"
#include "run/mpi/runtime/node_room.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

int forget_context(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  const std::unique_ptr<std::shared_ptr<Context>> context(static_cast<std::shared_ptr<Context>*>(value));
  context_registry().detach(**context);
  return MPI_SUCCESS;
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int end_contexts(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  end_all_contexts();
  MPI_Comm& self = context_registry().returning_self;
  if (self != MPI_COMM_NULL) (void)MPI_Comm_free(&self);
  return MPI_SUCCESS;
}

void make_returning_self(MPI_Comm& self) {
  if (self != MPI_COMM_NULL) return;
  // Not MPI_Comm_dup, which brings along what the user has attached.
  MPI_Group group = MPI_GROUP_NULL;
  SLUICE_MPI(MPI_Comm_group(MPI_COMM_SELF, &group));
  const int code = MPI_Comm_create(MPI_COMM_SELF, group, &self);
  SLUICE_MPI(MPI_Group_free(&group));
  if (code != MPI_SUCCESS) throw MpiError("MPI_Comm_create", code);
  SLUICE_MPI(MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN));
}

}  // namespace

ContextRegistry& context_registry() {
  static NeverDestroyed<ContextRegistry> all;  // a static variable may hold a job
  return *all;
}

void ContextRegistry::detach(Context& context) {
  const std::scoped_lock lock(mutex);
  context.user_ = MPI_COMM_NULL;
  ++changes;
}

CallLog* ContextRegistry::log_of(MPI_Comm user) {
  if (user == MPI_COMM_NULL) return nullptr;
  const std::scoped_lock lock(mutex);
  const auto attached = std::ranges::find_if(contexts, [&](const Context* each) { return each->user_ == user; });
  return attached != contexts.end() ? &(*attached)->call_log_ : nullptr;
}

bool finalized() {
  if (forked_child()) return true;
  int flag = 0;
  return MPI_Finalized(&flag) != MPI_SUCCESS || flag != 0;
}

void end_all_contexts() noexcept {
  ContextRegistry& all = context_registry();
  for (;;) {
    Context* context = nullptr;
    {
      const std::scoped_lock lock(all.mutex);
      const auto alive =
          std::ranges::find_if(all.contexts, [](const Context* each) { return each->comm_ != MPI_COMM_NULL; });
      if (alive == all.contexts.end()) return;
      context = *alive;
    }
    context->end();  // this may destroy contexts of its parts
  }
}

int key_of_communicators() {
  ContextRegistry& all = context_registry();
  const std::scoped_lock lock(all.mutex);
  if (all.of_communicator != MPI_KEYVAL_INVALID) return all.of_communicator;
  int of_process = MPI_KEYVAL_INVALID;
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_contexts, &of_process, nullptr));
  SLUICE_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, of_process, nullptr));
  make_returning_self(all.returning_self);
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_context, &all.of_communicator, nullptr));
  return all.of_communicator;
}

MPI_Comm returning_self() {
  (void)key_of_communicators();
  return context_registry().returning_self;
}

}  // namespace sluice::mpi::detail
