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

/// Describes what the ranks of a collective do, as one list of operations: send a range of bytes, receive one and keep
/// it, or receive one and combine it with the rank's own bytes. A collective says which bytes each rank has at the
/// start, which bytes it has at the end, and whose bytes are combined in them. Only the operations say how the bytes
/// get there.
///
/// All ranks name bytes by their position in one array, which no rank needs to hold as a whole. For p ranks, with
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
/// other sizes instead (MPI's calls in v): Program::block_offsets.
///
/// The k-th send of a rank to another one is received by the k-th receive of that rank from the sender, in the order of
/// the list. An operation may begin when all in `after` have ended, whatever else its rank does; only the message of a
/// combine may arrive earlier, in a buffer. So `after` must name the operations that must not overlap with this one:
///  - a send or combine names, for every byte, the last operation that wrote it;
///  - a receive or combine names the operations that have sent its bytes since the last write; if there are none, the
///    operation that wrote them. So the result never depends on the speed of operations.
namespace sluice {

/// Names the problems of the table above: kBroadcast, kReduce, kScatter, kGather, kAllgather, kReduceScatter,
/// kAllreduce and kAlltoall.
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

/// Returns true if it has blocks or shares, whose sizes may differ.
[[nodiscard]] bool has_blocks(Collective collective);

/// Names consecutive bytes of the array.
struct ByteRange {
  std::int64_t offset = 0;  ///< offset of the first byte
  std::int64_t bytes = 0;   ///< number of bytes

  /// Returns the offset after the last byte.
  [[nodiscard]] std::int64_t end() const { return offset + bytes; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Returns the number of bytes of all `ranges`, which lie in one array: their sum is at most its size.
[[nodiscard]] std::int64_t total_bytes(std::span<const ByteRange> ranges);

/// Describes one operation of a rank: it sends a message, receives one to its place, or combines one with what is
/// there.
struct ProgramOperation {
  /// Says whether it sends (kSend), receives and keeps (kReceive) or receives and combines (kCombine).
  enum class Kind : std::uint8_t { kSend, kReceive, kCombine };

  std::int64_t rank = 0;        ///< the rank that does it
  Kind kind = Kind::kSend;      ///< what it does
  std::int64_t peer = 0;        ///< the rank at the other end
  std::int64_t offset = 0;      ///< offset of the first range in the array
  std::int64_t bytes = 0;       ///< at least 1
  std::vector<ByteRange> more;  ///< further ranges of the same message; no two ranges meet
  /// Operations of the same rank that must end first: positions in Program::operations, below its own.
  std::vector<std::int64_t> after;

  /// Returns the number of bytes of all ranges of the message.
  [[nodiscard]] std::int64_t message_bytes() const { return bytes + total_bytes(more); }
  /// Calls use(range) for each range of the message.
  template <class Use>
  void for_ranges(Use use) const {
    use(ByteRange{offset, bytes});
    for (const ByteRange& range : more) use(range);
  }
  friend bool operator==(const ProgramOperation&, const ProgramOperation&) = default;
};

/// Sets how far apart a rank starts its sends, in seconds. Several messages at once on one connection, or through one
/// port, would all arrive as late as the last one. A send does not wait if all earlier sends are complete.
struct SendPace {
  double port_s = 0;        ///< from the start of a send to the start of the next
  double connection_s = 0;  ///< from one send to the next send to the same rank; at least port_s

  friend bool operator==(const SendPace&, const SendPace&) = default;
};

/// Describes a collective and the operations that execute it; the comment of this header has sizes and shares.
struct Program {
  Collective problem = Collective::kBroadcast;  ///< which collective
  std::string algorithm;                        ///< name for people, such as "hierarchical, 6 groups, ring inside"
  std::int64_t ranks = 1;                       ///< p, at least 1
  std::int64_t size_bytes = 0;     ///< m of the table above; with `block_offsets` the size of the whole array
  std::int64_t root = 0;           ///< 0 if the problem has no root
  std::int64_t element_bytes = 1;  ///< size of what is combined; it divides size_bytes, and no range cuts it
  bool commutative = true;         ///< false: only neighbouring ranks are combined, in their order
  /// Starts of blocks (shares) in the array, and the end of the last, if sizes differ from the table: p + 1 offsets, or
  /// p p + 1 for alltoall, row by row. Empty: sizes are as in the table.
  std::vector<std::int64_t> block_offsets = {};
  std::vector<ProgramOperation> operations;  ///< operations of all ranks; their order pairs sends with receives
  /// Pace of each send, by operation; 0 for operations that are not sends. If several sends of a rank can begin, the
  /// first in the list does. Empty: sends begin as soon as they can.
  std::vector<SendPace> pace = {};
  double length_s = 0;  ///< time when the last rank is done, by the replay of its planner
  double bound_s = 0;   ///< lower bound for every program, from `bound`
  std::string bound;    ///< source of `bound_s`: "paths", "port of rank 3"; empty without a bound
  /// Cost of combining in `length_s`, at least 0, for all ranks or for each of the `ranks`; 0 if nothing is combined.
  CombiningCosts combine_s_per_byte = {};

  friend bool operator==(const Program&, const Program&) = default;
};

/// Sets the sizes of the blocks (shares) of `program`, and makes size_bytes their sum.
///
///  - `bytes`: a size for each rank; for alltoall, a size for each pair, row by row
///
/// Throws InputError for a problem without blocks, another number of sizes, a size below 0 or that cuts elements, and a
/// sum beyond 2^63 - 1.
void set_blocks(Program& program, std::span<const std::int64_t> bytes);

/// Returns the sizes that were given to set_blocks; empty if `block_offsets` is empty.
[[nodiscard]] std::vector<std::int64_t> block_bytes(const Program& program);

/// Returns the size of the array of the ranges. Throws InputError if it is more than 2^63 - 1.
[[nodiscard]] std::int64_t array_bytes(const Program& program);
/// Returns the block or share of `rank`; for problems that have one for each rank (not alltoall).
[[nodiscard]] ByteRange block_of(const Program& program, std::int64_t rank);
/// Returns the block from one rank to another; for alltoall.
[[nodiscard]] ByteRange block_of(const Program& program, std::int64_t from, std::int64_t to);
/// Returns the bytes that `rank` has at the start, by rising offsets, without empty ranges.
[[nodiscard]] std::vector<ByteRange> ranges_at_start(const Program& program, std::int64_t rank);
/// Returns the bytes that `rank` must have at the end, by rising offsets, without empty ranges.
[[nodiscard]] std::vector<ByteRange> ranges_at_end(const Program& program, std::int64_t rank);

/// Returns what is wrong with `program`; empty if nothing. `Violation::step` is the position of the operation, or -1.
/// It checks that
///
///  - counts, sizes and times are in range, and the bound is not above the length;
///  - ranks, `after` and ranges of every operation are valid: ranges are inside the array, not empty, separate, and
///    whole elements;
///  - between two ranks, sends and receives are the same ranges in the same order;
///  - `after` names what it must;
///  - there is no deadlock. Every message must pass, even if each send waits for its receiver, and ranks take messages,
///    and start sends to one rank, in the order of the list;
///  - nobody sends what it does not have, and what is combined is of different ranks, which are neighbours if the order
///    counts;
///  - at the end every rank has what it must, combined of all ranks, each once.
///
/// A fault of one kind ends the check, because the next kind builds on it. Time O((m + k) log (m + k)) for m operations
/// whose messages have k pieces, and O(p^2) for the condition of an alltoall; memory O(m + k). A piece is bytes in a
/// row that come from the same ranks. Random numbers of 128 bits decide whether a sum has every rank once. A wrong sum
/// passes with a probability below 2^-60, unless made for it.
[[nodiscard]] std::vector<Violation> validate(const Program& program);

/// Returns the largest number of bytes that a rank has at the start or must have at the end.
[[nodiscard]] std::int64_t largest_part(const Program& program);

/// Returns the text of a file with schema "sluice.program/1", one line per operation, with end of line:
///
///     {"schema": "sluice.program/1", "problem": "allreduce", "algorithm": "ring",
///      "ranks": 4, "size_bytes": 4096, "root": 0, "element_bytes": 8, "commutative": true,
///      "operations": [
///       {"rank": 0, "kind": "send", "peer": 1, "offset": 0, "bytes": 1024, "after": []},
///       {"rank": 1, "kind": "combine", "peer": 0, "offset": 0, "bytes": 1024, "more": [2048, 8], "after": []}],
///      "length_s": 0.0021, "bound_s": 0.0018, "bound": "paths"}
///
/// Some fields are optional:
///
///  - "element_bytes", "commutative" and "more" (offset and bytes of each further range) stand if they are not 1, true
///    and none.
///  - "combine_s_per_byte" stands if combining has a cost; "combine_costs" replaces it if each rank has its own.
///  - "block_bytes" (a size for each block or share) stands if there are block_offsets.
///
/// Reading it back gives an equal program. Throws InputError for a time that is not finite or a text that is not UTF-8.
[[nodiscard]] std::string to_json(const Program& program);

/// Reads a program as strictly as read_schedule: every field once and of its type, and no others. It does not check
/// whether the program is sound: `validate` does. Throws InputError; `where` is "FILE:LINE".
[[nodiscard]] Program read_program(std::istream& in, const std::string& file);
/// Reads a program from the file `path`.
[[nodiscard]] Program read_program(const std::string& path);

}  // namespace sluice
