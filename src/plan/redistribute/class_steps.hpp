#pragma once

#include "graph/peeling.hpp"
#include "plan/redistribute/class_program.hpp"

namespace sluice::detail {

/// Steps of the single messages from an assignment of classes to durations: step_of_edge[(c * A + alpha) * B + beta]
/// for the message of class c from sender alpha of its group to receiver beta. Steps are in falling order of duration.
///
/// Method: balanced edge colourings, three times, each by Koenig's theorem after vertices are cut into smaller ones (de
/// Werra). First, the messages of a group of senders are edges between their classes and their durations. Classes are
/// cut into B vertices of degree A, durations into vertices of degree <= A. A colouring in A colours deals them to the
/// A senders. Each sender gets B of every class and at most ceil(N_at / A) <= X_t of duration t. Second, likewise the
/// messages of a group of receivers, between (class, sender) of degree B and durations. Third, the messages of duration
/// t are a graph of degree <= X_t, which has a colouring in X_t matchings: the steps.
/// Complexity: O(m log m) for m messages of the classes, memory O(m). Deterministic.
/// Source: ours; de Werra (1971) for balanced edge colourings.
/// Example: one class with A = B = 2 and one step each of durations 2 and 1: the four messages are two matchings.
/// @pre the assignment keeps the rows of the program of class_program.hpp
[[nodiscard]] EdgeSteps steps_of(const MessageClasses& messages, const ClassAssignment& assignment);

}  // namespace sluice::detail
