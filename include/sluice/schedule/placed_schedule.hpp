#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/program.hpp"

/// Holds a collective that another library planned, with what a Program leaves out: buffers, scratch, thread blocks,
/// channels, flags and places of messages. `judge` (sluice/schedule/judge.hpp) says whether it is right.
///
/// | format | holds |
/// |---|---|
/// | MSCCL XML | messages between thread blocks; both generations of attributes |
/// | MSCCL++ execution plan, JSON | one-sided copies, signals and packets; both generations of names |
/// | moves: CSV `step,from,to,chunk,op` | which chunk goes where, without buffers |
/// | GOAL | sizes of messages and their order |
/// | time-independent traces of SMPI | sizes of messages and their order |
namespace sluice {

/// Names the formats of the table above: kMsccl, kMscclpp, kMoves, kGoal and kTrace.
enum class PlacedFormat : std::uint8_t { kMsccl, kMscclpp, kMoves, kGoal, kTrace };

/// Returns what a format is called: "MSCCL XML".
[[nodiscard]] const char* to_string(PlacedFormat format);

/// Names consecutive chunks of a buffer of a rank.
struct PlacedRange {
  /// Names the buffers that every rank has: kInput, kOutput and kScratch.
  enum class Buffer : std::uint8_t { kInput, kOutput, kScratch };

  std::int32_t rank = 0;           ///< whose buffer; not always the rank that reads or writes it
  Buffer buffer = Buffer::kInput;  ///< which buffer
  bool packets = false;            ///< chunks carry flags: who reads one waits until it is written
  std::int64_t first = 0;          ///< the first chunk, in units of PlacedSchedule::parts_of_chunk
  std::int64_t count = 0;          ///< the number of chunks, in the same unit
};

/// Names a step of a worker of the same rank.
struct PlacedWait {
  std::int32_t worker = -1;  ///< position in PlacedSchedule::workers; -1 if the file names a worker that is not there
  std::int32_t id = 0;       ///< number of the worker in the file
  std::int32_t step = 0;     ///< number of the step in the file
};

/// Counts signals: who takes one waits until it is there. A meeting lets nobody go on before all have come.
struct PlacedQueue {
  std::string name;          ///< for messages: "signals from 0 to 1, channel 0"
  std::int64_t initial = 0;  ///< number of signals before anybody gives one
  std::int64_t members = 0;  ///< number of workers that meet; 0 for signals
  bool balanced = true;      ///< false: signals may be left over
};

/// Describes what an operation does with a queue.
struct PlacedSignal {
  /// Says whether a signal is given after the operation (kGive) or taken before it (kTake), or whether all members of
  /// the queue meet (kMeet).
  enum class Kind : std::uint8_t { kGive, kTake, kMeet };

  Kind kind = Kind::kGive;  ///< what is done
  std::int32_t queue = 0;   ///< position in PlacedSchedule::queues
};

/// Describes one step of a worker. It reads its sources and a message, adds them up, and writes the sum to all targets
/// and to a message.
struct PlacedOperation {
  /// Names kinds of steps, as far as executors distinguish them: kNothing, kSend, kReceive, kReceiveAndSend, kCopy,
  /// kAdd, kReach (one-sided) and kSync (signals and meetings).
  enum class Kind : std::uint8_t { kNothing, kSend, kReceive, kReceiveAndSend, kCopy, kAdd, kReach, kSync };

  Kind kind = Kind::kNothing;      ///< what it does
  bool detached = false;           ///< the order of its worker does not hold for it, only its waits
  bool tells = false;              ///< workers may wait for it
  std::int32_t worker = 0;         ///< position in PlacedSchedule::workers
  std::int32_t step = 0;           ///< its number in the file
  std::int32_t line = 0;           ///< line of the file
  std::int32_t receives = -1;      ///< the connection that its message comes from; -1: none
  std::int32_t sends = -1;         ///< the connection that its message goes to; -1: none
  std::int64_t amount = 0;         ///< size of its messages: chunks, or bytes
  std::uint32_t ranges = 0;        ///< position of its first source in PlacedSchedule::ranges
  std::uint32_t source_count = 0;  ///< number of sources; targets follow them
  std::uint32_t target_count = 0;  ///< number of targets
  std::uint32_t waits = 0;         ///< position of its first wait in PlacedSchedule::waits
  std::uint32_t wait_count = 0;    ///< number of waits
  std::uint32_t signals = 0;       ///< position of its first signal in PlacedSchedule::signals
  std::uint32_t signal_count = 0;  ///< number of signals
};

/// Describes a thread block, or a rank if the format has no blocks. Its operations are in a row in the list, and it
/// does them one after the other unless they are detached.
struct PlacedWorker {
  std::int32_t rank = 0;              ///< whose worker
  std::int32_t id = 0;                ///< its number in the file
  std::int32_t send_to = -1;          ///< the rank that it may send to; -1: none, or any rank
  std::int32_t receive_from = -1;     ///< the rank that it may receive from; -1: none, or any rank
  std::int32_t channel = 0;           ///< number of the channel for both
  std::int32_t line = 0;              ///< line of the file
  std::uint32_t operations = 0;       ///< position of its first operation
  std::uint32_t operation_count = 0;  ///< number of its operations
};

/// Describes a way of messages: they arrive in the order of their sends.
struct PlacedConnection {
  std::int32_t from = 0;     ///< rank of the sender
  std::int32_t to = 0;       ///< rank of the receiver
  std::int32_t channel = 0;  ///< channel or tag
};

/// Describes the memory of a rank.
struct PlacedMemory {
  std::int64_t input_chunks = 0;    ///< size of the input as the file states it
  std::int64_t output_chunks = 0;   ///< size of the output as the file states it
  std::int64_t scratch_chunks = 0;  ///< size of the scratch buffer
  /// Pairs of chunks of the input and of the output: copied before anything else is done.
  std::vector<std::pair<std::int64_t, std::int64_t>> copied = {};
};

/// Describes a collective that another library planned.
struct PlacedSchedule {
  PlacedFormat format = PlacedFormat::kMsccl;  ///< where it comes from
  std::string name;                            ///< its name in the file
  std::string collective;                      ///< the collective as the file writes it; empty: it does not say
  std::optional<Collective> problem;           ///< the collective, if Sluice knows it
  std::optional<std::int64_t> root;            ///< the root, if the file says it
  std::string protocol;                        ///< "Simple", "LL", "LL128"; empty if there is none
  std::int64_t ranks = 0;                      ///< number of ranks
  /// Chunks of the array: of one rank's buffer, or of what all blocks make together (allgather).
  std::int64_t chunks = 0;
  std::int64_t parts_of_chunk = 1;  ///< all ranges count in parts of chunks, which several workers share
  bool named = false;               ///< the chunks of every buffer are named as in the array of a Program
  bool in_place = false;            ///< it is meant for output and input in one place
  bool out_of_place = true;         ///< it is meant for output and input in different places
  std::int64_t places = 0;          ///< messages under way on a connection, at most; 0: no limit
  bool exact_sizes = true;          ///< false: a receive may be larger than its message
  bool has_limits = true;           ///< false: "outofplace", "minBytes" or "maxBytes" is missing (MSCCL)

  std::vector<PlacedMemory> memory;           ///< of each rank
  std::vector<PlacedConnection> connections;  ///< all ways of messages
  std::vector<PlacedQueue> queues;            ///< all queues of signals
  std::vector<PlacedWorker> workers;          ///< by rank
  std::vector<PlacedOperation> operations;    ///< by worker
  std::vector<PlacedRange> ranges;            ///< sources and targets of operations
  std::vector<PlacedWait> waits;              ///< waits of operations
  std::vector<PlacedSignal> signals;          ///< signals of operations
};

/// Holds every file that `check` judges.
using JudgedSchedule = std::variant<ScheduleFile, TreeSchedule, Program, PlacedSchedule>;

/// Reads a file of Sluice or of the formats above. The content says which format it is; `file` is its name for
/// messages.
///
/// Memory grows with the number of operations, not with the size of the text. A file has at most 2^24 operations, 2^24
/// chunks in all buffers, and 2^26 chunks in all its operations together.
///
/// Throws InputError, with file and line, for a file that is not of these formats.
[[nodiscard]] JudgedSchedule read_judged_schedule(std::istream& in, const std::string& file);

/// Reads the file `path`, or standard input for "-". Throws InputError as above, and if it cannot be read.
[[nodiscard]] JudgedSchedule read_judged_schedule(const std::string& path);

}  // namespace sluice
