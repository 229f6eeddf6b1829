#include "run/mpi/exchange/exchange_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "run/mpi/engine/chain_order.hpp"
#include "run/mpi/exchange/message_sources.hpp"
#include "run/mpi/exchange/node_ranks.hpp"
#include "run/mpi/exchange/split_phases.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/links_of_ranks.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/aggregation.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// See planned_part.
constexpr auto kExchangeFields = [](auto& numbers, ExchangePart& part) {
  numbers(part.mode, part.steps, part.max_transfers, part.by_links, part.rule, part.planning_bytes);
  numbers.each(part.receives, [&](MessageSize& m) { numbers(m.peer, m.bytes); });
  ExchangePart::Routed& routed = part.routed;
  numbers(routed.is, routed.moves_own, routed.shares_memory, routed.held_bytes, routed.steps);
  fields(numbers, part.own);
};

/// The least set-up of a step, in bytes, if ports are short. With 16 KiB, exchanges of messages of very different sizes
/// take 3 to 5 % longer.
constexpr double kLeastSetupOfExchange = 32 << 10;

/// Messages as they are gathered, by sender: pairs of peer and bytes.
using Rows = std::vector<std::vector<std::int64_t>>;

/// The most that a rank sends or receives, no more than half of what counts.
std::int64_t most_of_a_rank(const Rows& rows) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<std::int64_t> sent(rows.size(), 0);
  std::vector<std::int64_t> received(rows.size(), 0);
  for (std::size_t from = 0; from < rows.size(); ++from) {
    for (std::size_t at = 0; at < rows[from].size(); at += 2) {
      const std::int64_t bytes = std::min(rows[from][at + 1], kMost);
      for (std::int64_t* const sum : {&sent[from], &received[static_cast<std::size_t>(rows[from][at])]})
        *sum = std::min(*sum + bytes, kMost);
    }
  }
  return rows.empty() ? 0 : std::max(std::ranges::max(sent), std::ranges::max(received));
}

/// Whether it is worth knowing the network.
bool is_long(const Rows& rows) {
  return choose({JobKind::kExchange, Question::kMeasure, Where::kHosts, most_of_a_rank(rows)}).by == By::kMeasured;
}

/// k, if nearly all bytes go between two groups of hosts and the link between these carries fewer transfers at once
/// than either has hosts. 0 otherwise: no link limits, or many messages stay inside groups and should not wait for a
/// link.
std::int64_t k_of_network(const Rows& rows, const HostNetwork& network) {
  if (network.hosts() < static_cast<std::int64_t>(rows.size())) return 0;
  const std::vector<std::size_t> groups = network.groups_of_hosts();
  const auto group_of = [&](std::int64_t rank) {
    return groups[static_cast<std::size_t>(network.host_of_rank[static_cast<std::size_t>(rank)])];
  };
  std::map<std::pair<std::size_t, std::size_t>, double> bytes;
  double all = 0;
  for (std::size_t from = 0; from < rows.size(); ++from) {
    for (std::size_t at = 0; at < rows[from].size(); at += 2) {
      const auto size = static_cast<double>(rows[from][at + 1]);
      bytes[{group_of(static_cast<std::int64_t>(from)), group_of(rows[from][at])}] += size;
      all += size;
    }
  }
  for (const GroupLink& link : network.links) {
    const double there = bytes[{link.from, link.to}];
    const double back = bytes[{link.to, link.from}];
    if (there + back < nearly_all() * all) continue;
    const bool one_way = std::max(there, back) >= nearly_all() * all;
    return one_way ? link.connections : 2 * link.connections;
  }
  return 0;
}

/// What a measured network says of the messages.
struct KnownNetwork {
  std::int64_t max_transfers = 0;  ///< 0: nothing limits all messages together
  SharedLinks links = {};          ///< links that some messages share, if max_transfers is 0
};

/// What ranks have for each other, in the form for planning.
struct RankTraffic {
  Traffic all;
  std::optional<NodeRanks> nodes;  ///< of a schedule that is given, or with local links
  std::int64_t ports = 0;          ///< transfers at once that the ports allow
};

/// From all rows.
RankTraffic traffic_of(const Rows& rows, const ExchangeOptions& options) {
  const auto ranks = static_cast<std::int64_t>(rows.size());
  RankTraffic result{{ranks, ranks, {}}, {}, 0};
  for (std::int64_t from = 0; from < ranks; ++from) {
    const std::vector<std::int64_t>& row = rows[static_cast<std::size_t>(from)];
    for (std::size_t at = 0; at < row.size(); at += 2) result.all.messages.push_back({from, row[at], row[at + 1]});
  }
  if (options.local_links || options.schedule) {
    result.nodes.emplace(result.all, options);
    result.ports = std::min(result.nodes->senders(), result.nodes->receivers());
    return result;
  }
  std::vector<bool> sends(rows.size(), false);
  std::vector<bool> receives(rows.size(), false);
  for (const Message& message : result.all.messages) {
    if (message.from == message.to) continue;
    sends[static_cast<std::size_t>(message.from)] = true;
    receives[static_cast<std::size_t>(message.to)] = true;
  }
  result.ports = std::min(std::ranges::count(sends, true), std::ranges::count(receives, true));
  return result;
}

/// A plan between ranks, or the given one, with k transfers at once. `links`: if it is to respect them.
StepSchedule schedule_of(const RankTraffic& traffic, const ExchangeOptions& options, std::int64_t k, double setup,
                         const SharedLinks* links) {
  if (options.schedule) return given_schedule(traffic.all, options);
  sluice::ExchangeOptions how;
  how.algorithm = options.algorithm;
  how.effort = options.effort;
  how.time_limit_s = options.time_limit_s;
  if (options.local_links) {
    const ExchangeProblem problem{traffic.nodes->between_nodes(traffic.all), k, setup};
    return traffic.nodes->between_ranks(plan_with_local_links(problem, *options.local_links, how).exchange.schedule);
  }
  if (links != nullptr) return plan_over_links({traffic.all, k, setup}, *links, how).schedule;
  NetworkSpeeds speeds = options.speeds;
  for (BackboneChange& change : speeds.backbone) change.max_transfers = std::min(change.max_transfers, k);
  return plan_exchange({traffic.all, k, setup, 1, std::move(speeds)}, how).schedule;
}

template <class Item>
std::int64_t bytes_of(const std::vector<Item>& items) {
  return static_cast<std::int64_t>(items.size() * sizeof(Item));
}

std::int64_t bytes_of(const StepSchedule& schedule) {
  std::int64_t bytes = 0;
  for (const Step& step : schedule.steps) bytes += bytes_of(step.transfers);
  return bytes;
}

/// The mode of a rule.
ExchangeMode mode_of(const Rule& rule) {
  switch (rule.by) {
    case By::kAtOnce:
      return ExchangeMode::kAtOnce;
    case By::kLocal:
      return ExchangeMode::kLocal;
    default:
      return ExchangeMode::kChain;
  }
}

std::vector<ExchangePart> split(const StepSchedule& schedule, int ranks,
                                const sluice::detail::Lists<std::uint32_t>& waits) {
  std::vector<ExchangePart> parts;
  for (OwnPart& own : sluice::detail::cut(schedule, ranks, waits)) {
    ExchangePart& part = parts.emplace_back();
    part.steps = static_cast<std::int64_t>(schedule.steps.size());
    part.own = std::move(own);
  }
  return parts;
}

/// All parts, from all rows. The first part says what was held for all.
std::vector<ExchangePart> plan_parts(const Rows& rows, const ExchangeOptions& options, Where where,
                                     const KnownNetwork& known) {
  const auto ranks = static_cast<int>(rows.size());
  const RankTraffic traffic = traffic_of(rows, options);
  std::int64_t held = bytes_of(traffic.all.messages);
  const bool routed = options.local_links || options.schedule;
  const bool changes = !options.speeds.backbone.empty();
  std::int64_t most = options.max_transfers > 0 ? options.max_transfers : known.max_transfers;
  if (changes) most = options.speeds.most_transfers();
  if (options.schedule) most = options.schedule->max_transfers;
  const bool k_limits = most > 0 && most < traffic.ports;
  const std::int64_t k = std::max<std::int64_t>(1, k_limits ? most : traffic.ports);
  ExchangeMode mode = options.mode;
  std::int32_t number = kNoRule;
  if (mode == ExchangeMode::kAuto) {
    const Where limits = when(k_limits || !options.speeds.empty(), Where::kLimited) | when(!routed, Where::kDirect);
    const Rule& rule = choose({JobKind::kExchange, Question::kWay, where | limits, most_of_a_rank(rows), ranks});
    mode = mode_of(rule);
    number = number_of(rule);
  }
  std::vector<ExchangePart> parts(rows.size());
  bool by_links = false;
  if (mode != ExchangeMode::kList && mode != ExchangeMode::kAtOnce) {
    const double setup =
        k_limits || changes ? options.setup_bytes : std::max(options.setup_bytes, kLeastSetupOfExchange);
    by_links = !k_limits && !routed && options.speeds.empty() && options.algorithm == "auto" &&
               are_shared_by_some(known.links, traffic.all, nearly_all());
    const StepSchedule schedule = schedule_of(traffic, options, k, setup, by_links ? &known.links : nullptr);
    held += bytes_of(schedule);
    sluice::detail::Lists<std::uint32_t> waits;
    if (mode == ExchangeMode::kChain)
      waits = waits_in_chain(schedule, k, by_links ? known.links.links : std::vector<SharedLink>{});
    parts = schedule.local_phases ? split_phases(schedule, ranks, waits, mode == ExchangeMode::kBarrier)
                                  : split(schedule, ranks, waits);
    for (ExchangePart& part : parts) part.routed.moves_own = !options.schedule || !schedule.local_phases;
  }
  for (const Message& message : traffic.all.messages) {
    if (message.from == message.to) continue;
    parts[static_cast<std::size_t>(message.to)].receives.push_back({static_cast<int>(message.from), message.size});
  }
  for (ExchangePart& part : parts) {
    part.mode = mode;
    part.max_transfers = k;
    part.by_links = by_links;
    part.rule = number;
    held += bytes_of(part.receives) + sluice::detail::bytes_of(part.own);
  }
  for (const std::vector<std::int64_t>& row : rows) held += bytes_of(row);
  parts.front().planning_bytes = held;
  return parts;
}

}  // namespace

bool goes_at_once(const Channel& channel, const ExchangeOptions& options) {
  if (options.mode == ExchangeMode::kAtOnce) return true;
  const bool no_k = options.max_transfers == 0 || options.max_transfers >= channel.size();
  return options.mode == ExchangeMode::kAuto && channel.context().one_node() && no_k && options.speeds.empty() &&
         !options.local_links && !options.schedule;
}

/// The windows of the carrier limit how many messages are under way, and still cannot block each other, because the
/// distance of the ranks serves as the step.
OwnPart part_at_once(const Channel& channel, const std::vector<MessageSize>& sends,
                     const std::vector<MessageSize>& receives) {
  const int ranks = channel.size(), own = channel.rank();
  std::vector<OwnPart::Own> ends;
  const auto add = [&](const std::vector<MessageSize>& messages, bool out) {
    const std::size_t before = ends.size();
    for (const auto& [peer, bytes] : messages) {
      if (bytes == 0 || peer == own) continue;
      const int distance = ((out ? peer - own : own - peer) + ranks) % ranks;  // the same at both ends
      ends.push_back({peer, out, sluice::detail::MessageKind::kKeep, 0, bytes, distance});
    }
    std::ranges::sort(ends.begin() + static_cast<std::ptrdiff_t>(before), ends.end(), {}, &OwnPart::Own::step);
  };
  add(sends, true);
  add(receives, false);
  OwnPart part;
  for (const OwnPart::Own& end : ends) (void)part.add(end, OwnPart::Range{0, end.count, false, end.peer});
  return part;
}

sluice::detail::UsualPieces usual_pieces(ExchangeMode mode, bool packed) {
  if (mode == ExchangeMode::kLocal) return sluice::detail::usual_pieces_of_local(packed);
  if (mode == ExchangeMode::kAtOnce) return {1 << 30, sluice::detail::kMostWindow, 0};
  return {};
}

ExchangePart plan_together(Channel& channel, const std::vector<MessageSize>& sends,
                           const std::vector<MessageSize>* receives, const ExchangeOptions& options) {
  const bool one_node = channel.context().one_node();
  const Where where = where_of(channel.context());
  ExchangePart part;
  if (goes_at_once(channel, options)) {
    const std::vector<MessageSize> found = receives != nullptr ? *receives : find_sources(channel, sends);
    part.own = part_at_once(channel, sends, found);
    part.mode = ExchangeMode::kAtOnce;
    part.max_transfers = channel.size();
    part.receives = found;
    if (options.mode == ExchangeMode::kAuto)
      part.rule = number_of(choose({JobKind::kExchange, Question::kWay, where | Where::kDirect}));
    return part;
  }
  std::vector<std::int64_t> row;
  for (const MessageSize& message : sends) {
    // A schedule that was given has what a rank keeps, too.
    const bool counts = message.peer != channel.rank() || options.schedule != nullptr;
    if (message.bytes > 0 && counts) row.insert(row.end(), {message.peer, message.bytes});
  }
  const Rows rows = gather_numbers(channel, std::move(row));
  KnownNetwork known;
  if (options.mode == ExchangeMode::kAuto && options.max_transfers == 0 && !one_node && may_measure(channel)) {
    std::int64_t worth = channel.context().network() || is_long(rows) ? 1 : 0;
    tell_all(channel, &worth, sizeof worth, 0);
    if (worth != 0) {
      const std::shared_ptr<const HostNetwork> network = learn_network(channel);
      if (channel.rank() == 0) known.max_transfers = k_of_network(rows, *network);
      if (channel.rank() == 0 && known.max_transfers == 0) known.links = links_of_ranks(*network);
    }
  }
  part = planned_part<ExchangePart>(
      channel, [&] { return plan_parts(rows, options, where, known); }, kExchangeFields,
      /*may_take_long=*/true);
  if (part.mode != ExchangeMode::kAtOnce) return part;
  // Rank 0 has found that k does not limit anything.
  part.own = part_at_once(channel, sends, part.receives);
  return part;
}

}  // namespace sluice::mpi::detail
