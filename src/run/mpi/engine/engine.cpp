#include "run/mpi/engine/engine.hpp"

#include <optional>
#include <utility>

namespace sluice::mpi::detail {

void Engine::add(std::unique_ptr<Carrier> carrier) {
  lanes_.push_back({std::move(carrier)});
  withdrawn_.reserve(lanes_.size());
}

void Engine::begin() {
  trace_ = channel_.context().log() != nullptr ? std::optional(TransferTrace()) : std::nullopt;
  running_ = working_ = true;
  for (Lane& lane : lanes_) {
    lane.over = false;
    lane.carrier->begin(data_, trace_ ? &*trace_ : nullptr);
  }
}

Advance Engine::advance() {
  if (!running_) return Advance::kOver;
  bool moved = false;
  bool over = true;
  for (Lane& lane : lanes_) {
    if (lane.over) continue;
    const Advance come = lane.carrier->advance();
    lane.over = come == Advance::kOver;
    moved = moved || come != Advance::kIdle;
    over = over && lane.over;
  }
  if (moved && !over) return Advance::kMoved;
  if (working_) {
    working_ = data_->work();
    if (working_ || !over) return Advance::kMoved;
  }
  if (!over) return Advance::kIdle;
  running_ = false;
  if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
  data_->finish();
  return Advance::kOver;
}

void Engine::abandon() noexcept {
  running_ = false;
  if (std::exchange(abandoned_, true)) return;
  for (const Lane& lane : lanes_) {
    if (std::optional<Withdrawn> one = lane.carrier->abandon()) withdrawn_.push_back(std::move(*one));
  }
  if (!withdrawn_.empty()) withdraw(channel_, withdrawn_);
}

std::int64_t Engine::buffer_bytes() const {
  std::int64_t bytes = data_->held_bytes();
  for (const Lane& lane : lanes_) bytes += lane.carrier->buffer_bytes();
  return bytes;
}

}  // namespace sluice::mpi::detail
