#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/schedule/combining_costs.hpp"
#include "sluice/schedule/validate.hpp"

/// What the ranks of a collective do, as one list of operations: send a range of bytes, receive one and keep it, or
/// receive one and combine it with the own bytes. A collective is a condition on which bytes each rank has at the start
/// and which at the end, and from which ranks these are combined. Only the operations say how the bytes get there.
///
/// All ranks name bytes by their position in one array, which no rank needs to hold as a whole. Of p ranks, with
/// `size_bytes` = m:
///
/// | problem | the array | a rank r has at the start | and at the end |
/// |---|---|---|---|
/// | broadcast | m | all, on the root | all |
/// | reduce | m | its own version of all | all of all ranks, combined, on the root |
/// | allreduce | m | its own version of all | all of all ranks, combined |
/// | reduce-scatter | m in p shares | its own version of all | share r of all ranks, combined |
/// | scatter | p blocks of m | all, on the root | block r |
/// | gather | p blocks of m | block r | all, on the root |
/// | allgather | p blocks of m | block r | all |
/// | alltoall | p x p blocks of m, row by row | row r | column r |
///
/// Shares are whole elements of `element_bytes`, as equal as possible, longer ones first. Blocks and shares may have
/// sizes of their own instead (MPI's calls in v): Program::block_offsets.
///
/// The k-th send of a rank to another one is received by the k-th receive of that rank from the sender, in the order of
/// the list. An operation may begin when all in `after` have ended, whatever else its rank does; only the message of a
/// combine may arrive earlier, in a buffer. So `after` must name the operations that must not overlap with this one:
///  - a send or combine names the operation that wrote its bytes last, for every byte;
///  - a receive or combine names those that have sent its bytes since they were written last, and where none has, the
///    operation that wrote them.
/// With that, the bytes that end up anywhere do not depend on which of several operations is faster.
namespace sluice {

/// The problems of the table above, by the names there: kBroadcast, kReduce, kScatter, kGather, kAllgather,
/// kReduceScatter, kAllreduce and kAlltoall.
enum class Collective : std::uint8_t {
  kBroadcast,
  kReduce,
  kScatter,
  kGather,
  kAllgather,
  kReduceScatter,
  kAllreduce,
  kAlltoall
};

/// Returns the name in the table above: "reduce-scatter".
[[nodiscard]] std::string_view to_string(Collective collective);
/// Returns the collective of that name, or nullopt if there is none.
[[nodiscard]] std::optional<Collective> parse_collective(std::string_view name);
/// Returns true if it combines what ranks have.
[[nodiscard]] bool combines(Collective collective);
/// Returns true if one rank, the root, is unlike all others.
[[nodiscard]] bool has_root(Collective collective);

/// Returns true if it has blocks or shares, which may have sizes of their own.
[[nodiscard]] bool has_blocks(Collective collective);

/// Consecutive bytes of the array.
struct ByteRange {
  std::int64_t offset = 0;  ///< of the first byte
  std::int64_t bytes = 0;   ///< how many

  /// Returns the offset behind the last byte.
  [[nodiscard]] std::int64_t end() const { return offset + bytes; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Returns the bytes of all `ranges`, which lie in one array: their sum is at most its size.
[[nodiscard]] std::int64_t total_bytes(std::span<const ByteRange> ranges);

/// What one rank does once: sends a message, receives one to its place, or combines one with what is there.
struct ProgramOperation {
  /// Whether it sends (kSend), receives and keeps (kReceive) or receives and combines (kCombine).
  enum class Kind : std::uint8_t { kSend, kReceive, kCombine };

  std::int64_t rank = 0;        ///< who does it
  Kind kind = Kind::kSend;      ///< what it does
  std::int64_t peer = 0;        ///< the rank at the other end
  std::int64_t offset = 0;      ///< of the first range, in the array
  std::int64_t bytes = 0;       ///< at least 1
  std::vector<ByteRange> more;  ///< ranges behind the first in the same message, none of which meets another
  /// Positions in Program::operations, below its own, of operations of the same rank.
  std::vector<std::int64_t> after;

  /// Returns the bytes of all ranges of the message.
  [[nodiscard]] std::int64_t message_bytes() const { return bytes + total_bytes(more); }
  /// Calls use(range) for each range of the message.
  template <class Use>
  void for_ranges(Use use) const {
    use(ByteRange{offset, bytes});
    for (const ByteRange& range : more) use(range);
  }
  friend bool operator==(const ProgramOperation&, const ProgramOperation&) = default;
};

/// How far apart a rank starts its sends, in seconds. Several messages at once on one connection, or through one port,
/// would all arrive as late as the last. A send whose predecessors are complete waits for nothing.
struct SendPace {
  double port_s = 0;        ///< from the start of one to the start of the next
  double connection_s = 0;  ///< the same for two sends to the same rank; at least port_s

  friend bool operator==(const SendPace&, const SendPace&) = default;
};

/// A collective and the operations that carry it out; sizes and shares as above.
struct Program {
  Collective problem = Collective::kBroadcast;  ///< which collective
  std::string algorithm;                        ///< shown to people, such as "hierarchical, 6 groups, ring inside"
  std::int64_t ranks = 1;                       ///< p, at least 1
  std::int64_t size_bytes = 0;                  ///< m of the table above, or with `block_offsets` the whole array
  std::int64_t root = 0;                        ///< 0 where there is none
  std::int64_t element_bytes = 1;  ///< size of what is combined; it divides size_bytes and no range cuts it
  bool commutative = true;         ///< false: ranks are combined in their order, so only neighbours are combined
  /// Where blocks (shares) of other sizes than the table says begin in the array, and the end of the last: p + 1
  /// offsets, of alltoall p p + 1, row by row. Empty where they are as the table says.
  std::vector<std::int64_t> block_offsets = {};
  std::vector<ProgramOperation> operations;  ///< of all ranks; the order pairs sends with receives
  /// Empty, where sends begin as soon as they can, or by operation (0 for what is no send): of several sends of a rank
  /// that can begin, the first of the list does.
  std::vector<SendPace> pace = {};
  double length_s = 0;  ///< when the last rank is done, by the replay of its planner
  double bound_s = 0;   ///< no program is done earlier, by what `bound` says
  std::string bound;    ///< what `bound_s` is from: "paths", "port of rank 3"; empty without one
  /// What combining costs in `length_s`, at least 0, of all ranks or of each of the `ranks`; 0 where nothing is
  /// combined.
  CombiningCosts combine_s_per_byte = {};

  friend bool operator==(const Program&, const Program&) = default;
};

/// Gives the blocks (shares) of `program` these sizes in bytes, one for each rank (for alltoall, one for each pair, row
/// by row), and makes size_bytes their sum. Throws InputError for a problem without blocks, another number of them, a
/// size below 0 or that cuts elements, and a sum beyond 2^63 - 1.
void set_blocks(Program& program, std::span<const std::int64_t> bytes);

/// Returns the sizes that set_blocks was given; empty where `block_offsets` is empty.
[[nodiscard]] std::vector<std::int64_t> block_bytes(const Program& program);

/// Size of the array that ranges are in. Throws InputError where it is more than 2^63 - 1.
[[nodiscard]] std::int64_t array_bytes(const Program& program);
/// Returns the block or share of `rank`, of problems that have one for each rank (not alltoall).
[[nodiscard]] ByteRange block_of(const Program& program, std::int64_t rank);
/// Returns the block from one rank to another one, of alltoall.
[[nodiscard]] ByteRange block_of(const Program& program, std::int64_t from, std::int64_t to);
/// Returns what `rank` has at the start, by rising offsets; no range is empty.
[[nodiscard]] std::vector<ByteRange> ranges_at_start(const Program& program, std::int64_t rank);
/// Returns what `rank` must have at the end, by rising offsets; no range is empty.
[[nodiscard]] std::vector<ByteRange> ranges_at_end(const Program& program, std::int64_t rank);

/// Returns what is wrong with `program`; empty if nothing is. `Violation::step` is the position of the operation, or
/// -1.
///
///  - counts, sizes and times in range, the bound no longer than the length; of every operation the ranks, the ranges
///    (inside the array, not empty, apart from each other, whole elements) and `after`;
///  - between two ranks, sends and receives are the same ranges in the same order;
///  - `after` names what it has to;
///  - no deadlock: even if a send waits for its receiver, sends to the same rank start in order, and a rank takes no
///    message before it is done with the one before in the order of the list, every message passes;
///  - nobody sends what it does not have; what is combined is of different ranks, next to each other where the order
///    counts;
///  - at the end every rank has what it must, combined of all ranks, each once.
///
/// Faults of one kind end the check, as the next builds on it. Time O((m + k) log (m + k)) for m operations whose
/// messages carry k pieces, a piece being bytes in a row that come from the same ranks (and, of alltoall, O(p^2) for
/// the condition itself); memory O(m + k). That a sum has every rank once is decided by random numbers of 128 bits for
/// each: a wrong one passes with a probability below 2^-60, unless made for it.
[[nodiscard]] std::vector<Violation> validate(const Program& program);

/// Returns the most bytes that a rank has at the start or must have at the end.
[[nodiscard]] std::int64_t largest_part(const Program& program);

/// As a file with schema "sluice.program/1", one line per operation, with end of line:
///
///     {"schema": "sluice.program/1", "problem": "allreduce", "algorithm": "ring",
///      "ranks": 4, "size_bytes": 4096, "root": 0, "element_bytes": 8, "commutative": true,
///      "operations": [
///       {"rank": 0, "kind": "send", "peer": 1, "offset": 0, "bytes": 1024, "after": []},
///       {"rank": 1, "kind": "combine", "peer": 0, "offset": 0, "bytes": 1024, "more": [2048, 8], "after": []}],
///      "length_s": 0.0021, "bound_s": 0.0018, "bound": "paths"}
///
/// "element_bytes", "commutative" and "more" (offset and bytes of each further range) stand only where they are not 1,
/// true and none, "combine_s_per_byte" only where combining costs, or "combine_costs" in its place, of each rank,
/// "block_bytes" (a size for each block or share) only where there are block_offsets. Reading it back gives an equal
/// program. Throws InputError for a time that is not finite or a text that is not UTF-8.
[[nodiscard]] std::string to_json(const Program& program);

/// Strict, as read_schedule: every field once and of its type, and no others. It does not check whether the program is
/// sound: `validate` does. Throws InputError, where = "FILE:LINE".
[[nodiscard]] Program read_program(std::istream& in, const std::string& file);
/// Returns the same from the file `path`.
[[nodiscard]] Program read_program(const std::string& path);

}  // namespace sluice
