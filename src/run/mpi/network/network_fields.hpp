#pragma once

#include "run/mpi/runtime/planned_part.hpp"
#include "sluice/run/mpi/network.hpp"

namespace sluice::mpi::detail {

/// All fields of a HostNetwork as numbers; see planned_part.
inline constexpr auto kNetworkFields = [](auto& numbers, HostNetwork& network) {
  numbers(network.message_s, network.source, network.measured_s);
  numbers.each(network.host_of_rank, [&](int& host) { numbers(host); });
  numbers.each(network.groups, [&](HostGroup& group) {
    numbers(group.latency_s, group.bytes_per_s, group.uplink_bytes_per_s);
    numbers.each(group.hosts, [&](int& host) { numbers(host); });
  });
  numbers.each(network.links, [&](GroupLink& link) {
    numbers(link.from, link.to, link.latency_s, link.bytes_per_s, link.connections);
  });
};

}  // namespace sluice::mpi::detail
