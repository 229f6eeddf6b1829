#pragma once

#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

/// Says how much is proven of the bound that a schedule file states.
struct BoundVerdict {
  std::vector<Violation> faults;  ///< parts of the bound that its certificate does not prove
  /// One line on what was verified and what was not, such as "bound 410 verified (lp)"; empty if there are faults.
  std::string text;
};

/// Verifies the bound of a schedule of `traffic` that may cut messages (problem "exchange", or "redistribute" planned
/// by an algorithm of exchange).
///
/// Problem: does no schedule cost less than the file states, in each of the three values alone?
/// Method, steps and transmission: the node that the certificate names, or all nodes, must have as many messages, or as
/// much to send, as the bound states. This takes a single pass. Without a certificate: lower_bound.
/// Method, total. The first of these that is enough:
///
///  1. setup * steps + transmission of lower_bound;
///  2. the messages that must be split, counted again (src/plan/exchange/bounds/split_bound.hpp);
///  3. prices of nodes: what all nodes pay for a step of each duration over its cost, and the least that each message
///     pays (src/plan/exchange/bounds/node_prices.cpp);
///  4. prices of messages: divided by the largest worth over cost of any step, they solve the dual of the linear
///     program over steps. For every duration that counts (1 and the sizes) a cover of the messages by prices of the
///     nodes proves what a step can be worth. The cover is taken over from one duration to the next; if it is not
///     enough, a heaviest matching solves it again. An error in a matching cannot make a wrong bound pass, because only
///     the covers count.
///
/// On several switches the bound is verified for one switch, and bound_on_switches says what it is worth for each. If
/// nodes differ in speed, all of this is about the times of the messages (time_bound.hpp). If the backbone changes,
/// backbone_bound is computed again.
///
/// Guarantee: no bound passes that is not proven, up to roundings of sums of doubles (1e-12 relative). Two kinds are
/// not refused, but `text` says that they were not verified: a bound that rests on a search alone ("exact" beyond what
/// its prices prove), and a total above lower_bound without certificate.
/// Complexity: O(g m) for prices of nodes for g durations and m messages. Prices of messages take O(d m) for d
/// different sizes, and a heaviest matching for each duration whose step is worth nearly what it costs.
/// Deterministic. Source: Farley (1990); see src/plan/exchange/bounds/lp_bound.cpp for the program and why these
/// durations suffice.
///
/// @pre validate(file, traffic) found nothing. Throws InputError for malformed traffic.
[[nodiscard]] BoundVerdict verify_bound(const ScheduleFile& file, const Traffic& traffic);

}  // namespace sluice
