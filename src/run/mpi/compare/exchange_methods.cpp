#include "run/mpi/compare/exchange_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "run/mpi/collective.hpp"
#include "run/mpi/compare/known_contents.hpp"
#include "run/mpi/exchange/message_offsets.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

class Planned final : public Method {
 public:
  Planned(MPI_Comm comm, const ExchangeMessages& messages, const ExchangeJobOptions& options)
      : messages_(messages), exchange_(comm, messages.sends, options) {}

  void execute(const void* source, void* target) override {
    exchange_.execute({static_cast<const std::byte*>(source), static_cast<std::size_t>(messages_.send_offsets.back())},
                      {static_cast<std::byte*>(target), static_cast<std::size_t>(messages_.receive_offsets.back())});
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return exchange_.peak_extra_bytes(); }

 private:
  const ExchangeMessages& messages_;
  Exchange exchange_;
};

/// The methods of MPI's own, which count in int: see ComparedExchange::beyond. They send from the user's memory and
/// hold nothing.
class OfMpi : public Method {
 public:
  OfMpi(const Communicator& comm, const ExchangeMessages& messages) : comm_(comm), messages_(messages) {}
  [[nodiscard]] std::int64_t held_bytes() const override { return 0; }

 protected:
  void send(const void* source, std::size_t i, MPI_Request* request) const {
    const MessageSize& message = messages_.sends[i];
    SLUICE_MPI(MPI_Isend(static_cast<const std::byte*>(source) + messages_.send_offsets[i],
                         static_cast<int>(message.bytes), MPI_BYTE, message.peer, 0, comm_.get(), request));
  }
  void receive(void* target, std::size_t i, MPI_Request* request) const {
    const MessageSize& message = messages_.receives[i];
    SLUICE_MPI(MPI_Irecv(static_cast<std::byte*>(target) + messages_.receive_offsets[i],
                         static_cast<int>(message.bytes), MPI_BYTE, message.peer, 0, comm_.get(), request));
  }

  const Communicator& comm_;
  const ExchangeMessages& messages_;
};

class AllAtOnce final : public OfMpi {
 public:
  AllAtOnce(const Communicator& comm, const ExchangeMessages& messages)
      : OfMpi(comm, messages), requests_(messages.sends.size() + messages.receives.size(), MPI_REQUEST_NULL) {}

  void execute(const void* source, void* target) override {
    MPI_Request* request = requests_.data();
    for (std::size_t i = 0; i < messages_.receives.size(); ++i) receive(target, i, request++);
    for (std::size_t i = 0; i < messages_.sends.size(); ++i) {
      if (messages_.sends[i].bytes > 0) send(source, i, request++);
    }
    SLUICE_MPI(MPI_Waitall(static_cast<int>(request - requests_.data()), requests_.data(), MPI_STATUSES_IGNORE));
  }

 private:
  std::vector<MPI_Request> requests_;
};

class Pairwise final : public OfMpi {
 public:
  Pairwise(const Communicator& comm, const ExchangeMessages& messages)
      : OfMpi(comm, messages),
        send_to_(static_cast<std::size_t>(comm.size()), kNone),
        receive_from_(static_cast<std::size_t>(comm.size()), kNone) {
    for (std::size_t i = 0; i < messages.sends.size(); ++i) {
      if (messages.sends[i].bytes > 0) send_to_[static_cast<std::size_t>(messages.sends[i].peer)] = i;
    }
    for (std::size_t i = 0; i < messages.receives.size(); ++i) {
      receive_from_[static_cast<std::size_t>(messages.receives[i].peer)] = i;
    }
  }

  void execute(const void* source, void* target) override {
    const std::size_t size = send_to_.size();
    const auto rank = static_cast<std::size_t>(comm_.rank());
    for (std::size_t distance = 0; distance < size; ++distance) {
      std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      const std::size_t in = receive_from_[(rank + size - distance) % size];
      const std::size_t out = send_to_[(rank + distance) % size];
      if (in != kNone) receive(target, in, &requests[0]);
      if (out != kNone) send(source, out, &requests[1]);
      SLUICE_MPI(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
    }
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::vector<std::size_t> send_to_;  ///< position of the message to each rank
  std::vector<std::size_t> receive_from_;
};

class Alltoallv final : public OfMpi {
 public:
  Alltoallv(const Communicator& comm, const ExchangeMessages& messages) : OfMpi(comm, messages) {
    fill(messages.sends, messages.send_offsets, send_counts_, send_at_);
    fill(messages.receives, messages.receive_offsets, receive_counts_, receive_at_);
  }

  void execute(const void* source, void* target) override {
    SLUICE_MPI(MPI_Alltoallv(source, send_counts_.data(), send_at_.data(), MPI_BYTE, target, receive_counts_.data(),
                             receive_at_.data(), MPI_BYTE, comm_.get()));
  }

 private:
  void fill(const std::vector<MessageSize>& messages, const std::vector<std::int64_t>& offsets,
            std::vector<int>& counts, std::vector<int>& at) const {
    counts.assign(static_cast<std::size_t>(comm_.size()), 0);
    at.assign(static_cast<std::size_t>(comm_.size()), 0);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      counts[static_cast<std::size_t>(messages[i].peer)] = static_cast<int>(messages[i].bytes);
      at[static_cast<std::size_t>(messages[i].peer)] = static_cast<int>(offsets[i]);
    }
  }

  std::vector<int> send_counts_;
  std::vector<int> send_at_;
  std::vector<int> receive_counts_;
  std::vector<int> receive_at_;
};

}  // namespace

ComparedExchange::ComparedExchange(const Communicator& comm, const std::vector<MessageSize>& sends,
                                   const ExchangeJobOptions& options)
    : comm_(comm), options_(options) {
  {
    // Learns what comes from whom, and sees that the arguments are good; the plan is not needed here.
    ExchangeJobOptions list = options;
    list.mode = ExchangeMode::kList;
    const Exchange exchange(comm.get(), sends, list);
    messages_.sends = exchange.sends();
    messages_.receives = exchange.receives();
  }
  messages_.send_offsets = message_offsets(messages_.sends);
  messages_.receive_offsets = message_offsets(messages_.receives);
  bytes_moved_ = sum(messages_.send_offsets.back(), comm);
  std::int64_t longest = 0;
  for (const MessageSize& message : messages_.sends) longest = std::max(longest, message.bytes);
  longest_message_ = largest(longest, comm);
  largest_part_ = largest(std::max(messages_.send_offsets.back(), messages_.receive_offsets.back()), comm);
  source_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(messages_.send_offsets.back()));
  target_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(messages_.receive_offsets.back()));
  for (std::size_t i = 0; i < messages_.sends.size(); ++i) {
    const MessageSize& message = messages_.sends[i];
    fill_known({source_.get() + messages_.send_offsets[i], static_cast<std::size_t>(message.bytes)}, comm.rank(),
               message.peer);
  }
  reset_target();
}

std::unique_ptr<Method> ComparedExchange::planned(ExchangeMode mode) const {
  ExchangeJobOptions options = options_;
  options.mode = mode;
  options.tune = options.tune && mode == ExchangeMode::kList;
  return std::make_unique<Planned>(comm_.get(), messages_, options);
}

std::string ComparedExchange::beyond(const std::string& method) const {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (method == "alltoallv" && largest_part_ > kMost) {
    return fmt::format("{} bytes on a rank, MPI counts 2^31 - 1", largest_part_);
  }
  if ((method == "all-at-once" || method == "pairwise") && longest_message_ > kMost) {
    return fmt::format("a message of {} bytes, MPI counts 2^31 - 1", longest_message_);
  }
  return "";
}

std::unique_ptr<Method> ComparedExchange::make(const std::string& method) {
  constexpr std::string_view kMode = "sluice-";
  if (method == "sluice") return planned(options_.mode);
  if (method.starts_with(kMode)) return planned(parse_exchange_mode(method.substr(kMode.size())));
  if (method == "alltoallv") return std::make_unique<Alltoallv>(comm_, messages_);
  if (method == "all-at-once") return std::make_unique<AllAtOnce>(comm_, messages_);
  if (method == "pairwise") return std::make_unique<Pairwise>(comm_, messages_);
  throw InputError("method", fmt::format("'{}'", method), "sluice, sluice-MODE, alltoallv, all-at-once or pairwise");
}

void ComparedExchange::reset_target() {
  for (std::size_t i = 0; i < messages_.receives.size(); ++i) {
    const MessageSize& message = messages_.receives[i];
    fill_known({target_.get() + messages_.receive_offsets[i], static_cast<std::size_t>(message.bytes)}, message.peer,
               comm_.rank(), true);
  }
}

std::string ComparedExchange::check_target() const {
  for (std::size_t i = 0; i < messages_.receives.size(); ++i) {
    const MessageSize& message = messages_.receives[i];
    const std::int64_t wrong =
        first_wrong({target_.get() + messages_.receive_offsets[i], static_cast<std::size_t>(message.bytes)},
                    message.peer, comm_.rank());
    if (wrong >= 0) {
      return fmt::format("the message of {} bytes from rank {} is wrong in the 8 bytes from {}", message.bytes,
                         message.peer, wrong);
    }
  }
  return "";
}

}  // namespace sluice::mpi::detail
