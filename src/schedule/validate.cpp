#include "sluice/schedule/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "input/distinct_messages.hpp"
#include "schedule/cover.hpp"
#include "schedule/range_text.hpp"
#include "schedule/replica_pieces.hpp"
#include "schedule/switch_loads.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

using Piece = detail::SchedulePiece;

class Validator {
 public:
  /// `scale`: how many units of the schedule are one unit of time, if its sizes were refined.
  explicit Validator(const StepSchedule& schedule, std::int64_t scale = 1) : schedule_(schedule), scale_(scale) {}

  /// `messages`: distinct ones sorted by (from, to), and their counts of ranks; null to judge the schedule on its own.
  std::vector<Violation> run(const Traffic* traffic, const std::vector<Message>* messages) {
    check_counts(traffic);
    check_speeds();
    check_roles();
    std::size_t transfers = schedule_.copies.size();
    for (const Step& step : schedule_.steps) transfers += step.transfers.size();
    pieces_.reserve(transfers);
    for (std::size_t s = 0; s < schedule_.steps.size(); ++s)
      check_step(static_cast<std::int64_t>(s), schedule_.steps[s]);
    check_copies();
    if (replicas_) {
      for (Violation& fault : replicas_->faults(pieces_, messages, traffic)) violations_.push_back(std::move(fault));
    } else {
      check_messages(messages);
    }
    check_cost();
    return std::move(violations_);
  }

 private:
  template <class... Args>
  void report(std::int64_t step, std::int64_t rank, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({step, rank, fmt::format(reason, std::forward<Args>(args)...)});
  }

  /// For messages: what the user calls it.
  [[nodiscard]] std::string amount(std::int64_t size) const { return detail::size_text(size, schedule_.decimals); }
  [[nodiscard]] std::string units(std::int64_t size) const { return detail::units_text(size, schedule_.decimals); }
  /// The units from `begin` up to `end`: both the first and the last one by its number, unless they are parts of units.
  [[nodiscard]] std::string range(std::int64_t begin, std::int64_t end) const {
    if (schedule_.decimals == 0) return detail::range_text(begin, end - 1);
    return fmt::format("{} to {}", amount(begin), amount(end));
  }

  void check_counts(const Traffic* traffic) {
    const auto at_least_zero = [&](const char* what, std::int64_t count) {
      if (count < 0) report(-1, -1, "{} is {}, must be at least 0", what, count);
    };
    at_least_zero("the number of senders", schedule_.senders);
    at_least_zero("the number of receivers", schedule_.receivers);
    at_least_zero("max_transfers", schedule_.max_transfers);
    // At most as many switches as nodes that have something to do, which planners require: pictures show each of them.
    const bool several = schedule_.problem == "exchange" && !schedule_.local_phases;
    const std::int64_t most = several ? std::max({std::int64_t{1}, schedule_.senders, schedule_.receivers}) : 1;
    if (schedule_.switches < 1)
      report(-1, -1, "the number of switches is {}, must be at least 1", schedule_.switches);
    else if (schedule_.switches > most)
      report(-1, -1, "the number of switches is {}, must be at most {}", schedule_.switches, most);
    if (!detail::has_unit(schedule_.decimals))
      report(-1, -1, "sizes with {}, must be 0 to {}", count_text(schedule_.decimals, "decimal"), kMaxDecimals);
    if (!std::isfinite(schedule_.setup) || schedule_.setup < 0)
      report(-1, -1, "the set-up is {}, must be finite and at least 0", schedule_.setup);
    if (schedule_.input && schedule_.input->has_replicas()) {
      replicas_.emplace(schedule_);
      if (const std::string fault = replicas_->count_fault(traffic); !fault.empty()) {
        report(-1, -1, "{}", fault);
        replicas_->give_up();
      }
      return;
    }
    if (traffic == nullptr) return;
    if (schedule_.senders != traffic->senders)
      report(-1, -1, "{}, the traffic has {}", count_text(schedule_.senders, "sender"), traffic->senders);
    if (schedule_.receivers != traffic->receivers)
      report(-1, -1, "{}, the traffic has {}", count_text(schedule_.receivers, "receiver"), traffic->receivers);
  }

  /// Keeps the speeds, if they are sound.
  void check_speeds() {
    const NetworkSpeeds& speeds = schedule_.speeds;
    if (speeds.empty()) return;
    const std::size_t before = violations_.size();
    if (schedule_.problem != "exchange")
      report(-1, -1, "speeds of a {}, they belong to an exchange", schedule_.problem);
    if (schedule_.switches > 1) report(-1, -1, "speeds cannot be used with {} switches", schedule_.switches);
    if (schedule_.local_phases) report(-1, -1, "speeds cannot be used with local phases");
    if (const auto fault = speeds_fault(speeds, schedule_.senders, schedule_.receivers))
      report(-1, -1, "{}, must be {}", fault->first, fault->second);
    const std::int64_t most = speeds.most_transfers();
    if (!speeds.backbone.empty() && most != schedule_.max_transfers)
      report(-1, -1, "max_transfers is {}, the most of the backbone is {}", schedule_.max_transfers, most);
    if (violations_.size() == before) speeds_ = &speeds;
  }

  /// What a sound transfer takes; nothing if that is beyond int64.
  [[nodiscard]] std::optional<std::int64_t> time_of(const Transfer& transfer) const {
    if (speeds_ == nullptr) return transfer.size;
    const std::int64_t units = transfer.size / scale_ + (transfer.size % scale_ != 0 ? 1 : 0);
    std::optional<std::int64_t> time = transfer_time(units, speeds_->between(transfer.from, transfer.to));
    if (time && __builtin_mul_overflow(*time, scale_, &*time)) time.reset();
    return time;
  }

  /// Checks whether the backbone allows the transfers of step s, which begins when earlier steps have ended.
  void check_backbone(std::int64_t s, const Step& step) {
    if (speeds_ == nullptr || speeds_->backbone.empty() || !begin_) return;
    const double begin = static_cast<double>(*begin_) + schedule_.setup * static_cast<double>(s);
    if (!std::isfinite(begin) || begin < 0) return;  // the set-up or a duration, reported where it stands
    // The tolerance for comparing totals: if the sum is rounded, a change at this distance may come before or after.
    const double rounding = schedule_.setup == std::floor(schedule_.setup) ? 0 : 1e-12;
    const std::int64_t most = std::max(max_transfers_at(speeds_->backbone, begin * (1 - rounding)),
                                       max_transfers_at(speeds_->backbone, begin * (1 + rounding)));
    const auto count = static_cast<std::int64_t>(step.transfers.size());
    if (count > most && count <= schedule_.max_transfers)
      report(s, -1, "{}, the backbone carries {} when the step begins, at {}", count_text(count, "transfer"), most,
             detail::total_text(begin, schedule_.decimals));
    if (__builtin_add_overflow(*begin_, step.duration, &*begin_)) begin_.reset();  // reported with the cost
  }

  /// Keeps the roles, which say the process of each rank, if they are sound.
  void check_roles() {
    if (!schedule_.input || schedule_.input->roles.empty()) return;
    const std::vector<std::int64_t>& roles = schedule_.input->roles;
    const std::size_t before = violations_.size();
    const std::int64_t senders = replicas_ ? replicas_->first_passing() : schedule_.senders;
    if (static_cast<std::int64_t>(roles.size()) < senders)
      report(-1, -1, "roles of {}, there are {}", count_text(roles.size(), "process", "processes"),
             count_text(senders, "sender"));
    ranks_.clear();
    for (std::size_t p = 0; p < roles.size(); ++p) {
      if (roles[p] < 0) report(-1, static_cast<std::int64_t>(p), "process {} has role {}", p, roles[p]);
      if (roles[p] < schedule_.receivers) ranks_.push_back(roles[p]);
    }
    std::sort(ranks_.begin(), ranks_.end());
    const auto twice = std::adjacent_find(ranks_.begin(), ranks_.end());
    if (twice != ranks_.end()) report(-1, *twice, "two processes have the role of receiver {}", *twice);
    if (violations_.size() != before) return;
    roles_ = &roles;
    if (replicas_) replicas_->set_roles(roles);
  }

  /// Whether a sender and a receiver, both in range, are one process.
  [[nodiscard]] bool are_one(std::int64_t from, std::int64_t to) const {
    if (replicas_ && from >= replicas_->first_passing()) return from - replicas_->first_passing() == to;
    return roles_ != nullptr && (*roles_)[static_cast<std::size_t>(from)] == to;
  }

  void check_copies() {
    if (schedule_.copies.empty()) return;
    constexpr std::int64_t kNoStep = -1;
    for (const Transfer& copy : schedule_.copies) {
      if (!check_transfer(kNoStep, copy)) continue;
      if (!are_one(copy.from, copy.to))
        report(kNoStep, copy.from,
               "a copy from sender {} to receiver {}, of which nothing says that they are one process", copy.from,
               copy.to);
      if (copy.offset != 0 && !replicas_)
        report(kNoStep, copy.from, "the copy from sender {} to receiver {} starts at {}: copies are whole messages",
               copy.from, copy.to, amount(copy.offset));
    }
    check_ports(kNoStep, schedule_.copies, &Transfer::from, "sender", "copies");
    check_ports(kNoStep, schedule_.copies, &Transfer::to, "receiver", "copies");
  }

  void check_step(std::int64_t s, const Step& step) {
    if (step.on_switch < 0 || step.on_switch >= std::max<std::int64_t>(schedule_.switches, 1))
      report(s, -1, "switch {} is not one of the {}, counted from 0", step.on_switch, schedule_.switches);
    const auto count = static_cast<std::int64_t>(step.transfers.size());
    if (count > std::max<std::int64_t>(schedule_.max_transfers, 0))
      report(s, -1, "{}, at most {} may run side by side", count_text(count, "transfer"), schedule_.max_transfers);

    check_backbone(s, step);
    std::optional<std::int64_t> longest = 0;
    for (const Transfer& transfer : step.transfers) {
      const bool in_range = check_transfer(s, transfer);
      if (in_range && are_one(transfer.from, transfer.to))
        report(s, transfer.from, "sender {} and receiver {} are one process, its copy needs no step", transfer.from,
               transfer.to);
      const std::optional<std::int64_t> time = in_range && transfer.size > 0 ? time_of(transfer) : transfer.size;
      longest = longest && time ? std::optional(std::max(*longest, *time)) : std::nullopt;
    }
    const auto sending = [&](const Transfer& transfer) {
      return replicas_ ? replicas_->process_that_sends(transfer.from) : transfer.from;
    };
    check_ports(s, step.transfers, sending, "sender", "transfers");
    check_ports(s, step.transfers, &Transfer::to, "receiver", "transfers");
    if (!longest)
      report(s, -1, "duration {}, its longest transfer takes more than 2^63 - 1", amount(step.duration));
    else if (step.duration != *longest)
      report(s, -1, "duration {}, its longest transfer {} {}", amount(step.duration),
             speeds_ == nullptr ? "has" : "takes", speeds_ == nullptr ? units(*longest) : amount(*longest));
  }

  /// Whether sender and receiver are in range.
  bool check_transfer(std::int64_t s, const Transfer& t) {
    bool in_range = true;
    if (t.from < 0 || t.from >= schedule_.senders) {
      report(s, t.from, "sender {} is not one of the {}, counted from 0", t.from, schedule_.senders);
      in_range = false;
    }
    if (t.to < 0 || t.to >= schedule_.receivers) {
      report(s, t.to, "receiver {} is not one of the {}, counted from 0", t.to, schedule_.receivers);
      in_range = false;
    }
    bool sound = true;
    std::int64_t end = 0;
    if (t.size < 1) {
      report(s, t.from, "{} from sender {} to receiver {}, must be at least {}", units(t.size), t.from, t.to,
             amount(1));
      sound = false;
    }
    if (t.offset < 0) {
      report(s, t.from, "offset {} from sender {} to receiver {}, must be at least 0", amount(t.offset), t.from, t.to);
      sound = false;
    } else if (__builtin_add_overflow(t.offset, t.size, &end)) {
      report(s, t.from, "offset {} + size {} from sender {} to receiver {} is beyond 2^63 - 1", amount(t.offset),
             amount(t.size), t.from, t.to);
      sound = false;
    }
    // A rank out of range belongs to no message; its transfer has been reported, there is nothing to cover.
    if (in_range) pieces_.push_back({t.from, t.to, t.offset, sound ? t.size : 0, s});
    return in_range;
  }

  /// `end`: which node of a transfer.
  template <class End>
  void check_ports(std::int64_t s, const std::vector<Transfer>& transfers, End&& end, const char* side,
                   const char* what) {
    if (transfers.size() < 2) return;
    ranks_.clear();
    for (const Transfer& transfer : transfers) ranks_.push_back(std::invoke(end, transfer));
    if (!std::is_sorted(ranks_.begin(), ranks_.end())) std::sort(ranks_.begin(), ranks_.end());
    for (auto first = std::adjacent_find(ranks_.begin(), ranks_.end()); first != ranks_.end();
         first = std::adjacent_find(first, ranks_.end())) {
      const auto last = std::upper_bound(first, ranks_.end(), *first);
      report(s, *first, "{} {} has {} {}", side, *first, last - first, what);
      first = last;
    }
  }

  void check_messages(const std::vector<Message>* messages) {
    const auto key = [](const Piece& p) { return std::tie(p.from, p.to, p.offset, p.step); };
    std::sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) { return key(a) < key(b); });

    // Both lists ascend by (from, to): walk them side by side.
    std::size_t next = 0;
    const auto report_missing_before = [&](const Piece* piece) {
      for (; messages != nullptr && next < messages->size(); ++next) {
        const Message& m = (*messages)[next];
        if (piece != nullptr && std::tie(m.from, m.to) >= std::tie(piece->from, piece->to)) return;
        report(-1, m.from, "the message of {} from sender {} to receiver {} is in no step", units(m.size), m.from,
               m.to);
      }
    };
    for (auto first = pieces_.cbegin(); first != pieces_.cend();) {
      const auto last = std::find_if(first, pieces_.cend(),
                                     [&](const Piece& p) { return p.from != first->from || p.to != first->to; });
      report_missing_before(&*first);
      const bool sound = std::all_of(first, last, [](const Piece& p) { return p.size > 0; });
      if (messages == nullptr) {
        const auto farthest = std::max_element(
            first, last, [](const Piece& a, const Piece& b) { return a.offset + a.size < b.offset + b.size; });
        if (sound) check_cover(first, last, farthest->offset + farthest->size);
      } else if (next < messages->size() && (*messages)[next].from == first->from &&
                 (*messages)[next].to == first->to) {
        if (sound) check_cover(first, last, (*messages)[next].size);
        ++next;
      } else {
        report(first->step, first->from, "the traffic has no message from sender {} to receiver {}", first->from,
               first->to);
      }
      first = last;
    }
    report_missing_before(nullptr);
  }

  /// Whether the pieces [first, last) of one message, sorted by offset, cover [0, size) once.
  void check_cover(std::vector<Piece>::const_iterator first, std::vector<Piece>::const_iterator last,
                   std::int64_t size) {
    const std::int64_t from = first->from;
    const std::int64_t to = first->to;
    detail::check_cover(
        first, last, size,
        [&](const Piece& piece, std::int64_t begin, std::int64_t end) {
          report(piece.step, from, "units {} from sender {} to receiver {} are beyond the message of {}",
                 range(begin, end), from, to, units(size));
        },
        [&](std::int64_t begin, std::int64_t end) {
          report(-1, from, "units {} of the message from sender {} to receiver {} are in no step", range(begin, end),
                 from, to);
        },
        [&](const Piece& piece, std::int64_t begin, std::int64_t end) {
          report(piece.step, from, "units {} of the message from sender {} to receiver {} were sent already",
                 range(begin, end), from, to);
        });
  }

  void check_cost() {
    const Cost& bound = schedule_.bound;
    const auto [steps, transmission, total] = detail::largest_loads(schedule_);
    const char* const whose = schedule_.switches > 1 ? "no switch has more than" : "the schedule has";
    if (bound.steps > steps) report(-1, -1, "the bound is {}, {} {}", count_text(bound.steps, "step"), whose, steps);
    if (!transmission) {
      report(-1, -1, "the durations add up to a value beyond 2^63 - 1");
      return;
    }
    if (bound.transmission > *transmission)
      report(-1, -1, "the bound on the transmission is {}, {} {}", amount(bound.transmission), whose,
             amount(*transmission));
    if (!std::isfinite(schedule_.setup)) return;  // reported with the counts; there is no total
    if (detail::exceeds(bound.total, total))
      report(-1, -1, "the bound on the total is {}, the schedule costs {}",
             detail::total_text(bound.total, schedule_.decimals), detail::total_text(total, schedule_.decimals));
  }

  const StepSchedule& schedule_;
  std::int64_t scale_;
  const NetworkSpeeds* speeds_ = nullptr;  // sound ones
  /// The begin of the next step: the sum of all steps so far; nothing if it overflows.
  std::optional<std::int64_t> begin_ = 0;
  const std::vector<std::int64_t>* roles_ = nullptr;  // sound ones: of every sender
  std::optional<detail::ReplicaPieces> replicas_;     // if arrays are replicated
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> ranks_;  // of one step, kept to reuse its memory
  std::vector<Violation> violations_;
};

/// `schedule` with `more` more decimals; nothing if it does not fit.
std::optional<StepSchedule> refined(StepSchedule schedule, std::int32_t more) {
  bool fits = detail::multiply(schedule.bound.transmission, more);
  for (Step& step : schedule.steps) {
    fits = fits && detail::multiply(step.duration, more);
    for (Transfer& t : step.transfers)
      fits = fits && detail::multiply(t.offset, more) && detail::multiply(t.size, more);
  }
  for (Transfer& copy : schedule.copies)
    fits = fits && detail::multiply(copy.offset, more) && detail::multiply(copy.size, more);
  if (!fits) return {};
  schedule.setup = move_decimal_point(schedule.setup, more);
  schedule.bound.total = move_decimal_point(schedule.bound.total, more);
  for (BackboneChange& change : schedule.speeds.backbone) change.time = move_decimal_point(change.time, more);
  schedule.decimals += more;
  return schedule;
}

/// Like validate(schedule, traffic), for sizes in different units.
std::vector<Violation> validate_in_common_unit(const StepSchedule& schedule, const Traffic& traffic,
                                               std::vector<Message> messages) {
  const std::int32_t more = schedule.decimals - traffic.decimals;
  if (more < 0) {
    if (const auto refined_schedule = refined(schedule, -more))
      return Validator(*refined_schedule, power_of_ten(-more)).run(&traffic, &messages);
    return {{-1, -1,
             fmt::format("its sizes do not fit the traffic's unit of {}", count_text(traffic.decimals, "decimal"))}};
  }
  for (Message& message : messages) {
    const std::int64_t size = message.size;
    if (!detail::multiply(message.size, more))
      return {{-1, message.from,
               fmt::format("the message of {} from sender {} to receiver {} does not fit the schedule's unit of {}",
                           detail::units_text(size, traffic.decimals), message.from, message.to,
                           count_text(schedule.decimals, "decimal"))}};
  }
  return Validator(schedule).run(&traffic, &messages);
}

}  // namespace

std::string to_string(const Violation& violation) {
  return violation.step < 0 ? violation.reason : fmt::format("step {}: {}", violation.step, violation.reason);
}

std::vector<Violation> validate(const StepSchedule& schedule) { return Validator(schedule).run(nullptr, nullptr); }

std::vector<Violation> validate(const StepSchedule& schedule, const Traffic& traffic) {
  if (!detail::has_unit(traffic.decimals))
    throw InputError("traffic", fmt::format("sizes with {} decimals", traffic.decimals),
                     fmt::format("0 to {}", kMaxDecimals));
  std::vector<Message> messages = detail::distinct_messages(traffic);
  if (schedule.decimals != traffic.decimals && detail::has_unit(schedule.decimals))
    return validate_in_common_unit(schedule, traffic, std::move(messages));
  return Validator(schedule).run(&traffic, &messages);
}

}  // namespace sluice
