#include "run/mpi/runtime/context_registry.hpp"

#include <algorithm>
#include <memory>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

int forget_context(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  delete static_cast<std::shared_ptr<Context>*>(value);
  return MPI_SUCCESS;
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int end_contexts(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  end_all_contexts();
  return MPI_SUCCESS;
}

}  // namespace

ContextRegistry& context_registry() {
  static auto* const all = new ContextRegistry;  // never destroyed: a job may be that of a static variable
  return *all;
}

bool finalized() {
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
    context->end();  // which may destroy those of its parts
  }
}

int key_of_communicators() {
  ContextRegistry& all = context_registry();
  const std::scoped_lock lock(all.mutex);
  if (all.of_communicator != MPI_KEYVAL_INVALID) return all.of_communicator;
  int of_process = MPI_KEYVAL_INVALID;
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_contexts, &of_process, nullptr));
  SLUICE_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, of_process, nullptr));
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_context, &all.of_communicator, nullptr));
  return all.of_communicator;
}

}  // namespace sluice::mpi::detail
