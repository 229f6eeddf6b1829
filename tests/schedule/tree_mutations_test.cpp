/// Every mutation of schedules of trees is rejected, unless a replay finds it sound. The replay knows nothing of the
/// validator. It checks that the mutated schedule still does its job in the stated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "mutations.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace sluice {
namespace {

using testing::for_each_mutation;
using testing::Mutator;

// ---------------------------------------------------------------------------------------------------------------------
// The replay: each rule of the model on its own, transfers compared pair by pair

bool is_time(double value) { return std::isfinite(value) && value >= 0; }

class Replay {
 public:
  explicit Replay(const TreeSchedule& schedule) : s_(schedule) {}

  bool sound() {
    if (!states_a_problem()) return false;
    double longest = s_.length;
    for (const TimedTransfer& t : s_.transfers)
      if (std::isfinite(t.end)) longest = std::max(longest, t.end);
    rounding_ = 1e-12 * longest;
    if (earlier(s_.bound.upper, s_.bound.lower) || earlier(s_.length, s_.bound.lower)) return false;
    for (const TimedTransfer& t : s_.transfers)
      if (!is_transfer(t)) return false;
    for (std::size_t i = 1; i < s_.transfers.size(); ++i)
      if (earlier(s_.transfers[i].start, s_.transfers[i - 1].start)) return false;
    return reduces() ? replay_reduction() : replay_broadcast();
  }

 private:
  /// By more than rounding.
  [[nodiscard]] bool earlier(double a, double b) const { return b - a > rounding_; }
  [[nodiscard]] bool reduces() const { return s_.problem == "reduce"; }
  [[nodiscard]] bool is_machine(std::int64_t machine) const { return machine >= 0 && machine < s_.machines; }
  [[nodiscard]] double date(std::int64_t machine) const {
    return s_.arrivals.empty() ? 0 : s_.arrivals[static_cast<std::size_t>(machine)];
  }

  // Costs of single machines, if there are any, replace the cost of all machines.
  [[nodiscard]] double compute(std::int64_t machine) const {
    return s_.compute_costs.empty() ? s_.compute : s_.compute_costs[static_cast<std::size_t>(machine)];
  }
  [[nodiscard]] double transfer(const TimedTransfer& t) const {
    if (s_.transfer_costs.empty()) return s_.transfer;
    const bool of_pairs = static_cast<std::int64_t>(s_.transfer_costs.size()) != s_.machines;
    return s_.transfer_costs[static_cast<std::size_t>(of_pairs ? t.from * s_.machines + t.to : t.from)];
  }
  [[nodiscard]] bool states_costs(const std::vector<double>& single, double of_all, bool may_be_pairs) const {
    if (single.empty()) return true;
    const auto count = static_cast<std::int64_t>(single.size());
    return reduces() && !s_.over_links && of_all == 0 && std::all_of(single.begin(), single.end(), is_time) &&
           (count == s_.machines || (may_be_pairs && count == s_.machines * s_.machines));
  }

  [[nodiscard]] bool states_a_problem() const {
    if (!reduces() && s_.problem != "broadcast") return false;
    if (s_.over_links && (!reduces() || s_.transfer != 0 || s_.compute != 0 || s_.max_transfers)) return false;
    if (s_.machines < 1 || s_.machines > kMost || s_.segments < 1 || s_.segments > kMost || !is_machine(s_.root))
      return false;
    if ((s_.max_transfers && *s_.max_transfers < 1) || (s_.max_reducers && *s_.max_reducers < 1)) return false;
    for (const double time : {s_.transfer, s_.compute, s_.length, s_.bound.lower, s_.bound.upper})
      if (!is_time(time)) return false;
    if (!states_costs(s_.transfer_costs, s_.transfer, true) || !states_costs(s_.compute_costs, s_.compute, false))
      return false;
    if (!s_.arrivals.empty() && static_cast<std::int64_t>(s_.arrivals.size()) != s_.machines) return false;
    return std::all_of(s_.arrivals.begin(), s_.arrivals.end(), is_time);
  }

  [[nodiscard]] bool is_transfer(const TimedTransfer& t) const {
    if (!is_machine(t.from) || !is_machine(t.to) || t.from == t.to) return false;
    if (t.segment < 0 || t.segment >= s_.segments) return false;
    if (!is_time(t.start) || !is_time(t.end) || earlier(t.end, t.start)) return false;
    if (!is_time(t.port) || earlier(t.end - t.start, t.port)) return false;
    if (!reduces()) return true;
    if (t.port != 0) return false;
    return s_.over_links || std::abs(t.end - t.start - transfer(t)) <= rounding_;
  }

  [[nodiscard]] bool overlap(double start_a, double end_a, double start_b, double end_b) const {
    return earlier(start_a, end_b) && earlier(start_b, end_a);
  }

  /// When `machine` has combined each transfer to it, by its position in the list.
  [[nodiscard]] std::vector<double> finishes(std::int64_t machine) const {
    std::vector<std::size_t> arriving;
    for (std::size_t i = 0; i < s_.transfers.size(); ++i)
      if (s_.transfers[i].to == machine) arriving.push_back(i);
    std::stable_sort(arriving.begin(), arriving.end(),
                     [&](std::size_t a, std::size_t b) { return s_.transfers[a].end < s_.transfers[b].end; });
    std::vector<double> result(s_.transfers.size(), 0);
    double busy_until = date(machine);
    for (const std::size_t i : arriving)
      result[i] = busy_until = std::max(busy_until, s_.transfers[i].end) + compute(machine);
    return result;
  }

  bool replay_reduction() {
    const std::vector<TimedTransfer>& all = s_.transfers;
    std::set<std::int64_t> receiving;
    for (const TimedTransfer& t : all) receiving.insert(t.to);
    if (s_.max_reducers && static_cast<std::int64_t>(receiving.size()) > *s_.max_reducers) return false;
    for (std::int64_t machine = 0; machine < s_.machines; ++machine) {
      const std::vector<double> finish = finishes(machine);
      std::vector<int> sends(static_cast<std::size_t>(s_.segments), 0);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const TimedTransfer& t = all[i];
        if (t.from != machine) continue;
        ++sends[static_cast<std::size_t>(t.segment)];
        if (earlier(t.start, date(machine))) return false;
        for (std::size_t r = 0; r < all.size(); ++r) {
          // All that came of this part is combined before the part goes on, and nothing comes later.
          if (all[r].to != machine || all[r].segment != t.segment) continue;
          if (r > i || earlier(t.start, finish[r])) return false;
        }
      }
      for (const int times : sends)
        if (times != (machine == s_.root ? 0 : 1)) return false;
    }
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (!s_.over_links && earlier(all[a].start, date(all[a].to))) return false;
      std::int64_t at_once = 0;
      for (std::size_t b = 0; b < all.size(); ++b) {
        const bool one_port = all[a].from == all[b].from || all[a].to == all[b].to;
        if (!s_.over_links && a < b && one_port && overlap(all[a].start, all[a].end, all[b].start, all[b].end))
          return false;
        if (b <= a && earlier(all[a].start, all[b].end)) ++at_once;
      }
      if (s_.max_transfers && at_once > *s_.max_transfers) return false;
    }
    if (!s_.commutative && !keeps_order()) return false;
    double end = date(s_.root);
    for (const double finish : finishes(s_.root)) end = std::max(end, finish);
    return std::abs(end - s_.length) <= rounding_;
  }

  /// Combines as strings of machines: in the end the root has 0 1 2 ... of every part.
  [[nodiscard]] bool keeps_order() const {
    for (std::int64_t segment = 0; segment < s_.segments; ++segment) {
      std::vector<std::vector<std::int64_t>> has;
      for (std::int64_t machine = 0; machine < s_.machines; ++machine) has.push_back({machine});
      for (const TimedTransfer& t : s_.transfers) {
        if (t.segment != segment) continue;
        std::vector<std::int64_t> left = has[static_cast<std::size_t>(t.from)];
        std::vector<std::int64_t> right = has[static_cast<std::size_t>(t.to)];
        if (left.front() > right.front()) std::swap(left, right);
        left.insert(left.end(), right.begin(), right.end());
        for (std::size_t i = 1; i < left.size(); ++i)
          if (left[i] != left[i - 1] + 1) return false;
        has[static_cast<std::size_t>(t.to)] = left;
      }
    }
    return true;
  }

  bool replay_broadcast() {
    const std::vector<TimedTransfer>& all = s_.transfers;
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (earlier(s_.length, all[a].end)) return false;
      // What it sends it has: it is the root's, or came by an earlier transfer.
      bool has_it = all[a].from == s_.root && !earlier(all[a].start, date(s_.root));
      for (std::size_t b = 0; b < all.size(); ++b) {
        if (b < a && all[b].to == all[a].from && all[b].segment == all[a].segment && !earlier(all[a].start, all[b].end))
          has_it = true;
        if (b < a && all[b].from == all[a].from && earlier(all[a].start, all[b].start + all[b].port)) return false;
      }
      if (!has_it) return false;
    }
    for (std::int64_t machine = 0; machine < s_.machines; ++machine) {
      for (std::int64_t segment = 0; segment < s_.segments; ++segment) {
        const auto times = std::count_if(
            all.begin(), all.end(), [&](const TimedTransfer& t) { return t.to == machine && t.segment == segment; });
        if (times != (machine == s_.root ? 0 : 1)) return false;
      }
    }
    return true;
  }

  static constexpr std::int64_t kMost = 1000;  // machines and segments, of the samples far fewer
  const TreeSchedule& s_;
  double rounding_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------
// What is mutated

void mutate_tree(TreeSchedule& s, Mutator& m) {
  m.text("problem", s.problem, {"reduce", "broadcast", "gather", ""});
  m.integer("machines", s.machines);
  m.integer("root", s.root);
  m.number("transfer", s.transfer);
  m.number("compute", s.compute);
  m.list("transfer_costs", s.transfer_costs);
  m.list("compute_costs", s.compute_costs);
  if (m.done()) return;
  for (double& cost : s.transfer_costs) m.number("transfer_cost", cost);
  for (double& cost : s.compute_costs) m.number("compute_cost", cost);
  m.flag("over_links", s.over_links);
  m.optional("max_transfers", s.max_transfers);
  m.optional("max_reducers", s.max_reducers);
  m.flag("commutative", s.commutative);
  m.integer("segments", s.segments);
  m.list("arrivals", s.arrivals);
  if (m.done()) return;
  for (std::size_t v = 0; v < s.arrivals.size(); ++v) m.number("arrival", s.arrivals[v]);
  m.number("length", s.length);
  m.number("bound.lower", s.bound.lower);
  m.number("bound.upper", s.bound.upper);
  m.list("transfers", s.transfers);
  if (m.done()) return;
  for (std::size_t i = 0; i < s.transfers.size(); ++i) {
    TimedTransfer& t = s.transfers[i];
    m.at(i);
    m.integer("from", t.from);
    m.integer("to", t.to);
    m.number("start", t.start);
    m.number("end", t.end);
    m.integer("segment", t.segment);
    m.number("port", t.port);
  }
}

struct Counts {
  std::int64_t mutations = 0;
  std::int64_t sound = 0;
};

void expect_judged_as_replayed(const TreeSchedule& good, Counts& counts) {
  EXPECT_TRUE(Replay(good).sound());
  for (const Violation& violation : validate(good)) ADD_FAILURE() << violation.reason;
  const auto judge = [&](const TreeSchedule& mutated, const std::string& what) {
    const bool sound = Replay(mutated).sound();
    const std::vector<Violation> found = validate(mutated);
    EXPECT_EQ(found.empty(), sound) << what << (found.empty() ? "" : ": " + found.front().reason);
    ++counts.mutations;
    counts.sound += sound ? 1 : 0;
  };
  (void)for_each_mutation(good, mutate_tree, judge);
  // A transfer as a whole earlier or later, and two that change places.
  for (std::size_t i = 0; i < good.transfers.size(); ++i) {
    for (const double by : {-2.0, -1.0, -0.5, 0.5, 1.0, 2.0}) {
      TreeSchedule moved = good;
      moved.transfers[i].start += by;
      moved.transfers[i].end += by;
      std::stable_sort(moved.transfers.begin(), moved.transfers.end(),
                       [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
      judge(moved, "transfer " + std::to_string(i) + " moved by " + std::to_string(by));
    }
    for (std::size_t j = 0; j < i; ++j) {
      TreeSchedule changed = good;
      std::swap(changed.transfers[i].from, changed.transfers[j].from);
      std::swap(changed.transfers[i].to, changed.transfers[j].to);
      judge(changed, "transfers " + std::to_string(i) + " and " + std::to_string(j) + " change places");
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Samples

std::int64_t draw(std::mt19937& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

void sort_by_start(TreeSchedule& s) {
  std::stable_sort(s.transfers.begin(), s.transfers.end(),
                   [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
}

/// Every machine sends to a random machine with a lower number, as early as the model allows. Times are whole numbers.
enum class Costs { kEven, kSingle, kOfLinks };

TreeSchedule random_reduction(std::mt19937& random, Costs costs) {
  const bool over_links = costs == Costs::kOfLinks;
  TreeSchedule s;
  s.algorithm = "random";
  s.machines = draw(random, 2, 6);
  s.segments = draw(random, 1, 3);
  s.over_links = over_links;
  s.transfer = over_links ? 0 : static_cast<double>(draw(random, 1, 3));
  s.compute = over_links ? 0 : static_cast<double>(draw(random, 0, 3));
  if (costs == Costs::kSingle) {
    s.transfer = s.compute = 0;
    const std::int64_t senders_or_pairs = draw(random, 0, 1) == 1 ? s.machines : s.machines * s.machines;
    for (std::int64_t i = 0; i < senders_or_pairs; ++i)
      s.transfer_costs.push_back(static_cast<double>(draw(random, 1, 3)));
    for (std::int64_t v = 0; v < s.machines; ++v) s.compute_costs.push_back(static_cast<double>(draw(random, 0, 3)));
  }
  const auto transfer = [&](std::size_t from, std::size_t to) {
    if (over_links) return static_cast<double>(draw(random, 1, 4));
    if (costs == Costs::kEven) return s.transfer;
    const auto n = static_cast<std::size_t>(s.machines);
    return s.transfer_costs.size() == n ? s.transfer_costs[from] : s.transfer_costs[from * n + to];
  };
  if (draw(random, 0, 1) == 1)
    for (std::int64_t v = 0; v < s.machines; ++v) s.arrivals.push_back(static_cast<double>(draw(random, 0, 5)));
  const auto date = [&](std::size_t v) { return s.arrivals.empty() ? 0.0 : s.arrivals[v]; };
  const auto machines = static_cast<std::size_t>(s.machines), segments = static_cast<std::size_t>(s.segments);
  std::vector<double> receives_until(machines, 0), sends_until(machines, 0), combines_until(machines, 0);
  std::vector<std::vector<double>> ready(machines);
  for (std::size_t v = 0; v < machines; ++v) {
    combines_until[v] = date(v);
    ready[v].assign(segments, date(v));
  }
  s.commutative = draw(random, 0, 1) == 1;
  std::set<std::size_t> receiving;
  for (std::size_t v = machines; v-- > 1;) {
    const std::size_t to = s.commutative ? static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(v) - 1))
                                         : v - 1;  // a chain keeps the order
    receiving.insert(to);
    for (std::size_t part = 0; part < segments; ++part) {
      const double start =
          over_links ? ready[v][part] : std::max({ready[v][part], receives_until[to], sends_until[v], date(to)});
      const double end = start + transfer(v, to);
      receives_until[to] = sends_until[v] = end;
      if (over_links) {
        ready[to][part] = std::max(ready[to][part], end);
      } else {
        ready[to][part] = combines_until[to] =
            std::max(combines_until[to], end) + (s.compute_costs.empty() ? s.compute : s.compute_costs[to]);
      }
      s.transfers.push_back(
          {static_cast<std::int64_t>(v), static_cast<std::int64_t>(to), start, end, static_cast<std::int64_t>(part)});
    }
  }
  s.length = over_links ? *std::max_element(ready[0].begin(), ready[0].end()) : combines_until[0];
  s.bound = {s.length - static_cast<double>(draw(random, 0, 1)), s.length + static_cast<double>(draw(random, 0, 1))};
  if (draw(random, 0, 1) == 1) s.max_reducers = static_cast<std::int64_t>(receiving.size());
  sort_by_start(s);
  if (!over_links && draw(random, 0, 1) == 1) {
    std::int64_t most = 1;
    for (std::size_t a = 0; a < s.transfers.size(); ++a)
      most = std::max<std::int64_t>(most, std::count_if(s.transfers.begin(), s.transfers.end(), [&](const auto& t) {
                                      return t.start <= s.transfers[a].start && t.end > s.transfers[a].start;
                                    }));
    s.max_transfers = most;
  }
  return s;
}

TreeSchedule random_broadcast(std::mt19937& random) {
  TreeSchedule s;
  s.problem = "broadcast";
  s.algorithm = "random";
  s.machines = draw(random, 2, 6);
  s.segments = draw(random, 1, 3);
  const auto machines = static_cast<std::size_t>(s.machines), segments = static_cast<std::size_t>(s.segments);
  std::vector<double> sends_until(machines, 0);
  std::vector<std::vector<double>> arrived(machines, std::vector<double>(segments, 0));
  for (std::size_t v = 1; v < machines; ++v) {
    const auto from = static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(v) - 1));
    for (std::size_t part = 0; part < segments; ++part) {
      const double start = std::max(sends_until[from], arrived[from][part]);
      const auto port = static_cast<double>(draw(random, 1, 3));
      const double end = start + port + static_cast<double>(draw(random, 0, 3));
      sends_until[from] = start + port;
      arrived[v][part] = end;
      s.length = std::max(s.length, end);
      s.transfers.push_back({static_cast<std::int64_t>(from), static_cast<std::int64_t>(v), start, end,
                             static_cast<std::int64_t>(part), port});
    }
  }
  s.length += static_cast<double>(draw(random, 0, 2));
  s.bound = {s.length / 2, s.length};
  sort_by_start(s);
  return s;
}

void expect_all_judged(const std::function<TreeSchedule(std::mt19937&)>& sample, int rounds) {
  std::mt19937 random(16);  // fixed seed
  Counts counts;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    expect_judged_as_replayed(sample(random), counts);
  }
  ::testing::Test::RecordProperty("mutations", std::to_string(counts.mutations));
  ::testing::Test::RecordProperty("still_sound", std::to_string(counts.sound));
  EXPECT_GT(counts.mutations, rounds * 200);
  EXPECT_GT(counts.sound, rounds);
  EXPECT_LT(counts.sound * 3, counts.mutations);
}

TEST(TreeMutations, OfReductionsAreJudgedAsReplayed) {
  expect_all_judged([](std::mt19937& random) { return random_reduction(random, Costs::kEven); }, 100);
}

TEST(TreeMutations, OfReductionsWithCostsOfTheirOwnAreJudgedAsReplayed) {
  expect_all_judged([](std::mt19937& random) { return random_reduction(random, Costs::kSingle); }, 60);
}

TEST(TreeMutations, OfReductionsOverLinksAreJudgedAsReplayed) {
  expect_all_judged([](std::mt19937& random) { return random_reduction(random, Costs::kOfLinks); }, 40);
}

TEST(TreeMutations, OfBroadcastsAreJudgedAsReplayed) { expect_all_judged(random_broadcast, 60); }

/// A root that sends to all at once has no port for it.
TEST(TreeMutations, ARootDoesNotSendToAllAtOnce) {
  TreeSchedule s;
  s.problem = "broadcast";
  s.algorithm = "hand";
  s.machines = 4;
  s.transfers = {{0, 1, 0, 5, 0, 2}, {0, 2, 2, 7, 0, 2}, {0, 3, 4, 9, 0, 2}};
  s.length = 9;
  s.bound = {5, 9};
  EXPECT_TRUE(validate(s).empty());
  for (TimedTransfer& t : s.transfers) t.end -= t.start, t.start = 0;
  EXPECT_FALSE(validate(s).empty());
}

}  // namespace
}  // namespace sluice
