#include "apps/compare/mpi_exchange.hpp"

#include <array>
#include <cstddef>

#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

class MpiExchange : public Method {
 public:
  MpiExchange(const Communicator& comm, const PlacedMessages& sends, const PlacedMessages& receives)
      : comm_(comm), sends_(sends.messages), receives_(receives.messages) {}

 protected:
  void send(const void* source, const PlacedMessage& message, MPI_Request* request) const {
    SLUICE_MPI(MPI_Isend(static_cast<const std::byte*>(source) + message.offset, static_cast<int>(message.bytes),
                         MPI_BYTE, message.peer, 0, comm_.get(), request));
  }
  void receive(void* target, const PlacedMessage& message, MPI_Request* request) const {
    SLUICE_MPI(MPI_Irecv(static_cast<std::byte*>(target) + message.offset, static_cast<int>(message.bytes), MPI_BYTE,
                         message.peer, 0, comm_.get(), request));
  }

  const Communicator& comm_;
  const std::vector<PlacedMessage>& sends_;
  const std::vector<PlacedMessage>& receives_;
};

class AllAtOnce final : public MpiExchange {
 public:
  AllAtOnce(const Communicator& comm, const PlacedMessages& sends, const PlacedMessages& receives)
      : MpiExchange(comm, sends, receives), requests_(sends_.size() + receives_.size(), MPI_REQUEST_NULL) {}

  void execute(const void* source, void* target) override {
    MPI_Request* request = requests_.data();
    for (const PlacedMessage& message : receives_) receive(target, message, request++);
    for (const PlacedMessage& message : sends_) send(source, message, request++);
    SLUICE_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  }

 private:
  std::vector<MPI_Request> requests_;
};

class Pairwise final : public MpiExchange {
 public:
  Pairwise(const Communicator& comm, const PlacedMessages& sends, const PlacedMessages& receives)
      : MpiExchange(comm, sends, receives), send_to_(by_peer(sends_)), receive_from_(by_peer(receives_)) {}

  void execute(const void* source, void* target) override {
    const std::size_t size = send_to_.size();
    const auto rank = static_cast<std::size_t>(comm_.rank());
    for (std::size_t distance = 0; distance < size; ++distance) {
      std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      const PlacedMessage* const in = receive_from_[(rank + size - distance) % size];
      const PlacedMessage* const out = send_to_[(rank + distance) % size];
      if (in != nullptr) receive(target, *in, &requests[0]);
      if (out != nullptr) send(source, *out, &requests[1]);
      SLUICE_MPI(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
    }
  }

 private:
  [[nodiscard]] std::vector<const PlacedMessage*> by_peer(const std::vector<PlacedMessage>& messages) const {
    std::vector<const PlacedMessage*> result(static_cast<std::size_t>(comm_.size()), nullptr);
    for (const PlacedMessage& message : messages) result[static_cast<std::size_t>(message.peer)] = &message;
    return result;
  }

  std::vector<const PlacedMessage*> send_to_;
  std::vector<const PlacedMessage*> receive_from_;
};

class Alltoallv final : public MpiExchange {
 public:
  Alltoallv(const Communicator& comm, const PlacedMessages& sends, const PlacedMessages& receives)
      : MpiExchange(comm, sends, receives), out_(comm.size(), sends_), in_(comm.size(), receives_) {}

  void execute(const void* source, void* target) override {
    SLUICE_MPI(MPI_Alltoallv(source, out_.counts.data(), out_.offsets.data(), MPI_BYTE, target, in_.counts.data(),
                             in_.offsets.data(), MPI_BYTE, comm_.get()));
  }

 private:
  struct Row {
    Row(int ranks, const std::vector<PlacedMessage>& messages)
        : counts(static_cast<std::size_t>(ranks), 0), offsets(static_cast<std::size_t>(ranks), 0) {
      for (const PlacedMessage& message : messages) {
        counts[static_cast<std::size_t>(message.peer)] = static_cast<int>(message.bytes);
        offsets[static_cast<std::size_t>(message.peer)] = static_cast<int>(message.offset);
      }
    }

    std::vector<int> counts;
    std::vector<int> offsets;
  };

  Row out_;
  Row in_;
};

}  // namespace

void PlacedMessages::add(int peer, std::int64_t message_bytes) {
  if (message_bytes == 0) return;
  messages.push_back({peer, message_bytes, bytes});
  bytes += message_bytes;
}

std::unique_ptr<Method> make_mpi_exchange(const std::string& name, const Communicator& comm,
                                          const PlacedMessages& sends, const PlacedMessages& receives) {
  if (name == "alltoallv") return std::make_unique<Alltoallv>(comm, sends, receives);
  if (name == "all-at-once") return std::make_unique<AllAtOnce>(comm, sends, receives);
  if (name == "pairwise") return std::make_unique<Pairwise>(comm, sends, receives);
  return nullptr;
}

}  // namespace sluice::compare
