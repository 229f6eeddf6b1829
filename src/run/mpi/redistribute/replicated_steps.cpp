#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "run/mpi/redistribute/own_messages.hpp"
#include "sluice/plan/replicated.hpp"

namespace sluice::mpi::detail {
namespace {

/// Where the message of each process begins in the data of process `receiver` of the target grid.
std::map<std::int64_t, std::int64_t> message_starts(const RedistributionProblem& problem, std::int64_t receiver) {
  std::map<std::int64_t, std::int64_t> starts;
  std::int64_t offset = 0;
  for (const Message& message : problem.receives(Rank(receiver))) {
    starts.emplace(message.from, offset);
    offset += message.size;
  }
  return starts;
}

/// One direction of a rank's part, while it is put together.
class CollectedMessages {
 public:
  explicit CollectedMessages(std::int64_t element_size) : element_size_(element_size) {}

  /// `offset`, in elements: within the message of `process`. That is the other end's process or, for a forwarded piece,
  /// the process that it comes from.
  void add(bool passed_on, Rank process, int rank, std::int64_t offset, std::int64_t size, std::int64_t step) {
    std::vector<Peer>& peers = passed_on ? passed_on_ : direct_;
    auto known = std::ranges::find_if(peers, [&](const Peer& p) { return p.process == process && p.rank == rank; });
    if (known == peers.end()) known = peers.insert(peers.end(), {process, rank, 0, 0});
    known->bytes += size * element_size_;
    known->end = std::max(known->end, (offset + size) * element_size_);
    transfers_.push_back(
        {static_cast<std::size_t>(known - peers.begin()), offset * element_size_, size * element_size_, step});
    is_passed_on_.push_back(passed_on);
  }
  [[nodiscard]] OwnMessages take() {
    OwnMessages result;
    std::vector<Rank>& processes = result.processes.emplace_back();
    const auto add_message = [&](const Peer& peer, std::vector<Rank>& kind) {
      kind.push_back(peer.process);
      result.first_piece.push_back(result.pieces.size());
      result.pieces.push_back({0, result.messages.size(), 0, peer.end});
      result.messages.push_back({peer.rank, peer.bytes});
    };
    for (const Peer& peer : direct_) add_message(peer, processes);
    for (const Peer& peer : passed_on_) add_message(peer, result.passed_on);
    result.first_piece.push_back(result.pieces.size());
    for (std::size_t i = 0; i < transfers_.size(); ++i)
      if (is_passed_on_[i]) transfers_[i].message += direct_.size();
    result.transfers = std::move(transfers_);
    return result;
  }

 private:
  struct Peer {
    Rank process;
    int rank;
    std::int64_t bytes;  ///< that go between the two
    std::int64_t end;    ///< behind the last of them in the message; other copies send its rest
  };

  std::int64_t element_size_;
  std::vector<Peer> direct_;
  std::vector<Peer> passed_on_;
  std::vector<OwnMessages::Transfer> transfers_;
  std::vector<bool> is_passed_on_;
};

}  // namespace

OwnSteps replicated_steps(const Participation& part, int rank, const RedistributionOptions& options) {
  const ReplicatedProblem& problem = *part.replicated;
  ReplicatedOptions how;
  how.algorithm = options.algorithm;
  how.setup = std::max(options.setup, kLeastSetupOfRedistribution) / static_cast<double>(part.element_size);
  how.effort = exchange_effort(search_effort(options));
  how.forward = options.forward;
  const ReplicatedPlan plan = plan_replicated(problem, how);

  const std::int64_t sources = part.problem.from().processes();
  const std::int64_t targets = part.problem.to().processes();
  const std::int64_t sender = part.from_ranks.process_of(rank);
  const std::int64_t receiver = part.to_ranks.process_of(rank);
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> starts;  // by process of the target grid
  const auto starts_of = [&](std::int64_t target) -> const std::map<std::int64_t, std::int64_t>& {
    const auto [at, is_new] = starts.try_emplace(target);
    if (is_new) at->second = message_starts(part.problem, target);
    return at->second;
  };
  // A forwarded piece belongs to one message, like the piece that its copy got.
  const auto source_of = [&](const Transfer& transfer) {
    const auto& of_target = starts_of(transfer.to % targets);
    if (transfer.from < problem.senders())
      return std::pair(transfer.from % sources, of_target.at(transfer.from % sources));
    auto at = of_target.begin();
    for (auto next = at; next != of_target.end() && next->second <= transfer.offset; ++next) at = next;
    return std::pair(at->first, at->second);
  };

  CollectedMessages sends(part.element_size), receives(part.element_size);
  OwnSteps own;
  double bytes = 0;
  std::int64_t transfers = 0;
  for (const Step& step : plan.schedule.steps) {
    for (const Transfer& transfer : step.transfers) {
      ++transfers;
      bytes += static_cast<double>(transfer.size * part.element_size);
      const bool passed_on = transfer.from >= problem.senders();
      const bool is_own = passed_on ? transfer.from - problem.senders() == receiver : transfer.from == sender;
      if (!is_own && transfer.to != receiver) continue;
      const auto [process, start] = source_of(transfer);
      if (is_own) {
        const Rank peer(passed_on ? process : transfer.to % targets);
        sends.add(passed_on, peer, part.to_ranks[Rank(transfer.to)], transfer.offset - start, transfer.size, own.steps);
      }
      if (transfer.to == receiver) {
        const int from =
            passed_on ? part.to_ranks[Rank(transfer.from - problem.senders())] : part.from_ranks[Rank(transfer.from)];
        receives.add(false, Rank(process), from, transfer.offset - start, transfer.size, own.steps);
      }
    }
    ++own.steps;
  }
  own.sends = sends.take();
  own.receives = receives.take();
  own.mean_bytes = transfers > 0 ? bytes / static_cast<double>(transfers) : 0;
  own.way = plan.longest_chain > 1
                ? fmt::format("{} x {} copies by exchange, chains of {}", problem.from_replicas(),
                              problem.to_replicas(), plan.longest_chain)
                : fmt::format("{} x {} copies by exchange", problem.from_replicas(), problem.to_replicas());
  return own;
}

}  // namespace sluice::mpi::detail
