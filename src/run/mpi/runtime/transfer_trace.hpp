#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/run/mpi/transfer_record.hpp"

namespace sluice::mpi::detail {

/// What a TransferRecord keeps.
struct TransferLog {
  std::vector<TransferTimes> sent;
  std::vector<TransferTimes> received;
};

/// The transfers of one execution, by the ends of its messages.
class TransferTrace {
 public:
  void send_started(std::size_t send, int to) {
    TransferTimes& times = at(sends_, send);
    times.peer = to;
    times.start_s = now_s();
  }
  void send_ended(std::size_t send, std::int64_t bytes) { end(at(sends_, send), bytes); }
  void receive_released(std::size_t receive) { at(receives_, receive).release_s = now_s(); }
  void receive_ended(std::size_t receive, int from, std::int64_t bytes) {
    TransferTimes& times = at(receives_, receive);
    times.peer = from;
    end(times, bytes);
  }
  void add_to(TransferLog& log) const {
    add(sends_, log.sent);
    add(receives_, log.received);
  }

 private:
  static double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  static TransferTimes& at(std::vector<TransferTimes>& all, std::size_t number) {
    if (all.size() <= number) all.resize(number + 1);
    return all[number];
  }
  /// If a message goes in pieces, the last one counts.
  static void end(TransferTimes& times, std::int64_t bytes) {
    times.bytes = bytes;
    times.end_s = now_s();
  }
  /// Empty messages are no transfers.
  static void add(const std::vector<TransferTimes>& own, std::vector<TransferTimes>& all) {
    for (const TransferTimes& times : own) {
      if (times.end_s > 0) all.push_back(times);
    }
  }

  std::vector<TransferTimes> sends_;
  std::vector<TransferTimes> receives_;
};

}  // namespace sluice::mpi::detail
