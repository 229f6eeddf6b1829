// Calls of collectives whose messages a test counts: what a tuned library sends, and what the models say that it sends.
//
//     mpirun ... tune_calls CALL BYTES...                                 makes the calls
//     tune_calls --model openmpi|mpich RANKS CALL ALGORITHM SEGMENT BYTES... prints "FROM TO MESSAGES BYTES" of all
//     together
//
// BYTES counts what CallKind counts, and is a multiple of the ranks. The models describe Open MPI.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/tune/library.hpp"
#include "sluice/plan/library_run.hpp"

namespace {

using sluice::command::Call;
using sluice::command::CallKind;

const CallKind* kind_named(const std::string& name) {
  for (const CallKind& kind : sluice::command::call_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

/// "A:B:C" as its parts.
std::vector<std::string> parts_of(const std::string& item) {
  std::vector<std::string> parts;
  std::istringstream in(item);
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  return parts;
}

int print_model(std::int64_t ranks, const std::vector<std::string>& items) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> sent;
  for (const std::string& item : items) {
    const std::vector<std::string> parts = parts_of(item);
    bool known = false;
    for (const auto& algorithm : library_algorithms(sluice::command::Library::kOpenMpi)) {
      if (kind_named(parts.at(0))->call != algorithm.call || parts.at(2) != algorithm.name) continue;
      const auto run = sluice::command::run_of({&algorithm, std::stoll(parts.at(3))}, std::stoll(parts.at(1)), ranks);
      const std::optional<sluice::Program> program = run ? sluice::library_program(*run, ranks) : std::nullopt;
      if (!program) continue;
      known = true;
      for (const sluice::ProgramOperation& op : program->operations) {
        if (op.kind != sluice::ProgramOperation::Kind::kSend) continue;
        auto& [messages, bytes] = sent[{op.rank, op.peer}];
        ++messages;
        bytes += op.message_bytes();
      }
    }
    if (!known) {
      std::fprintf(stderr, "no model of %s\n", item.c_str());
      return 1;
    }
  }
  for (const auto& [edge, of] : sent)
    std::printf("%lld %lld %lld %lld\n", static_cast<long long>(edge.first), static_cast<long long>(edge.second),
                static_cast<long long>(of.first), static_cast<long long>(of.second));
  return 0;
}

/// Whether all ranks have what they must, as far as a byte for each rank and position tells.
bool carry_out(Call call, int bytes) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  using Bytes = std::vector<unsigned char>;
  const auto given = [](int owner, std::size_t i) { return static_cast<unsigned char>(31 * owner + 7 * i + 1); };
  const auto n = static_cast<std::size_t>(bytes);
  Bytes source(n * static_cast<std::size_t>(ranks)), target(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = given(rank, i);
  const auto all = [&](int owner, std::size_t i) {
    unsigned char sum = 0;
    for (int r = 0; r < ranks; ++r) sum ^= given(r, i);
    return owner < 0 ? sum : given(owner, i);
  };
  const auto is = [&](std::size_t at, std::size_t count, int owner, std::size_t first) {
    for (std::size_t i = 0; i < count; ++i)
      if (target[at + i] != all(owner, first + i)) return false;
    return true;
  };
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype byte = MPI_BYTE;
  const auto self = static_cast<std::size_t>(rank);
  bool right = true;
  switch (call) {
    case Call::kBcast:
      if (rank == 0) target = source;
      MPI_Bcast(target.data(), bytes, byte, 0, world);
      return is(0, n, 0, 0);
    case Call::kReduce:
      MPI_Reduce(source.data(), target.data(), bytes, byte, MPI_BXOR, 0, world);
      return rank != 0 || is(0, n, -1, 0);
    case Call::kAllreduce:
      MPI_Allreduce(source.data(), target.data(), bytes, byte, MPI_BXOR, world);
      return is(0, n, -1, 0);
    case Call::kAllgather:
      MPI_Allgather(source.data(), bytes, byte, target.data(), bytes, byte, world);
      for (int r = 0; r < ranks; ++r) right = right && is(static_cast<std::size_t>(r) * n, n, r, 0);
      return right;
    case Call::kAlltoall:
      MPI_Alltoall(source.data(), bytes, byte, target.data(), bytes, byte, world);
      for (int r = 0; r < ranks; ++r) right = right && is(static_cast<std::size_t>(r) * n, n, r, self * n);
      return right;
    case Call::kGather:
      MPI_Gather(source.data(), bytes, byte, target.data(), bytes, byte, 0, world);
      for (int r = 0; rank == 0 && r < ranks; ++r) right = right && is(static_cast<std::size_t>(r) * n, n, r, 0);
      return right;
    case Call::kScatter:
      MPI_Scatter(source.data(), bytes, byte, target.data(), bytes, byte, 0, world);
      return is(0, n, 0, self * n);
    case Call::kReduceScatter: {
      const std::vector<int> shares(static_cast<std::size_t>(ranks), bytes / ranks);
      MPI_Reduce_scatter(source.data(), target.data(), shares.data(), byte, MPI_BXOR, world);
      return is(0, n / static_cast<std::size_t>(ranks), -1, self * (n / static_cast<std::size_t>(ranks)));
    }
    case Call::kReduceScatterBlock:
      MPI_Reduce_scatter_block(source.data(), target.data(), bytes / ranks, byte, MPI_BXOR, world);
      return is(0, n / static_cast<std::size_t>(ranks), -1, self * (n / static_cast<std::size_t>(ranks)));
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "--model")
    return print_model(std::stoll(words.at(1)), {words.begin() + 2, words.end()});
  MPI_Init(&argc, &argv);
  bool all_right = true;
  for (const std::string& item : words) {
    const std::vector<std::string> parts = parts_of(item);
    const bool right = carry_out(kind_named(parts.at(0))->call, std::stoi(parts.at(1)));
    if (!right) std::fprintf(stderr, "wrong result of %s\n", item.c_str());
    all_right = all_right && right;
  }
  MPI_Finalize();
  return all_right ? 0 : 1;
}
