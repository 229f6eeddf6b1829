#pragma once

#include <cstdint>
#include <string>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// Computes the cost of a schedule of steps, and lower bounds for all schedules of the same traffic.
///
/// Bounds see the traffic as a bipartite graph: one node per sender, one node per receiver, and one edge per message,
/// whose weight is the size. Messages between one pair add up to one edge; a message of size 0 has no edge. Two edges
/// at one node never share a step (one port), and a step holds at most k = `max_transfers` edges.
///
/// Both bounds take O(m log m) time and O(m) memory for m messages, whatever the number of nodes.
///
/// Worked example, with k = 2 and set-up 1:
///
///                receiver 0   receiver 1   receiver 2
///     sender 0       3            1            -
///     sender 1       -            2            2
///
/// lower_bound is {steps 2, transmission 4, total 6}: three steps of 1, 2 and 1 send it in 4 if they cut the 3 and a 2.
/// whole_message_bound is {2, 5, 7}: without cuts, the step with the 3 and the other step of sender 1 last 3 + 2.
namespace sluice {

/// Returns the cost of a number of steps and their transmission: total = transmission + setup * steps.
[[nodiscard]] Cost priced(std::int64_t steps, std::int64_t transmission, double setup);

/// Limits the set-up cost that planners take: their sums and products stay far below the largest double.
inline constexpr double kLargestSetup = 1e100;

/// Throws InputError naming `where` unless `setup`, in units of 10^-decimals, is from 0 to kLargestSetup.
void check_setup(double setup, const std::string& where = "setup", std::int32_t decimals = 0);

/// Returns the cost of `schedule` as it is written: the number of its steps, the sum of the durations that it states,
/// and total = transmission + setup * steps. On several switches each value is the largest of any switch; the largest
/// total is the time when the last switch ends. Does not check the schedule: see validate.hpp.
///
/// Throws InputError if the durations add up to more than an int64 holds.
[[nodiscard]] Cost cost(const StepSchedule& schedule);

/// Returns a lower bound on each of the three values alone, for all schedules of `traffic`, even if they cut messages.
///
///  - `max_transfers`: k, at least 1 if there is anything to send, otherwise at least 0
///  - `setup`: finite and at least 0
///
/// The bounds are:
///
///  - steps >= max(Delta, ceil(m / k)): the edges at the node of largest degree Delta need a step each, and m edges, at
///    k a step, need ceil(m / k). Cutting a message never reduces the steps.
///  - transmission >= max(W, ceil(P / k)): the node with the largest load W is busy for W units of time, one transfer
///    at a time; and P units in total move at most k at a time. Durations are integers, so P / k is rounded up.
///  - total = transmission + setup * steps of these two, because no schedule is below either.
///
/// In the example: Delta = 2 and m / k = 2; W = 4 (either sender) and P / k = 4.
///
/// Source: Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution between Clusters",
/// Proposition 1 (eta_s, eta_d and their sum), with set-up 1. Some schedule reaches each of the first two values; a
/// schedule that reaches both at once need not exist.
///
/// Throws InputError for arguments, indices and sizes out of range, and if a sum does not fit an int64.
[[nodiscard]] Cost lower_bound(const Traffic& traffic, std::int64_t max_transfers, double setup);

/// Returns the lower bound for `switches` switches that follows from `of_one`, a lower bound for one switch; each of
/// the three values holds alone.
///
/// Take a schedule on S switches whose switch h has N_h steps, of T_h in total. One switch can go through all of these
/// steps, one after another. So the N_h add up to at least of_one.steps, the T_h to at least of_one.transmission, and
/// the totals T_h + setup N_h to at least of_one.total. The largest of S numbers is at least their sum over S, so
///
///  - steps >= ceil(of_one.steps / S) and transmission >= ceil(of_one.transmission / S), because both are integers;
///  - total >= of_one.total / S, rounded up if the set-up, and so every total, is whole;
///  - total >= setup + ceil(of_one.transmission / S): the switch that transmits the most needs a set-up for it;
///  - total >= (setup + 1) ceil(of_one.steps / S): a step lasts at least 1.
///
/// The first bound on the total is the largest if there are many steps, the others if there are fewer steps than
/// switches. @pre switches >= 1
[[nodiscard]] Cost bound_on_switches(const Cost& of_one, double setup, std::int64_t switches);

/// Returns a lower bound on each of the three values alone, for schedules that send every message in one piece. No
/// value is below the value of lower_bound.
///
///  - steps as in lower_bound.
///  - transmission >= sum over i >= 1 of max(max over nodes v of w_v(i), w((i - 1) k + 1)). Here w_v(i) is the i-th
///    largest message at node v and w(j) the j-th largest of all messages, both 0 beyond the last.
///  - total = transmission + setup * steps of these two.
///
/// Why: let T_1 >= T_2 >= ... be the durations of a schedule, sorted. The i largest messages at v are in i different
/// steps, and each of these lasts w_v(i) or longer, so T_i >= w_v(i). The (i - 1) k + 1 largest messages do not fit
/// into i - 1 steps. So at least i steps hold one of them, and T_i >= w((i - 1) k + 1). The sum of the larger of the
/// two over i is the bound.
///
/// A further maximum with W or ceil(P / k) changes nothing. The w_v(i) of one node add up to its load. k w((i - 1) k +
/// 1) is at least the sum of the k messages from that one on, so these terms alone add up to P / k or more.
///
/// In the example: i = 1 gives 3 (receiver 0), i = 2 gives max(w_v(2) = 2 of sender 1, w(3) = 2) = 2, together 5.
///
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert, "Scheduling Block-Cyclic Array Redistribution" (1997):
/// Delta bounds the number of steps (their NS). How low the durations (their TC) can be beside it is open there. The
/// sorted sum over nodes and the terms for k are ours.
///
/// Arguments and errors are as for lower_bound.
[[nodiscard]] Cost whole_message_bound(const Traffic& traffic, std::int64_t max_transfers, double setup);

}  // namespace sluice
