#include "apps/compare/exchange_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "apps/compare/known_contents.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::compare {
namespace {

class PlannedExchange final : public Method {
 public:
  PlannedExchange(MPI_Comm comm, const std::vector<mpi::MessageSize>& sizes, const mpi::ExchangeOptions& options)
      : exchange_(comm, sizes, options) {}

  void execute(const void* source, void* target) override {
    exchange_.execute({static_cast<const std::byte*>(source), static_cast<std::size_t>(exchange_.send_bytes())},
                      {static_cast<std::byte*>(target), static_cast<std::size_t>(exchange_.receive_bytes())});
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return exchange_.peak_extra_bytes(); }
  [[nodiscard]] std::string how() override { return exchange_.explanation(); }
  void settle(const void* source, void* target) override {
    for (int i = 0; i < kTurns && !exchange_.settled(); ++i) execute(source, target);
  }

 private:
  mpi::Exchange exchange_;
};

/// Messages go straight from their senders to their receivers, by a plan of the library's.
void forget_detours(mpi::ExchangeOptions& options) {
  options.local_links.reset();
  options.schedule.reset();
  options.sender_ranks.clear();
  options.receiver_ranks.clear();
}

PlacedMessages placed(const std::vector<mpi::MessageSize>& sizes) {
  PlacedMessages result;
  for (const mpi::MessageSize& message : sizes) result.add(message.peer, message.bytes);
  return result;
}

std::span<std::byte> bytes_of(const std::unique_ptr<std::byte[]>& buffer, const PlacedMessage& message) {
  return {buffer.get() + message.offset, static_cast<std::size_t>(message.bytes)};
}

}  // namespace

ComparedExchange::ComparedExchange(const Communicator& comm, const std::vector<mpi::MessageSize>& sends,
                                   const mpi::ExchangeOptions& options)
    : comm_(comm), sizes_(sends), options_(options) {
  {
    // This job tells what comes from whom, and whether the arguments are good; its plan is not needed.
    mpi::ExchangeOptions list = options;
    list.mode = mpi::ExchangeMode::kList;
    list.speeds = {};
    forget_detours(list);
    receives_ = placed(mpi::Exchange(comm.get(), sends, list).receives());
  }
  sends_ = placed(sends);
  bytes_moved_ = sum(sends_.bytes, comm);
  std::int64_t longest = 0;
  for (const PlacedMessage& message : sends_.messages) longest = std::max(longest, message.bytes);
  longest_message_ = largest(longest, comm);
  largest_part_ = largest(std::max(sends_.bytes, receives_.bytes), comm);
  source_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(sends_.bytes));
  target_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(receives_.bytes));
  for (const PlacedMessage& message : sends_.messages)
    fill_known(bytes_of(source_, message), comm.rank(), message.peer);
  reset_target();
}

std::unique_ptr<Method> ComparedExchange::planned(mpi::ExchangeMode mode, bool try_native) const {
  mpi::ExchangeOptions options = options_;
  options.mode = mode;
  options.try_native = try_native;
  options.tune = options.tune && mode == mpi::ExchangeMode::kList;
  return std::make_unique<PlannedExchange>(comm_.get(), sizes_, options);
}

std::string ComparedExchange::beyond(const std::string& method) const {
  constexpr std::int64_t kMostCount = std::numeric_limits<int>::max();
  if (method == "alltoallv" && largest_part_ > kMostCount) {
    return fmt::format("{} on a rank, MPI counts 2^31 - 1", count_text(largest_part_, "byte"));
  }
  if ((method == "all-at-once" || method == "pairwise") && longest_message_ > kMostCount) {
    return fmt::format("a message of {}, MPI counts 2^31 - 1", count_text(longest_message_, "byte"));
  }
  return "";
}

std::unique_ptr<Method> ComparedExchange::make(const std::string& method) {
  constexpr std::string_view kMode = "sluice-";
  if (method == "sluice") return planned(options_.mode, options_.try_native);
  if (method == "sluice-direct") {
    mpi::ExchangeOptions direct = options_;
    if (direct.schedule) direct.max_transfers = direct.schedule->max_transfers;
    forget_detours(direct);
    return std::make_unique<PlannedExchange>(comm_.get(), sizes_, direct);
  }
  if (method.starts_with(kMode)) return planned(mpi::parse_exchange_mode(method.substr(kMode.size())), false);
  if (auto of_mpi = make_mpi_exchange(method, comm_, sends_, receives_)) return of_mpi;
  throw InputError("method", fmt::format("'{}'", method),
                   "sluice, sluice-MODE, sluice-direct, alltoallv, all-at-once or pairwise");
}

void ComparedExchange::reset_target() {
  for (const PlacedMessage& message : receives_.messages)
    fill_known(bytes_of(target_, message), message.peer, comm_.rank(), true);
}

std::string ComparedExchange::check_target() const {
  for (const PlacedMessage& message : receives_.messages) {
    const std::int64_t wrong = first_wrong(bytes_of(target_, message), message.peer, comm_.rank());
    if (wrong >= 0) {
      return fmt::format("the message of {} from rank {} is wrong in the 8 bytes from {}",
                         count_text(message.bytes, "byte"), message.peer, wrong);
    }
  }
  return "";
}

std::vector<std::string> exchange_methods() { return {"sluice", "alltoallv", "all-at-once", "pairwise"}; }

Comparison exchanges(MPI_Comm comm, const std::vector<mpi::MessageSize>& sends, const mpi::ExchangeOptions& options,
                     const std::vector<std::string>& methods, int repetitions, bool record) {
  const Communicator own(comm);
  check_comparison(own, methods, repetitions);
  ComparedExchange compared(own, sends, options);
  return run_comparison(own, compared, methods, repetitions, record);
}

}  // namespace sluice::compare
