#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/compare/mpi_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::compare {

/// An exchange whose bytes are a function of sender, receiver and offset, and the methods that can do it.
class ComparedExchange final : public ComparedJob {
 public:
  /// Collective. Throws InputError on all ranks as Exchange does.
  ComparedExchange(const Communicator& comm, const std::vector<mpi::MessageSize>& sends,
                   const mpi::ExchangeOptions& options);

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override;
  [[nodiscard]] std::string beyond(const std::string& method) const override;
  [[nodiscard]] std::int64_t bytes_moved() const override { return bytes_moved_; }
  [[nodiscard]] const std::byte* source() const override { return source_.get(); }
  [[nodiscard]] std::byte* target() override { return target_.get(); }
  void reset_target() override;
  [[nodiscard]] std::string check_target() const override;

 private:
  [[nodiscard]] std::unique_ptr<Method> planned(mpi::ExchangeMode mode, bool try_native) const;

  const Communicator& comm_;
  std::vector<mpi::MessageSize> sizes_;
  mpi::ExchangeOptions options_;
  PlacedMessages sends_;
  PlacedMessages receives_;
  std::int64_t bytes_moved_ = 0;
  std::int64_t longest_message_ = 0;  ///< of all ranks
  std::int64_t largest_part_ = 0;     ///< the most that a rank sends, or receives
  std::unique_ptr<std::byte[]> source_;
  std::unique_ptr<std::byte[]> target_;
};

}  // namespace sluice::compare
