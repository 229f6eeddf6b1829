#include "sluice/run/mpi/redistribution_batch.hpp"

#include "run/mpi/redistribute/redistribution_job.hpp"

namespace sluice::mpi {

RedistributionBatch::RedistributionBatch(MPI_Comm comm, const std::vector<RedistributionArray>& arrays,
                                         const RedistributionJobOptions& options)
    : job_(detail::make_redistribution(
          comm,
          [&] {
            return detail::JobArguments{arrays, RedistributionOptions{{}, options}};
          },
          /*batch=*/true)) {}

RedistributionBatch::~RedistributionBatch() = default;
RedistributionBatch::RedistributionBatch(RedistributionBatch&&) noexcept = default;
RedistributionBatch& RedistributionBatch::operator=(RedistributionBatch&&) noexcept = default;

void RedistributionBatch::execute(std::span<const void* const> sources, std::span<void* const> targets) {
  start(sources, targets);
  wait();
}
void RedistributionBatch::start(std::span<const void* const> sources, std::span<void* const> targets) {
  job_->begin(sources, targets);
}
bool RedistributionBatch::test() { return job_->test(); }
void RedistributionBatch::wait() { job_->wait(); }
void RedistributionBatch::give_up(const std::exception_ptr& why) noexcept { job_->give_up(why); }

std::size_t RedistributionBatch::arrays() const { return job_->parts().size(); }
std::int64_t RedistributionBatch::source_elements(std::size_t array) const {
  return job_->part(array).source_elements();
}
std::int64_t RedistributionBatch::target_elements(std::size_t array) const {
  return job_->part(array).target_elements();
}
std::int64_t RedistributionBatch::source_extent(std::size_t array) const { return job_->part(array).source.extent; }
std::int64_t RedistributionBatch::target_extent(std::size_t array) const { return job_->part(array).target.extent; }
std::vector<int> RedistributionBatch::to_ranks(std::size_t array) const { return job_->part(array).to_ranks.list(); }
std::int64_t RedistributionBatch::peak_extra_bytes() const { return job_->ways.buffer_bytes(); }
std::int64_t RedistributionBatch::steps() const { return job_->planned->own.steps; }
std::size_t RedistributionBatch::sent_messages() const { return job_->planned->own.sends.messages.size(); }
ExchangeMode RedistributionBatch::mode() const { return job_->planned->mode; }
std::string RedistributionBatch::explanation() const { return job_->explanation(); }
bool RedistributionBatch::settled() const { return job_->ways.over(); }
bool RedistributionBatch::native() const { return job_->ways.other_serves(); }

}  // namespace sluice::mpi
