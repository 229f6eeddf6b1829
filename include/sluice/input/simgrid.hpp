#pragma once

#include <string>

#include "sluice/input/platform.hpp"

/// Writes platforms for SimGrid, so that one file serves planning and simulation.
namespace sluice {

/// Holds the files that smpirun takes.
struct SimgridPlatform {
  std::string xml;    ///< version 4.1 of SimGrid's format, routing "Full"
  std::string hosts;  ///< names of the hosts in the order of the ranks, one per line: a hostfile for smpirun
};

/// Makes a SimGrid machine that behaves as the platform says when one message is under way. Several messages share it
/// by these rules:
///
///  - Rates are rates of long messages: the slope of the last two points of g(m). The rest of g, the start of a
///    message, is not part of SimGrid's platforms; smpirun takes it as smpi/os and smpi/ois.
///  - A host sends and receives at the rate of its cluster, or of its fastest link if that is faster. A card may be
///    faster to others than inside its cluster. A message inside then occupies the whole card, because its route passes
///    the card several times. A card that is more than 32 times as fast is 32 times as fast.
///  - If the link between two clusters is as fast as their hosts and has `connections` 1, as is the default, there is
///    nothing between them except the hosts' cards.
///  - Every other link is limited: a pair of hosts by g, several pairs by `connections` times as much. Each pair of
///    hosts has a link of its own, because a link with the policy FATPIPE would limit every message, not every
///    connection.
///  - Clusters, LANs and sites that are distinctly farther from each other than their own members are groups, level
///    upon level (docs/explanation/broadcast.md). Each group has an uplink, in each direction, with the highest rate of
///    its limited links to others. Its messages to several others share that uplink, and so do the ranks of a cluster
///    that is one host. Two clusters that no such groups separate have a link of their own.
///
/// O(ranks^2) time and size. Throws InputError naming `where` for more than 2048 ranks. @pre the platform has passed
/// check_platform
[[nodiscard]] SimgridPlatform to_simgrid(const Platform& platform, const std::string& where);

}  // namespace sluice
