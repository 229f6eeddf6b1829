#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace sluice::detail {

/// When transfers run that are taken one after the other. A node sends one at a time and receives one at a time; a link
/// carries a limited number at once. A transfer takes what comes free first, and no later one comes before it there.
/// So it is apart from MessageSequence and from the executions of step_order.cpp: there the first that could begin
/// takes the place, and earlier ones of the list that still wait for a port come after it.
class PortClock {
 public:
  PortClock(std::size_t senders, std::size_t receivers) : sender_free_(senders, 0), receiver_free_(receivers, 0) {}
  /// Adds a link that carries `most` transfers at once; 0: any number. Links are numbered from 0 on.
  void add_link(std::int64_t most) { links_.push_back({most, {}}); }

  /// When both ports are free.
  [[nodiscard]] double ports_free(std::size_t sender, std::size_t receiver) const {
    return std::max(sender_free_[sender], receiver_free_[receiver]);
  }
  /// When the link carries fewer than it may.
  [[nodiscard]] double link_free(std::size_t link) const {
    const auto& [most, ends] = links_[link];
    return most == 0 || static_cast<std::int64_t>(ends.size()) < most ? 0 : ends.top();
  }
  void keep_ports(std::size_t sender, std::size_t receiver, double until) {
    sender_free_[sender] = receiver_free_[receiver] = until;
  }
  /// @pre it does not begin before the link is free
  void keep_link(std::size_t link, double until) {
    auto& [most, ends] = links_[link];
    if (most == 0) return;
    if (static_cast<std::int64_t>(ends.size()) == most) ends.pop();
    ends.push(until);
  }

 private:
  struct Link {
    std::int64_t most = 0;
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;  ///< of the last transfers over it
  };
  std::vector<double> sender_free_, receiver_free_;
  std::vector<Link> links_;
};

}  // namespace sluice::detail
