#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/infinity.hpp"
#include "plan/broadcast/route_builder.hpp"
#include "plan/broadcast/routes.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// How long a broadcast over routes takes, about: see route_score.cpp. Apart from Clock, as it looks at a sample of the
/// segments: a search scores thousands of routes, none of whose messages are written down.
class RouteScore {
 public:
  RouteScore(const RankNetwork& network, std::int64_t root, std::int64_t bytes, const std::vector<RankGroup>& groups);

  struct Score {
    double length_s = 0;
    double filled_s = 0;  ///< until the first segments are everywhere
    double period_s = 0;  ///< for so long a segment keeps the busiest port, rank, link or uplink
  };
  /// The score of `routes`. May stop early; then the length is at least `limit`, but not exact. All routes are of one
  /// level. O(ranks * connections between two groups), but O(ranks) for loads of groups that are known.
  [[nodiscard]] Score score(const Routes& routes, double limit = kInfinity);

 private:
  /// What determines the messages inside groups.
  struct InsideOf {
    using Ring = std::pair<std::size_t, std::size_t>;  // RouteBuilder::ring_of
    std::size_t group = 0;
    Routes::Shape shape{};
    bool spread = false;
    std::vector<Ring> rings;  // of a sample of segments

    friend auto operator<=>(const InsideOf&, const InsideOf&) = default;
  };
  /// What the messages inside groups add to the load of each thing.
  struct InsideLoads {
    struct Load {
      std::size_t what = 0;
      double all = 0, firm = 0;
    };
    std::vector<Load> loads;
    std::vector<std::size_t> links;  // of what is loaded
  };
  [[nodiscard]] const InsideLoads& inside_loads(std::size_t group, RouteBuilder& builder, const Routes& routes,
                                                std::size_t sample, const std::vector<MessageCosts>& inside);
  /// Where the ring of the root's group begins for each of a sample of segments.
  [[nodiscard]] std::size_t turn(const Routes& routes, std::size_t segment, std::size_t sample) const {
    return routes.root_shape == Routes::Shape::kBinary ? segment : segment * groups_.front().ranks.size() / sample;
  }
  /// Calls use(what) for all but links, which are many and mostly not used.
  template <class Use>
  void for_all_but_links(Use use) const {
    for (std::size_t what = 0; what < 3 * ranks_; ++what) use(what);
    for (std::size_t what = 3 * ranks_ + clusters_ * clusters_; what < load_.size(); ++what) use(what);
  }
  void clear_loads();
  [[nodiscard]] const MessageCosts& costs(std::size_t from_cluster, std::size_t to_cluster, std::int64_t bytes);
  [[nodiscard]] double uplink_s(std::size_t number, std::int64_t bytes);
  void clear_messages() {
    messages_.messages.clear();
    messages_.sending.clear();
  }
  /// Adds the loads of messages_; each message is sent `times` times.
  void add_loads(const std::vector<MessageCosts>& inside, double times = 1);
  void add_connections();
  [[nodiscard]] double busiest_connection(std::size_t count, std::int64_t bytes);
  [[nodiscard]] double fill(const std::vector<MessageCosts>& inside);

  const RankNetwork& network_;
  std::size_t root_;
  std::int64_t bytes_;
  const std::vector<RankGroup>& groups_;
  std::size_t ranks_, clusters_;
  std::vector<std::pair<std::int64_t, MessageCosts>> costs_;  // by pairs of clusters: costs of the last message, and
                                                              // its bytes
  std::vector<std::pair<std::int64_t, double>> uplinks_;      // by uplink: bytes of the last message, and how long it
                                                              // keeps the uplink
  // For each thing, the seconds of its use. Things: ranks that send, receive, start messages; links; uplinks.
  std::vector<double> load_;
  std::vector<double> firm_;                                 // the part of load_ by messages that do not yield
  std::vector<std::size_t> links_;                           // the links in use
  std::vector<std::pair<std::size_t, double>> connections_;  // between clusters: by both ranks
  std::shared_ptr<const GroupParts> parts_;
  std::int64_t inside_bytes_ = -1;  // of a segment
  std::map<InsideOf, InsideLoads> inside_;
  MessageGraph messages_;  // of a segment, or of a sample of them
  // While a segment is followed:
  std::vector<std::size_t> first_, order_;
  std::vector<double> there_;
};

/// The score of one route.
[[nodiscard]] RouteScore::Score route_score(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                            const Routes& routes);

}  // namespace sluice::detail
