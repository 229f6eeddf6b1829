#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/compare.hpp"

namespace sluice::compare {

/// One way to move data, prepared once and executed often: ours and those it is compared with. Construction, execution
/// and destruction are collective.
class Method {
 public:
  virtual ~Method() = default;

  virtual void execute(const void* source, void* target) = 0;
  /// Executes a job that alternates MPI's own collective with its plan until it has decided for one; called before
  /// it is timed.
  virtual void settle(const void* /*source*/, void* /*target*/) {}
  static constexpr int kTurns = 9;  ///< it has decided after this number of turns
  /// Bytes the method itself holds beyond source and target, MPI's own not counted.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }
  /// See MethodResult; called on all ranks once the method has been executed.
  [[nodiscard]] virtual std::optional<double> predicted_s() { return std::nullopt; }
  [[nodiscard]] virtual std::string how() { return ""; }
};

/// What methods are compared by: data of known contents.
class ComparedJob {
 public:
  virtual ~ComparedJob() = default;

  /// Collective. Throws InputError on all ranks for a method that is not known, or cannot do this job.
  [[nodiscard]] virtual std::unique_ptr<Method> make(const std::string& method) = 0;
  /// Why this job is beyond a method that is known, the same on all ranks; "" if it is not.
  [[nodiscard]] virtual std::string beyond(const std::string& /*method*/) const { return ""; }
  /// How many bytes all ranks move together, also those that stay on their rank.
  [[nodiscard]] virtual std::int64_t bytes_moved() const = 0;
  [[nodiscard]] virtual const std::byte* source() const = 0;
  [[nodiscard]] virtual std::byte* target() = 0;
  /// Fills the target with what no method writes.
  virtual void reset_target() = 0;
  /// What is wrong with the target, one line; "" if nothing.
  [[nodiscard]] virtual std::string check_target() const = 0;
};

/// Throws InputError on every rank if `repetitions` is below 1, or what is given differs between ranks. Collective.
void check_comparison(const Communicator& comm, const std::vector<std::string>& methods, int repetitions);

/// As redistributions() describes. Collective.
[[nodiscard]] Comparison run_comparison(const Communicator& comm, ComparedJob& job,
                                        const std::vector<std::string>& methods, int repetitions, bool record);

}  // namespace sluice::compare
