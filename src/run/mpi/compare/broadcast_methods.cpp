#include "run/mpi/compare/broadcast_methods.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "run/mpi/broadcast/native_broadcast.hpp"
#include "run/mpi/compare/known_contents.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

class Planned final : public Method {
 public:
  Planned(const Communicator& comm, const Platform& platform, int root, std::int64_t bytes,
          const BroadcastJobOptions& options)
      : bytes_(bytes), broadcast_(comm.get(), platform, root, options) {}

  void execute(const void*, void* target) override { broadcast_.execute(target, bytes_); }
  [[nodiscard]] std::int64_t held_bytes() const override { return 0; }
  /// Of MPI_Bcast there is no model.
  [[nodiscard]] std::optional<double> predicted_s() override {
    const ChosenBroadcast chosen = broadcast_.chosen(bytes_);
    return chosen.native_s > 0 && chosen.method == "native" ? std::nullopt : std::optional(chosen.predicted_s);
  }
  [[nodiscard]] std::string how() override { return broadcast_.chosen(bytes_).method; }

 private:
  std::int64_t bytes_;
  Broadcast broadcast_;
};

class OfMpi final : public Method {
 public:
  OfMpi(const Communicator& comm, int root, std::int64_t bytes) : comm_(comm), root_(root), bytes_(bytes) {}

  void execute(const void*, void* target) override { broadcast_by_mpi(target, bytes_, root_, comm_.get()); }
  [[nodiscard]] std::int64_t held_bytes() const override { return 0; }

 private:
  const Communicator& comm_;
  int root_;
  std::int64_t bytes_;
};

}  // namespace

ComparedBroadcast::ComparedBroadcast(const Communicator& comm, const Platform& platform, int root, std::int64_t bytes,
                                     const BroadcastJobOptions& options)
    : comm_(comm), platform_(platform), root_(root), bytes_(bytes), options_(options) {
  if (bytes < 0) throw InputError("bytes", fmt::format("{}", bytes), "at least 0");
  (void)checked::multiply(bytes, comm.size(), "bytes of all ranks");
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  reset_target();
}

std::unique_ptr<Method> ComparedBroadcast::make(const std::string& method) {
  if (method == "mpi-bcast") return std::make_unique<OfMpi>(comm_, root_, bytes_);
  BroadcastJobOptions options = options_;
  if (method != "sluice") {
    options.plan.algorithm = method;
    options.try_native = false;
  }
  return std::make_unique<Planned>(comm_, platform_, root_, bytes_, options);
}

void ComparedBroadcast::reset_target() {
  fill_known({buffer_.get(), static_cast<std::size_t>(bytes_)}, root_, root_, comm_.rank() != root_);
}

std::string ComparedBroadcast::check_target() const {
  const std::int64_t wrong = first_wrong({buffer_.get(), static_cast<std::size_t>(bytes_)}, root_, root_);
  return wrong < 0 ? "" : fmt::format("the message of {} bytes is wrong in the 8 bytes from {}", bytes_, wrong);
}

}  // namespace sluice::mpi::detail
