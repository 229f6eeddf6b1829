/// The iteration of node_price_bound.cpp, which tells the method.
#include "plan/exchange/bounds/node_price_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/fixed_math.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMostShares = std::size_t{1} << 24;  // of steps for messages, for memory
constexpr double kFirstWeight = 0.5;                       // of prices against shares
constexpr double kSmoothing = 0.2;                         // how far the weight goes at a restart
constexpr std::int64_t kWorkOfSort = 40;
constexpr double kWorkOfShare = 2;
constexpr double kWorkOfPrice = 5;
constexpr double kWorkOfCheck = 8;

/// Sum in a fixed order that vectors can follow.
float sum_of(const float* values, std::size_t count) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += values[i + l];
  float rest = 0;
  for (; i < count; ++i) rest += values[i];
  return rest + (((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])));
}

/// Vertices, the most promising first: alternately the vertices with most load, most messages, and most of sums of
/// both.
std::vector<std::int32_t> ranked_nodes(const Demand& demand, const std::vector<double>& load,
                                       const std::vector<double>& degree) {
  std::vector<std::vector<std::int32_t>> orders;
  constexpr double kDegreeAlone = 1e18;
  for (const double setups : {0.0, kDegreeAlone, 0.25, 1.0, 4.0}) {
    std::vector<double> key(load.size());
    for (std::size_t v = 0; v < key.size(); ++v)
      key[v] = setups == kDegreeAlone ? degree[v] : load[v] + setups * demand.setup * degree[v];
    std::vector<std::int32_t>& order = orders.emplace_back(key.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return key[as_size(a)] != key[as_size(b)] ? key[as_size(a)] > key[as_size(b)] : a < b;
    });
  }
  std::vector<char> taken(load.size(), 0);
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < load.size(); ++i) {
    for (const std::vector<std::int32_t>& order : orders) {
      if (taken[as_size(order[i])] != 0) continue;
      taken[as_size(order[i])] = 1;
      result.push_back(order[i]);
    }
  }
  return result;
}

/// Adds about `count` durations to `durations`. If there are few sizes, adds all `sizes` (ascending) and each size less
/// 1. Otherwise adds sizes at places with many sizes or large differences of cost, and smaller durations, each half the
/// next. Returns whether all are there now.
bool add_durations(const std::vector<double>& sizes, double setup, std::size_t count, std::vector<double>& durations) {
  std::vector<double> different = sizes;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  durations.push_back(1);
  durations.push_back(different.back());
  const bool all = 2 * different.size() <= count;
  if (all) {
    for (const double size : different) {
      durations.push_back(size);
      if (size > 1) durations.push_back(size - 1);
    }
  } else {
    const auto cost = [&](double duration) { return fixed_log((duration + setup) / (1 + setup)); };
    const double widest = std::max(cost(different.back()), std::numeric_limits<double>::min());
    double next = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double at = static_cast<double>(count) * 0.5 *
                        (cost(sizes[i]) / widest + static_cast<double>(i + 1) / static_cast<double>(sizes.size()));
      if (at < next) continue;
      durations.push_back(sizes[i]);
      next = std::floor(at) + 1;
    }
    constexpr int kSmaller = 8;
    double smaller = std::floor(different.front() / 2);
    for (int i = 0; i < kSmaller && smaller > 1; ++i, smaller = std::floor(smaller / 2)) durations.push_back(smaller);
  }
  std::sort(durations.begin(), durations.end());
  durations.erase(std::unique(durations.begin(), durations.end()), durations.end());
  return all;
}

}  // namespace

NodePriceSearch::NodePriceSearch(const Demand& demand) : demand_(demand) {
  const auto vertices = as_size(demand.lefts) + as_size(demand.rights);
  std::vector<double> load(vertices, 0), degree(vertices, 0);
  double total = 0;
  for (const Edge& edge : demand.edges) {
    for (const std::int32_t v : {edge.left, demand.lefts + edge.right}) {
      load[as_size(v)] += static_cast<double>(edge.weight);
      degree[as_size(v)] += 1;
    }
    total += static_cast<double>(edge.weight);
  }
  ranked_ = ranked_nodes(demand, load, degree);
  limited_ = demand.max_transfers < std::min(demand.lefts, demand.rights);
  share_of_limit_ = limited_ ? 1.0 / demand.max_transfers : 0;
  class_of_.assign(demand.edges.size(), -1);
  const auto edges = static_cast<double>(demand.edges.size());
  heaviest_ = static_cast<std::int32_t>(std::max_element(load.begin(), load.end()) - load.begin());
  busiest_ = static_cast<std::int32_t>(std::max_element(degree.begin(), degree.end()) - degree.begin());
  double most_load = load[as_size(heaviest_)];
  double most_edges = degree[as_size(busiest_)];
  const auto all = static_cast<std::int32_t>(vertices);
  if (limited_ && total * share_of_limit_ > most_load) most_load = total * share_of_limit_, heaviest_ = all;
  if (limited_ && edges * share_of_limit_ > most_edges) most_edges = edges * share_of_limit_, busiest_ = all;
  unit_ = most_load / most_edges + demand.setup;  // the mean cost of a step of eta
}

std::int64_t NodePriceSearch::work_of_extension() const {
  return kWorkOfSort * (demand_.lefts + demand_.rights + static_cast<std::int64_t>(demand_.edges.size()) / 8);
}

std::int64_t NodePriceSearch::work_of_iteration() const {
  return static_cast<std::int64_t>(kWorkOfShare * static_cast<double>(classes_.size() * durations_.size()) +
                                   kWorkOfPrice * static_cast<double>(rows_ * durations_.size()));
}

std::int64_t NodePriceSearch::work_of_bounds() const {
  return static_cast<std::int64_t>(kWorkOfCheck * static_cast<double>(classes_.size() * durations_.size()));
}

bool NodePriceSearch::extend(std::size_t nodes, std::size_t durations) {
  nodes = std::min(nodes, ranked_.size());
  std::vector<std::int32_t> row_of(as_size(demand_.lefts) + as_size(demand_.rights) + 1, -1);
  for (std::size_t i = 0; i < nodes; ++i) row_of[as_size(ranked_[i])] = static_cast<std::int32_t>(i);
  // A row for the limit, and one of no price that stands for all other nodes.
  const auto limit_row = static_cast<std::int32_t>(nodes);
  const std::int32_t no_row = limit_row + 1;
  std::vector<double> sizes;
  for (const Edge& edge : demand_.edges)
    if (limited_ || row_of[as_size(edge.left)] >= 0 || row_of[as_size(demand_.lefts + edge.right)] >= 0)
      sizes.push_back(static_cast<double>(edge.weight));
  std::sort(sizes.begin(), sizes.end());
  std::vector<double> durations_now = durations_;
  const bool all_durations = add_durations(sizes, demand_.setup, durations, durations_now);
  const std::size_t count = durations_now.size();

  std::vector<Class> classes;
  std::vector<std::int32_t> class_of(demand_.edges.size(), -1);
  std::vector<std::int32_t> class_at(static_cast<std::size_t>(no_row + 1) * count, -1);  // by row and duration
  std::vector<std::int32_t> class_before;
  for (std::size_t e = 0; e < demand_.edges.size(); ++e) {
    const Edge& edge = demand_.edges[e];
    std::int32_t left = row_of[as_size(edge.left)];
    std::int32_t right = row_of[as_size(demand_.lefts + edge.right)];
    if (left < 0 && right < 0 && !limited_) continue;
    const bool alone = left >= 0 && right >= 0;
    if (left < 0) left = no_row;
    if (right < 0) right = no_row;
    const auto size = static_cast<double>(edge.weight);
    const auto at = static_cast<std::size_t>(std::upper_bound(durations_now.begin(), durations_now.end(), size) -
                                             durations_now.begin() - 1);
    const std::int32_t row = left == no_row ? right : left;
    std::int32_t& same = class_at[static_cast<std::size_t>(row) * count + at];
    if (alone || same < 0) {
      const auto added = static_cast<std::int32_t>(classes.size());
      classes.push_back({left, right, 0, 0, static_cast<std::int32_t>(at)});
      class_before.push_back(class_of_[e]);
      class_of[e] = added;
      if (!alone) same = added;
    } else {
      class_of[e] = same;
    }
    Class& mine = classes[as_size(class_of[e])];
    mine.size += size;
    mine.count += 1;
  }
  if (classes.size() * count > kMostShares) return false;
  for (Class& each : classes) {
    each.size /= each.count;
    const auto at = as_size(each.at);
    each.parts = each.at;
    if (at + 1 < count && each.size > durations_now[at]) {
      each.between = static_cast<float>((each.size - durations_now[at]) / (durations_now[at + 1] - durations_now[at]));
      ++each.parts;
    }
  }
  carry_over(durations_now, nodes, classes, class_before);
  row_of.swap(row_of_);
  nodes_.assign(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(nodes));
  durations_ = std::move(durations_now);
  classes_ = std::move(classes);
  class_of_ = std::move(class_of);
  rows_ = nodes + 2;
  cost_.resize(count);
  duration_.resize(count);
  until_.assign(count + 1, 0);
  for (std::size_t g = 0; g < count; ++g) {
    cost_[g] = static_cast<float>((durations_[g] + demand_.setup) / unit_);
    duration_[g] = static_cast<float>(durations_[g]);
    until_[g + 1] = until_[g] + durations_[g];
  }
  has_all_ = nodes == ranked_.size() && (all_durations || durations >= kMostDurations);
  weight_of_row_.assign(rows_, 0);
  for (const Class& each : classes_) {
    for (const std::int32_t row : {each.left, each.right}) weight_of_row_[as_size(row)] += each.count;
    weight_of_row_[nodes] += each.count * share_of_limit_;
  }
  taken_.assign(rows_ * count, 0);
  level_.assign(count, 0);
  weight_ = kFirstWeight;
  if (!std::exchange(started_, true)) start();
  remember();
  return true;
}

void NodePriceSearch::iterate() {
  const std::size_t count = durations_.size();
  const std::size_t limit = rows_ - 2;
  const auto of_limit = static_cast<float>(share_of_limit_);
  const auto rate = static_cast<float>(1 / (weight_ * (limited_ ? 5.0 : 4.0)));
  std::fill(taken_.begin(), taken_.end(), 0.0F);
  paid_.resize(count);
  change_.resize(count);
  scaled_.resize(count);
  float* paid = paid_.data();
  float* change = change_.data();
  float* scaled = scaled_.data();
  const float* duration = duration_.data();
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& each = classes_[i];
    const float* left = &price_[as_size(each.left) * count];
    const float* right = &price_[as_size(each.right) * count];
    const float* for_limit = &price_[limit * count];
    for (std::size_t g = 0; g < count; ++g) paid[g] = left[g] + right[g] + of_limit * for_limit[g];
    float* share = &share_[i * count];
    const auto parts = as_size(each.parts);
    const auto by_size = static_cast<float>(1 / each.size);
    const float of_size = size_price_[i] * by_size;
    const float of_piece = piece_price_[i] / 2;
    const float of_whole = size_price_[i] + piece_price_[i];
    for (std::size_t g = 0; g < parts; ++g) {
      const float before = share[g];
      const float next = before - rate * (paid[g] - of_size * duration[g] - of_piece);
      const float now = next > 0 ? next : 0;
      change[g] = 2 * now - before;
      scaled[g] = change[g] * duration[g];
      share[g] = now;
    }
    for (std::size_t g = parts; g < count; ++g) {
      const float before = share[g];
      const float next = before - rate * (paid[g] - of_whole);
      const float now = next > 0 ? next : 0;
      change[g] = 2 * now - before;
      share[g] = now;
    }
    float whole = sum_of(change + parts, count - parts);
    const float in_parts = sum_of(change, parts);
    const float of_parts = sum_of(scaled, parts) * by_size;
    if (each.between > 0) {
      const auto at = as_size(each.at);
      const float before = whole_share_[i];
      const float next = before - rate * (paid[at] * (1 - each.between) + paid[at + 1] * each.between - of_whole);
      const float now = next > 0 ? next : 0;
      const float more = 2 * now - before;
      whole_share_[i] = now;
      whole += more;
      change[at] += more * (1 - each.between);
      change[at + 1] += more * each.between;
    }
    const auto often = static_cast<float>(each.count);
    add_to_row(as_size(each.left), often, change);
    add_to_row(as_size(each.right), often, change);
    if (limited_) add_to_row(limit, often * of_limit, change);
    const double wholes = static_cast<double>(count - parts) + 1;
    const double in_size = until_[parts] / each.size + wholes;
    const double in_pieces = static_cast<double>(parts) / 2 + wholes;
    size_price_[i] = std::max(0.0F, size_price_[i] + static_cast<float>(weight_ / in_size) * (1 - of_parts - whole));
    piece_price_[i] =
        std::max(0.0F, piece_price_[i] + static_cast<float>(weight_ / in_pieces) * (1 - in_parts / 2 - whole));
  }
  raise_prices();
}

std::pair<double, double> NodePriceSearch::bounds() {
  const std::size_t count = durations_.size();
  const std::size_t limit = rows_ - 2;
  CoverPrice least(durations_);
  std::vector<double> paid(count), used(rows_ * count, 0);
  double proven = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& each = classes_[i];
    for (std::size_t g = 0; g < count; ++g)
      paid[g] = static_cast<double>(price_[as_size(each.left) * count + g]) +
                static_cast<double>(price_[as_size(each.right) * count + g]) +
                share_of_limit_ * static_cast<double>(price_[limit * count + g]);
    proven += each.count * least(paid, each.size);
    const auto parts = as_size(each.parts);
    double whole = static_cast<double>(whole_share_[i]);
    double size = 0, pieces = 0;
    const float* share = &share_[i * count];
    for (std::size_t g = 0; g < parts; ++g) {
      size += static_cast<double>(share[g]) * durations_[g] / each.size;
      pieces += static_cast<double>(share[g]) / 2;
    }
    for (std::size_t g = parts; g < count; ++g) whole += static_cast<double>(share[g]);
    const double covered = std::min(size, pieces) + whole;
    const auto use = [&](std::size_t g, double steps) {
      used[as_size(each.left) * count + g] += each.count * steps;
      used[as_size(each.right) * count + g] += each.count * steps;
      used[limit * count + g] += each.count * steps * share_of_limit_;
    };
    const bool nothing = covered < 1e-3;  // then a step of its own
    const double factor = nothing ? 0 : 1 / covered;
    for (std::size_t g = 0; g < count; ++g)
      if (share[g] > 0) use(g, static_cast<double>(share[g]) * factor);
    const double rest = nothing ? 1 : static_cast<double>(whole_share_[i]) * factor;
    const auto at = as_size(each.at);
    use(at, rest * (1 - static_cast<double>(each.between)));
    if (each.between > 0) use(at + 1, rest * static_cast<double>(each.between));
  }
  double cost = 0;
  double over = 0;
  for (std::size_t g = 0; g < count; ++g) {
    double most = 0;
    double paid_by_all = 0;
    for (std::size_t row = 0; row + 1 < rows_; ++row) {
      most = std::max(most, used[row * count + g]);
      paid_by_all += static_cast<double>(price_[row * count + g]);
    }
    cost += most * (durations_[g] + demand_.setup);
    over = std::max(over, paid_by_all / static_cast<double>(cost_[g]));
  }
  return {over > 0 ? proven / over * unit_ : 0, cost};
}

void NodePriceSearch::restart() {
  const auto far = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      sum += difference * difference;
    }
    return sum;
  };
  const double shares = std::sqrt(far(share_, share_then_) + far(whole_share_, whole_share_then_));
  const double prices =
      std::sqrt(far(price_, price_then_) + far(size_price_, size_price_then_) + far(piece_price_, piece_price_then_));
  constexpr double kNowhere = 1e-9;
  if (shares > kNowhere && prices > kNowhere) weight_ *= fixed_exp(kSmoothing * fixed_log(prices / shares / weight_));
  remember();
}

NodePrices NodePriceSearch::prices() const {
  const std::size_t count = durations_.size();
  NodePrices result;
  result.durations = durations_;
  constexpr double kDigits = 1e5;  // of the cost of a step
  for (std::size_t row = 0; row + 1 < rows_; ++row) {
    const bool limit = row == rows_ - 2;
    if (limit && !limited_) continue;
    std::vector<double> mine(count);
    for (std::size_t g = 0; g < count; ++g)
      mine[g] =
          std::round(static_cast<double>(price_[row * count + g]) * kDigits) / kDigits * (limit ? share_of_limit_ : 1);
    if (std::all_of(mine.begin(), mine.end(), [](double price) { return price == 0; })) continue;
    result.nodes.push_back(limit ? demand_.lefts + demand_.rights : nodes_[row]);
    result.prices.insert(result.prices.end(), mine.begin(), mine.end());
  }
  return result;
}

void NodePriceSearch::add_to_row(std::size_t row, float often, const float* change) {
  float* taken = &taken_[row * durations_.size()];
  for (std::size_t g = 0; g < durations_.size(); ++g) taken[g] += often * change[g];
}

void NodePriceSearch::raise_prices() {
  const std::size_t count = durations_.size();
  constexpr int kPasses = 6;
  rate_.resize(rows_);
  for (std::size_t row = 0; row + 1 < rows_; ++row) {
    rate_[row] = static_cast<float>(weight_ / (weight_of_row_[row] + 0.1));
    float* price = &price_[row * count];
    const float* taken = &taken_[row * count];
    const float rate = rate_[row];
    for (std::size_t g = 0; g < count; ++g) price[g] += rate * taken[g];
  }
  // For each duration max(0, price - rate * level), with the level that makes them sum up to the cost; by Newton's
  // method, from the level of the last iteration.
  above_.resize(count);
  slope_.resize(count);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::fill(above_.begin(), above_.end(), 0.0F);
    std::fill(slope_.begin(), slope_.end(), 0.0F);
    for (std::size_t row = 0; row + 1 < rows_; ++row) {
      const float* price = &price_[row * count];
      const float rate = rate_[row];
      for (std::size_t g = 0; g < count; ++g) {
        const bool counts = price[g] > rate * level_[g];
        above_[g] += counts ? price[g] : 0.0F;
        slope_[g] += counts ? rate : 0.0F;
      }
    }
    bool settled = true;
    for (std::size_t g = 0; g < count; ++g) {
      constexpr float kSettled = 1e-5F;
      const float next = slope_[g] > 0 ? std::max(0.0F, (above_[g] - cost_[g]) / slope_[g]) : level_[g] / 2;
      settled = settled && std::abs(next - level_[g]) <= kSettled * next;
      level_[g] = next;
    }
    if (settled) break;
  }
  for (std::size_t row = 0; row + 1 < rows_; ++row) {
    float* price = &price_[row * count];
    const float rate = rate_[row];
    for (std::size_t g = 0; g < count; ++g) {
      const float next = price[g] - rate * level_[g];
      price[g] = next > 0 ? next : 0;
    }
  }
}

void NodePriceSearch::carry_over(const std::vector<double>& durations, std::size_t nodes,
                                 const std::vector<Class>& classes, const std::vector<std::int32_t>& class_before) {
  const std::size_t count = durations.size();
  const std::size_t before = durations_.size();
  std::vector<std::size_t> place(before);  // of the old durations, which are all among the new ones
  for (std::size_t g = 0; g < before; ++g)
    place[g] = static_cast<std::size_t>(std::lower_bound(durations.begin(), durations.end(), durations_[g]) -
                                        durations.begin());
  std::vector<float> price((nodes + 2) * count, 0);
  for (std::size_t row = 0; row + 1 < rows_; ++row) {
    const std::size_t to = row + 2 == rows_ ? nodes : row;
    for (std::size_t g = 0; g < before; ++g) {
      price[to * count + place[g]] = price_[row * before + g];
      if (g + 1 == before) continue;
      for (std::size_t i = place[g] + 1; i < place[g + 1]; ++i) {
        const auto share = static_cast<float>((durations[i] - durations_[g]) / (durations_[g + 1] - durations_[g]));
        price[to * count + i] = price_[row * before + g] * (1 - share) + price_[row * before + g + 1] * share;
      }
    }
  }
  std::vector<float> share(classes.size() * count, 0), whole_share(classes.size(), 0);
  std::vector<float> size_price(classes.size(), 0), piece_price(classes.size(), 0);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Class& each = classes[i];
    float whole = 1;
    if (class_before[i] >= 0) {
      const auto old = as_size(class_before[i]);
      for (std::size_t g = 0; g < before; ++g) share[i * count + place[g]] = share_[old * before + g];
      size_price[i] = size_price_[old];
      piece_price[i] = piece_price_[old];
      whole = whole_share_[old];
    }
    if (each.between > 0)
      whole_share[i] = whole;
    else
      share[i * count + as_size(each.at)] += whole;
  }
  price_ = std::move(price);
  share_ = std::move(share);
  whole_share_ = std::move(whole_share);
  size_price_ = std::move(size_price);
  piece_price_ = std::move(piece_price);
}

void NodePriceSearch::start() {
  const std::size_t count = durations_.size();
  const auto row = [&](std::int32_t v) {
    return v == demand_.lefts + demand_.rights ? rows_ - 2 : as_size(row_of_[as_size(v)]);
  };
  for (std::size_t g = 0; g < count; ++g) {
    price_[row(heaviest_) * count + g] += static_cast<float>(durations_[g] / unit_);
    price_[row(busiest_) * count + g] += static_cast<float>(demand_.setup / unit_);
  }
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& each = classes_[i];
    const auto has = [&](std::int32_t v) {
      const std::size_t wanted = row(v);
      return wanted == rows_ - 2 || as_size(each.left) == wanted || as_size(each.right) == wanted;
    };
    const auto often = [&](std::int32_t v) { return row(v) == rows_ - 2 ? share_of_limit_ : 1; };
    if (has(heaviest_)) size_price_[i] = static_cast<float>(each.size / unit_ * often(heaviest_));
    if (has(busiest_)) piece_price_[i] = static_cast<float>(demand_.setup / unit_ * often(busiest_));
  }
}

void NodePriceSearch::remember() {
  share_then_ = share_;
  whole_share_then_ = whole_share_;
  price_then_ = price_;
  size_price_then_ = size_price_;
  piece_price_then_ = piece_price_;
}

}  // namespace sluice::detail
