#include "sluice/input/replicated_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kMostReplicaProcesses = std::int64_t{1} << 26;

void check_replicas(const char* what, std::int64_t replicas, std::int64_t processes) {
  if (replicas < 1) throw InputError(what, fmt::format("{}", replicas), "at least 1");
  if (replicas > kMostReplicaProcesses / processes)
    throw InputError(what,
                     fmt::format("{} on {} each", count_text(replicas, "copy", "copies"),
                                 count_text(processes, "process", "processes")),
                     fmt::format("at most {} processes", kMostReplicaProcesses));
}

}  // namespace

ReplicatedProblem::ReplicatedProblem(RedistributionProblem one, std::int64_t from_replicas, std::int64_t to_replicas)
    : one_(std::move(one)), from_replicas_(from_replicas), to_replicas_(to_replicas) {
  if (from_replicas == 1 && to_replicas == 1)
    throw InputError("replicas", "one copy of both arrays", "several copies of either");
  check_replicas("from_replicas", from_replicas, one_.from().processes());
  check_replicas("to_replicas", to_replicas, one_.to().processes());
  if (one_.has_roles()) throw InputError("replicas", "roles of one copy's processes", "ReplicatedProblem::with_roles");
}

ReplicatedProblem ReplicatedProblem::with_roles(std::span<const Rank> role_of_sender) const {
  if (static_cast<std::int64_t>(role_of_sender.size()) < senders())
    throw InputError("roles", count_text(role_of_sender.size(), "entry", "entries"),
                     fmt::format("{}, one per sender", senders()));
  ReplicatedProblem result = *this;
  result.sender_of_receiver_.assign(static_cast<std::size_t>(receivers()), -1);
  for (std::int64_t s = 0; s < senders(); ++s) {
    const std::int64_t role = role_of_sender[static_cast<std::size_t>(s)].value;
    if (role < 0 || role >= receivers()) continue;
    std::int64_t& known = result.sender_of_receiver_[static_cast<std::size_t>(role)];
    if (known >= 0) throw InputError("roles", fmt::format("receiver {} twice", role), "each at most once");
    known = s;
  }
  return result;
}

}  // namespace sluice
