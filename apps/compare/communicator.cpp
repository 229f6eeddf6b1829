#include "apps/compare/communicator.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>
#include <exception>
#include <thread>

#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

#ifndef SMPI_H
/// As MPI_Wait, but other processes may have the core meanwhile. SMPI needs none: its ranks are threads of a
/// simulation, and calls of MPI that return at once cost it more messages.
void wait_for(MPI_Request request) {
  for (int done = 0;; std::this_thread::yield()) {
    SLUICE_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
  }
}
#endif

template <class T>
T reduced(T value, MPI_Datatype type, MPI_Op op, const Communicator& comm) {
#ifdef SMPI_H
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, comm.get()));
#else
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Iallreduce(MPI_IN_PLACE, &value, 1, type, op, comm.get(), &request));
  wait_for(request);
#endif
  return value;
}

/// Waits for all ranks and returns the time when this one goes on: simulated ranks, which have one clock, at one
/// instant, others as the barrier lets them.
double start_together(const Communicator& comm) {
  barrier(comm);
#ifdef SMPI_H
  constexpr double kLongEnough_s = 0.1;  // for everybody to know
  const double start = largest(MPI_Wtime(), comm) + kLongEnough_s;
  const double seconds = start - MPI_Wtime();
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9) + 1;
  smpi_nanosleep(&time, nullptr);
  return start;
#else
  return MPI_Wtime();
#endif
}

constexpr char kBetween = '\n';  // an InputError is one line

std::string joined(const std::string& where, const std::string& found, const std::string& expected) {
  return where.substr(0, 300) + kBetween + found.substr(0, 300) + kBetween + expected.substr(0, 300);
}

}  // namespace

Communicator::Communicator(MPI_Comm user) {
#ifdef SMPI_H  // which has no MPI_Comm_idup
  SLUICE_MPI(MPI_Comm_dup(user, &comm_));
#else
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Comm_idup(user, &comm_, &request));
  wait_for(request);
#endif
  SLUICE_MPI(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  SLUICE_MPI(MPI_Comm_rank(comm_, &rank_));
  SLUICE_MPI(MPI_Comm_size(comm_, &size_));
}

// A destructor has nobody to tell about a failure.
Communicator::~Communicator() { (void)MPI_Comm_free(&comm_); }

void barrier(const Communicator& comm) {
#ifdef SMPI_H
  SLUICE_MPI(MPI_Barrier(comm.get()));
#else
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Ibarrier(comm.get(), &request));
  wait_for(request);
#endif
}

std::int64_t largest(std::int64_t value, const Communicator& comm) {
  return reduced(value, MPI_INT64_T, MPI_MAX, comm);
}

double largest(double value, const Communicator& comm) { return reduced(value, MPI_DOUBLE, MPI_MAX, comm); }

std::int64_t sum(std::int64_t value, const Communicator& comm) { return reduced(value, MPI_INT64_T, MPI_SUM, comm); }

double time_of_slowest(const Communicator& comm, const std::function<void()>& run) {
  const double start = start_together(comm);
  run();
  return largest(MPI_Wtime() - start, comm);
}

TimedTurn timed_turn(const Communicator& comm, const std::function<void()>& run, const std::function<int()>& flag) {
  const double start = start_together(comm);
  run();
  std::array<double, 2> both{MPI_Wtime() - start, 0};
  both[1] = flag();
#ifdef SMPI_H
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, both.data(), 2, MPI_DOUBLE, MPI_MAX, comm.get()));
#else
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Iallreduce(MPI_IN_PLACE, both.data(), 2, MPI_DOUBLE, MPI_MAX, comm.get(), &request));
  wait_for(request);
#endif
  return {both[0], static_cast<int>(both[1])};
}

std::optional<std::pair<int, std::string>> text_of_lowest(const std::string& text, const Communicator& comm) {
  const std::int64_t size = comm.size();
  const auto speaker = static_cast<int>(size - largest(text.empty() ? 0 : size - comm.rank(), comm));
  if (speaker == size) return std::nullopt;
  std::array<char, 1024> buffer{};
  if (comm.rank() == speaker) text.copy(buffer.data(), buffer.size() - 1);
  SLUICE_MPI(MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, speaker, comm.get()));
  return std::pair(speaker, std::string(buffer.data()));
}

void prepare_together(const Communicator& comm, const std::function<void()>& prepare) {
  std::exception_ptr failure;
  std::string text;
  try {
    prepare();
  } catch (const InputError& error) {
    failure = std::current_exception();
    text = joined(error.where(), error.found(), error.expected());
  } catch (const std::exception& error) {
    failure = std::current_exception();
    text = joined("preparation", error.what(), "no error");
  }
  const auto lowest = text_of_lowest(text, comm);
  if (failure) std::rethrow_exception(failure);
  if (!lowest) return;
  const auto& [rank, said] = *lowest;
  const std::size_t first = said.find(kBetween);
  const std::size_t second = said.find(kBetween, first + 1);
  throw InputError(said.substr(0, first),
                   fmt::format("on rank {}: {}", rank, said.substr(first + 1, second - first - 1)),
                   said.substr(second + 1));
}

void expect_same(const Communicator& comm, const std::string& arguments) {
  const auto hash = static_cast<std::int64_t>(std::hash<std::string>()(arguments));
  // The complement of the largest complement is the smallest.
  if (largest(hash, comm) == ~largest(~hash, comm)) return;
  throw InputError("arguments", "different ones on different ranks", "the same on every rank of the communicator");
}

}  // namespace sluice::compare
