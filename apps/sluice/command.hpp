#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

/// The verbs of the command. Each adds itself to the command line, with its options and its help, and says what to do
/// when it was chosen. Options arrive as text and are read by the verb, so that every complaint about them is an
/// InputError of one form.
namespace sluice::command {

/// Exit statuses. Assertions abort.
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;  ///< a schedule is broken, a byte or a value is wrong
inline constexpr int kBadInput = 2;
inline constexpr int kInterrupted = 130;   ///< by Ctrl-C, with the best plan so far printed and written
inline constexpr int kTerminated = 143;    ///< the same by SIGTERM
inline constexpr int kInternalError = 70;  ///< EX_SOFTWARE of sysexits.h: out of memory, a failure of MPI

/// What the command line asks for; returns the exit status.
using Action = std::function<int()>;

void add_plan(CLI::App& command, Action& chosen);
void add_compare(CLI::App& command, Action& chosen);
void add_check(CLI::App& command, Action& chosen);
void add_cluster(CLI::App& command, Action& chosen);
void add_predict(CLI::App& command, Action& chosen);
void add_study(CLI::App& command, Action& chosen);
void add_platform(CLI::App& command, Action& chosen);
void add_platform_to_simgrid(CLI::App& command, Action& chosen);
void add_probe(CLI::App& command, Action& chosen);
void add_report(CLI::App& command, Action& chosen);
void add_run(CLI::App& command, Action& chosen);
void add_simulate(CLI::App& command, Action& chosen);
void add_tune(CLI::App& command, Action& chosen);

}  // namespace sluice::command
