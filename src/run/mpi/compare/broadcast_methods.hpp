#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/mpi/communicator.hpp"
#include "run/mpi/compare/comparison.hpp"
#include "sluice/run/mpi/broadcast.hpp"

namespace sluice::mpi::detail {

/// A broadcast of bytes that every rank knows, and the methods that can do it.
class ComparedBroadcast final : public ComparedJob {
 public:
  /// Throws InputError for negative bytes.
  ComparedBroadcast(const Communicator& comm, const Platform& platform, int root, std::int64_t bytes,
                    const BroadcastJobOptions& options);

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override;
  [[nodiscard]] std::int64_t bytes_moved() const override { return (comm_.size() - 1) * bytes_; }
  /// In place: the root has the message in the target.
  [[nodiscard]] const std::byte* source() const override { return buffer_.get(); }
  [[nodiscard]] std::byte* target() override { return buffer_.get(); }
  void reset_target() override;
  [[nodiscard]] std::string check_target() const override;

 private:
  const Communicator& comm_;
  Platform platform_;
  int root_;
  std::int64_t bytes_;
  BroadcastJobOptions options_;
  std::unique_ptr<std::byte[]> buffer_;
};

}  // namespace sluice::mpi::detail
