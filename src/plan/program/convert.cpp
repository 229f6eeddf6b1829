/// Programs of broadcasts and of reductions as programs of any collective.
///
/// Method: both name, for each rank, its sends and its receives in order, and pass one message at a time in these
/// orders (their validators see to that). Messages in the order in which they can pass so are what operations_of takes.
/// Complexity: O(m log m) for m messages of a broadcast; for a reduction, times the receives that a send waits for.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/program/messages.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"

namespace sluice {
namespace {

using detail::ProgramMessages;

bool meet(const ByteRange& a, const ByteRange& b) { return a.offset < b.end() && b.offset < a.end(); }

/// A rank's lists, of either kind.
struct Lists {
  struct Send {
    std::int64_t to;
    ByteRange range;
    std::size_t after;  ///< receives, as far as they have bytes of its range
  };
  struct Receive {
    std::int64_t from;
    ByteRange range;
    bool combine;
  };
  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::size_t sent = 0;
  std::size_t received = 0;
};

ProgramMessages in_order(std::vector<Lists> ranks) {
  ProgramMessages messages;
  std::vector<std::size_t> work;
  for (std::size_t rank = ranks.size(); rank-- > 0;) work.push_back(rank);
  const auto passes = [&](std::size_t from) {
    Lists& sender = ranks[from];
    if (sender.sent == sender.sends.size()) return false;
    const Lists::Send& send = sender.sends[sender.sent];
    const Lists& receiver = ranks[static_cast<std::size_t>(send.to)];
    if (receiver.received == receiver.receives.size() ||
        receiver.receives[receiver.received].from != static_cast<std::int64_t>(from))
      return false;
    for (std::size_t r = sender.received; r < send.after; ++r)
      if (meet(sender.receives[r].range, send.range)) return false;
    return true;
  };
  while (!work.empty()) {
    const std::size_t from = work.back();
    work.pop_back();
    while (passes(from)) {
      const Lists::Send& send = ranks[from].sends[ranks[from].sent++];
      Lists& receiver = ranks[static_cast<std::size_t>(send.to)];
      const bool combine = receiver.receives[receiver.received++].combine;
      messages.add(static_cast<std::int64_t>(from), send.to, {send.range}, combine);
      work.push_back(static_cast<std::size_t>(send.to));
      if (receiver.received < receiver.receives.size())
        work.push_back(static_cast<std::size_t>(receiver.receives[receiver.received].from));
    }
  }
  return messages;
}

template <class Source>
void check(const Source& source, const char* what) {
  if (const std::vector<Violation> faults = validate(source); !faults.empty())
    throw InputError(what, to_string(faults.front()), "a sound one");
}

}  // namespace

Program program_of(const BroadcastProgram& broadcast) {
  check(broadcast, "broadcast");
  if (!broadcast.native.empty())
    throw InputError("broadcast", "one that the MPI carries out inside of clusters", "messages of its own");
  std::vector<Lists> ranks(broadcast.ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const ProgramReceive& receive : broadcast.ranks[rank].receives)
      ranks[rank].receives.push_back({receive.from, {receive.offset, receive.bytes}, false});
    for (const ProgramSend& send : broadcast.ranks[rank].sends)
      ranks[rank].sends.push_back({send.to, {send.offset, send.bytes}, ranks[rank].receives.size()});
  }
  Program program;
  program.problem = Collective::kBroadcast;
  program.algorithm = broadcast.method;
  program.ranks = static_cast<std::int64_t>(ranks.size());
  program.size_bytes = broadcast.bytes;
  program.root = broadcast.root;
  program.length_s = broadcast.length_s;
  program.operations = operations_of(in_order(std::move(ranks)), program.ranks);
  return program;
}

Program program_of(const ReductionProgram& reduction, std::int64_t element_bytes) {
  check(reduction, "reduction");
  if (element_bytes < 1) throw InputError("element bytes", fmt::format("{}", element_bytes), "at least 1");
  Program program;
  program.problem = Collective::kReduce;
  program.algorithm = reduction.method;
  program.ranks = static_cast<std::int64_t>(reduction.machines.size());
  program.size_bytes = checked::multiply(reduction.elements, element_bytes, "bytes of the elements");
  program.root = reduction.root;
  program.element_bytes = element_bytes;
  program.length_s = reduction.length;
  const auto range = [&](const auto& each) {
    return ByteRange{each.begin * element_bytes, (each.end - each.begin) * element_bytes};
  };
  std::vector<Lists> ranks(reduction.machines.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const PieceReceive& receive : reduction.machines[rank].receives)
      ranks[rank].receives.push_back({receive.from, range(receive), receive.combine});
    for (const PieceSend& send : reduction.machines[rank].sends)
      ranks[rank].sends.push_back({send.to, range(send), send.after});
  }
  program.operations = operations_of(in_order(std::move(ranks)), program.ranks);
  return program;
}

}  // namespace sluice
