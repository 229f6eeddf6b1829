#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::scalapack {

/// The ranks of a global context, and the jobs that they used last: a call with the arguments of one of them makes
/// nothing new.
///
/// No rank knows alone whether two calls are equal, as a rank outside a grid knows nothing of it. Each rank says which
/// of the jobs fit what it knows. The job that all ranks name is taken, if there is one: eight bytes, once a call. All
/// ranks learn this, so they keep the same jobs in the same places.
///
/// Contexts of all ranks of the program share one home, so that jobs outlast contexts that are made for a call; others
/// have homes of their own, which go with their communicators, the last ones with MPI_Finalize. MPI may have few
/// communicators for homes: if a rank has kMost homes, a further context gets one for the call alone.
class Home {
 public:
  static constexpr std::size_t kJobs = 16;
  static constexpr std::size_t kMost = 32;
  static_assert(kJobs <= 64, "the places are bits of a word");

  /// Collective over the ranks of `grid`, the communicator of a context, or MPI_COMM_WORLD, which keeps it for later
  /// calls unless there are too many.
  [[nodiscard]] static std::shared_ptr<Home> of(MPI_Comm grid);

  /// Collective; for `of`.
  explicit Home(MPI_Comm ranks);
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  /// The library's own, of these ranks; jobs are made on it.
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

  /// The job that all ranks keep for what they know of a call, null if there is none. Collective.
  [[nodiscard]] mpi::Redistribution* find(const std::vector<std::int64_t>& known);
  /// Keeps a job, in the place of the one used longest ago if there is no other. In the same order on all ranks.
  mpi::Redistribution& keep(std::vector<std::int64_t> known, std::unique_ptr<mpi::Redistribution> job);

  /// Ends all jobs; before MPI ends.
  void end() noexcept;

 private:
  struct Kept {
    std::vector<std::int64_t> known;
    std::unique_ptr<mpi::Redistribution> job;
    std::uint64_t used = 0;  ///< number of the call that used it last, 0: there is none
  };

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::array<Kept, kJobs> kept_;
  std::uint64_t calls_ = 0;
};

}  // namespace sluice::scalapack
