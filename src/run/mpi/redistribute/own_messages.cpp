#include "run/mpi/redistribute/own_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "run/mpi/engine/chain_order.hpp"
#include "run/mpi/network/links_of_ranks.hpp"
#include "run/mpi/ways/choice.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/batch.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostIfAskedFor = 1 << 20;

std::vector<BatchArray> batch_arrays(const std::vector<Participation>& parts) {
  std::vector<BatchArray> result;
  const auto numbers = [](const GridRanks& ranks) {
    return std::vector<std::int64_t>(ranks.given().begin(), ranks.given().end());
  };
  for (const Participation& part : parts) {
    // If there are several copies, the ranks of one.
    if (part.replicated)
      result.push_back({part.problem, part.element_size, {}, {}});
    else
      result.push_back({part.problem, part.element_size, numbers(part.from_ranks), numbers(part.to_ranks)});
  }
  return result;
}

/// The messages that `part`, this rank's, sends or, unless `sends`, receives.
std::vector<Message> messages_of(const Participation& part, bool sends) {
  const std::int64_t process = sends ? part.sender : part.receiver;
  if (process < 0 || part.problem.size() == 0) return {};
  return sends ? part.problem.sends(Rank(process)) : part.problem.receives(Rank(process));
}

const GridRanks& other_ranks(const Participation& part, bool sends) { return sends ? part.to_ranks : part.from_ranks; }

/// The messages of all arrays with each rank, merged.
OwnMessages merged(const JobArrays& arrays, int own, bool sends) {
  MergedMessages result(arrays.parts.size());
  for (std::size_t a = 0; a < arrays.parts.size(); ++a) {
    const Participation& part = arrays.parts[a];
    const std::vector<Message> messages = messages_of(part, sends);
    result.reserve(a, messages.size());
    for (const Message& each : messages) {
      const Rank process(sends ? each.to : each.from);
      const int rank = other_ranks(part, sends)[process];
      if (rank != own) (void)result.add(a, process, rank, each.size * part.element_size);
    }
  }
  return result.take();
}

std::unordered_map<int, std::size_t> numbers_by_rank(const OwnMessages& messages) {
  std::unordered_map<int, std::size_t> result;
  for (std::size_t m = 0; m < messages.messages.size(); ++m) result.emplace(messages.messages[m].peer, m);
  return result;
}

/// Adds the transfer of a whole message.
void add_whole(OwnPart& transfers, const OwnMessages& messages, bool sends, std::size_t number, std::int64_t step) {
  const auto& [peer, bytes] = messages.messages[number];
  OwnPart::Own end;
  end.peer = peer;
  end.sends = sends;
  end.step = static_cast<std::int32_t>(step);
  (void)transfers.add(end, OwnPart::Range{0, bytes, false, static_cast<std::int32_t>(number)});
}

/// The messages of `plan`, the plan of the pattern, with what all arrays that are like it have for the same processes.
/// `sends`: messages to the processes of the target grid, otherwise messages from processes of the source grid. If the
/// plan is for the whole box, messages are cut to the part that moves. Adds their transfers.
OwnMessages whole_messages(const RedistributionPlan& plan, const JobArrays& arrays, int own, bool sends,
                           OwnPart& transfers) {
  const Participation& pattern = *arrays.pattern();
  const Rank process(sends ? pattern.sender : pattern.receiver);
  if (process.value < 0) return MergedMessages(arrays.parts.size()).take();
  const auto count_of = [&](const Participation& part, Rank peer) {
    return sends ? part.problem.count(process, peer) : part.problem.count(peer, process);
  };
  const bool cut = pattern.problem.has_part() && !plan.problem().has_part();
  MergedMessages messages(arrays.parts.size());
  std::vector<std::pair<std::size_t, std::int64_t>> steps;  // of messages
  for (const PlannedMessage& message : sends ? plan.sends(process) : plan.receives(process)) {
    const int rank = other_ranks(pattern, sends)[message.peer];
    if (rank == own) continue;
    const std::int64_t count = cut ? count_of(pattern, message.peer) : message.count;
    if (count == 0) continue;
    std::size_t number = 0;
    for (std::size_t a = 0; a < arrays.parts.size(); ++a) {
      const Participation& part = arrays.parts[a];
      if (&part != &pattern && part.problem.size() == 0) continue;
      const std::int64_t of_array = &part == &pattern ? count : count_of(part, message.peer);
      number = messages.add(a, message.peer, rank, of_array * part.element_size);
    }
    steps.emplace_back(number, message.step);
  }
  OwnMessages result = messages.take();
  for (const auto& [number, step] : steps) add_whole(transfers, result, sends, number, step);
  return result;
}

/// A schedule among ranks that may cut messages, in units of the arrays. It is one of three: the schedule of the
/// exchange algorithm that was asked for, one for `links` between `ranks` ranks, or a schedule found that costs less
/// than `whole`. `whole` is in bytes.
std::optional<StepSchedule> cut_schedule(const JobArrays& arrays, const Cost& whole,
                                         const RedistributionJobOptions& options, const SharedLinks* links, int ranks) {
  const bool asked_for = options.algorithm != "auto";
  if (!asked_for && !has_few_pairs(arrays)) return std::nullopt;
  if (asked_for && arrays.batch.count_messages(kMostIfAskedFor) > kMostIfAskedFor)
    throw InputError("algorithm", fmt::format("more than {} messages for '{}'", kMostIfAskedFor, options.algorithm),
                     "less, or an algorithm of redistribute");
  const auto unit = static_cast<double>(arrays.unit);
  const double setup_bytes = std::max(options.setup, kLeastSetupOfRedistribution);
  ExchangeProblem exchange{arrays.batch.traffic_between_processes(),
                           std::min(arrays.batch.senders(), arrays.batch.receivers()), setup_bytes / unit};
  for (Message& message : exchange.traffic.messages) message.size /= arrays.unit;
  if (exchange.traffic.messages.empty()) return std::nullopt;
  sluice::ExchangeOptions how;
  how.algorithm = options.algorithm;
  how.effort = exchange_effort(search_effort(options));
  if (links != nullptr) {
    exchange.traffic.senders = exchange.traffic.receivers = ranks;
    SharedLinks in_units = *links;
    in_units.transfer_setup /= unit;
    return plan_over_links(exchange, in_units, how).schedule;
  }
  StepSchedule schedule = plan_exchange(exchange, how).schedule;
  const double whole_total = static_cast<double>(whole.transmission) + setup_bytes * static_cast<double>(whole.steps);
  if (!asked_for && cost(schedule).total * unit >= whole_total) return std::nullopt;
  return schedule;
}

/// The rank's part of a schedule among ranks, of pieces that are multiples of `unit`, that goes over `links`.
OwnSteps steps_of(const StepSchedule& schedule, const JobArrays& arrays, int own, std::int64_t unit,
                  std::span<const SharedLink> links = {}) {
  OwnSteps result;
  result.sends = merged(arrays, own, true);
  result.receives = merged(arrays, own, false);
  const auto number_to = numbers_by_rank(result.sends);
  const auto number_from = numbers_by_rank(result.receives);
  const OwnPart part = sluice::detail::cut_for(schedule, own, waits_in_chain(schedule, 0, links));
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    const OwnPart::Own& end = part.ends[i];
    OwnPart::Range range = part.ranges[i].front();
    range.begin *= unit;
    range.count *= unit;
    range.store = static_cast<std::int32_t>((end.sends ? number_to : number_from).at(end.peer));
    (void)result.part.add(end, range);
  }
  result.part.permits = part.permits;
  result.part.grants = part.grants;
  double bytes = 0;
  std::size_t count = 0;
  for (const Step& step : schedule.steps) {
    for (const Transfer& each : step.transfers) bytes += static_cast<double>(each.size * unit);
    count += step.transfers.size();
  }
  result.steps = static_cast<std::int64_t>(schedule.steps.size());
  result.mean_bytes = count > 0 ? bytes / static_cast<double>(count) : 0;
  return result;
}

/// Whole messages of arrays that are not alike.
StepSchedule merged_schedule(const JobArrays& arrays, const RedistributionJobOptions& options) {
  if (arrays.batch.count_messages(kMostIfAskedFor) > kMostIfAskedFor)
    throw InputError("arrays", fmt::format("more than {} messages of arrays that are not alike", kMostIfAskedFor),
                     "less, or arrays of the same layouts and shape");
  if (options.algorithm != "auto" && options.algorithm != "stepwise" && options.algorithm != "greedy")
    throw InputError("algorithm", fmt::format("'{}' for arrays that are not alike", options.algorithm),
                     "auto, stepwise, greedy, or one of exchange");
  BatchOptions how;
  how.algorithm = options.algorithm;
  how.setup = options.setup;
  how.whole_messages = true;
  how.effort = search_effort(options);
  return plan_batch(arrays.batch, how).schedule;
}

/// `way`, and how many arrays go by it.
std::string named(const JobArrays& arrays, std::string way) {
  if (arrays.parts.size() == 1) return way;
  return fmt::format("{}{}, {}", count_text(arrays.parts.size(), "array"), arrays.pattern() != nullptr ? " as one" : "",
                     way);
}

}  // namespace

std::int64_t OwnMessages::bytes() const {
  std::int64_t sum = 0;
  for (const Whole& message : messages) sum += message.bytes;
  return sum;
}

void MergedMessages::reserve(std::size_t array, std::size_t messages) {
  processes_[array].reserve(messages);
  messages_.reserve(std::max(messages_.capacity(), messages));
  added_.reserve(added_.size() + messages);
}

std::size_t MergedMessages::add(std::size_t array, Rank process, int rank, std::int64_t bytes) {
  std::size_t number = messages_.size();
  if (processes_.size() > 1) number = number_of_rank_.try_emplace(rank, number).first->second;
  if (number == messages_.size()) messages_.push_back({rank, 0});
  messages_[number].bytes += bytes;
  added_.push_back({number, {array, processes_[array].size(), 0, bytes}});
  processes_[array].push_back(process);
  return number;
}

OwnMessages MergedMessages::take() {
  if (processes_.size() > 1)
    std::ranges::stable_sort(added_, {}, [](const Added& each) { return std::pair(each.message, each.piece.array); });
  OwnMessages result;
  result.first_piece.reserve(messages_.size() + 1);
  result.pieces.reserve(added_.size());
  result.messages = std::move(messages_);
  result.processes = std::move(processes_);
  for (Added& each : added_) {
    if (each.message == result.first_piece.size()) {
      result.first_piece.push_back(result.pieces.size());
    } else {
      each.piece.begin = result.pieces.back().begin + result.pieces.back().bytes;
    }
    result.pieces.push_back(each.piece);
  }
  result.first_piece.push_back(result.pieces.size());
  return result;
}

JobArrays::JobArrays(std::vector<Participation> participations)
    : parts(std::move(participations)), batch(batch_arrays(parts), /*same_processes=*/true), unit(0) {
  for (const Participation& part : parts) unit = std::gcd(unit, part.element_size);
}

double JobArrays::bytes_of_element() const {
  const Participation& one = *pattern();
  return one.problem.size() == 0 ? static_cast<double>(one.element_size)
                                 : static_cast<double>(batch.size_bytes()) / static_cast<double>(one.problem.size());
}

std::int64_t JobArrays::largest_part() const {
  std::int64_t bytes = 0;
  for (const Participation& part : parts) bytes += part.largest_part();  // at most the sum over all arrays
  return bytes;
}

bool has_few_pairs(const JobArrays& arrays) {
  return std::ranges::all_of(arrays.parts, [](const Participation& part) {
    const std::int64_t senders = part.problem.from().processes(), receivers = part.problem.to().processes();
    if (receivers == 0) return false;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t pairs = senders > kMost / receivers ? kMost : senders * receivers;
    return choose({JobKind::kRedistribution, Question::kCut, Where::kAnywhere, pairs}).by == By::kCut;
  });
}

bool is_of_exchange(const std::string& algorithm) {
  return has_algorithm("exchange", algorithm) && !has_algorithm("redistribute", algorithm);
}

OwnSteps own_steps(const JobArrays& arrays, int rank, const RedistributionPlan* plan,
                   const RedistributionJobOptions& options, bool ports_are_short, const SharedLinks* links, int ranks) {
  if (links != nullptr && !are_shared_by_some(*links, arrays.batch.traffic_between_processes(), nearly_all()))
    links = nullptr;
  const bool may_cut = is_of_exchange(options.algorithm) || (ports_are_short && options.algorithm == "auto");
  std::optional<StepSchedule> whole;
  if (plan == nullptr && !is_of_exchange(options.algorithm)) whole = merged_schedule(arrays, options);
  Cost whole_cost;
  if (may_cut && options.algorithm == "auto") {
    whole_cost = whole ? cost(*whole) : Cost{};
    if (plan != nullptr && has_few_pairs(arrays)) {
      whole_cost = plan->cost();
      whole_cost.transmission =
          static_cast<std::int64_t>(static_cast<double>(whole_cost.transmission) * arrays.bytes_of_element());
    }
  }
  OwnSteps own;
  const std::optional<StepSchedule> cut =
      may_cut ? cut_schedule(arrays, whole_cost, options, links, ranks) : std::nullopt;
  if (cut) {
    own = steps_of(*cut, arrays, rank, arrays.unit, links != nullptr ? links->links : std::vector<SharedLink>{});
    own.way = "messages cut by " + (options.algorithm == "auto" ? std::string("exchange") : cut->algorithm);
    if (links != nullptr) own.way = "by shared links";
  } else if (plan == nullptr) {
    // Without either nothing goes from one rank to another.
    own = steps_of(whole ? *whole : StepSchedule{}, arrays, rank, 1);
    own.way = whole ? whole->algorithm : options.algorithm;
  } else {
    own.steps = plan->steps();
    own.sends = whole_messages(*plan, arrays, rank, /*sends=*/true, own.part);
    own.receives = whole_messages(*plan, arrays, rank, /*sends=*/false, own.part);
    own.way = plan->algorithm();
  }
  if (plan != nullptr) {
    const RedistributionProblem& problem = plan->problem();
    const double messages = static_cast<double>(std::min(problem.from().processes(), problem.to().processes())) *
                            static_cast<double>(plan->steps());  // at most
    own.mean_bytes = messages > 0 ? static_cast<double>(arrays.batch.size_bytes()) / messages : 0;
  }
  own.way = named(arrays, own.way);
  return own;
}

OwnSteps steps_at_once(const JobArrays& arrays, int rank, int size) {
  OwnSteps own;
  own.way = named(arrays, "all at once");
  const auto by_distance = [&](bool sends) {
    OwnMessages result = merged(arrays, rank, sends);
    std::vector<std::pair<int, std::size_t>> order;
    for (std::size_t m = 0; m < result.messages.size(); ++m) {
      const int peer = result.messages[m].peer;
      order.emplace_back(((sends ? peer - rank : rank - peer) + size) % size, m);  // the distance is equal at both ends
    }
    std::ranges::sort(order);
    for (const auto& [distance, message] : order) add_whole(own.part, result, sends, message, distance);
    return result;
  };
  own.sends = by_distance(/*sends=*/true);
  own.receives = by_distance(/*sends=*/false);
  double messages = 0;  // at most
  for (const Participation& part : arrays.parts) messages += most_messages(part.problem);
  if (messages > 0) own.mean_bytes = static_cast<double>(arrays.batch.size_bytes()) / messages;
  return own;
}

}  // namespace sluice::mpi::detail
