#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "run/mpi/collective/program_data.hpp"
#include "run/mpi/engine/engine.hpp"
#include "run/mpi/engine/ready_carrier.hpp"
#include "schedule/own_part.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

/// How a ReadyCarrier moves the messages of a program. Sends begin when what they wait for has ended and their pace
/// allows it, sends to one rank in their order. Messages are received in the order of the program; as many are asked
/// for ahead as buffers of some MiB hold.
[[nodiscard]] ReadyCarrier::Limits limits_of_program(MPI_Datatype type, const ProgramData& data);

/// Carries out a rank's part of a program, any number of times: by memory that all ranks share if they do, otherwise by
/// messages of MPI.
///
/// There is no deadlock if validate() finds none. A program passes it only if it ends even if each send waits for its
/// receiver and a rank takes one message at a time. These carriers wait for less.
class ProgramEngine : public Engine {
 public:
  /// `shape`: the program without its operations. `thread`: null, or what makes progress while elements are combined.
  /// Collective if all ranks share memory. Then it throws as Channel::check, and if the system refuses memory that
  /// others could map. It throws InputError on all ranks if their parts are of programs of different sizes.
  ProgramEngine(Channel& channel, const ElementOperation& operation, const Program& shape, const OwnPart& part,
                ProgressThread* thread);

  /// `own`: the ranges that the rank has at the start, one after the other; `result`: memory for its ranges at the end.
  void begin(const void* own, void* result) {
    data_->use(own, result);
    Engine::begin();
  }
  [[nodiscard]] ElementData& data() { return *data_; }

 private:
  ProgramEngine(Channel& channel, std::shared_ptr<ProgramData> data) : Engine(channel, data), data_(std::move(data)) {}

  std::shared_ptr<ProgramData> data_;
};

}  // namespace sluice::mpi::detail
