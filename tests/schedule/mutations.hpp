#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Makes a schedule a little wrong in every way: changes one field, or drops, doubles or moves one entry of a list, or
/// exchanges it with its neighbour.
///
///     for_each_mutation(good, [](auto& s, Mutator& m) { m.integer("root", s.root); ... },
///                       [](const auto& mutated, const char* what, const char* how = "", std::size_t entry = kNone) {
///                       ... });
namespace sluice::testing {

class Mutator {
 public:
  /// The mutation number `which` is carried out, counted from 0 over all fields in the order of the calls.
  explicit Mutator(std::int64_t which) : left_(which) {}

  [[nodiscard]] bool done() const { return left_ < 0; }
  [[nodiscard]] const std::string& what() const { return what_; }
  /// Whose fields come next, for what().
  void at(std::size_t place) { place_ = place; }

  template <class Integer>
  void integer(const char* name, Integer& value) {
    constexpr Integer kMost = std::numeric_limits<Integer>::max();
    constexpr Integer kLeast = std::numeric_limits<Integer>::min();
    const Integer before = value;
    if (before < kMost) change(name, value, static_cast<Integer>(before + 1));
    if (before > kLeast) change(name, value, static_cast<Integer>(before - 1));
    for (const Integer other : {Integer{0}, Integer{1}, kMost, kLeast}) change(name, value, other);
    if constexpr (std::numeric_limits<Integer>::is_signed) {
      change(name, value, static_cast<Integer>(-1));
      if (before > kLeast) change(name, value, static_cast<Integer>(-before));
    }
    if (before > 0 && before < kMost / 2) change(name, value, static_cast<Integer>(before * 2));
  }

  void number(const char* name, double& value) {
    const double before = value;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double other : {before + 1, before - 1, before + 0.25, before - 0.25, before * 2, before / 2, 0.0, -1.0,
                               1e300, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()})
      change(name, value, other);
  }

  void flag(const char* name, bool& value) { change(name, value, !value); }

  void text(const char* name, std::string& value, const std::vector<std::string>& others) {
    for (const std::string& other : others) change(name, value, other);
  }

  void optional(const char* name, std::optional<std::int64_t>& value) {
    if (value) {
      integer(name, *value);
      if (take(name, " gone")) value.reset();
    } else {
      for (const std::int64_t other : {0, 1, 2, -1})
        if (take(name, " there")) value = other;
    }
  }

  /// The list as a whole; its entries are for the caller, who goes on only if nothing has been done.
  template <class Entry>
  void list(const char* name, std::vector<Entry>& entries) {
    const auto at = [&](std::size_t i) { return entries.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t size = entries.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (take(name, " dropped", i)) entries.erase(at(i));
      if (done()) return;
      if (take(name, " doubled", i)) entries.insert(at(i), Entry(entries[i]));
      if (done()) return;
      if (i + 1 < size && take(name, " exchanged with the next", i)) std::swap(entries[i], entries[i + 1]);
      if (done()) return;
      if (i > 1 && take(name, " moved to the front", i)) {
        const Entry moved = entries[i];
        entries.erase(at(i));
        entries.insert(entries.begin(), moved);
      }
      if (done()) return;
    }
    if (size > 0 && take(name, " cleared")) entries.clear();
    if (!done() && take(name, " with an empty entry more")) entries.emplace_back();
  }

 private:
  bool take(const char* what, const char* how = "", std::size_t entry = kNone) {
    if (left_-- != 0) return false;
    what_ = what;
    if (entry != kNone) what_ += "[" + std::to_string(entry) + "]";
    what_ += how;
    if (place_ != kNone) what_ += ", place " + std::to_string(place_);
    return true;
  }
  template <class Value>
  void change(const char* name, Value& value, const Value& other) {
    if (!done() && take(name)) value = other;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::int64_t left_;
  std::size_t place_ = kNone;
  std::string what_;
};

/// Calls visit(mutated, what) for every mutation of `good`; how many there were that changed something.
template <class Schedule, class Fields, class Visit>
std::int64_t for_each_mutation(const Schedule& good, Fields&& fields, Visit&& visit) {
  std::int64_t count = 0;
  for (std::int64_t which = 0;; ++which) {
    Schedule mutated = good;
    Mutator mutator(which);
    fields(mutated, mutator);
    if (!mutator.done()) return count;
    if (mutated == good) continue;
    ++count;
    visit(mutated, mutator.what());
  }
}

}  // namespace sluice::testing
