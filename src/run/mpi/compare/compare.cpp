#include "sluice/run/mpi/compare.hpp"

#include <memory>
#include <utility>

#include "run/mpi/compare/array_contents.hpp"
#include "run/mpi/compare/broadcast_methods.hpp"
#include "run/mpi/compare/comparison.hpp"
#include "run/mpi/compare/exchange_methods.hpp"
#include "run/mpi/compare/method.hpp"

namespace sluice::mpi {
namespace {

class ComparedRedistribution final : public detail::ComparedJob {
 public:
  ComparedRedistribution(MPI_Comm comm, const detail::RedistributionJob& job, const detail::Participation& part)
      : comm_(comm), job_(job), bytes_moved_(part.problem.size() * job.element_size), contents_(part) {}

  [[nodiscard]] std::unique_ptr<detail::Method> make(const std::string& method) override {
    return detail::make_method(method, comm_, job_);
  }
  [[nodiscard]] std::int64_t bytes_moved() const override { return bytes_moved_; }
  [[nodiscard]] const std::byte* source() const override { return contents_.source(); }
  [[nodiscard]] std::byte* target() override { return contents_.target(); }
  void reset_target() override { contents_.reset_target(); }
  [[nodiscard]] std::string check_target() const override { return contents_.check_target(); }

 private:
  MPI_Comm comm_;
  const detail::RedistributionJob& job_;
  std::int64_t bytes_moved_;
  detail::ArrayContents contents_;
};

}  // namespace

std::vector<std::string> redistribution_methods(std::size_t dimensions, std::int64_t element_size) {
  std::vector<std::string> names{"sluice", "caterpillar", "alltoallv", "alltoallw", "all-at-once"};
  if (detail::has_pdgemr2d() && dimensions == 2 && element_size == 8) names.emplace_back("pdgemr2d");
  return names;
}

Comparison compare_redistributions(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from,
                                   const Layout& to, std::int64_t element_size, const RedistributionOptions& options,
                                   const std::vector<std::string>& methods, int repetitions) {
  const detail::RedistributionJob job{shape, from, to, element_size, options};
  const detail::MethodBase base(comm, job);
  detail::check_comparison(base.comm, methods, repetitions);
  ComparedRedistribution compared(comm, job, base.part);
  return detail::compare(base.comm, compared, methods, repetitions);
}

std::vector<std::string> exchange_methods() { return {"sluice", "alltoallv", "all-at-once", "pairwise"}; }

Comparison compare_exchanges(MPI_Comm comm, const std::vector<MessageSize>& sends, const ExchangeJobOptions& options,
                             const std::vector<std::string>& methods, int repetitions) {
  // Checks the arguments, and finds what this rank receives.
  const detail::Communicator own(comm);
  detail::check_comparison(own, methods, repetitions);
  detail::ComparedExchange compared(own, sends, options);
  return detail::compare(own, compared, methods, repetitions);
}

std::vector<std::string> broadcast_methods() { return {"sluice", "mpi-bcast"}; }

Comparison compare_broadcasts(MPI_Comm comm, const Platform& platform, int root, std::int64_t bytes,
                              const BroadcastJobOptions& options, const std::vector<std::string>& methods,
                              int repetitions) {
  const detail::Communicator own(comm);
  detail::check_comparison(own, methods, repetitions);
  detail::ComparedBroadcast compared(own, platform, root, bytes, options);
  return detail::compare(own, compared, methods, repetitions);
}

}  // namespace sluice::mpi
