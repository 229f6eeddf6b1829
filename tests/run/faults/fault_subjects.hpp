#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// The jobs of the fault table.
namespace sluice::mpi::testing {

/// What goes wrong in an execution besides what is injected.
enum class Misuse {
  kNone,
  kNullBuffer,
  kSmallBuffer,       ///< where a buffer has a size
  kThrowingCallback,  ///< where there is one
};

/// A job of some kind with its data.
class Subject {
 public:
  virtual ~Subject() = default;
  /// One execution. `misuse`: by this rank. What it delivers is checked: "" if right, else what is wrong.
  virtual std::string execute(int round, Misuse misuse) = 0;
};

struct SubjectKind {
  std::string name;
  /// Makes the job on a communicator, which is collective.
  std::function<std::unique_ptr<Subject>(MPI_Comm)> make;
  std::vector<Misuse> misuses;
  bool slow = false;         ///< measures for a while: fewer cases
  bool takes_turns = false;  ///< its first executions alternate between the plan and another way
  bool two_plans = false;    ///< that way is a second plan; otherwise it is MPI's own collective
  bool hosts = false;        ///< its ranks are hosts
  bool seldom = false;       ///< much like others: fewer cases in the sample
  bool harmless = false;     ///< a bad argument is refused by its rank alone, and changes nothing
};

/// All kinds, those with default options first.
[[nodiscard]] std::vector<SubjectKind> subject_kinds();

}  // namespace sluice::mpi::testing
