#pragma once

#include <mpi.h>

namespace sluice::mpi::detail {

/// A duplicate of a user's communicator that belongs to the library: nothing sent on it can meet messages of the user
/// or of another object, and errors come back as codes, whatever the user's error handler is.
class Communicator {
 public:
  /// Collective. Throws InputError for MPI_COMM_NULL and intercommunicators, before anything is sent.
  explicit Communicator(MPI_Comm user);
  /// Frees the duplicate, unless MPI is finalised already.
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Gives the duplicate up without freeing it, which is collective: for when another rank may never do so.
  void leak() { comm_ = MPI_COMM_NULL; }

  [[nodiscard]] MPI_Comm get() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace sluice::mpi::detail
