#include "sluice/plan/replicated.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <string>

#include "plan/redistribute/replica_needs.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

ReplicatedPlan plan(const ReplicatedProblem& problem, double setup, bool forward = true) {
  ReplicatedOptions options;
  options.setup = setup;
  options.effort = 0.01;
  options.forward = forward;
  ReplicatedPlan result = plan_replicated(problem, options);
  result.schedule.input.emplace();
  result.schedule.input->from_replicas = problem.from_replicas();
  result.schedule.input->to_replicas = problem.to_replicas();
  return result;
}

/// As "sound" where nothing is wrong.
std::string judged(const ReplicatedProblem& problem, const StepSchedule& schedule) {
  for (const Violation& violation : validate(schedule)) return "alone: " + to_string(violation);
  for (const Violation& violation : validate(schedule, problem.one().traffic())) return to_string(violation);
  return "sound";
}

void expect_sound(const ReplicatedProblem& problem, const ReplicatedPlan& plan, bool forward) {
  EXPECT_EQ(judged(problem, plan.schedule), "sound");
  const Cost is = cost(plan.schedule);
  for (const Cost& bound : {plan.bounds.any, forward ? plan.bounds.any : plan.bounds.direct}) {
    EXPECT_GE(is.steps, bound.steps);
    EXPECT_GE(is.transmission, bound.transmission);
    EXPECT_GE(is.total, bound.total);
  }
  EXPECT_LE(is.total, plan.direct_total);
}

TEST(Replicated, SourcesShareAndTargetsFormAChain) {
  // One process has 6 elements, one wants them, 3 times: 6 to the first, which passes on what it has, step by step.
  const RedistributionProblem one = one_slice({{1}, {6}}, {{1}, {6}});
  const ReplicatedPlan chain = plan({one, 1, 3}, 1);
  EXPECT_EQ(chain.heads, 1);
  EXPECT_EQ(chain.longest_chain, 3);
  EXPECT_EQ(cost(chain.schedule).steps, 5);          // pieces of 2, through three copies
  EXPECT_EQ(cost(chain.schedule).transmission, 10);  // the last piece comes at 10
  EXPECT_EQ(chain.bounds.any, (Cost{2, 7, 9}));      // 6 leave, and the last of them is still needed by a copy
  EXPECT_EQ(chain.bounds.direct, (Cost{3, 18, 21}));
  // Three sources give three targets a copy each.
  const ReplicatedPlan straight = plan({one, 3, 3}, 1);
  EXPECT_EQ(straight.heads, 3);
  EXPECT_EQ(cost(straight.schedule), (Cost{1, 6, 7}));
  EXPECT_EQ(straight.source_load, 6);
  // Two sources share what one target wants of two processes: no port has more than 3.
  const ReplicatedPlan shared = plan({one_slice({{1}, {6}}, {{2}, {3}}), 2, 1}, 1);
  EXPECT_EQ(cost(shared.schedule), (Cost{1, 3, 4}));
}

RedistributionProblem random_problem(std::mt19937& random) {
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  if (number(0, 3) > 0) {
    const Layout from{{number(1, 5)}, {number(1, 6)}};
    const Layout to{{number(1, 5)}, {number(1, 6)}};
    return make_problem(from, to, {number(1, 200)});
  }
  const Layout from{{number(1, 3), number(1, 2)}, {number(1, 4), number(1, 4)}};
  const Layout to{{number(1, 2), number(1, 3)}, {number(1, 4), number(1, 4)}};
  const RedistributionProblem whole = make_problem(from, to, {number(1, 20), number(1, 20)}, {}, number(0, 1) == 1);
  return number(0, 1) == 1 ? whole.with_part(MatrixPart::kLower) : whole;
}

TEST(Replicated, EveryPlanIsSoundAndAboveItsBound) {
  std::mt19937 random(7);
  std::int64_t chains = 0;
  for (int i = 0; i < 300; ++i) {
    const std::int64_t from = 1 + i % 4;
    const ReplicatedProblem problem(random_problem(random), from, (from == 1 ? 2 : 1) + i / 4 % 6);
    SCOPED_TRACE(i);
    const double setup = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 20;
    const ReplicatedPlan with = plan(problem, setup);
    const ReplicatedPlan without = plan(problem, setup, false);
    expect_sound(problem, with, true);
    expect_sound(problem, without, false);
    EXPECT_EQ(with.direct_total, without.direct_total);
    EXPECT_EQ(without.longest_chain, 1);
    chains += with.longest_chain > 1 ? 1 : 0;
    StepSchedule plain = plan_from_first_copy(problem, {});
    plain.input = with.schedule.input;
    EXPECT_EQ(judged(problem, plain), "sound");
    for (const Step& step : plain.steps)
      for (const Transfer& transfer : step.transfers) EXPECT_LT(transfer.from, problem.one().from().processes());
  }
  EXPECT_GT(chains, 30);
}

TEST(Replicated, WithoutSetUpsNothingLastsLongerThanTheFullestPort) {
  std::mt19937 random(11);
  for (int i = 0; i < 100; ++i) {
    const ReplicatedProblem problem(random_problem(random), 1 + i % 4, 2 + i % 5);
    SCOPED_TRACE(i);
    const ReplicatedPlan direct = plan(problem, 0, false);
    EXPECT_EQ(cost(direct.schedule).transmission, direct.bounds.direct.transmission);
  }
}

TEST(Replicated, ProcessesOnBothSidesCopyWhatTheyHave) {
  std::mt19937 random(13);
  for (int i = 0; i < 100; ++i) {
    const ReplicatedProblem apart(random_problem(random), 2 + i % 3, 1 + i % 4);
    std::vector<Rank> roles;
    for (std::int64_t s = 0; s < apart.senders(); ++s) roles.emplace_back(s);
    std::shuffle(roles.begin(), roles.end(), random);
    const ReplicatedProblem problem = apart.with_roles(roles);
    SCOPED_TRACE(i);
    ReplicatedPlan with = plan(problem, 1);
    for (const Rank role : roles) with.schedule.input->roles.push_back(role.value);
    expect_sound(problem, with, true);
    std::int64_t copied = 0;
    for (std::int64_t s = 0; s < problem.senders(); ++s) {
      const std::int64_t receiver = roles[static_cast<std::size_t>(s)].value;
      if (receiver >= problem.receivers()) continue;
      copied += problem.one().count(Rank(s % problem.one().from().processes()),
                                    Rank(receiver % problem.one().to().processes()));
    }
    for (const Transfer& copy : with.schedule.copies) copied -= copy.size;
    EXPECT_EQ(copied, 0);
  }
}

TEST(Replicated, ProcessesOnBothSidesAreTheLastOfTheirChains) {
  std::mt19937 random(19);
  std::int64_t chains = 0, at_ends = 0;
  for (int i = 0; i < 150; ++i) {
    const ReplicatedProblem apart(random_problem(random), 1 + i % 3, 2 + i % 6);
    // Some senders are receivers of copies anywhere.
    std::vector<std::int64_t> receivers(static_cast<std::size_t>(apart.receivers()));
    std::iota(receivers.begin(), receivers.end(), 0);
    std::shuffle(receivers.begin(), receivers.end(), random);
    std::vector<Rank> roles;
    for (std::int64_t s = 0; s < apart.senders(); ++s) {
      const bool both = random() % 3 == 0 && s < apart.receivers();
      roles.emplace_back(both ? receivers[static_cast<std::size_t>(s)] : apart.receivers() + s);
    }
    const ReplicatedProblem problem = apart.with_roles(roles);
    SCOPED_TRACE(i);
    const double setup = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 20;
    ReplicatedPlan with = plan(problem, setup);
    for (const Rank role : roles) with.schedule.input->roles.push_back(role.value);
    expect_sound(problem, with, true);
    EXPECT_LE(cost(with.schedule).total, with.direct_total);
    chains += with.longest_chain > 1 ? 1 : 0;
    for (const Step& step : with.schedule.steps) {
      for (const Transfer& transfer : step.transfers) {
        if (transfer.from < problem.senders()) continue;
        EXPECT_LT(problem.sender_of(transfer.from - problem.senders()), 0);
        at_ends += problem.sender_of(transfer.to) >= 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(chains, 25);
  EXPECT_GT(at_ends, 25);
}

/// One of 16 receivers is also the source. The plan is still a chain of 16, and does not send all data to each
/// receiver.
TEST(Replicated, OneProcessOnBothSidesIsNoReasonToSendToAll) {
  const RedistributionProblem one = make_problem({{1}, {6400}}, {{1}, {6400}}, {6400});
  const ReplicatedProblem apart(one, 1, 16);
  const ReplicatedProblem problem = apart.with_roles(std::vector<Rank>{Rank(0)});
  const ReplicatedPlan chain = plan(problem, 10), alone = plan({one, 1, 15}, 10);
  EXPECT_LE(cost(chain.schedule).total, 1.05 * cost(alone.schedule).total);
  EXPECT_LT(5 * cost(chain.schedule).total, chain.direct_total);
  ASSERT_EQ(chain.schedule.copies.size(), 1U);
  EXPECT_EQ(chain.schedule.copies[0], (Transfer{0, 0, 0, 6400}));
}

TEST(Replicated, DealingEvenlyBalancesToTheElement) {
  std::mt19937 random(17);
  for (int i = 0; i < 200; ++i) {
    const ReplicatedProblem problem(random_problem(random), 2 + i % 5, 1 + i % 4);
    const std::int64_t sources = problem.one().from().processes();
    const auto needs = detail::needs_of(problem, problem.to_replicas()).sent;
    const std::vector<Transfer> shares = detail::dealt_evenly(problem, needs);
    std::vector<std::int64_t> loads(static_cast<std::size_t>(problem.senders()), 0);
    for (const Transfer& share : shares) loads[static_cast<std::size_t>(share.from)] += share.size;
    for (std::int64_t p = 0; p < sources; ++p) {
      std::int64_t all = 0;
      for (const detail::ReplicaNeed& need : needs) all += need.process == p ? need.size : 0;
      const std::int64_t share = (all + problem.from_replicas() - 1) / problem.from_replicas();
      for (std::int64_t a = 0; a < problem.from_replicas(); ++a)
        EXPECT_LE(loads[static_cast<std::size_t>(a * sources + p)], share);
    }
    EXPECT_LE(shares.size(), needs.size() + static_cast<std::size_t>(sources * (problem.from_replicas() - 1)));
  }
}

/// The least total of any schedule, by Dijkstra over what each receiver has: none of the code that is tested. Pieces
/// are ranges of units of one process of the source, or of what another copy's process has.
class BruteForce {
 public:
  BruteForce(const ReplicatedProblem& problem, double setup, bool forward)
      : problem_(problem), setup_(setup), forward_(forward), units_(static_cast<std::size_t>(problem.receivers())) {
    const std::int64_t targets = problem.one().to().processes();
    for (const Message& message : problem.one().traffic().messages) {
      for (std::int64_t r = message.to; r < problem.receivers(); r += targets)
        units_[static_cast<std::size_t>(r)].insert(units_[static_cast<std::size_t>(r)].end(),
                                                   static_cast<std::size_t>(message.size), message.from);
    }
  }

  double least() {
    State none(units_.size(), 0), all;
    for (const auto& units : units_) all.push_back((1U << units.size()) - 1);
    std::map<State, double> best{{none, 0}};
    using Entry = std::pair<double, State>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, none);
    while (!queue.empty()) {
      const auto [total, state] = queue.top();
      queue.pop();
      if (state == all) return total;
      if (total > best[state]) continue;
      State next = state;
      const std::function<void(std::size_t, std::uint64_t, std::int64_t)> choose =
          [&](std::size_t r, std::uint64_t busy, std::int64_t longest) {
            if (r == units_.size()) {
              if (longest == 0) return;
              const double cost = total + setup_ + static_cast<double>(longest);
              const auto [at, is_new] = best.try_emplace(next, cost);
              if (!is_new && at->second <= cost) return;
              at->second = cost;
              queue.emplace(cost, next);
              return;
            }
            choose(r + 1, busy, longest);
            const auto count = static_cast<std::int64_t>(units_[r].size());
            for (std::int64_t begin = 0; begin < count; ++begin) {
              for (std::int64_t end = begin + 1; end <= count; ++end) {
                const std::uint32_t piece = ((1U << end) - 1) & ~((1U << begin) - 1);
                if ((state[r] & piece) != 0) break;
                for (const std::int64_t sender : senders_of(state, r, begin, end, piece)) {
                  if ((busy >> sender & 1) != 0) continue;
                  next[r] = state[r] | piece;
                  choose(r + 1, busy | std::uint64_t{1} << sender, std::max(longest, end - begin));
                  next[r] = state[r];
                }
              }
            }
          };
      choose(0, 0, 0);
    }
    return -1;
  }

 private:
  using State = std::vector<std::uint32_t>;

  [[nodiscard]] std::vector<std::int64_t> senders_of(const State& state, std::size_t r, std::int64_t begin,
                                                     std::int64_t end, std::uint32_t piece) const {
    std::vector<std::int64_t> result;
    const std::int64_t process = units_[r][static_cast<std::size_t>(begin)];
    if (units_[r][static_cast<std::size_t>(end - 1)] == process)
      for (std::int64_t s = process; s < problem_.senders(); s += problem_.one().from().processes())
        result.push_back(s);
    const auto targets = static_cast<std::size_t>(problem_.one().to().processes());
    for (std::size_t other = r % targets; forward_ && other < units_.size(); other += targets)
      if (other != r && (state[other] & piece) == piece)
        result.push_back(problem_.senders() + static_cast<std::int64_t>(other));
    return result;
  }

  const ReplicatedProblem& problem_;
  double setup_;
  bool forward_;
  std::vector<std::vector<std::int64_t>> units_;  ///< of each receiver: the process of the source that has each
};

TEST(Replicated, BoundsAreNeverAboveTheOptimumAndPlansNeverBelow) {
  struct Case {
    Layout from, to;
    std::int64_t elements, from_replicas, to_replicas;
  };
  const std::vector<Case> cases{
      {{{1}, {1}}, {{1}, {1}}, 3, 1, 2}, {{{1}, {1}}, {{1}, {1}}, 3, 1, 3}, {{{1}, {1}}, {{1}, {1}}, 3, 2, 3},
      {{{1}, {1}}, {{1}, {1}}, 2, 1, 4}, {{{1}, {1}}, {{1}, {1}}, 4, 3, 1}, {{{2}, {1}}, {{1}, {1}}, 3, 1, 2},
      {{{2}, {1}}, {{1}, {1}}, 4, 2, 1}, {{{2}, {1}}, {{1}, {1}}, 3, 2, 2}, {{{1}, {1}}, {{2}, {1}}, 3, 1, 2},
      {{{1}, {1}}, {{2}, {1}}, 4, 2, 2}, {{{2}, {1}}, {{2}, {1}}, 4, 1, 2}, {{{2}, {2}}, {{2}, {1}}, 4, 1, 2},
      {{{2}, {1}}, {{2}, {2}}, 4, 2, 1}, {{{2}, {1}}, {{2}, {2}}, 4, 3, 2}};
  std::int64_t optimal = 0, all = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    const ReplicatedProblem problem(make_problem(c.from, c.to, {c.elements}), c.from_replicas, c.to_replicas);
    for (const double setup : {0.0, 1.0, 5.0}) {
      for (const bool forward : {true, false}) {
        SCOPED_TRACE(std::to_string(i) + ", set-up " + std::to_string(setup) + (forward ? "" : ", direct"));
        const double least = BruteForce(problem, setup, forward).least();
        const ReplicatedPlan is = plan(problem, setup, forward);
        EXPECT_LE(forward ? is.bounds.any.total : is.bounds.direct.total, least);
        EXPECT_GE(cost(is.schedule).total, least);
        ++all;
        optimal += cost(is.schedule).total == least ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(all, 84);
  EXPECT_GE(optimal, 71);
}

TEST(Replicated, RefusesWhatMakesNoSense) {
  const RedistributionProblem one = one_slice({{2}, {1}}, {{2}, {3}});
  EXPECT_THROW(ReplicatedProblem(one, 0, 1), InputError);
  EXPECT_THROW(ReplicatedProblem(one, 1, -1), InputError);
  EXPECT_THROW(ReplicatedProblem(one, 1, 1), InputError);
  EXPECT_THROW(ReplicatedProblem(one, std::int64_t{1} << 40, 1), InputError);
  const std::vector<Rank> few{Rank(0)}, twice{Rank(1), Rank(1)};
  EXPECT_THROW((void)ReplicatedProblem(one, 1, 2).with_roles(few), InputError);
  EXPECT_THROW((void)ReplicatedProblem(one, 1, 2).with_roles(twice), InputError);
  EXPECT_THROW(ReplicatedProblem(one.with_roles(std::vector<Rank>{Rank(0), Rank(1)}), 1, 2), InputError);
  EXPECT_THROW((void)plan_replicated({one, 1, 1 << 20}), InputError);
  ReplicatedOptions unknown;
  unknown.algorithm = "classes";
  EXPECT_THROW((void)plan_replicated({one, 1, 2}, unknown), InputError);
}

// ---- what the validator says of broken ones

struct Broken {
  ReplicatedProblem problem{one_slice({{2}, {1}}, {{2}, {2}}), 1, 3};
  StepSchedule schedule = plan(problem, 0.5).schedule;

  Transfer& passed_on() {
    for (Step& step : schedule.steps)
      for (Transfer& transfer : step.transfers)
        if (transfer.from >= problem.senders()) return transfer;
    ADD_FAILURE() << "nothing is passed on";
    return schedule.steps[0].transfers[0];
  }
  void expect(const std::string& part) const {
    std::string found;
    for (const Violation& violation : validate(schedule, problem.one().traffic())) found += to_string(violation) + '\n';
    EXPECT_NE(found.find(part), std::string::npos) << found;
  }
};

TEST(ReplicatedValidation, FindsWhatIsPassedOnTooEarly) {
  Broken broken;
  std::ranges::reverse(broken.schedule.steps);
  broken.expect("has got unit");
}

TEST(ReplicatedValidation, FindsWhatIsPassedOnToAnotherProcess) {
  Broken broken;
  Transfer& transfer = broken.passed_on();
  transfer.from ^= 1;  // the other process of that copy
  broken.expect("which is not the same process of a copy");
}

TEST(ReplicatedValidation, FindsWhatIsMissingInOneCopy) {
  Broken broken;
  for (Step& step : broken.schedule.steps) std::erase_if(step.transfers, [](const Transfer& t) { return t.to == 5; });
  broken.expect("what receiver 5 gets, ");
}

TEST(ReplicatedValidation, FindsWhatASourceDoesNotHave) {
  Broken broken;
  for (Step& step : broken.schedule.steps)
    for (Transfer& transfer : step.transfers)
      if (transfer.from < 2) transfer.from ^= 1;
  EXPECT_TRUE(validate(broken.schedule).empty());
  EXPECT_FALSE(validate(broken.schedule, broken.problem.one().traffic()).empty());
}

TEST(ReplicatedValidation, FindsWhatComesTwice) {
  Broken broken;
  broken.schedule.steps.push_back(broken.schedule.steps.front());
  broken.expect("were sent already");
}

TEST(ReplicatedValidation, FindsAProcessThatSendsTwiceAtOnce) {
  Broken broken;
  // Sender 0 is receiver 4, the last copy's; it is to pass something on while it sends.
  broken.schedule.input->roles = {4, 5};
  Transfer& transfer = broken.schedule.steps[0].transfers.emplace_back();
  transfer = {broken.problem.senders() + 4, 2, 0, 1};
  broken.expect("sender 0 has 2 transfers");
}

TEST(ReplicatedValidation, FindsCountsThatDoNotFit) {
  Broken broken;
  broken.schedule.input->to_replicas = 4;
  broken.expect("are not 1 copy of the source and 4 of the target");
  broken.schedule.input->to_replicas = 0;
  broken.expect("must be at least 1");
}

}  // namespace
}  // namespace sluice
