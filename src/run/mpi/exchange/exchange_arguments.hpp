#pragma once

#include <cstdint>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// Throws InputError for what is wrong with the arguments of an exchange between so many ranks, as far as one of them
/// can tell.
void check_exchange(const std::vector<MessageSize>& sends, const ExchangeOptions& options, int ranks);

/// Adds the options that all ranks have to give alike, on which a plan depends.
void add_exchange(Arguments& arguments, const ExchangeOptions& options);

/// 64 bits of all of a schedule that an execution depends on.
[[nodiscard]] std::uint64_t schedule_print(const StepSchedule& schedule);

}  // namespace sluice::mpi::detail
