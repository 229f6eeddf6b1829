#pragma once

#include <string>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/program_problem.hpp"

/// Says how long a program takes over a platform, and how long every program for its problem takes at least.
namespace sluice {

/// Says when each operation of a program begins and ends.
struct ReplayedProgram {
  double length_s = 0;          ///< time when the last operation has ended
  std::vector<double> start_s;  ///< by operation: time when a send begins; for other operations equal to end_s
  std::vector<double> end_s;    ///< by operation
};
/// Replays `program` over `platform`. Messages share the ports and links that they pass
/// (docs/explanation/collectives.md); the pace and the cost of combining are the program's. Throws InputError unless
/// the program is sound and has as many ranks as the platform.
[[nodiscard]] ReplayedProgram replay(const Platform& platform, const Program& program);

/// Returns the pace of `program`, by operation; 0 for operations that are not sends. If the program states no pace, it
/// is how long each send occupies the port of its rank, and the connection between its two ranks. @pre as many ranks as
/// the platform has
[[nodiscard]] std::vector<SendPace> send_paces(const Platform& platform, const Program& program);

/// Holds a lower bound: in the replay no program for the problem ends earlier over the platform. It is the largest of
/// these times:
///
///  - the shortest way that some byte must go
///  - for each port and uplink, the bytes that must pass it, in messages of any size
///  - if combining costs, a p-th of all combining for each of the p ranks
struct ProgramBound {
  double seconds = 0;  ///< time from the start to the end of the last rank
  std::string kind;    ///< "paths", "port of rank 3", "uplink of cluster a", "combining"
};
/// Returns the bound of `problem` over `platform`. Throws InputError as plan_program does for a bad platform or
/// problem.
[[nodiscard]] ProgramBound bound_of(const Platform& platform, const ProgramProblem& problem);

}  // namespace sluice
