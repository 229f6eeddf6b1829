#include "scalapack/home.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include "sluice/run/mpi/error.hpp"

namespace sluice::scalapack {
namespace {

int key = MPI_KEYVAL_INVALID;  ///< of a communicator: a std::shared_ptr<Home>*
std::list<Home*>& homes() {
  static auto* const all = new std::list<Home*>;  // MPI_Finalize may come after destructors of static variables
  return *all;
}

int forget(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  delete static_cast<std::shared_ptr<Home>*>(value);
  return MPI_SUCCESS;
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int end_all(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  for (Home* const each : homes()) each->end();
  return MPI_SUCCESS;
}

void make_keys() {
  if (key != MPI_KEYVAL_INVALID) return;
  int at_end = MPI_KEYVAL_INVALID;
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_all, &at_end, nullptr));
  SLUICE_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr));
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr));
}

std::shared_ptr<Home>* attached_to(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  SLUICE_MPI(MPI_Comm_get_attr(comm, key, &value, &found));
  return found != 0 ? static_cast<std::shared_ptr<Home>*>(value) : nullptr;
}

std::shared_ptr<Home> attach(MPI_Comm comm, const std::shared_ptr<Home>& home) {
  auto value = std::make_unique<std::shared_ptr<Home>>(home);
  SLUICE_MPI(MPI_Comm_set_attr(comm, key, value.get()));
  (void)value.release();  // the attribute's
  return home;
}

/// Collective: whether some rank has as many homes as it may have.
bool full(MPI_Comm comm) {
  int is_full = homes().size() >= Home::kMost ? 1 : 0;
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &is_full, 1, MPI_INT, MPI_MAX, comm));
  return is_full != 0;
}

}  // namespace

std::shared_ptr<Home> Home::of(MPI_Comm grid) {
  make_keys();
  if (const std::shared_ptr<Home>* const home = attached_to(grid)) return *home;
  int like_world = MPI_UNEQUAL;
  SLUICE_MPI(MPI_Comm_compare(grid, MPI_COMM_WORLD, &like_world));
  if (like_world == MPI_UNEQUAL) {
    const bool for_the_call = full(grid);
    auto home = std::make_shared<Home>(grid);
    return for_the_call ? home : attach(grid, home);
  }
  const std::shared_ptr<Home>* world = attached_to(MPI_COMM_WORLD);
  if (world == nullptr) {
    attach(MPI_COMM_WORLD, std::make_shared<Home>(MPI_COMM_WORLD));
    world = attached_to(MPI_COMM_WORLD);
  }
  return grid == MPI_COMM_WORLD ? *world : attach(grid, *world);
}

Home::Home(MPI_Comm ranks) {
  // Not MPI_Comm_dup, which would copy what the user has attached.
  MPI_Group group = MPI_GROUP_NULL;
  SLUICE_MPI(MPI_Comm_group(ranks, &group));
  const int code = MPI_Comm_create(ranks, group, &comm_);
  SLUICE_MPI(MPI_Group_free(&group));
  if (code != MPI_SUCCESS) throw MpiError("MPI_Comm_create", code);
  homes().push_back(this);
}

Home::~Home() {
  homes().remove(this);
  end();
}

void Home::end() noexcept {
  if (comm_ == MPI_COMM_NULL) return;
  for (Kept& each : kept_) each.job.reset();
  MPI_Comm_free(&comm_);
}

mpi::Redistribution* Home::find(const std::vector<std::int64_t>& known) {
  ++calls_;
  std::uint64_t fitting = 0;
  for (std::size_t i = 0; i < kJobs; ++i) {
    if (kept_[i].used > 0 && kept_[i].known == known) fitting |= std::uint64_t{1} << i;
  }
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &fitting, 1, MPI_UINT64_T, MPI_BAND, comm_));
  if (fitting == 0) return nullptr;
  Kept& found = kept_[static_cast<std::size_t>(std::countr_zero(fitting))];
  found.used = calls_;
  return found.job.get();
}

mpi::Redistribution& Home::keep(std::vector<std::int64_t> known, std::unique_ptr<mpi::Redistribution> job) {
  Kept& place = *std::ranges::min_element(kept_, {}, &Kept::used);
  place = {std::move(known), std::move(job), calls_};
  return *place.job;
}

}  // namespace sluice::scalapack
