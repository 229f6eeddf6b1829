#include "run/mpi/compare/method.hpp"

#include <fmt/format.h>

#include <utility>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

class Planned final : public Method {
 public:
  Planned(MPI_Comm comm, const RedistributionJob& job)
      : redistribution_(comm, job.shape, job.from, job.to, job.element_size, job.options) {}

  void execute(const void* source, void* target) override { redistribution_.execute(source, target); }
  [[nodiscard]] std::int64_t held_bytes() const override { return redistribution_.peak_extra_bytes(); }

 private:
  Redistribution redistribution_;
};

std::unique_ptr<Method> make_planned(MPI_Comm comm, RedistributionJob job, const std::string& algorithm) {
  if (!algorithm.empty()) job.options.algorithm = algorithm;
  return std::make_unique<Planned>(comm, job);
}

Participation agreed_participation(const Communicator& comm, const RedistributionJob& job) {
  std::optional<Participation> part;
  std::exception_ptr failure;
  try {
    part = make_participation(comm.rank(), comm.size(), job.shape, job.from, job.to, job.element_size, job.options);
  } catch (...) {
    failure = std::current_exception();
  }
  agree(comm, fingerprint(job.shape, job.from, job.to, job.element_size, job.options).value(), failure);
  return *std::move(part);
}

}  // namespace

MethodBase::MethodBase(MPI_Comm user, const RedistributionJob& job)
    : comm(user), part(agreed_participation(comm, job)), receivers(part.receivers()), senders(part.senders()) {}

std::unique_ptr<Method> make_method(const std::string& name, MPI_Comm comm, const RedistributionJob& job) {
  constexpr std::string_view kMode = "sluice-";
  if (name == "sluice") return make_planned(comm, job, "");
  if (name.starts_with(kMode)) return make_planned(comm, job, name.substr(kMode.size()));
  if (name == "caterpillar") return make_planned(comm, job, name);
  if (name == "alltoallv") return make_alltoallv(comm, job);
  if (name == "alltoallw") return make_alltoallw(comm, job);
  if (name == "all-at-once") return make_all_at_once(comm, job);
  if (name == "pdgemr2d") return make_pdgemr2d(comm, job);
  throw InputError("method", fmt::format("'{}'", name),
                   "sluice, sluice-ALGORITHM, caterpillar, alltoallv, alltoallw, all-at-once or pdgemr2d");
}

}  // namespace sluice::mpi::detail
