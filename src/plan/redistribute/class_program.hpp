#pragma once

#include <cstdint>

#include "plan/redistribute/class_assignment.hpp"

namespace sluice::detail {

/// The least TC of whole messages in a limited number of steps.
///
/// Problem: choose X_t, the number of steps of duration t, and n_ct, the number of messages of class c in steps of
/// duration t >= its length. No sender and no receiver may have more than X_t messages in steps of duration t. Steps of
/// one duration are X_t matchings of the messages in them (Koenig: a bipartite graph of degree X_t has an edge
/// colouring in X_t colours). So the program has no order of steps, and it is the problem itself. It is a program over
/// classes, not messages. Let N_at = sum of n_ct over the classes of group a. The messages of a group can be dealt
/// evenly to its A senders: each has floor(N_at / A) or ceil(N_at / A) of duration t. The same holds at the receivers
/// (class_steps.hpp). So N_at <= A X_t means that none has more than X_t.
///
///     minimise   sum of t X_t
///     subject to sum over t of n_ct = A B for each class c,
///                sum over c of n_ct <= A X_t for each group of senders and each t, and B X_t for each group of
///                receivers,
///
/// Guarantee: with CBC, in the arithmetic of its linear programs (double, tolerance 10^-6); an assignment is whole
/// numbers and checked. Without it, see profile_search.hpp.
/// Complexity: exponential; stops when `effort` is used up. One unit is a pivot of the simplex method on up to 100
/// rows.
/// Determinism: one thread, no clock.
/// Source: ours, after the integer program over durations of exchange's `exact`.
/// Example: 15:2 -> 6:3 has lengths 1 and 2. In 10 steps TC 20, all of duration 2; in 11 TC 16: five of 2, six of 1.
[[nodiscard]] ProgramOutcome least_transmission(const MessageClasses& messages, const ProgramLimits& limits,
                                                Effort& effort);

/// A bound on TC that holds for every finer partition into classes as well, up to the messages themselves.
///
/// The same program with whole X_t and any n_ct >= 0. A schedule of the whole machine, averaged over the symmetries
/// that made the classes, is a solution: averaging leaves X_t alone and only mixes the n_ct. So its value is a bound
/// for the machine, at least the linear program's rounded up, and an assignment of any partition that meets it is
/// optimal.
[[nodiscard]] std::int64_t transmission_bound(const MessageClasses& messages, const ProgramLimits& limits,
                                              Effort& effort);

}  // namespace sluice::detail
