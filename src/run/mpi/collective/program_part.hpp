#pragma once

#include <cstdint>
#include <vector>

#include "sluice/plan/program.hpp"
#include "sluice/schedule/program.hpp"

/// What one rank does in a program.
namespace sluice::mpi::detail {

/// When a rank's own elements are combined, for a combine of elements that it has combined with no others yet.
enum class OwnTurn : std::uint8_t {
  kWithMessage,   ///< with the message
  kLater,         ///< after a later message: this one takes their place
  kAfterAsLower,  ///< after this message, as elements of a lower rank; an earlier one took their place
  kAfterAsUpper
};

struct PartRange {
  std::int64_t begin = 0;  ///< elements
  std::int64_t count = 0;
  /// For a combine whose order counts: the message comes from lower ranks than the elements that are there.
  bool lower = false;
  OwnTurn own_turn = OwnTurn::kWithMessage;  ///< of a combine
};

struct PartOperation {
  using Kind = ProgramOperation::Kind;
  Kind kind = Kind::kSend;
  std::int64_t peer = 0;
  std::vector<PartRange> ranges;    ///< in the order of the message
  std::vector<std::int64_t> after;  ///< operations of this part that must have ended
  SendPace pace;                    ///< of a send
};

struct ProgramPart {
  Program shape;  ///< all but its operations
  std::int64_t rank = 0;
  std::vector<PartOperation> operations;
};

/// What is to be told of a part whose shape is known; see planned_part.
inline constexpr auto kPartFields = [](auto& numbers, ProgramPart& part) {
  numbers(part.rank);
  numbers.each(part.operations, [&](PartOperation& op) {
    numbers(op.kind, op.peer, op.pace.port_s, op.pace.connection_s);
    numbers.each(op.ranges, [&](PartRange& range) { numbers(range.begin, range.count, range.lower, range.own_turn); });
    numbers.each(op.after, [&](std::int64_t& before) { numbers(before); });
  });
};

/// The parts of all ranks. @pre validate(program) finds nothing wrong. If the order of combining counts, messages are
/// followed to see whose bytes they carry. That takes one pass if the operations could be carried out one after the
/// other in the order of the list, otherwise as many passes as necessary.
[[nodiscard]] std::vector<ProgramPart> parts_of(const Program& program);
/// The part of `rank`, for a program that has operations of that rank only. The order of combining must not count.
[[nodiscard]] ProgramPart part_of(const Program& program, std::int64_t rank);

/// `part`, of a broadcast, for a message of `bytes`, at most its own; ranges that met still do.
[[nodiscard]] ProgramPart shrunk(const ProgramPart& part, std::int64_t bytes);

}  // namespace sluice::mpi::detail
