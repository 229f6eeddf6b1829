#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <tuple>

#include "job.hpp"
#include "options.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face
using sluice::LocalLinks;
using sluice::mpi::Exchange;

namespace {

sluice::mpi::ExchangeOptions exchange_options(const sluice_options* given) {
  sluice::mpi::ExchangeOptions options;
  std::string mode = to_string(options.mode);
  OptionReader reader(given);
  reader.read("max_transfers", options.max_transfers);
  reader.read("mode", mode);
  reader.read("algorithm", options.algorithm);
  reader.read("setup_bytes", options.setup_bytes);
  reader.read("effort", options.effort);
  reader.read("time_limit_s", options.time_limit_s);
  reader.read("chunk_bytes", options.chunk_bytes);
  reader.read("window", options.window);
  reader.read("early_release_bytes", options.early_release_bytes);
  reader.read("try_native", options.try_native);
  options.speeds = reader.read_speeds();
  LocalLinks links;
  reader.read("local_unit_cost", links.unit_cost);
  reader.read("local_setup_bytes", links.setup);
  if (reader.has("local_unit_cost")) {
    options.local_links = links;
  } else if (links.setup) {
    throw sluice::InputError("local_setup_bytes", "no local_unit_cost", "both, or local_unit_cost alone");
  }
  reader.read("sender_ranks", options.sender_ranks);
  reader.read("receiver_ranks", options.receiver_ranks);
  reader.done();
  options.mode = sluice::mpi::parse_exchange_mode(mode);
  return options;
}

template <class Byte>
std::span<Byte> span_of(Byte* start, std::int64_t bytes) {
  // A size that is none leaves nothing, which the job refuses where it needs more.
  return bytes > 0 && start != nullptr ? std::span<Byte>(start, static_cast<std::size_t>(bytes)) : std::span<Byte>();
}

}  // namespace

int sluice_exchange_create(MPI_Comm comm, std::int64_t sends, const int send_ranks[], const std::int64_t send_bytes[],
                           const sluice_options* options, sluice_job** job) {
  return create<Exchange>(comm, job, [&] {
    check_list(sends, send_ranks, "send_ranks");
    check_list(sends, send_bytes, "send_bytes");
    std::vector<sluice::mpi::MessageSize> messages;
    for (std::int64_t i = 0; i < sends; ++i) messages.push_back({send_ranks[i], send_bytes[i]});
    return std::tuple(std::move(messages), exchange_options(options));
  });
}

int sluice_exchange_create_f(MPI_Fint comm, std::int64_t sends, const int send_ranks[], const std::int64_t send_bytes[],
                             const sluice_options* options, sluice_job** job) {
  return sluice_exchange_create(comm_of(comm), sends, send_ranks, send_bytes, options, job);
}

int sluice_exchange_receives(const sluice_job* job, std::int64_t* count, std::int64_t capacity, int ranks[],
                             std::int64_t bytes[]) {
  return guarded([&] {
    check_given(count, "count");
    const auto& receives = job_of<Exchange>(job).receives();
    const auto size = static_cast<std::int64_t>(receives.size());
    if ((ranks != nullptr || bytes != nullptr) && capacity < size)
      throw sluice::InputError("capacity", fmt::format("{}", capacity),
                               fmt::format("room for {}", sluice::count_text(size, "message")));
    for (std::size_t i = 0; i < receives.size(); ++i) {
      if (ranks != nullptr) ranks[i] = receives[i].peer;
      if (bytes != nullptr) bytes[i] = receives[i].bytes;
    }
    *count = size;
  });
}

int sluice_exchange_bytes(const sluice_job* job, std::int64_t* send, std::int64_t* receive) {
  return guarded([&] {
    const auto& own = job_of<Exchange>(job);
    if (send != nullptr) *send = own.send_bytes();
    if (receive != nullptr) *receive = own.receive_bytes();
  });
}

int sluice_exchange_execute(sluice_job* job, const void* send, std::int64_t send_bytes, void* receive,
                            std::int64_t receive_bytes) {
  return guarded([&] {
    job_of<Exchange>(job).execute(span_of(static_cast<const std::byte*>(send), send_bytes),
                                  span_of(static_cast<std::byte*>(receive), receive_bytes));
  });
}

int sluice_exchange_start(sluice_job* job, const void* send, std::int64_t send_bytes, void* receive,
                          std::int64_t receive_bytes) {
  return guarded([&] {
    job_of<Exchange>(job).start(span_of(static_cast<const std::byte*>(send), send_bytes),
                                span_of(static_cast<std::byte*>(receive), receive_bytes));
  });
}
