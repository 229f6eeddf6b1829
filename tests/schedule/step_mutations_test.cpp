/// Every mutation of schedules of steps is rejected, unless a replay finds it sound. The replay knows nothing of the
/// validator. It carries out the mutated schedule, and checks that the schedule still does its job at the stated price.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "local_phases_sample.hpp"
#include "mutations.hpp"
#include "sluice/error.hpp"
#include "sluice/input/batch_problem.hpp"
#include "sluice/plan/batch.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice {
namespace {

using testing::for_each_mutation;
using testing::Mutator;

constexpr double kRounding = 1e-12;
constexpr std::int64_t kMostOfAll = std::numeric_limits<std::int64_t>::max();

// GCC and clang both have it; sums of a few int64 never overflow it.
__extension__ typedef __int128 Wide;

bool is_time(double value) { return std::isfinite(value) && value >= 0; }
bool close(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

// ---------------------------------------------------------------------------------------------------------------------
// The replay

/// Units [offset, offset + size) of a message.
struct Part {
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

/// Whether the parts are the units 0 .. size - 1 once each; size < 0: up to wherever they end.
bool are_the_whole(std::vector<Part> parts, std::int64_t size) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.offset < b.offset; });
  Wide next = 0;
  for (const Part& part : parts) {
    if (part.size < 1 || part.offset != next) return false;
    next += part.size;
  }
  return next <= kMostOfAll && (size < 0 || next == size);
}

/// What goes between two ports.
using Deliveries = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Part>>;

/// Runs the steps of one switch on its ports. Each port takes part at most once in a step. False if a step cannot run,
/// or lasts other than it says.
bool run_steps(const std::vector<Step>& steps, std::int64_t senders, std::int64_t receivers, std::int64_t side_by_side,
               Deliveries& delivered, Wide& transmission, std::int64_t on_switch = 0) {
  for (const Step& step : steps) {
    if (step.on_switch != on_switch) return false;
    std::set<std::int64_t> out, in;
    std::int64_t lasts = 0;
    for (const Transfer& t : step.transfers) {
      if (t.from < 0 || t.from >= senders || t.to < 0 || t.to >= receivers) return false;
      if (!out.insert(t.from).second || !in.insert(t.to).second) return false;
      delivered[{t.from, t.to}].push_back({t.offset, t.size});
      lasts = std::max(lasts, t.size);
    }
    if (static_cast<std::int64_t>(step.transfers.size()) > side_by_side || lasts != step.duration) return false;
    transmission += lasts;
  }
  return transmission <= kMostOfAll;
}

/// Whether the stated cost is the cost of `steps` steps, and no bound is above it.
bool prices_hold(const Cost& stated, const Cost& bound, std::size_t steps, Wide transmission, double setup) {
  const auto number = static_cast<std::int64_t>(steps);
  const double total =
      static_cast<double>(static_cast<std::int64_t>(transmission)) + setup * static_cast<double>(number);
  return stated.steps == number && stated.transmission == transmission && close(stated.total, total) &&
         bound.steps <= number && bound.transmission <= transmission && std::isfinite(bound.total) &&
         (bound.total <= total || close(bound.total, total));
}

/// The most that any switch has.
struct Most {
  std::int64_t steps = 0;
  Wide transmission = 0;
  double total = 0;
};

/// No more than nodes; of other problems than exchanges one.
std::int64_t most_switches(const StepSchedule& s) {
  return s.problem == "exchange" ? std::max({std::int64_t{1}, s.senders, s.receivers}) : 1;
}

/// Runs the switches, one after another, each with the steps that name it. False if a step names none of them.
bool run_switches(const StepSchedule& s, Deliveries& delivered, Most& most) {
  std::map<std::int64_t, std::vector<Step>> steps_of;
  for (const Step& step : s.steps) {
    if (step.on_switch < 0 || step.on_switch >= s.switches) return false;
    steps_of[step.on_switch].push_back(step);
  }
  for (const auto& [on_switch, steps] : steps_of) {
    Wide transmission = 0;
    if (!run_steps(steps, s.senders, s.receivers, s.max_transfers, delivered, transmission, on_switch)) return false;
    const auto count = static_cast<std::int64_t>(steps.size());
    most.steps = std::max(most.steps, count);
    most.transmission = std::max(most.transmission, transmission);
    most.total = std::max(most.total, static_cast<double>(static_cast<std::int64_t>(transmission)) +
                                          s.setup * static_cast<double>(count));
  }
  return s.switches >= 1 && s.switches <= most_switches(s);
}

/// Whether the stated cost is the most of any switch, and no bound above it.
bool prices_hold(const Cost& stated, const Cost& bound, const Most& most) {
  return stated.steps == most.steps && stated.transmission == most.transmission && close(stated.total, most.total) &&
         bound.steps <= most.steps && bound.transmission <= most.transmission && std::isfinite(bound.total) &&
         (bound.total <= most.total || close(bound.total, most.total));
}

/// Runs the steps of one switch between nodes of different speeds, over a backbone that changes. False if they cannot.
bool run_at_speeds(const StepSchedule& s, Deliveries& delivered, Most& most) {
  const NetworkSpeeds& speeds = s.speeds;
  if (s.switches != 1) return false;
  constexpr std::int64_t kMillion = 1'000'000;
  for (const auto& [of, nodes] : {std::pair(&speeds.senders, s.senders), std::pair(&speeds.receivers, s.receivers)}) {
    if (of->empty()) continue;
    if (std::cmp_not_equal(of->size(), nodes)) return false;
    for (const std::int64_t speed : *of)
      if (speed <= 0 || speed > kMillion * kMillion) return false;
  }
  double before = -1;
  std::int64_t widest = 0;
  for (const BackboneChange& change : speeds.backbone) {
    if (before < 0 ? change.time != 0 : !(std::isfinite(change.time) && change.time > before)) return false;
    if (change.max_transfers < 1) return false;
    before = change.time;
    widest = std::max(widest, change.max_transfers);
  }
  if (!speeds.backbone.empty() && s.max_transfers != widest) return false;
  for (const Step& step : s.steps) {
    if (step.on_switch != 0) return false;
    std::set<std::int64_t> out, in;
    Wide lasts = 0;
    for (const Transfer& t : step.transfers) {
      if (t.from < 0 || t.from >= s.senders || t.to < 0 || t.to >= s.receivers || t.size < 1) return false;
      if (!out.insert(t.from).second || !in.insert(t.to).second) return false;
      delivered[{t.from, t.to}].push_back({t.offset, t.size});
      for (const std::int64_t speed :
           {speeds.senders.empty() ? kMillion : speeds.senders[static_cast<std::size_t>(t.from)],
            speeds.receivers.empty() ? kMillion : speeds.receivers[static_cast<std::size_t>(t.to)]}) {
        Wide time = static_cast<Wide>(t.size) * kMillion / speed;
        while (time * speed < static_cast<Wide>(t.size) * kMillion) ++time;
        lasts = std::max(lasts, time);
      }
    }
    std::int64_t k = s.max_transfers;
    // A change that rounding puts before or after the step may be either.
    const auto rounded = [&](double time) { return s.setup != std::floor(s.setup) && close(time, most.total); };
    for (const BackboneChange& change : speeds.backbone)
      if (change.time <= most.total || rounded(change.time)) k = change.max_transfers;
    for (std::size_t c = 1; c < speeds.backbone.size(); ++c)
      if (rounded(speeds.backbone[c].time)) k = std::max(k, speeds.backbone[c - 1].max_transfers);
    if (static_cast<std::int64_t>(step.transfers.size()) > k || lasts != step.duration) return false;
    most.transmission += lasts;
    ++most.steps;
    most.total =
        static_cast<double>(static_cast<std::int64_t>(most.transmission)) + s.setup * static_cast<double>(most.steps);
  }
  return most.transmission <= kMostOfAll;
}

/// Who is whom, by the roles of the input: -1 for a sender that is no receiver. False if they make no sense.
bool read_roles(const StepSchedule& s, std::vector<std::int64_t>& role_of_sender) {
  role_of_sender.assign(static_cast<std::size_t>(s.senders), -1);
  if (!s.input || s.input->roles.empty()) return true;
  const std::vector<std::int64_t>& roles = s.input->roles;
  if (roles.size() < role_of_sender.size()) return false;
  std::set<std::int64_t> taken;
  for (std::size_t p = 0; p < roles.size(); ++p) {
    if (roles[p] < 0) return false;
    if (roles[p] >= s.receivers) continue;
    if (!taken.insert(roles[p]).second) return false;
    if (p < role_of_sender.size()) role_of_sender[p] = roles[p];
  }
  return true;
}

/// Whether `file` sends `traffic`, of whole units, at the price it states.
bool replay(const ScheduleFile& file, const Traffic& traffic) {
  const StepSchedule& s = file.schedule;
  if (s.senders != traffic.senders || s.receivers != traffic.receivers) return false;
  if (s.max_transfers < 0 || s.decimals < 0 || s.decimals > 18 || !is_time(s.setup)) return false;
  Deliveries delivered;
  Most most;
  if (s.speeds.empty() ? !run_switches(s, delivered, most) : !run_at_speeds(s, delivered, most)) return false;
  std::vector<std::int64_t> role;
  if (!read_roles(s, role)) return false;
  for (const auto& [pair, parts] : delivered)
    if (role[static_cast<std::size_t>(pair.first)] == pair.second) return false;  // at a port what needs none
  for (const Transfer& copy : s.copies) {
    if (copy.from < 0 || copy.from >= s.senders || copy.to < 0) return false;
    if (role[static_cast<std::size_t>(copy.from)] != copy.to) return false;
    delivered[{copy.from, copy.to}].push_back({copy.offset, copy.size});
    if (delivered[{copy.from, copy.to}].size() > 1) return false;
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> wanted;
  for (const Message& message : traffic.messages)
    if (message.size > 0) wanted[{message.from, message.to}] += message.size;
  if (wanted.size() != delivered.size()) return false;
  if (!wanted.empty() && s.decimals != 0) return false;  // then its sizes are in another unit
  for (const auto& [pair, size] : wanted) {
    const auto found = delivered.find(pair);
    if (found == delivered.end() || !are_the_whole(found->second, size)) return false;
  }
  return prices_hold(file.stated_cost, s.bound, most);
}

// ---------------------------------------------------------------------------------------------------------------------
// What is mutated

void mutate_cost(Cost& cost, Mutator& m) {
  m.integer("steps of a cost", cost.steps);
  m.integer("transmission", cost.transmission);
  m.number("total", cost.total);
}

void mutate_transfers(const char* name, std::vector<Transfer>& transfers, Mutator& m) {
  m.list(name, transfers);
  if (m.done()) return;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    m.at(i);
    m.integer("from", transfers[i].from);
    m.integer("to", transfers[i].to);
    m.integer("offset", transfers[i].offset);
    m.integer("size", transfers[i].size);
  }
}

void mutate_steps(std::vector<Step>& steps, Mutator& m) {
  m.list("steps", steps);
  if (m.done()) return;
  for (std::size_t i = 0; i < steps.size() && !m.done(); ++i) {
    m.at(i);
    m.integer("duration", steps[i].duration);
    m.integer("switch", steps[i].on_switch);
    mutate_transfers("transfers", steps[i].transfers, m);
  }
}

/// A file, as it has no comparison of its own.
struct File : ScheduleFile {
  friend bool operator==(const File& a, const File& b) {
    return a.schedule == b.schedule && a.stated_cost == b.stated_cost;
  }
};

void mutate(File& file, Mutator& m) {
  StepSchedule& s = file.schedule;
  m.integer("senders", s.senders);
  m.integer("receivers", s.receivers);
  m.integer("max_transfers", s.max_transfers);
  m.integer("decimals", s.decimals);
  m.integer("switches", s.switches);
  m.number("setup", s.setup);
  mutate_steps(s.steps, m);
  if (m.done()) return;
  mutate_transfers("copies", s.copies, m);
  if (s.input && !m.done()) {
    m.list("roles", s.input->roles);
    if (m.done()) return;
    for (std::size_t p = 0; p < s.input->roles.size(); ++p) m.integer("role", s.input->roles[p]);
  }
  mutate_cost(s.bound, m);
  mutate_cost(file.stated_cost, m);
  if (s.speeds.empty() || m.done()) return;
  for (std::vector<std::int64_t>* const of : {&s.speeds.senders, &s.speeds.receivers}) {
    m.list("speeds", *of);
    if (m.done()) return;
    for (std::int64_t& speed : *of) m.integer("speed", speed);
  }
  m.list("backbone", s.speeds.backbone);
  if (m.done()) return;
  for (BackboneChange& change : s.speeds.backbone) {
    m.number("time of the backbone", change.time);
    m.integer("k of the backbone", change.max_transfers);
  }
}

/// How many mutations of `good` there are, and how many of them are still sound. A transfer that is put in another step
/// is one more kind.
struct Counts {
  std::int64_t mutations = 0;
  std::int64_t sound = 0;

  void record() const {
    ::testing::Test::RecordProperty("mutations", std::to_string(mutations));
    ::testing::Test::RecordProperty("still_sound", std::to_string(sound));
  }
};

/// Whether the schedule is so far from its sizes that a replay could not hold it: its judgement is clear.
bool too_many_ports(const StepSchedule& s) { return s.senders > 1000 || s.senders < 0; }

Counts expect_judged_as_replayed(const File& good, const Traffic& traffic) {
  Counts counts;
  EXPECT_TRUE(replay(good, traffic));
  for (const Violation& violation : validate(good, traffic)) ADD_FAILURE() << to_string(violation);
  const auto judge = [&](const File& mutated, const std::string& what) {
    const bool sound = !too_many_ports(mutated.schedule) && replay(mutated, traffic);
    const std::vector<Violation> found = validate(mutated, traffic);
    EXPECT_EQ(found.empty(), sound) << what << (found.empty() ? "" : ": " + to_string(found.front()));
    ++counts.mutations;
    counts.sound += sound ? 1 : 0;
  };
  (void)for_each_mutation(good, mutate, judge);
  const std::vector<Step>& steps = good.schedule.steps;
  for (std::size_t a = 0; a < steps.size(); ++a) {
    for (std::size_t i = 0; i < steps[a].transfers.size(); ++i) {
      for (std::size_t b = 0; b < steps.size(); ++b) {
        if (a == b) continue;
        File moved = good;
        moved.schedule.steps[b].transfers.push_back(steps[a].transfers[i]);
        auto& left = moved.schedule.steps[a].transfers;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        judge(moved, "transfer moved from one step to another");
      }
      File copied = good;
      copied.schedule.copies.push_back(steps[a].transfers[i]);
      auto& left = copied.schedule.steps[a].transfers;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      judge(copied, "transfer made a copy");
    }
  }
  for (std::size_t c = 0; c < good.schedule.copies.size(); ++c) {
    File sent = good;
    sent.schedule.steps.push_back({good.schedule.copies[c].size, {good.schedule.copies[c]}});
    sent.schedule.copies.erase(sent.schedule.copies.begin() + static_cast<std::ptrdiff_t>(c));
    sent.stated_cost = {
        sent.stated_cost.steps + 1, sent.stated_cost.transmission + good.schedule.copies[c].size,
        sent.stated_cost.total + sent.schedule.setup + static_cast<double>(good.schedule.copies[c].size)};
    judge(sent, "copy made a step");
  }
  return counts;
}

std::int64_t draw(std::mt19937& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

/// The cost of the steps, stated.
File with_cost(StepSchedule schedule) {
  File file;
  for (const Step& step : schedule.steps) file.stated_cost.transmission += step.duration;
  file.stated_cost.steps = static_cast<std::int64_t>(schedule.steps.size());
  file.stated_cost.total =
      static_cast<double>(file.stated_cost.transmission) + schedule.setup * static_cast<double>(file.stated_cost.steps);
  file.schedule = std::move(schedule);
  return file;
}

/// Random messages cut into random pieces, each put in the first step that has room.
File random_exchange(std::mt19937& random, Traffic& traffic) {
  traffic = {draw(random, 1, 4), draw(random, 1, 4), {}};
  StepSchedule s;
  s.problem = "exchange";
  s.algorithm = "random";
  s.senders = traffic.senders;
  s.receivers = traffic.receivers;
  s.max_transfers = draw(random, 1, 4);
  s.setup = static_cast<double>(draw(random, 0, 8)) / 4;
  for (std::int64_t from = 0; from < s.senders; ++from) {
    for (std::int64_t to = 0; to < s.receivers; ++to) {
      const std::int64_t size = draw(random, 0, 9);
      traffic.messages.push_back({from, to, size});
      for (std::int64_t offset = 0; offset < size;) {
        const std::int64_t piece = draw(random, 1, size - offset);
        const auto has_room = [&](const Step& step) {
          return static_cast<std::int64_t>(step.transfers.size()) < s.max_transfers &&
                 std::none_of(step.transfers.begin(), step.transfers.end(),
                              [&](const Transfer& t) { return t.from == from || t.to == to; });
        };
        auto step = std::find_if(s.steps.begin(), s.steps.end(), has_room);
        if (step == s.steps.end()) step = s.steps.insert(s.steps.end(), Step{});
        step->transfers.push_back({from, to, offset, piece});
        step->duration = std::max(step->duration, piece);
        offset += piece;
      }
    }
  }
  File file = with_cost(std::move(s));
  file.schedule.bound = {file.stated_cost.steps - draw(random, 0, 1),
                         file.stated_cost.transmission - draw(random, 0, 1), 0};
  file.schedule.bound.total = file.stated_cost.total - static_cast<double>(draw(random, 0, 1));
  return file;
}

/// Judges every mutation of random exchanges, each changed by `change(random, good)` before, which says whether there
/// is anything to judge. There have to be more than `mutations`.
template <class Change>
void expect_exchanges_judged_as_replayed(unsigned seed, std::int64_t mutations, Change change) {
  std::mt19937 random(seed);
  Counts all;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Traffic traffic;
    File good = random_exchange(random, traffic);
    if (!change(random, good)) continue;
    const Counts counts = expect_judged_as_replayed(good, traffic);
    all.mutations += counts.mutations;
    all.sound += counts.sound;
  }
  all.record();
  EXPECT_GT(all.mutations, mutations);
  EXPECT_GT(all.sound, 100);
  EXPECT_LT(all.sound * 4, all.mutations);
}

TEST(StepMutations, OfExchangesAreJudgedAsReplayed) {
  expect_exchanges_judged_as_replayed(16, 10'000, [](std::mt19937&, File&) { return true; });
}

TEST(StepMutations, OfExchangesOnSeveralSwitchesAreJudgedAsReplayed) {
  expect_exchanges_judged_as_replayed(21, 10'000, [](std::mt19937& random, File& good) {
    StepSchedule& s = good.schedule;
    if (most_switches(s) < 2) return false;
    s.switches = draw(random, 2, std::min<std::int64_t>(4, most_switches(s)));
    for (Step& step : s.steps) step.on_switch = draw(random, 0, s.switches - 1);
    Deliveries delivered;
    Most most;
    const bool runs = run_switches(s, delivered, most);
    EXPECT_TRUE(runs);
    good.stated_cost = {most.steps, static_cast<std::int64_t>(most.transmission), most.total};
    s.bound = {most.steps - draw(random, 0, 1), good.stated_cost.transmission - draw(random, 0, 1),
               most.total - static_cast<double>(draw(random, 0, 1))};
    return runs;
  });
}

TEST(StepMutations, OfExchangesAtSpeedsAreJudgedAsReplayed) {
  expect_exchanges_judged_as_replayed(34, 15'000, [](std::mt19937& random, File& good) {
    StepSchedule& s = good.schedule;
    const std::int64_t what = draw(random, 1, 7);
    const auto speeds_of = [&](std::int64_t nodes) {
      std::vector<std::int64_t> speeds;
      for (std::int64_t i = 0; i < nodes; ++i) speeds.push_back(draw(random, 1, 8) * 250'000);
      return speeds;
    };
    if ((what & 1) != 0) s.speeds.senders = speeds_of(s.senders);
    if ((what & 2) != 0) s.speeds.receivers = speeds_of(s.receivers);
    double begin = 0;
    good.stated_cost.transmission = 0;
    if ((what & 4) != 0) s.max_transfers = 1;
    for (Step& step : s.steps) {
      step.duration = 0;
      for (const Transfer& t : step.transfers)
        step.duration = std::max(step.duration, *transfer_time(t.size, s.speeds.between(t.from, t.to)));
      // A backbone just wide enough.
      const auto count = static_cast<std::int64_t>(step.transfers.size());
      std::vector<BackboneChange>& backbone = s.speeds.backbone;
      if ((what & 4) != 0 && (backbone.empty() || count != backbone.back().max_transfers)) {
        backbone.push_back({begin, count});
        s.max_transfers = std::max(s.max_transfers, count);
      }
      good.stated_cost.transmission += step.duration;
      begin += s.setup + static_cast<double>(step.duration);
    }
    if (s.speeds.empty()) return false;  // a backbone that carries nothing
    good.stated_cost.total = begin;
    s.bound = {good.stated_cost.steps - draw(random, 0, 1), good.stated_cost.transmission - draw(random, 0, 1),
               begin - static_cast<double>(draw(random, 0, 1))};
    return true;
  });
}

TEST(StepMutations, OfRedistributionsWithAndWithoutCopiesAreJudgedAsReplayed) {
  std::mt19937 random(15);  // fixed seed
  Counts all;
  std::int64_t copies = 0;
  for (int round = 0; round < 40; ++round) {
    const Layout from{{draw(random, 1, 4)}, {draw(random, 1, 4)}}, to{{draw(random, 1, 4)}, {draw(random, 1, 4)}};
    SCOPED_TRACE(to_string(from) + " -> " + to_string(to));
    RedistributionProblem problem = one_slice(from, to);
    RedistributionInput input{to_string(from), to_string(to), ""};
    if (round % 3 != 0) {
      std::vector<Rank> roles;
      for (std::int64_t p = 0; p < std::max(from.grid[0], to.grid[0]); ++p) roles.emplace_back(p);
      std::shuffle(roles.begin(), roles.end(), random);
      problem = problem.with_roles(roles);
      for (const Rank role : roles) input.roles.push_back(role.value);
    }
    const File good = with_cost(plan_redistribution(problem, "stepwise").schedule(input));
    copies += static_cast<std::int64_t>(good.schedule.copies.size());
    const Counts counts = expect_judged_as_replayed(good, problem.traffic());
    all.mutations += counts.mutations;
    all.sound += counts.sound;
  }
  all.record();
  EXPECT_GT(copies, 20);
  EXPECT_GT(all.mutations, 5'000);
  EXPECT_LT(all.sound * 4, all.mutations);
}

// ---------------------------------------------------------------------------------------------------------------------
// Batches of arrays

/// The numbers of "2x3", all at least `least`; none if it is anything else.
std::vector<std::int64_t> numbers(const std::string& text, std::int64_t least) {
  std::vector<std::int64_t> result;
  std::istringstream in(text + "x");
  for (std::string word; std::getline(in, word, 'x');) {
    const bool digits = !word.empty() && word.size() < 6 && word.find_first_not_of("0123456789") == word.npos;
    if (!digits || std::stoll(word) < least) return {};
    result.push_back(std::stoll(word));
  }
  return result;
}

/// A block-cyclic layout, read from "2x3:4x5".
struct Cyclic {
  explicit Cyclic(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return;
    grid = numbers(text.substr(0, colon), 1);
    block = numbers(text.substr(colon + 1), 1);
  }

  [[nodiscard]] bool sound() const { return !grid.empty() && grid.size() == block.size(); }
  [[nodiscard]] std::int64_t owner(const std::vector<std::int64_t>& at) const {
    std::int64_t rank = 0;
    for (std::size_t d = 0; d < grid.size(); ++d) rank = rank * grid[d] + at[d] / block[d] % grid[d];
    return rank;
  }
  [[nodiscard]] std::int64_t processes() const {
    std::int64_t all = 1;
    for (const std::int64_t side : grid) all *= side;
    return all;
  }

  std::vector<std::int64_t> grid, block;
};

bool in_part(const std::string& part, const std::vector<std::int64_t>& shape, std::int64_t i, std::int64_t j) {
  if (part.empty()) return true;
  const bool upper = part.ends_with("upper");
  const std::int64_t diagonal =
      upper ? j + std::max<std::int64_t>(0, shape[0] - shape[1]) : j - std::max<std::int64_t>(0, shape[1] - shape[0]);
  if (i == diagonal) return !part.starts_with("strictly");
  return upper ? i < diagonal : i > diagonal;
}

/// What the arrays of a file send, element by element; nothing if they make no sense.
std::optional<Traffic> walked(const std::vector<ArrayInput>& arrays) {
  Traffic traffic;
  std::map<std::pair<std::int64_t, std::int64_t>, Wide> bytes;
  Wide all = 0;
  for (const ArrayInput& array : arrays) {
    const Cyclic from(array.from), to(array.to);
    const std::vector<std::int64_t> shape = numbers(array.shape, 0);
    const std::set<std::string> parts{"", "upper", "lower", "strictly upper", "strictly lower"};
    if (!from.sound() || !to.sound() || from.grid.size() != to.grid.size() || shape.size() != from.grid.size() ||
        array.element_bytes < 1 || !parts.contains(array.part) || (!array.part.empty() && shape.size() != 2))
      return std::nullopt;
    traffic.senders = std::max(traffic.senders, from.processes());
    traffic.receivers = std::max(traffic.receivers, to.processes());
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements *= extent;
    for (std::int64_t e = 0; e < elements; ++e) {
      std::vector<std::int64_t> at(shape.size());
      std::int64_t rest = e;
      for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
      if (shape.size() == 2 && !in_part(array.part, shape, at[0], at[1])) continue;
      const std::int64_t sender = from.owner(at);
      if (array.transpose) std::reverse(at.begin(), at.end());
      bytes[{sender, to.owner(at)}] += array.element_bytes;
      all += array.element_bytes;
    }
  }
  if (arrays.empty() || all > kMostOfAll) return std::nullopt;
  for (const auto& [pair, size] : bytes)
    traffic.messages.push_back({pair.first, pair.second, static_cast<std::int64_t>(size)});
  return traffic;
}

ArrayInput random_array(std::mt19937& random) {
  const bool matrix = draw(random, 0, 1) == 0;
  const auto sides = [&](std::int64_t most) {
    std::string text = std::to_string(draw(random, 1, most));
    return matrix ? text + "x" + std::to_string(draw(random, 1, most)) : text;
  };
  const auto layout = [&] {
    const std::string grid = sides(2);
    return grid + ":" + sides(3);
  };
  ArrayInput array{layout(), layout(), sides(matrix ? 6 : 20)};
  array.transpose = draw(random, 0, 2) == 0;
  if (matrix)
    array.part =
        std::vector<std::string>{"", "", "upper", "strictly lower"}[static_cast<std::size_t>(draw(random, 0, 3))];
  array.element_bytes = draw(random, 1, 9);
  return array;
}

void mutate_arrays(std::vector<ArrayInput>& arrays, Mutator& m) {
  m.list("arrays", arrays);
  if (m.done()) return;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    m.at(a);
    const std::vector<std::string> layouts{"1:1", "2:1", "3:2",   "1x2:2x1", "2x2:1x3", "2:0",
                                           "0:2", "2",   "2x2:1", "",        "x"};
    m.text("from", arrays[a].from, layouts);
    m.text("to", arrays[a].to, layouts);
    m.text("shape", arrays[a].shape, {"1", "7", "20", "0", "3x4", "6x6", "0x3", "2x2x2", "-3", "x"});
    m.text("part", arrays[a].part, {"", "upper", "lower", "strictly upper", "strictly lower", "diagonal"});
    m.flag("transpose", arrays[a].transpose);
    m.integer("element_bytes", arrays[a].element_bytes);
  }
}

TEST(StepMutations, OfBatchesAreJudgedAsReplayed) {
  std::mt19937 random(47);  // fixed seed
  Counts all;
  std::int64_t copies = 0, of_arrays = 0;
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    std::vector<ArrayInput> arrays;
    std::vector<BatchArray> batch;
    for (std::int64_t count = draw(random, 1, 3); count > 0; --count) {
      arrays.push_back(random_array(random));
      batch.push_back({problem_of(arrays.back(), ""), arrays.back().element_bytes, {}, {}});
    }
    const BatchProblem problem(std::move(batch), /*same_processes=*/round % 2 == 0);
    BatchOptions options;
    options.effort = 1;
    StepSchedule schedule = plan_batch(problem, options).schedule;
    schedule.input.emplace().arrays = arrays;
    for (std::int64_t p = 0; problem.has_roles() && p < problem.senders(); ++p)
      schedule.input->roles.push_back(problem.role_of(p) >= 0 ? problem.role_of(p) : problem.receivers() + p);
    copies += std::ssize(schedule.copies);
    const File good = with_cost(std::move(schedule));
    const auto replayed = [](const File& file) {
      const std::optional<Traffic> traffic = walked(file.schedule.input->arrays);
      return traffic && !too_many_ports(file.schedule) && replay(file, *traffic);
    };
    const auto judged = [](const File& file) {
      try {
        const std::vector<Violation> found = validate_with_layouts(file, "plan.json");
        return found.empty() ? std::string() : to_string(found.front());
      } catch (const InputError& error) {
        return std::string(error.what());
      }
    };
    EXPECT_TRUE(replayed(good));
    EXPECT_EQ(judged(good), "");
    const auto fields = [&](File& file, Mutator& m) {
      mutate_arrays(file.schedule.input->arrays, m);
      if (!m.done()) mutate(file, m);
    };
    all.mutations += for_each_mutation(good, fields, [&](const File& mutated, const std::string& what) {
      const bool sound = replayed(mutated);
      const std::string fault = judged(mutated);
      EXPECT_EQ(fault.empty(), sound) << what << ": " << fault;
      all.sound += sound ? 1 : 0;
      of_arrays += sound && mutated.schedule.input->arrays != arrays ? 1 : 0;
    });
  }
  all.record();
  EXPECT_GT(copies, 10);
  EXPECT_GT(of_arrays, 20);  // other arrays with the same messages
  EXPECT_GT(all.mutations, 10'000);
  EXPECT_LT(all.sound * 4, all.mutations);
}

// ---------------------------------------------------------------------------------------------------------------------
// Exchanges with local phases

/// A unit of a message of the traffic.
struct Unit {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t number = 0;
  friend auto operator<=>(const Unit&, const Unit&) = default;
};

/// The units that wait at a node for another one, in their order.
using Waiting = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Unit>>;

/// Carries `waiting` over by `steps`: whether all of it arrives, once each.
bool carry(const std::vector<Step>& steps, std::int64_t senders, std::int64_t receivers, std::int64_t side_by_side,
           const Waiting& waiting, Wide& transmission) {
  Deliveries delivered;
  if (!run_steps(steps, senders, receivers, side_by_side, delivered, transmission)) return false;
  if (delivered.size() != waiting.size()) return false;
  return std::all_of(waiting.begin(), waiting.end(), [&](const auto& each) {
    const auto found = delivered.find(each.first);
    return found != delivered.end() && are_the_whole(found->second, static_cast<std::int64_t>(each.second.size()));
  });
}

bool replay_with_phases(const ScheduleFile& file, const Traffic& traffic) {
  const StepSchedule& s = file.schedule;
  const LocalPhases& phases = *s.local_phases;
  if (s.senders != traffic.senders || s.receivers != traffic.receivers || s.max_transfers < 0 || s.decimals != 0 ||
      s.switches != 1 || !is_time(s.setup) || !is_time(phases.before.setup) || !is_time(phases.after.setup) ||
      !s.copies.empty())
    return false;
  if (!std::isfinite(phases.unit_cost) || phases.unit_cost <= 0) return false;
  // Every unit takes its way.
  constexpr std::int64_t kLongest = 1000;
  Waiting before, between, after;
  std::set<Unit> routed;
  for (const Route& route : phases.routes) {
    if (route.from < 0 || route.from >= s.senders || route.to < 0 || route.to >= s.receivers) return false;
    if (route.carrier < 0 || route.carrier >= s.senders || route.landing < 0 || route.landing >= s.receivers)
      return false;
    if (route.size < 1 || route.size > kLongest || route.offset < 0 || route.offset > kLongest) return false;
    for (std::int64_t number = route.offset; number < route.offset + route.size; ++number) {
      const Unit unit{route.from, route.to, number};
      if (!routed.insert(unit).second) return false;
      if (route.from != route.carrier) before[{route.from, route.carrier}].push_back(unit);
      between[{route.carrier, route.landing}].push_back(unit);
      if (route.landing != route.to) after[{route.landing, route.to}].push_back(unit);
    }
  }
  std::set<Unit> wanted;
  for (const Message& message : traffic.messages)
    for (std::int64_t number = 0; number < message.size; ++number) wanted.insert({message.from, message.to, number});
  if (routed != wanted) return false;
  Wide first = 0, middle = 0, last = 0;
  if (!carry(phases.before.steps, s.senders, s.senders, s.senders, before, first) ||
      !carry(s.steps, s.senders, s.receivers, s.max_transfers, between, middle) ||
      !carry(phases.after.steps, s.receivers, s.receivers, s.receivers, after, last))
    return false;
  if (!prices_hold(file.stated_cost, s.bound, s.steps.size(), middle, s.setup) ||
      !prices_hold(phases.before.cost, phases.before.bound, phases.before.steps.size(), first, phases.before.setup) ||
      !prices_hold(phases.after.cost, phases.after.bound, phases.after.steps.size(), last, phases.after.setup))
    return false;
  const auto price = [](Wide transmission, std::size_t steps, double setup) {
    return static_cast<double>(static_cast<std::int64_t>(transmission)) + setup * static_cast<double>(steps);
  };
  const double total = price(middle, s.steps.size(), s.setup) +
                       phases.unit_cost * price(first, phases.before.steps.size(), phases.before.setup) +
                       phases.unit_cost * price(last, phases.after.steps.size(), phases.after.setup);
  return close(phases.total, total);
}

TEST(StepMutations, OfExchangesWithLocalPhasesAreJudgedAsReplayed) {
  const File good = with_cost(testing::phases_sample());
  const Traffic& traffic = testing::kPhasesTraffic;
  ASSERT_TRUE(replay_with_phases(good, traffic));
  const auto mutate_phase = [](LocalPhase& phase, Mutator& m) {
    m.number("setup of a phase", phase.setup);
    mutate_steps(phase.steps, m);
    if (m.done()) return;
    mutate_cost(phase.cost, m);
    mutate_cost(phase.bound, m);
  };
  const auto fields = [&](File& file, Mutator& m) {
    mutate(file, m);
    if (m.done()) return;
    LocalPhases& phases = *file.schedule.local_phases;
    m.number("unit_cost", phases.unit_cost);
    m.number("total", phases.total);
    m.list("routes", phases.routes);
    if (m.done()) return;
    for (Route& route : phases.routes) {
      m.integer("route.from", route.from);
      m.integer("route.to", route.to);
      m.integer("route.offset", route.offset);
      m.integer("route.size", route.size);
      m.integer("route.carrier", route.carrier);
      m.integer("route.landing", route.landing);
    }
    mutate_phase(phases.before, m);
    if (!m.done()) mutate_phase(phases.after, m);
  };
  std::int64_t sound = 0;
  const std::int64_t count = for_each_mutation(good, fields, [&](const File& mutated, const std::string& what) {
    const bool right = !too_many_ports(mutated.schedule) && replay_with_phases(mutated, traffic);
    const std::vector<Violation> found = validate(mutated, traffic);
    EXPECT_EQ(found.empty(), right) << what << (found.empty() ? "" : ": " + to_string(found.front()));
    sound += right ? 1 : 0;
  });
  Counts{count, sound}.record();
  EXPECT_GT(count, 400);
  EXPECT_GT(sound, 10);
  EXPECT_LT(sound * 4, count);
}

}  // namespace
}  // namespace sluice
