#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "run/mpi/redistribute/own_messages.hpp"
#include "schedule/own_part.hpp"
#include "schedule/range_map.hpp"
#include "sluice/error.hpp"
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
  /// the process that it comes from. Returns the number of the message, among the forwarded ones if it is one.
  std::size_t add(bool passed_on, Rank process, int rank, std::int64_t offset, std::int64_t size) {
    std::vector<Peer>& peers = passed_on ? passed_on_ : direct_;
    auto known = std::ranges::find_if(peers, [&](const Peer& p) { return p.process == process && p.rank == rank; });
    if (known == peers.end()) known = peers.insert(peers.end(), {process, rank, 0, 0});
    known->bytes += size * element_size_;
    known->end = std::max(known->end, (offset + size) * element_size_);
    return static_cast<std::size_t>(known - peers.begin());
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
    return result;
  }
  /// How many messages come before the forwarded ones.
  [[nodiscard]] std::size_t direct() const { return direct_.size(); }

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

  /// An end of the part, before the numbers of forwarded messages are known.
  struct End {
    OwnPart::Own own;
    OwnPart::Range where;
    bool passed_on = false;
    std::vector<std::uint32_t> before;
  };
  CollectedMessages sends(part.element_size), receives(part.element_size);
  std::vector<End> ends;
  sluice::detail::RangeMap<std::uint32_t> landed;  // the receives that bring the elements of the rank's part
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
      const std::int64_t offset = transfer.offset - start, end = transfer.offset + transfer.size;
      const auto add = [&](bool out, int peer, std::size_t message) -> End& {
        End& added = ends.emplace_back();
        added.own = {peer, out, sluice::detail::MessageKind::kKeep, 0, 0, static_cast<std::int32_t>(own.steps)};
        added.where = {offset * part.element_size, transfer.size * part.element_size, false,
                       static_cast<std::int32_t>(message)};
        return added;
      };
      if (is_own) {
        const Rank process_there(passed_on ? process : transfer.to % targets);
        const int peer = part.to_ranks[Rank(transfer.to)];
        End& send = add(true, peer, sends.add(passed_on, process_there, peer, offset, transfer.size));
        send.passed_on = passed_on;
        const bool here = !passed_on || landed.visit(transfer.offset, end,
                                                     [&](std::int64_t /*begin*/, std::int64_t /*end*/,
                                                         std::uint32_t receive) { send.before.push_back(receive); });
        SLUICE_ASSERT(here, "a copy passes on what has not come");
      }
      if (transfer.to == receiver) {
        const int peer =
            passed_on ? part.to_ranks[Rank(transfer.from - problem.senders())] : part.from_ranks[Rank(transfer.from)];
        (void)add(false, peer, receives.add(false, Rank(process), peer, offset, transfer.size));
        landed.assign(transfer.offset, end, static_cast<std::uint32_t>(ends.size() - 1));
      }
    }
    ++own.steps;
  }
  for (End& each : ends) {
    if (each.passed_on) each.where.store += static_cast<std::int32_t>(sends.direct());
    std::ranges::sort(each.before);
    each.before.erase(std::unique(each.before.begin(), each.before.end()), each.before.end());
    (void)own.part.add(each.own, each.where, each.before);
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
