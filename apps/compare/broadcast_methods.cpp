#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "apps/compare/compare.hpp"
#include "apps/compare/comparison.hpp"
#include "apps/compare/known_contents.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

class PlannedBroadcast final : public Method {
 public:
  PlannedBroadcast(MPI_Comm comm, int root, std::int64_t bytes, const mpi::BroadcastOptions& options)
      : bytes_(bytes), has_platform_(options.platform.has_value()), broadcast_(comm, root, options) {}

  void execute(const void*, void* target) override { broadcast_.execute(target, bytes_); }
  void settle(const void*, void* target) override {
    for (int i = 0; i < kTurns && !broadcast_.settled(bytes_); ++i) broadcast_.execute(target, bytes_);
  }
  /// MPI_Bcast has no model.
  [[nodiscard]] std::optional<double> predicted_s() override {
    const mpi::ChosenBroadcast chosen = broadcast_.chosen(bytes_);
    if (chosen.native_s > 0 && chosen.method == "native") return std::nullopt;
    return has_platform_ || chosen.predicted_s > 0 ? std::optional(chosen.predicted_s) : std::nullopt;
  }
  [[nodiscard]] std::string how() override { return broadcast_.explanation(bytes_); }

 private:
  std::int64_t bytes_;
  bool has_platform_;
  mpi::Broadcast broadcast_;
};

constexpr const char* kBcast = "mpi-bcast";
constexpr const char* kIbcast = "mpi-ibcast";

class BroadcastOfMpi final : public Method {
 public:
  BroadcastOfMpi(const Communicator& comm, int root, std::int64_t bytes, bool blocks)
      : comm_(comm), root_(root), bytes_(bytes), blocks_(blocks) {}

  void execute(const void*, void* target) override {
    constexpr std::int64_t kMostAtOnce = std::numeric_limits<int>::max();  // MPI-3 counts in int
    for (std::int64_t at = 0; at < bytes_; at += kMostAtOnce) {
      const auto some = static_cast<int>(std::min(kMostAtOnce, bytes_ - at));
      std::byte* const part = static_cast<std::byte*>(target) + at;
      if (blocks_) {
        SLUICE_MPI(MPI_Bcast(part, some, MPI_BYTE, root_, comm_.get()));
        continue;
      }
      MPI_Request request = MPI_REQUEST_NULL;
      SLUICE_MPI(MPI_Ibcast(part, some, MPI_BYTE, root_, comm_.get(), &request));
      SLUICE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }

 private:
  const Communicator& comm_;
  int root_;
  std::int64_t bytes_;
  bool blocks_;
};

/// A broadcast of bytes that every rank knows, and the methods that can do it.
class ComparedBroadcast final : public ComparedJob {
 public:
  /// Throws InputError for negative bytes.
  ComparedBroadcast(const Communicator& comm, int root, std::int64_t bytes, const mpi::BroadcastOptions& options)
      : comm_(comm), root_(root), bytes_(bytes), options_(options) {
    if (bytes < 0) throw InputError("bytes", fmt::format("{}", bytes), "at least 0");
    (void)checked::multiply(bytes, comm.size(), "bytes of all ranks");
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    reset_target();
  }

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override {
    if (method == kBcast || method == kIbcast)
      return std::make_unique<BroadcastOfMpi>(comm_, root_, bytes_, method == kBcast);
    mpi::BroadcastOptions options = options_;
    if (method != "sluice") {
      options.program.reset();
      options.plan.algorithm = method;
      options.try_native = false;
    }
    return std::make_unique<PlannedBroadcast>(comm_.get(), root_, bytes_, options);
  }
  [[nodiscard]] std::int64_t bytes_moved() const override { return (comm_.size() - 1) * bytes_; }
  /// In place: the root has the message in the target.
  [[nodiscard]] const std::byte* source() const override { return buffer_.get(); }
  [[nodiscard]] std::byte* target() override { return buffer_.get(); }
  void reset_target() override { fill_known(message(), root_, root_, comm_.rank() != root_); }
  [[nodiscard]] std::string check_target() const override {
    const std::int64_t wrong = first_wrong(message(), root_, root_);
    return wrong < 0
               ? ""
               : fmt::format("the message of {} is wrong in the 8 bytes from {}", count_text(bytes_, "byte"), wrong);
  }

 private:
  [[nodiscard]] std::span<std::byte> message() const { return {buffer_.get(), static_cast<std::size_t>(bytes_)}; }

  const Communicator& comm_;
  int root_;
  std::int64_t bytes_;
  const mpi::BroadcastOptions& options_;
  std::unique_ptr<std::byte[]> buffer_;
};

}  // namespace

std::vector<std::string> broadcast_methods() { return {"sluice", kBcast}; }

std::vector<std::string> broadcasts_of_mpi() { return {kBcast, kIbcast}; }

Comparison broadcasts(MPI_Comm comm, int root, std::int64_t bytes, const mpi::BroadcastOptions& options,
                      const std::vector<std::string>& methods, int repetitions, bool record) {
  const Communicator own(comm);
  check_comparison(own, methods, repetitions);
  ComparedBroadcast compared(own, root, bytes, options);
  return run_comparison(own, compared, methods, repetitions, record);
}

}  // namespace sluice::compare
