#include "run/mpi/collective/program_engine.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

/// kReceives: messages asked for at once. kBytesAhead: the buffers of messages that come to buffers.
constexpr int kReceives = 256;
constexpr std::int64_t kBytesAhead = 8 << 20;

/// What carries `part` by memory. Null, on all ranks, if some rank has no memory for it, or if elements are no run of
/// bytes. Collective.
std::unique_ptr<MemoryCarrier> make_memory_carrier(Channel& channel, MPI_Datatype type, const Program& shape,
                                                   const OwnPart& part) {
  const ElementLayout layout(type);
  std::unique_ptr<MemoryCarrier> carrier;
  if (layout.size > 0 && layout.extent == layout.size && layout.true_lower == 0 && is_one_run(type))
    carrier = std::make_unique<MemoryCarrier>(channel, part, MemoryRoom::of_program(layout.extent));
  // If these were not the same on all ranks, ranks would wait for each other for ever.
  Arguments alike("program in memory");
  alike.add_all(shape.problem, shape.size_bytes, shape.root);
  std::vector<std::uint64_t> blocks;
  Comparison own{.block = carrier ? carrier->block() : MemoryCarrier::kRefused, .blocks = &blocks};
  (void)agree(channel, alike.fingerprint(), nullptr, own);
  if (!MemoryCarrier::any_refused(blocks)) {
    carrier->connect(part, blocks);
  } else if (carrier) {
    std::exchange(carrier, nullptr)->discard();
  }
  return carrier;
}

}  // namespace

ReadyCarrier::Limits limits_of_program(MPI_Datatype type, const ProgramData& data) {
  const std::int64_t longest = data.longest_buffered() * ElementLayout(type).size;
  ReadyCarrier::Limits limits;
  limits.type = type;
  limits.receives = limits.ahead =
      longest == 0 ? kReceives : static_cast<int>(std::clamp<std::int64_t>(kBytesAhead / longest, 2, kReceives));
  limits.pace = {};
  limits.overtake = true;
  limits.keep_pace = kSimulated;  // queues of the network do not exist there
  return limits;
}

ProgramEngine::ProgramEngine(Channel& channel, const ElementOperation& operation, const Program& shape,
                             const OwnPart& part, ProgressThread* thread)
    : ProgramEngine(channel, std::make_shared<ProgramData>(operation, shape, channel.rank(), part)) {
  if (MemoryCarrier::possible(channel.context())) {
    if (std::unique_ptr<Carrier> by_memory = make_memory_carrier(channel, operation.type, shape, part)) {
      add(std::move(by_memory));
      return;
    }
  }
  add(std::make_unique<ReadyCarrier>(channel, part, limits_of_program(operation.type, *data_), thread));
}

}  // namespace sluice::mpi::detail
