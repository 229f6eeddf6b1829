#include "run/mpi/network/platform_arguments.hpp"

#include <span>

namespace sluice::mpi::detail {
namespace {

void add_table(Arguments& arguments, const GapTable& table) {
  arguments.add(table.points().size());
  for (const GapTable::Point& point : table.points()) arguments.add_all(point.bytes, point.seconds);
}

void add_links(Arguments& arguments, const std::vector<PlatformLink>& links) {
  arguments.add(links.size());
  for (const PlatformLink& link : links) {
    arguments.add_all(link.from, link.to, link.latency_s, link.connections);
    add_table(arguments, link.gap);
  }
}

}  // namespace

void add_platform(Arguments& arguments, const Platform& platform) {
  arguments.add_all(platform.ranks, platform.clusters.size());
  for (const PlatformCluster& cluster : platform.clusters) {
    arguments.add_all(cluster.name, std::span(cluster.ranks), cluster.latency_s);
    for (const GapTable* table : {&cluster.gap, &cluster.broadcast, &cluster.planned_broadcast})
      add_table(arguments, *table);
  }
  add_links(arguments, platform.links);
  arguments.add(platform.parts.size());
  for (const PlatformPart& part : platform.parts) {
    arguments.add_all(part.name, part.parent, part.first_cluster, part.clusters, part.shares_uplink);
    add_table(arguments, part.uplink);
  }
  add_links(arguments, platform.part_links);
}

}  // namespace sluice::mpi::detail
