#include "schedule/foreign/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace sluice::testing {
namespace {

using Summands = std::vector<std::pair<std::int64_t, std::int64_t>>;  // (rank, chunk of its input), sorted
using Buffer = PlacedRange::Buffer;

class RandomRun {
 public:
  RandomRun(const PlacedSchedule& schedule, bool in_place, std::int64_t places, std::uint64_t seed)
      : schedule_(schedule), in_place_(in_place), places_(places), chance_(seed) {
    array_ = schedule.chunks * schedule.parts_of_chunk;
    block_ = array_ / schedule.ranks;
    memory_.resize(static_cast<std::size_t>(schedule.ranks));
    packets_.resize(memory_.size());
    for (std::int64_t rank = 0; rank < schedule.ranks; ++rank) {
      for (std::int64_t i = 0; i < input_size(); ++i) at(rank, Buffer::kInput, i) = {{rank, i}};
    }
    position_.assign(schedule.workers.size(), 0);
    done_.assign(schedule.operations.size(), 0);
    under_way_.resize(schedule.connections.size());
    for (const PlacedQueue& queue : schedule.queues) signals_.push_back(queue.initial);
    meetings_.resize(schedule.queues.size());
    returned_.resize(memory_.size());
  }

  std::string run() {
    std::vector<double> pace;
    for (std::size_t i = 0; i < position_.size(); ++i) pace.push_back(std::vector{0.02, 0.3, 1.0}[chance_() % 3]);
    std::vector<std::size_t> turns(position_.size());
    for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = i;
    while (true) {
      note_returns();
      std::shuffle(turns.begin(), turns.end(), chance_);
      bool moved = false;
      for (const std::size_t worker : turns) {
        if (std::uniform_real_distribution<>(0, 1)(chance_) < pace[worker]) moved = step(worker) || moved;
      }
      if (moved) continue;
      for (const std::size_t worker : turns) moved = step(worker) || moved;
      if (!moved) break;
    }
    note_returns();
    if (sizes_differ_) return "a message of another size than its receive";
    for (std::size_t worker = 0; worker < position_.size(); ++worker) {
      if (!ended(worker)) return fmt::format("worker {} is stuck at {}", worker, position_[worker]);
    }
    for (const auto& messages : under_way_) {
      if (!messages.empty()) return "a message that nobody receives";
    }
    for (std::size_t queue = 0; queue < signals_.size(); ++queue) {
      if (schedule_.queues[queue].balanced && schedule_.queues[queue].members == 0 && signals_[queue] != 0)
        return "a signal that nobody waits for";
    }
    for (std::int64_t rank = 0; rank < schedule_.ranks; ++rank) {
      for (std::int64_t i = 0; i < output_size(); ++i) {
        if (returned_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)] != wanted(rank, i))
          return fmt::format("rank {}, chunk {}", rank, i);
      }
    }
    return "";
  }

 private:
  [[nodiscard]] bool is(Collective problem) const { return schedule_.problem == problem; }
  [[nodiscard]] std::int64_t input_size() const { return is(Collective::kAllgather) ? block_ : array_; }
  [[nodiscard]] std::int64_t output_size() const { return is(Collective::kReduceScatter) ? block_ : array_; }

  [[nodiscard]] Summands wanted(std::int64_t rank, std::int64_t chunk) const {
    if (is(Collective::kAllgather)) return {{chunk / block_, chunk % block_}};
    if (is(Collective::kAlltoall)) return {{chunk / block_, rank * block_ + chunk % block_}};
    Summands all;
    for (std::int64_t from = 0; from < schedule_.ranks; ++from)
      all.emplace_back(from, is(Collective::kReduceScatter) ? rank * block_ + chunk : chunk);
    return all;
  }

  Summands& at(std::int64_t rank, Buffer buffer, std::int64_t chunk) {
    if (in_place_ && buffer != Buffer::kScratch) {
      if (buffer == Buffer::kInput && is(Collective::kAllgather)) chunk += rank * block_;
      if (buffer == Buffer::kOutput && is(Collective::kReduceScatter)) chunk += rank * block_;
      buffer = Buffer::kInput;
    }
    return memory_[static_cast<std::size_t>(rank)][{buffer, chunk}];
  }

  [[nodiscard]] bool ended(std::size_t worker) const {
    return position_[worker] == schedule_.workers[worker].operation_count;
  }

  /// The caller of a rank looks at its output as soon as all its workers have ended.
  void note_returns() {
    for (std::int64_t rank = 0; rank < schedule_.ranks; ++rank) {
      std::vector<Summands>& output = returned_[static_cast<std::size_t>(rank)];
      if (!output.empty()) continue;
      bool all = true;
      for (std::size_t worker = 0; worker < position_.size(); ++worker)
        all = all && (schedule_.workers[worker].rank != rank || ended(worker));
      for (std::int64_t i = 0; all && i < output_size(); ++i) output.push_back(at(rank, Buffer::kOutput, i));
    }
  }

  [[nodiscard]] bool waits_over(const PlacedOperation& each) const {
    for (std::uint32_t i = 0; i < each.wait_count; ++i) {
      const PlacedWait& wait = schedule_.waits[each.waits + i];
      if (wait.worker < 0) return false;
      const PlacedWorker& worker = schedule_.workers[static_cast<std::size_t>(wait.worker)];
      bool told = false;
      for (std::uint32_t k = 0; k < worker.operation_count; ++k) {
        const PlacedOperation& other = schedule_.operations[worker.operations + k];
        told = told || (other.step == wait.step && other.tells && done_[worker.operations + k] != 0);
      }
      if (!told) return false;
    }
    return true;
  }

  /// Takes all signals that an operation needs, or none.
  bool take_signals(const PlacedOperation& each) {
    std::map<std::int32_t, std::int64_t> taken;
    for (std::uint32_t i = 0; i < each.signal_count; ++i) {
      const PlacedSignal& signal = schedule_.signals[each.signals + i];
      if (signal.kind == PlacedSignal::Kind::kTake) ++taken[signal.queue];
    }
    for (const auto& [queue, count] : taken) {
      if (signals_[static_cast<std::size_t>(queue)] < count) return false;
    }
    for (const auto& [queue, count] : taken) signals_[static_cast<std::size_t>(queue)] -= count;
    return true;
  }

  /// Whether all members have come, each as often as this one.
  bool meets(std::size_t worker, const PlacedOperation& each) {
    for (std::uint32_t i = 0; i < each.signal_count; ++i) {
      const PlacedSignal& signal = schedule_.signals[each.signals + i];
      if (signal.kind != PlacedSignal::Kind::kMeet) continue;
      auto& come = meetings_[static_cast<std::size_t>(signal.queue)];
      const auto turn = static_cast<std::int64_t>(std::count_if(
          schedule_.operations.begin() + schedule_.workers[worker].operations,
          schedule_.operations.begin() + (&each - schedule_.operations.data()), [&](const PlacedOperation& other) {
            return other.signal_count > 0 && schedule_.signals[other.signals].queue == signal.queue;
          }));
      come[turn].insert(worker);
      if (static_cast<std::int64_t>(come[turn].size()) <
          schedule_.queues[static_cast<std::size_t>(signal.queue)].members)
        return false;
    }
    return true;
  }

  [[nodiscard]] bool packets_there(const PlacedOperation& each) const {
    for (std::uint32_t i = 0; i < each.source_count; ++i) {
      const PlacedRange& range = schedule_.ranges[each.ranges + i];
      for (std::int64_t k = 0; range.packets && k < range.count; ++k) {
        if (!packets_[static_cast<std::size_t>(range.rank)].contains(range.first + k)) return false;
      }
    }
    return true;
  }

  bool step(std::size_t worker) {
    if (ended(worker)) return false;
    const std::size_t operation = schedule_.workers[worker].operations + position_[worker];
    const PlacedOperation& each = schedule_.operations[operation];
    if (!waits_over(each) || !packets_there(each) || !meets(worker, each)) return false;
    if (each.receives >= 0 && under_way_[static_cast<std::size_t>(each.receives)].empty()) return false;
    if (each.sends >= 0 &&
        static_cast<std::int64_t>(under_way_[static_cast<std::size_t>(each.sends)].size()) >= places_)
      return false;
    if (!take_signals(each)) return false;
    execute(each);
    done_[operation] = 1;
    ++position_[worker];
    return true;
  }

  void execute(const PlacedOperation& each) {
    std::vector<Summands> values(static_cast<std::size_t>(each.amount));
    bool first = true;
    const auto add = [&](const std::vector<Summands>& more) {
      if (first) values = more;
      for (std::size_t i = 0; !first && i < std::min(values.size(), more.size()); ++i) {
        values[i].insert(values[i].end(), more[i].begin(), more[i].end());
        std::sort(values[i].begin(), values[i].end());
      }
      first = false;
    };
    if (each.receives >= 0) {
      add(under_way_[static_cast<std::size_t>(each.receives)].front());
      sizes_differ_ = sizes_differ_ || static_cast<std::int64_t>(values.size()) != each.amount;
      under_way_[static_cast<std::size_t>(each.receives)].pop_front();
    }
    for (std::uint32_t i = 0; i < each.source_count; ++i) {
      const PlacedRange& range = schedule_.ranges[each.ranges + i];
      std::vector<Summands> own;
      for (std::int64_t k = 0; k < range.count; ++k) own.push_back(at(range.rank, range.buffer, range.first + k));
      add(own);
    }
    for (std::uint32_t i = 0; i < each.target_count; ++i) {
      const PlacedRange& range = schedule_.ranges[each.ranges + each.source_count + i];
      for (std::int64_t k = 0; k < range.count && k < static_cast<std::int64_t>(values.size()); ++k) {
        at(range.rank, range.buffer, range.first + k) = values[static_cast<std::size_t>(k)];
        if (range.packets) packets_[static_cast<std::size_t>(range.rank)].insert(range.first + k);
      }
    }
    if (each.sends >= 0) under_way_[static_cast<std::size_t>(each.sends)].push_back(values);
    for (std::uint32_t i = 0; i < each.signal_count; ++i) {
      const PlacedSignal& signal = schedule_.signals[each.signals + i];
      if (signal.kind == PlacedSignal::Kind::kGive) ++signals_[static_cast<std::size_t>(signal.queue)];
    }
  }

  const PlacedSchedule& schedule_;
  bool in_place_;
  std::int64_t places_;
  std::mt19937_64 chance_;
  std::int64_t array_ = 0, block_ = 0;
  std::vector<std::map<std::pair<Buffer, std::int64_t>, Summands>> memory_;
  std::vector<std::set<std::int64_t>> packets_;
  std::vector<std::uint32_t> position_;
  std::vector<char> done_;
  std::vector<std::deque<std::vector<Summands>>> under_way_;
  std::vector<std::int64_t> signals_;
  std::vector<std::map<std::int64_t, std::set<std::size_t>>> meetings_;
  std::vector<std::vector<Summands>> returned_;
  bool sizes_differ_ = false;
};

}  // namespace

std::string wrong_in_run(const PlacedSchedule& schedule, bool in_place, std::int64_t places, std::uint64_t seed) {
  return RandomRun(schedule, in_place, places, seed).run();
}

std::string wrong_in_runs(const PlacedSchedule& schedule, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const bool in_place : {false, true}) {
      if (!(in_place ? schedule.in_place : schedule.out_of_place)) continue;
      const std::string wrong = wrong_in_run(schedule, in_place, std::max<std::int64_t>(1, schedule.places), seed);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

}  // namespace sluice::testing
