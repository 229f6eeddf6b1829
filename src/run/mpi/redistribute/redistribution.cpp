#include "sluice/run/mpi/redistribution.hpp"

#include "run/mpi/redistribute/redistribution_job.hpp"

namespace sluice::mpi {
namespace {

/// A batch of one, whose set-up is in bytes.
detail::JobArguments arguments_of_one(const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                                      std::int64_t element_size, const RedistributionOptions& options) {
  const ArrayOptions& of_array = options;
  detail::JobArguments result;
  result.arrays.push_back({shape, from, to, element_size, of_array});
  result.how = options;
  result.how.setup *= static_cast<double>(element_size);
  return result;
}

}  // namespace

Redistribution::Redistribution(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from,
                               const Layout& to, std::int64_t element_size, const RedistributionOptions& options)
    : job_(detail::make_redistribution(
          comm, [&] { return arguments_of_one(shape, from, to, element_size, options); }, /*batch=*/false)) {}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

void Redistribution::execute(const void* source, void* target) {
  start(source, target);
  wait();
}
void Redistribution::start(const void* source, void* target) { job_->begin({&source, 1}, {&target, 1}); }
bool Redistribution::test() { return job_->test(); }
void Redistribution::wait() { job_->wait(); }
void Redistribution::give_up(const std::exception_ptr& why) noexcept { job_->give_up(why); }

std::vector<int> Redistribution::to_ranks() const { return job_->part(0).to_ranks.list(); }
std::int64_t Redistribution::source_elements() const { return job_->part(0).source_elements(); }
std::int64_t Redistribution::target_elements() const { return job_->part(0).target_elements(); }
std::int64_t Redistribution::source_extent() const { return job_->part(0).source.extent; }
std::int64_t Redistribution::target_extent() const { return job_->part(0).target.extent; }
std::int64_t Redistribution::peak_extra_bytes() const { return job_->ways.buffer_bytes(); }
ExchangeMode Redistribution::mode() const { return job_->planned->mode; }
std::string Redistribution::explanation() const { return job_->explanation(); }
bool Redistribution::settled() const { return job_->ways.over(); }
bool Redistribution::native() const { return job_->ways.other_serves(); }
const RedistributionPlan& Redistribution::plan() const { return job_->plan(); }

}  // namespace sluice::mpi
