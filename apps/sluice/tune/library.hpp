#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/plan/library_run.hpp"

/// What `sluice tune` knows of the MPI libraries that it writes files for.
namespace sluice::command {

enum class Library : std::uint8_t { kOpenMpi, kMpich };

/// "openmpi", "mpich". Throws InputError for another name.
[[nodiscard]] Library parse_library(const std::string& name, const std::string& where);
/// "Open MPI", "MPICH": how the libraries' own version texts begin.
[[nodiscard]] std::string_view library_name(Library library);

enum class Call : std::uint8_t {
  kBcast,
  kReduce,
  kAllreduce,
  kAllgather,
  kAlltoall,
  kGather,
  kScatter,
  kReduceScatter,
  kReduceScatterBlock
};

/// A collective of MPI whose algorithm can be chosen.
///
/// Sizes belong to one rank's arguments: of bcast, reduce and allreduce the message; of allgather, alltoall, gather
/// and scatter one block; of both reduce-scatters what a rank gives, which is all shares.
struct CallKind {
  Call call;
  std::string_view name;  ///< "reduce_scatter", as parameters of both libraries have it
  Collective problem;     ///< whose programs it carries out
  bool combines;
  int open_mpi_id;            ///< in files of rules
  bool open_mpi_counts_all;   ///< files of rules have the size of all blocks, size * ranks
  bool mpich_counts_all;      ///< in its "total_msg_size"
  std::string_view mpich_as;  ///< "Bcast", as in names of algorithms; empty: its selection cannot tell sizes in bytes
};
[[nodiscard]] std::span<const CallKind> call_kinds();
[[nodiscard]] const CallKind& kind_of(Call call);
/// Those that a library can be told about.
[[nodiscard]] std::vector<Call> tunable_calls(Library library);

enum class FitsRanks : std::uint8_t { kAll, kPowerOfTwo, kEven, kTwo };

/// An algorithm of a library.
struct LibraryAlgorithm {
  Call call;
  std::string_view name;  ///< as the library has it: "split_binary_tree", "scatter_ring_allgather"
  int number;             ///< of Open MPI's parameters and files; 0 for MPICH, which has names
  std::optional<LibraryPattern> pattern = std::nullopt;  ///< nothing: no model
  bool segments = false;
  FitsRanks fits = FitsRanks::kAll;
  /// Reductions are right for operations that do not commute too. MPICH's selection asks whether they commute, Open
  /// MPI's file does not.
  bool keeps_order = true;
};
[[nodiscard]] std::span<const LibraryAlgorithm> library_algorithms(Library library);
[[nodiscard]] bool fits(const LibraryAlgorithm& algorithm, std::int64_t ranks);

/// One way to carry out a call.
struct LibraryChoice {
  const LibraryAlgorithm* algorithm = nullptr;
  std::int64_t segment_bytes = 0;  ///< 0: messages whole

  /// "pipeline", "pipeline in 8Ki".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const LibraryChoice&, const LibraryChoice&) = default;
};

/// All that fit this number of ranks and a message of `bytes`; segmented ones with several sizes of segments.
/// `modelled`: only those that the models can judge; `any_order`: also those that need operations which commute.
[[nodiscard]] std::vector<LibraryChoice> library_choices(Library library, Call call, std::int64_t ranks,
                                                         std::int64_t bytes, bool modelled, bool any_order);

/// What Open MPI 4.1 takes unless told otherwise, for operations that commute.
[[nodiscard]] LibraryChoice open_mpi_default(Call call, std::int64_t ranks, std::int64_t bytes);

/// What a choice sends in a call of `bytes`; nothing without a model.
[[nodiscard]] std::optional<LibraryRun> run_of(const LibraryChoice& choice, std::int64_t bytes, std::int64_t ranks);

/// One line of the file: calls from `bytes` on, and below `below`, get another algorithm.
struct TunedSize {
  Call call;
  std::int64_t bytes = 0;
  std::int64_t below = 0;
  std::string from;
  LibraryChoice to;
  double from_s = 0;
  double to_s = 0;
};

/// The file of rules for communicators of `ranks`, `sizes` by call and rising size: comments, and what
/// coll_tuned_dynamic_rules_filename takes. Everything else is left to Open MPI.
[[nodiscard]] std::string open_mpi_rules(const std::vector<TunedSize>& sizes, std::int64_t ranks);

}  // namespace sluice::command
