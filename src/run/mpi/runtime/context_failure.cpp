/// Word of a failure: how a context tells it, hears it, and dies of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/context_registry.hpp"
#include "run/mpi/runtime/control_wire.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr char kBetweenParts = '\0';

/// What is told of an exception; its rank is who tells.
Failure failure_of(const std::exception_ptr& why) noexcept {
  Failure failure;
  try {
    try {
      std::rethrow_exception(why);
    } catch (const InputError& error) {
      failure.input = true;
      for (const std::string& part : {error.where(), error.found(), error.expected()}) {
        failure.text += part.substr(0, 130) + kBetweenParts;
      }
    } catch (const std::exception& error) {
      failure.text = error.what();
    } catch (...) {
      failure.text = "an unknown error";
    }
  } catch (...) {
    failure.input = false;  // no memory for the text
    failure.text.clear();
  }
  return failure;
}

}  // namespace

void throw_failure(const Failure& failure, const char* work) {
  if (!failure.input) throw JobError(failure.rank, work, failure.text);
  std::array<std::string, 3> parts;
  std::size_t begin = 0;
  for (std::string& part : parts) {
    const std::size_t end = failure.text.find(kBetweenParts, begin);
    part = failure.text.substr(begin, end - begin);
    begin = end + 1;
  }
  throw InputError(parts[0], fmt::format("on rank {}: {}", failure.rank, parts[1]), parts[2]);
}

void Context::hear_failure(int from, const Wire& wire) {
  failed_ = true;
  const Control& control = wire.control;
  if (control.execution != 0) die(control.execution - 1, wire.channel, control.rank, wire.closed_from);
  Failure failure;
  failure.rank = from;
  failure.execution = control.rank;
  failure.input = control.number != 0;
  failure.text.assign(wire.text.data(), static_cast<std::size_t>(control.bytes));
  if (const auto open = live_.find(wire.channel); open != live_.end()) {
    open->second->put(std::move(failure));
  } else if (wire.channel >= channels_) {
    early_[wire.channel].failure = std::move(failure);
  }
}

void Context::tell_failure(std::int64_t channel, const std::exception_ptr& why, std::int64_t execution,
                           std::int64_t dead_from) noexcept {
  if (!alive()) return;
  failed_ = true;
  const bool dies = dead_from < kNever;
  const Failure failure = failure_of(why);
  Wire& wire = goodbyes_.front()[goodbyes_said_++ % kGoodbyes];
  wire.channel = channel;
  if (dies) {
    const std::scoped_lock lock(mutex_);
    wire.closed_from = turn_of(turns_, channel, execution);
    die(dead_from, channel, execution, wire.closed_from);
  }
  const std::size_t length = std::min(failure.text.size(), kTextRoom);
  // The fields of `control` have other roles here. `number`: whether the failure is a bad argument. `rank`: the
  // execution. `execution`: where the context ends, if it does.
  wire.control = {kGivenUp, failure.input ? 1 : 0, execution, static_cast<std::int64_t>(length),
                  dies ? 1 + dead_from : 0};
  failure.text.copy(wire.text.data(), length);
  const auto bytes = static_cast<int>(offsetof(Wire, text) + length);
  // First by memory: a rank that comes later hears it there before it starts anything, whatever MPI does meanwhile.
  board_.tell_failure(std::as_bytes(std::span(&wire, 1)).first(static_cast<std::size_t>(bytes)));
  const auto tell = [&](int to) {
    // The word that somebody failed is worth a second try.
    for (int code = MPI_ERR_OTHER, tries = 0; code != MPI_SUCCESS && tries < 2; ++tries) {
      MPI_Request request = MPI_REQUEST_NULL;
      code = MPI_Isend(&wire, bytes, MPI_BYTE, to, kControlTag, comm_, &request);
      if (code == MPI_SUCCESS) (void)MPI_Request_free(&request);
    }
  };
  // If many ranks fail at once, not all of them tell all. Each first tells the ranks 1, 2, 4, ... further on, and
  // leaves the rest to a lower rank that has told it of the failure. Until it hears of one, it tells twice as many in
  // each round as in the previous round, because the others may be late, or know nothing.
  int in_round = 0;
  for (int distance = 1; distance < size_; distance *= 2, ++in_round) tell((rank_ + distance) % size_);
  for (int distance = 3; distance < size_; in_round *= 2) {
    if (is_told_below(channel, dies)) return;
    for (int left = in_round; left > 0 && distance < size_; ++distance) {
      if ((distance & (distance - 1)) == 0) continue;
      tell((rank_ + distance) % size_);
      --left;
    }
  }
}

bool Context::is_told_below(std::int64_t channel, bool dies) {
  constexpr double kRound_s = 0.002;
  const double end = MPI_Wtime() + (size_ > 4 && !kSimulated ? kRound_s : 0);
  const Told& same = dies ? told_dead_ : told_;
  for (Patience patience; MPI_Wtime() < end; patience.look_again()) {
    try {
      poll();
    } catch (...) {
      return false;  // nothing more is to be heard
    }
    if (same.channel == channel && same.by < rank_) return true;
  }
  return false;
}

std::int64_t Context::turn_of(const Turns& turns, std::int64_t channel, std::int64_t execution) const {
  const auto open = live_.find(channel);
  const std::optional<std::int64_t> of_it =
      open != live_.end() ? open->second->turn_of(turns, execution) : std::nullopt;
  return of_it.value_or(turns.next());
}

void Context::die(std::int64_t from, std::int64_t channel, std::int64_t execution, std::int64_t closed_from) {
  dead_from_ = std::min(dead_from_, from);
  // What took a turn before that execution did, or would have, where it failed, has a turn before it on all ranks: also
  // where word of it comes before they have been started.
  turns_.close_from(closed_from);
  for (auto& [key, part] : parts_) part.turns.close_from(turn_of(part.turns, channel, execution));
}

}  // namespace sluice::mpi::detail
