#include "schedule/foreign/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

bool has_blocks_of_threads(const PlacedSchedule& schedule) {
  return schedule.format == PlacedFormat::kMsccl || schedule.format == PlacedFormat::kMscclpp;
}

std::size_t position(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

std::string operation_text(const PlacedSchedule& schedule, std::int32_t operation, std::int32_t gpu) {
  const PlacedOperation& found = schedule.operations[position(operation)];
  const PlacedWorker& worker = schedule.workers[position(found.worker)];
  if (!has_blocks_of_threads(schedule)) return fmt::format("rank {} line {}", worker.rank, found.line);
  if (worker.rank == gpu) return fmt::format("tb {} step {}", worker.id, found.step);
  return fmt::format("gpu {} tb {} step {}", worker.rank, worker.id, found.step);
}

std::string operation_text(const PlacedSchedule& schedule, std::int32_t operation) {
  return operation_text(schedule, operation, -1);
}

Violation fault_at(const PlacedSchedule& schedule, std::int32_t operation, std::string reason) {
  const PlacedWorker& worker = schedule.workers[position(schedule.operations[position(operation)].worker)];
  return {-1, worker.rank, std::move(reason)};
}

PlacedEvents::PlacedEvents(const PlacedSchedule& schedule, std::vector<Violation>& faults) : schedule_(schedule) {
  check_ends(faults);
  match_messages(faults);
  if (!faults.empty()) return;
  is_paired_ = true;
  find_edges(faults);
}

void PlacedEvents::check_ends(std::vector<Violation>& faults) const {
  // One thread block at each end of a connection.
  for (const bool sends : {true, false}) {
    std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> ends;
    for (const PlacedWorker& worker : schedule_.workers) {
      const std::int32_t peer = sends ? worker.send_to : worker.receive_from;
      if (peer >= 0) ends.emplace_back(worker.rank, peer, worker.channel);
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (ends[i] != ends[i - 1] || (i > 1 && ends[i] == ends[i - 2])) continue;
      const auto [gpu, peer, channel] = ends[i];
      faults.push_back({-1, gpu,
                        fmt::format("two thread blocks of GPU {} {} {} on channel {}", gpu,
                                    sends ? "send to" : "receive from", peer, channel)});
    }
  }
}

void PlacedEvents::match_messages(std::vector<Violation>& faults) {
  const std::size_t connections = schedule_.connections.size();
  std::vector<std::uint32_t> sends(connections, 0), receives(connections, 0);
  sent_.assign(schedule_.operations.size(), -1);
  received_.assign(schedule_.operations.size(), -1);
  for (const PlacedOperation& each : schedule_.operations) {
    if (each.sends >= 0) ++sends[position(each.sends)];
    if (each.receives >= 0) ++receives[position(each.receives)];
  }
  sends_ = Lists<std::int32_t>(sends);
  receives_ = Lists<std::int32_t>(receives);
  for (std::size_t i = 0; i < schedule_.operations.size(); ++i) {
    const PlacedOperation& each = schedule_.operations[i];
    const auto operation = static_cast<std::int32_t>(i);
    if (each.sends >= 0) {
      sent_[i] = static_cast<std::int32_t>(sends_[position(each.sends)].size());
      sends_.push(position(each.sends), operation);
    }
    if (each.receives >= 0) {
      received_[i] = static_cast<std::int32_t>(receives_[position(each.receives)].size());
      receives_.push(position(each.receives), operation);
    }
  }
  const bool blocks = schedule_.format == PlacedFormat::kMsccl || schedule_.format == PlacedFormat::kMoves;
  for (std::size_t way = 0; way < connections; ++way) {
    const PlacedConnection& connection = schedule_.connections[way];
    const std::size_t messages = std::max(sends_[way].size(), receives_[way].size());
    most_messages_ = std::max(most_messages_, static_cast<std::int64_t>(messages));
    for (std::size_t k = 0; k < messages; ++k) {
      const auto amount = [&](const Lists<std::int32_t>& side) {
        return k < side[way].size() ? schedule_.operations[position(side[way][k])].amount : 0;
      };
      const std::int64_t sent = amount(sends_), received = amount(receives_);
      const bool both = k < sends_[way].size() && k < receives_[way].size();
      if (both && (schedule_.exact_sizes ? sent == received : sent <= received)) continue;
      faults.push_back({-1, connection.from,
                        fmt::format("message {} from {} to {}, {} {}: {} sent, {} received", k, connection.from,
                                    connection.to, blocks ? "channel" : "tag", connection.channel,
                                    count_text(sent, blocks ? "chunk" : "byte"), received)});
      break;  // what follows is only out of step
    }
  }
}

void PlacedEvents::find_edges(std::vector<Violation>& faults) {
  for (const PlacedWorker& worker : schedule_.workers) {
    std::int32_t before = -1;
    for (std::uint32_t i = 0; i < worker.operation_count; ++i) {
      const auto operation = static_cast<std::int32_t>(worker.operations + i);
      if (schedule_.operations[position(operation)].detached) continue;
      if (before >= 0) add_edge(before, operation);
      before = operation;
    }
  }
  add_waits(faults);
  add_packets(faults);
  add_signals(faults);
  std::vector<std::uint32_t> room(schedule_.operations.size(), 0);
  for (const auto& [from, to] : edges_) ++room[position(from)];
  next_ = Lists<std::int32_t>(room);
  for (const auto& [from, to] : edges_) next_.push(position(from), to);
  edges_.clear();
  edges_.shrink_to_fit();
}

void PlacedEvents::add_waits(std::vector<Violation>& faults) {
  if (schedule_.waits.empty()) return;
  for (std::size_t i = 0; i < schedule_.operations.size(); ++i) {
    const PlacedOperation& operation = schedule_.operations[i];
    for (std::uint32_t w = 0; w < operation.wait_count; ++w) {
      const PlacedWait& wait = schedule_.waits[operation.waits + w];
      std::int32_t from = -1;
      if (wait.worker >= 0) {
        const PlacedWorker& worker = schedule_.workers[position(wait.worker)];
        const auto begin = schedule_.operations.begin() + worker.operations;
        const auto end = begin + worker.operation_count;
        // A step of several operations is done with the last one.
        const auto past = std::upper_bound(
            begin, end, wait.step, [](std::int32_t step, const PlacedOperation& each) { return step < each.step; });
        if (past != begin && (past - 1)->step == wait.step && (past - 1)->tells)
          from = static_cast<std::int32_t>(past - 1 - schedule_.operations.begin());
      }
      if (from >= 0) {
        add_edge(from, static_cast<std::int32_t>(i));
        continue;
      }
      const auto waiting = static_cast<std::int32_t>(i);
      faults.push_back(fault_at(schedule_, waiting,
                                fmt::format("{} waits for tb {} step {}, which never tells",
                                            operation_text(schedule_, waiting), wait.id, wait.step)));
    }
  }
}

void PlacedEvents::add_packets(std::vector<Violation>& faults) {
  // By rank, buffer and chunk: who writes it first.
  std::unordered_map<std::uint64_t, std::int32_t> writers;
  const auto key = [](const PlacedRange& range, std::int64_t chunk) {
    return (static_cast<std::uint64_t>(range.rank) << 42U) | (static_cast<std::uint64_t>(range.buffer) << 40U) |
           static_cast<std::uint64_t>(range.first + chunk);
  };
  for (std::size_t i = 0; i < schedule_.operations.size(); ++i) {
    const PlacedOperation& operation = schedule_.operations[i];
    for (std::uint32_t t = 0; t < operation.target_count; ++t) {
      const PlacedRange& range = schedule_.ranges[operation.ranges + operation.source_count + t];
      if (!range.packets) continue;
      for (std::int64_t chunk = 0; chunk < range.count; ++chunk)
        writers.try_emplace(key(range, chunk), static_cast<std::int32_t>(i));
    }
  }
  for (std::size_t i = 0; i < schedule_.operations.size(); ++i) {
    const PlacedOperation& operation = schedule_.operations[i];
    for (std::uint32_t s = 0; s < operation.source_count; ++s) {
      const PlacedRange& range = schedule_.ranges[operation.ranges + s];
      std::int32_t last = -1;
      for (std::int64_t chunk = 0; range.packets && chunk < range.count; ++chunk) {
        const auto found = writers.find(key(range, chunk));
        if (found == writers.end()) {
          const auto waiting = static_cast<std::int32_t>(i);
          faults.push_back(fault_at(schedule_, waiting,
                                    fmt::format("{} waits for packets in chunk s {} of gpu {}, which nobody writes",
                                                operation_text(schedule_, waiting),
                                                (range.first + chunk) / schedule_.parts_of_chunk, range.rank)));
          break;
        }
        if (found->second != last) add_edge(found->second, static_cast<std::int32_t>(i));
        last = found->second;
      }
    }
  }
}

void PlacedEvents::add_signals(std::vector<Violation>& faults) {
  if (schedule_.signals.empty()) return;
  struct Use {
    std::int32_t turn, worker, operation;  // the k-th use of a worker comes before any k+1-st
    bool operator<(const Use& other) const { return std::tie(turn, worker) < std::tie(other.turn, other.worker); }
  };
  struct Uses {
    std::vector<Use> gives, takes, meets;
  };
  std::vector<Uses> queues(schedule_.queues.size());
  const auto add = [](std::vector<Use>& uses, std::int32_t worker, std::int32_t operation) {
    const std::int32_t turn = !uses.empty() && uses.back().worker == worker ? uses.back().turn + 1 : 0;
    uses.push_back({turn, worker, operation});
  };
  for (std::size_t i = 0; i < schedule_.operations.size(); ++i) {
    const PlacedOperation& operation = schedule_.operations[i];
    for (std::uint32_t s = 0; s < operation.signal_count; ++s) {
      const PlacedSignal& signal = schedule_.signals[operation.signals + s];
      Uses& uses = queues[position(signal.queue)];
      add(signal.kind == PlacedSignal::Kind::kGive   ? uses.gives
          : signal.kind == PlacedSignal::Kind::kTake ? uses.takes
                                                     : uses.meets,
          operation.worker, static_cast<std::int32_t>(i));
    }
  }
  for (std::size_t queue = 0; queue < queues.size(); ++queue) {
    const PlacedQueue& kind = schedule_.queues[queue];
    Uses& uses = queues[queue];
    for (std::vector<Use>* each : {&uses.gives, &uses.takes, &uses.meets}) std::stable_sort(each->begin(), each->end());
    for (std::size_t k = 0; k < uses.takes.size(); ++k) {
      if (static_cast<std::int64_t>(k) < kind.initial) continue;
      const std::size_t give = k - static_cast<std::size_t>(kind.initial);
      if (give < uses.gives.size()) {
        add_edge(uses.gives[give].operation, uses.takes[k].operation);
        continue;
      }
      const std::int32_t waiting = uses.takes[k].operation;
      faults.push_back(fault_at(
          schedule_, waiting,
          fmt::format("{} waits for {}: number {} is never given", operation_text(schedule_, waiting), kind.name, k)));
      break;
    }
    const std::size_t given = uses.gives.size() + static_cast<std::size_t>(kind.initial);
    if (kind.balanced && kind.members == 0 && given > uses.takes.size())
      faults.push_back(fault_at(schedule_, uses.gives.back().operation,
                                fmt::format("{}: {} given, {} waited for", kind.name, given, uses.takes.size())));
    for (std::size_t k = 0; k < uses.meets.size();) {
      std::size_t end = k;
      while (end < uses.meets.size() && uses.meets[end].turn == uses.meets[k].turn) ++end;
      const auto members = static_cast<std::int64_t>(end - k);
      if (members != kind.members) {
        faults.push_back(fault_at(schedule_, uses.meets[k].operation,
                                  fmt::format("{}: {} of {} come to meeting {}", kind.name,
                                              count_text(members, "thread block"), kind.members, uses.meets[k].turn)));
        break;
      }
      std::vector<std::int32_t>& group = meetings_.emplace_back();
      for (; k < end; ++k) {
        group.push_back(uses.meets[k].operation);
        if (meeting_.empty()) meeting_.assign(schedule_.operations.size(), -1);
        meeting_[position(group.back())] = static_cast<std::int32_t>(meetings_.size()) - 1;
      }
    }
  }
}

PlacedEvents::Order PlacedEvents::order(std::int64_t places) const {
  const std::size_t count = schedule_.operations.size();
  // Operations that end together are one event: `leader` of each, and the others in a ring.
  std::vector<std::int32_t> leader(count), ring(count);
  std::iota(leader.begin(), leader.end(), 0);
  std::iota(ring.begin(), ring.end(), 0);
  const auto find = [&](std::int32_t operation) {
    while (leader[position(operation)] != operation) {
      leader[position(operation)] = leader[position(leader[position(operation)])];
      operation = leader[position(operation)];
    }
    return operation;
  };
  const auto join = [&](std::int32_t a, std::int32_t b) {
    a = find(a), b = find(b);
    if (a == b) return;
    leader[position(b)] = a;
    std::swap(ring[position(a)], ring[position(b)]);
  };
  for (const std::vector<std::int32_t>& meeting : meetings_) {
    for (const std::int32_t each : meeting) join(meeting.front(), each);
  }
  if (places == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      if (const std::int32_t receive = receive_of(static_cast<std::int32_t>(i)); receive >= 0)
        join(static_cast<std::int32_t>(i), receive);
    }
  }
  // Calls use(operation) for each one that cannot end before `operation` has, because of the places too.
  const auto for_later = [&](std::int32_t operation, auto use) {
    const std::size_t at = position(operation);
    for (const std::int32_t next : next_[at]) use(next);
    const PlacedOperation& each = schedule_.operations[at];
    if (places != 0 && each.sends >= 0) use(receive_of(operation));
    if (places <= 0 || each.receives < 0) return;
    const std::size_t freed = position(received_[at]) + static_cast<std::size_t>(places);
    if (freed < sends_[position(each.receives)].size()) use(sends_[position(each.receives)][freed]);
  };
  std::vector<std::int32_t> missing(count, 0);  // of leaders
  std::vector<char> stuck(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for_later(static_cast<std::int32_t>(i), [&](std::int32_t later) { ++missing[position(find(later))]; });
  }
  Order result;
  result.operations.reserve(count);
  std::vector<std::int32_t> ready;
  for (std::size_t i = count; i-- > 0;) {
    if (leader[i] == static_cast<std::int32_t>(i) && missing[i] == 0) ready.push_back(static_cast<std::int32_t>(i));
  }
  while (!ready.empty()) {
    const std::int32_t event = ready.back();
    ready.pop_back();
    std::int32_t member = event;
    do {
      result.operations.push_back(member);
      member = ring[position(member)];
    } while (member != event);
    do {
      for_later(member, [&](std::int32_t later) {
        if (const std::int32_t theirs = find(later); --missing[position(theirs)] == 0) ready.push_back(theirs);
      });
      member = ring[position(member)];
    } while (member != event);
  }
  if (result.operations.size() == count) return result;
  for (std::size_t i = 0; i < count; ++i) stuck[i] = 1;
  for (const std::int32_t done : result.operations) stuck[position(done)] = 0;
  // What each event that cannot happen waits for: an operation of another such event, and its own that waits.
  std::vector<std::pair<std::int32_t, std::int32_t>> reason(count, {-1, -1});
  for (std::size_t i = 0; i < count; ++i) {
    if (stuck[i] == 0) continue;
    for_later(static_cast<std::int32_t>(i), [&](std::int32_t later) {
      std::pair<std::int32_t, std::int32_t>& why = reason[position(find(later))];
      // A wait for another worker says more than the order of the own one.
      const bool other = schedule_.operations[position(later)].worker != schedule_.operations[i].worker;
      if (why.first < 0 || other) why = {static_cast<std::int32_t>(i), later};
    });
  }
  std::int32_t event = -1;
  for (std::size_t i = 0; i < count && event < 0; ++i) {
    if (stuck[i] != 0 && leader[i] == static_cast<std::int32_t>(i)) event = static_cast<std::int32_t>(i);
  }
  std::vector<char> seen(count, 0);
  while (seen[position(event)] == 0) {
    seen[position(event)] = 1;
    event = find(reason[position(event)].first);
  }
  const std::int32_t start = event;
  do {
    const auto [cause, waiting] = reason[position(event)];
    result.cycle.emplace_back(waiting, cause);
    event = find(cause);
  } while (event != start);
  result.operations.clear();
  return result;
}

}  // namespace sluice::detail
