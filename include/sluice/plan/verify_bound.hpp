#pragma once

#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

/// How much is proven of the bound that a schedule file states.
struct BoundVerdict {
  std::vector<Violation> faults;  ///< a part of the bound that its certificate does not prove
  /// One line on what was verified and what was not, such as "bound 410 verified (lp)"; empty beside faults.
  std::string text;
};

/// Verifies the bound of a schedule of `traffic` that cuts messages at will (problem "exchange", or "redistribute"
/// planned by an algorithm of exchange).
///
/// Problem: does no schedule cost less than the file states, each of the three values on its own?
/// Method. Steps and transmission: the node that the certificate names, or all, has to have as many messages, or as
/// much to send, as the bound states; a single pass. Without a certificate: lower_bound. Total: setup * steps +
/// transmission of lower_bound, if that is enough. Else, the messages that must be split, counted anew
/// (src/plan/exchange/split_bound.hpp). Else, prices of nodes: what all of them pay for a step of each duration over
/// what it costs, and the least that each message pays (src/plan/exchange/node_prices.cpp). Prices of messages are a
/// solution of the dual of the linear program over steps once divided by the largest worth over cost of any step. For
/// every duration that counts (1 and the sizes) a cover of the messages by prices of the nodes proves what a step can
/// be worth; it is carried over from one duration to the next, and solved anew by a heaviest matching where it is not
/// enough. No error in a matching can make a wrong bound pass: only the covers count. On several switches all of this
/// is shown of one, and bound_on_switches says what it is worth for each of them. Where nodes differ in speed all of it
/// is about the times of the messages (time_bound.hpp), and where the backbone changes, backbone_bound is computed
/// anew.
/// Guarantee: no bound passes that is not proven, up to roundings of sums of doubles (1e-12 relative). What rests on a
/// search alone ("exact" beyond what its prices prove), and a total above lower_bound without certificate, is not
/// refused, but `text` says that it was not verified.
/// Complexity: O(g m) for prices of nodes for g durations and m messages; for prices of messages O(d m) for d different
/// sizes, and a heaviest matching for each duration whose step is worth nearly what it costs.
/// Deterministic. Source: Farley (1990); see src/plan/exchange/lp_bound.cpp for the program and why these durations
/// suffice.
///
/// @pre validate(file, traffic) found nothing. Throws InputError for traffic that is malformed.
[[nodiscard]] BoundVerdict verify_bound(const ScheduleFile& file, const Traffic& traffic);

}  // namespace sluice
