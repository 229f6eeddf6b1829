#include "model_atomics.hpp"

#include <map>
#include <set>
#include <utility>

namespace sluice::model {
namespace {

struct State {
  std::set<Site> seen;
  std::optional<Mutant> mutant;
  std::map<std::pair<int, const void*>, std::uint64_t> found;  ///< by thread and address, last
};
State& state() {
  static State state;
  return state;
}

Order order_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return Order::kRelaxed;
    case std::memory_order_acquire:
      return Order::kAcquire;
    case std::memory_order_release:
      return Order::kRelease;
    case std::memory_order_acq_rel:
      return Order::kAcquireRelease;
    default:
      return Order::kSequential;
  }
}

/// The fault that the operation has, if it has one.
std::optional<Fault> fault_of(Kind kind, std::memory_order order, Place place) {
  State& all = state();
  if (!all.mutant) {
    all.seen.insert({place.file, place.line, kind, order_of(order)});
    return std::nullopt;
  }
  const Site& site = all.mutant->site;
  if (site.line != place.line || site.kind != kind || site.file != place.file) return std::nullopt;
  return all.mutant->fault;
}

std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

}  // namespace

std::vector<Site> sites_seen() { return {state().seen.begin(), state().seen.end()}; }

std::vector<Mutant> mutants_of(const Site& site) {
  std::vector<Mutant> mutants;
  if (site.order != Order::kRelaxed) mutants.push_back({site, Fault::kWeaker});
  if (site.kind == Kind::kFence && site.order == Order::kSequential) mutants.push_back({site, Fault::kHalf});
  if (site.kind == Kind::kStore || site.kind == Kind::kAdd) mutants.push_back({site, Fault::kForgotten});
  if (site.kind == Kind::kAdd) mutants.push_back({site, Fault::kTorn});
  if (site.kind == Kind::kLoad) mutants.push_back({site, Fault::kNotLookedAt});
  return mutants;
}

std::string text_of(const Mutant& mutant) {
  static constexpr const char* kFaults[] = {"weaker", "without sequential consistency", "forgotten", "torn",
                                            "not looked at again"};
  static constexpr const char* kKinds[] = {"load", "store", "addition", "fence"};
  return base_name(mutant.site.file) + ":" + std::to_string(mutant.site.line) + ": " +
         kKinds[static_cast<int>(mutant.site.kind)] + " " + kFaults[static_cast<int>(mutant.fault)];
}

void set_mutant(const std::optional<Mutant>& mutant) { state().mutant = mutant; }

void forget_what_was_found() { state().found.clear(); }

namespace detail {

std::uint64_t mutable_load(const void* at, std::memory_order order, Place place) {
  const std::optional<Fault> fault = fault_of(Kind::kLoad, order, place);
  std::uint64_t* last = nullptr;
  if (state().mutant && state().mutant->fault == Fault::kNotLookedAt) {
    const auto [entry, first] = state().found.try_emplace({thread(), at}, 0);
    last = &entry->second;
    if (fault && !first) return *last;
  }
  const std::uint64_t value = model::load(at, fault == Fault::kWeaker ? Order::kRelaxed : order_of(order), place);
  if (last != nullptr) *last = value;
  return value;
}

void mutable_store(const void* at, std::uint64_t value, std::memory_order order, Place place) {
  const std::optional<Fault> fault = fault_of(Kind::kStore, order, place);
  if (fault == Fault::kForgotten) return;
  model::store(at, value, fault == Fault::kWeaker ? Order::kRelaxed : order_of(order), place);
}

void mutable_add(const void* at, std::uint64_t value, std::memory_order order, Place place) {
  const std::optional<Fault> fault = fault_of(Kind::kAdd, order, place);
  if (fault == Fault::kForgotten) return;
  if (fault == Fault::kTorn) {
    model::store(at, model::load(at, Order::kAcquire, place) + value, order_of(order), place);
    return;
  }
  model::add(at, value, fault == Fault::kWeaker ? Order::kRelaxed : order_of(order), place);
}

void mutable_fence(std::memory_order order, Place place) {
  const std::optional<Fault> fault = fault_of(Kind::kFence, order, place);
  if (fault == Fault::kWeaker) return;
  model::fence(fault == Fault::kHalf ? Order::kAcquireRelease : order_of(order), place);
}

}  // namespace detail

}  // namespace sluice::model
