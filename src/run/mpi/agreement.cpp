#include "run/mpi/agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "run/mpi/collective.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr char kBetween = '\0';

/// Three parts one behind the other, each short enough for all to fit the buffer of broadcast.
std::string joined(const std::string& where, const std::string& found, const std::string& expected) {
  return where.substr(0, 300) + kBetween + found.substr(0, 300) + kBetween + expected.substr(0, 300);
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InputError& e) {
    return joined(e.where(), e.found(), e.expected());
  } catch (const std::exception& e) {
    return joined("preparation", e.what(), "no error");
  } catch (...) {
    return joined("preparation", "an unknown error", "no error");
  }
}

/// The text of `root` on every rank.
std::string broadcast(const Communicator& comm, int root, const std::string& text) {
  std::array<char, 1024> buffer{};
  if (comm.rank() == root) text.copy(buffer.data(), buffer.size() - 1);
  SLUICE_MPI(MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, root, comm.get()));
  return {buffer.data(), buffer.size()};
}

}  // namespace

void agree(const Communicator& comm, std::uint64_t fingerprint, const std::exception_ptr& failure) {
  // Largest fingerprint, complement of the smallest, size - (lowest rank that failed).
  std::array<std::uint64_t, 3> word{fingerprint, ~fingerprint,
                                    failure ? static_cast<std::uint64_t>(comm.size() - comm.rank()) : 0};
  reduce_to_all(word.data(), 3, MPI_UINT64_T, MPI_MAX, comm);
  if (word[2] != 0) {
    const int failed = comm.size() - static_cast<int>(word[2]);
    const std::string text = broadcast(comm, failed, failure ? text_of(failure) : std::string());
    if (failure) std::rethrow_exception(failure);
    const std::size_t first = text.find(kBetween);
    const std::size_t second = text.find(kBetween, first + 1);
    const std::size_t end = text.find(kBetween, second + 1);
    throw InputError(text.substr(0, first),
                     fmt::format("on rank {}: {}", failed, text.substr(first + 1, second - first - 1)),
                     text.substr(second + 1, end - second - 1));
  }
  if (word[0] != ~word[1]) {
    throw InputError("arguments", "different ones on different ranks", "the same on every rank of the communicator");
  }
}

LargestOfAll::~LargestOfAll() {
  if (request_ != MPI_REQUEST_NULL) (void)word_.release();
}

void LargestOfAll::ask(const Communicator& comm, std::int64_t own) {
  SLUICE_ASSERT(request_ == MPI_REQUEST_NULL, "asked before the answer");
  if (!word_) word_ = std::make_unique<std::int64_t>();
  *word_ = own;
  SLUICE_MPI(MPI_Iallreduce(MPI_IN_PLACE, word_.get(), 1, MPI_INT64_T, MPI_MAX, comm.get(), &request_));
}

std::optional<std::int64_t> LargestOfAll::answer() {
  int done = 0;
  SLUICE_MPI(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
  if (done == 0) return std::nullopt;
  return *word_;
}

}  // namespace sluice::mpi::detail
