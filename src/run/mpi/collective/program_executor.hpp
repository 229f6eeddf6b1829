#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "run/mpi/collective/program_data.hpp"
#include "run/mpi/collective/shared_program.hpp"
#include "run/mpi/engine/tree_executor.hpp"
#include "schedule/own_part.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

/// How a TreeExecutor carries out a rank's part of a program. Sends begin when what they wait for has ended and their
/// pace allows it, sends to one rank in their order. Messages are received in the order of the program; as many are
/// asked for ahead as buffers of some MiB hold.
[[nodiscard]] TreeExecutor::Limits limits_of_program(const Channel& channel, MPI_Datatype type,
                                                     const ProgramData& data);

/// Carries out a rank's part of a program, any number of times: by memory that all ranks share if they do, otherwise by
/// messages of MPI.
///
/// There is no deadlock if validate() finds none. A program passes it only if it ends even if each send waits for its
/// receiver and a rank takes one message at a time. This executor waits for less.
class ProgramExecutor {
 public:
  /// `shape`: the program without its operations. `thread`: null, or what makes progress while elements are combined.
  /// Collective if all ranks share memory; then it throws as SharedProgram.
  ProgramExecutor(Channel& channel, const ElementOperation& operation, const Program& shape, const OwnPart& part,
                  ProgressThread* thread);
  ProgramExecutor(const ProgramExecutor&) = delete;
  ProgramExecutor& operator=(const ProgramExecutor&) = delete;

  /// `own`: the ranges that the rank has at the start, one after the other; `result`: memory for its ranges at the end.
  void begin(const void* own, void* result);
  /// See TreeExecutor::advance.
  Advance advance();
  void abandon() noexcept;
  /// As ElementData.
  void time_operation(bool timed) { data_->time_operation(timed); }
  [[nodiscard]] double operation_s() const { return data_->operation_s(); }
  /// Bytes held beyond the user's, including bytes that ranks share.
  [[nodiscard]] std::int64_t buffer_bytes() const;

 private:
  std::shared_ptr<ProgramData> data_;
  std::unique_ptr<SharedProgram> shared_;  ///< null: by messages
  std::optional<TreeExecutor> executor_;
};

}  // namespace sluice::mpi::detail
