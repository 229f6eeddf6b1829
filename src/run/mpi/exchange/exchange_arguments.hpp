#pragma once

#include <cstdint>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// Throws InputError for wrong arguments of an exchange between `ranks` ranks, as far as one of them can tell.
void check_exchange(const std::vector<MessageSize>& sends, const ExchangeOptions& options, int ranks);

/// Adds the options that determine a plan: all ranks have to give them alike.
void add_exchange(Arguments& arguments, const ExchangeOptions& options);

/// 64 bits that identify all of a schedule that an execution depends on.
[[nodiscard]] std::uint64_t schedule_print(const StepSchedule& schedule);

}  // namespace sluice::mpi::detail
