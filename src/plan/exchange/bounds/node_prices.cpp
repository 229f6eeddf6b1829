/// What prices of nodes prove.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp: find a lower bound of all plans.
///
/// Bound. Let p_v(t) >= 0 be any price of node v for taking part in a step of duration t. Let p_k(t) be a price that
/// every transfer of such a step pays. A message e between u and v then pays q_e(t) = p_u(t) + p_v(t) + p_k(t) for a
/// step that carries a piece of it. Let c_e be the least sum over steps that carry all of it. If
///
///     sum over nodes of p_v(t) + k p_k(t) <= t + beta                       for every t >= 1,
///
/// no plan costs less than the sum of all c_e. Reason: a node takes part in a step at most once, so all together pay at
/// most t + beta, the cost, for a step of duration t; and message e pays at least c_e. Prices that break the condition
/// by a factor are divided by it. The sum on the left is linear wherever the prices are linear; t + beta always is. So
/// only durations where prices bend, and 1, have to be checked.
///
/// For c_e a lower bound is taken, by the linear program of lp_bound.cpp for this message alone: shares z(t) >= 0 of
/// steps with sum of z(t) min(t, w) / w >= 1 (size) and sum of z(t) (1 + [t >= w]) / 2 >= 1 (pieces). Let q be the
/// lower convex hull of q_e on 1..w. The least sum is the least of
///
///     one step that is long enough:        the least q_e(t) with t >= w,
///     two steps of mean duration w / 2:    2 q(w / 2),
///     steps that are all alike:            q_e(t) max(w / t, 2) for a t < w,
///
/// because s steps of mean duration w / s cost s q(w / s) together, which is linear in s between two corners of the
/// hull.
///
/// If sizes are small (has_whole_covers), c_e itself is taken, over steps of whole durations (whole_cover.hpp). This is
/// more, because sizes of pieces are whole. On 12 x 12 messages of sizes 1 to 100 the best prices prove 0.1 to 0.9 %
/// more than the linear program (node_price_ascent.cpp looks for them).
///
/// Otherwise these prices are a solution of the dual of that linear program. Its worth of a step is proven by node
/// prices for each duration, too, but there they are sought for each duration anew.
///
/// Complexity: O(m g), m messages of priced nodes (all, if p_k is priced), g durations; with whole covers
/// work_of_whole_covers. Memory O(n g) for the table given, or for one of all whole durations.
///
/// Source: duality of linear programs; lp_bound.cpp. Prices that depend on the duration are ours.
///
/// Examples. Eta: let p_u(t) = t for the node of largest load and p_v(t) = beta for the node with most messages.
/// Messages at u pay their sizes, messages at v pay beta each. More than eta: sender 0 has two messages of 2, sender 1
/// one of 1 and one of 3, beta = 1, k = 2, four receivers; eta = 4 + 2. For steps of 1, 2, 3 let sender 0 pay 1, 2, 2
/// and sender 1 pay 1, 1, 2. Together they pay 2, 3, 4, the costs of the steps. Sender 0 pays 2 for each message, in
/// one step or in two of 1. Sender 1 pays 1 for the smaller one and 2 for the other, in one step of 3 or in two. That
/// is 7, and steps of 3 and 2 cost 7.
#include "plan/exchange/bounds/node_prices.hpp"

#include <algorithm>
#include <cstddef>

#include "plan/exchange/bounds/whole_cover.hpp"

namespace sluice::detail {

double CoverPrice::operator()(std::span<const double> prices, double size) {
  const std::size_t count = durations_.size();
  const auto longer = static_cast<std::size_t>(std::lower_bound(durations_.begin(), durations_.end(), size) -
                                               durations_.begin());  // the first that is long enough
  double at_size = longer == count ? prices[count - 1] : prices[longer];
  if (longer > 0 && longer < count) {
    const double share = (size - durations_[longer - 1]) / (durations_[longer] - durations_[longer - 1]);
    at_size = prices[longer - 1] * (1 - share) + prices[longer] * share;
  }
  double least = at_size;
  for (std::size_t g = longer; g < count; ++g) least = std::min(least, prices[g]);
  hull_x_.clear();
  hull_y_.clear();
  const auto add = [&](double x, double y) {
    while (hull_x_.size() >= 2) {
      const std::size_t n = hull_x_.size();
      if ((hull_y_[n - 1] - hull_y_[n - 2]) * (x - hull_x_[n - 2]) <
          (y - hull_y_[n - 2]) * (hull_x_[n - 1] - hull_x_[n - 2]))
        break;
      hull_x_.pop_back();
      hull_y_.pop_back();
    }
    hull_x_.push_back(x);
    hull_y_.push_back(y);
  };
  for (std::size_t g = 0; g < longer; ++g) {
    add(durations_[g], prices[g]);
    least = std::min(least, prices[g] * std::max(size / durations_[g], 2.0));
  }
  if (longer == 0) return least;
  add(size, at_size);
  const double half = size / 2;
  for (std::size_t i = 0; i + 1 < hull_x_.size(); ++i) {
    if (hull_x_[i] > half || hull_x_[i + 1] < half) continue;
    const double share = (half - hull_x_[i]) / (hull_x_[i + 1] - hull_x_[i]);
    least = std::min(least, 2 * (hull_y_[i] * (1 - share) + hull_y_[i + 1] * share));
  }
  return least;
}

double price_at(std::span<const double> durations, std::span<const double> prices, double duration) {
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(durations, duration) - durations.begin());
  if (next == 0) return prices.front();
  if (next == durations.size()) return prices.back();
  const double share = (duration - durations[next - 1]) / (durations[next] - durations[next - 1]);
  return prices[next - 1] * (1 - share) + prices[next] * share;
}

namespace {

/// `rows`, prices of `durations`, for 1, 2, .. up to the largest size, and then for all of `durations` beyond it.
std::vector<double> at_whole_durations(const Demand& demand, const std::vector<double>& durations,
                                       const std::vector<double>& rows) {
  const std::int64_t largest = largest_size(demand);
  std::vector<double> result;
  for (std::size_t begin = 0; begin < rows.size(); begin += durations.size()) {
    const std::span<const double> row = std::span(rows).subspan(begin, durations.size());
    for (std::int64_t t = 1; t <= largest; ++t) result.push_back(price_at(durations, row, static_cast<double>(t)));
    for (std::size_t g = 0; g < durations.size(); ++g)
      if (durations[g] > static_cast<double>(largest)) result.push_back(row[g]);
  }
  return result;
}

}  // namespace

double bound_by_node_prices(const Demand& demand, const NodePrices& given) {
  if (given.durations.empty() || given.nodes.empty() || demand.edges.empty()) return 0;
  std::vector<double> durations = given.durations;
  std::size_t before = 0;  // durations that are not given
  if (durations.front() > 1) {
    durations.insert(durations.begin(), 1.0);
    before = 1;
  }
  const std::size_t count = durations.size();
  const auto vertices = as_size(demand.lefts) + as_size(demand.rights);
  std::vector<double> rows;
  rows.reserve(given.nodes.size() * count);
  std::vector<std::int32_t> row_of(vertices + 1, -1);
  std::vector<double> sum(count, 0);
  for (std::size_t i = 0; i < given.nodes.size(); ++i) {
    const auto v = as_size(given.nodes[i]);
    row_of[v] = static_cast<std::int32_t>(i);
    const double often = v == vertices ? static_cast<double>(demand.max_transfers) : 1;
    for (std::size_t g = 0; g < count; ++g) {
      const double price = given.prices[i * given.durations.size() + (g < before ? 0 : g - before)];
      rows.push_back(price);
      sum[g] += often * price;
    }
  }
  double largest = 0;  // what all pay for a step, over its cost
  for (std::size_t g = 0; g < count; ++g) largest = std::max(largest, sum[g] / (durations[g] + demand.setup));
  if (!(largest > 0)) return 0;

  const bool whole = has_whole_covers(demand);
  if (whole) rows = at_whole_durations(demand, durations, rows);
  const std::size_t columns = rows.size() / given.nodes.size();
  const std::vector<double> none(columns, 0);
  const auto row = [&](std::size_t v) { return row_of[v] < 0 ? none.data() : &rows[as_size(row_of[v]) * columns]; };
  const double* limit = row(vertices);
  CoverPrice least(std::move(durations));
  WholeCover least_of_whole;
  std::vector<double> paid(columns);
  double result = 0;
  for (const Edge& edge : demand.edges) {
    const double* left = row(as_size(edge.left));
    const double* right = row(as_size(demand.lefts + edge.right));
    if (left == none.data() && right == none.data() && limit == none.data()) continue;
    for (std::size_t g = 0; g < columns; ++g) paid[g] = left[g] + right[g] + limit[g];
    result += whole ? least_of_whole(paid, edge.weight) : least(paid, static_cast<double>(edge.weight));
  }
  // Sums of m doubles err by less, each of them of as many as there are durations.
  const double rounding = 1e-12 + static_cast<double>(demand.edges.size() + given.nodes.size() + columns) * 0x1p-50;
  return result / largest * (1 - rounding);
}

}  // namespace sluice::detail
