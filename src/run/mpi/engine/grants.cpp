#include "run/mpi/engine/grants.hpp"

#include <fmt/format.h>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

Grants::Grants(int ranks, std::int64_t max_transfers)
    : max_transfers_(max_transfers), ports_(2 * static_cast<std::size_t>(ranks)) {}

void Grants::change(std::size_t port, std::int64_t load, bool busy) {
  Port& p = ports_[port];
  if (!p.busy && p.load > 0) free_.erase({-p.load, port});
  p.load = load;
  p.busy = busy;
  if (!p.busy && p.load > 0) free_.insert({-p.load, port});
}

void Grants::announce(int from, int to, std::int64_t bytes, std::int64_t number) {
  std::int64_t id = static_cast<std::int64_t>(entries_.size());
  if (free_ids_.empty()) {
    entries_.emplace_back();
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  entries_[static_cast<std::size_t>(id)] = {{id, from, to, bytes, number}, false};
  for (const std::size_t port : {port_of_sender(from), port_of_receiver(to)}) {
    ports_[port].messages.push_back(id);
    change(port, ports_[port].load + bytes, ports_[port].busy);
  }
  ++waiting_;
}

std::optional<Grants::Grant> Grants::next() {
  if (running_ >= max_transfers_) return std::nullopt;
  for (const auto& [load, port] : free_) {
    std::int64_t chosen = -1;
    std::int64_t most = 0;
    for (const std::int64_t id : ports_[port].messages) {
      const Grant& grant = entries_[static_cast<std::size_t>(id)].grant;
      const Port& other = ports_[port % 2 == 0 ? port_of_receiver(grant.to) : port_of_sender(grant.from)];
      if (other.busy || other.load <= most) continue;
      most = other.load;
      chosen = id;
    }
    if (chosen >= 0) return start(chosen);
  }
  return std::nullopt;
}

Grants::Grant Grants::start(std::int64_t id) {
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  entry.started = true;
  const Grant grant = entry.grant;
  for (const std::size_t port : {port_of_sender(grant.from), port_of_receiver(grant.to)}) {
    std::erase(ports_[port].messages, id);
    change(port, ports_[port].load - grant.bytes, true);
  }
  --waiting_;
  ++running_;
  return grant;
}

std::int64_t Grants::release(std::int64_t id) {
  SLUICE_ASSERT(
      id >= 0 && id < static_cast<std::int64_t>(entries_.size()) && entries_[static_cast<std::size_t>(id)].started,
      fmt::format("transfer {} released, which does not run", id));
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  entry.started = false;
  for (const std::size_t port : {port_of_sender(entry.grant.from), port_of_receiver(entry.grant.to)}) {
    change(port, ports_[port].load, false);
  }
  free_ids_.push_back(id);
  --running_;
  return entry.grant.bytes;
}

}  // namespace sluice::mpi::detail
