#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::detail {

/// Many short lists in one array: a list costs eight bytes beside its values, and no allocation. All lists together
/// have less than 2^32 values. If there are no lists, every list is empty.
template <class T>
class Lists {
 public:
  Lists() = default;
  /// `count` empty lists.
  explicit Lists(std::size_t count) : places_(count) {}
  /// Empty lists with room for these numbers of values: see push().
  explicit Lists(std::span<const std::uint32_t> room) : places_(room.size()) {
    std::uint32_t first = 0;
    for (std::size_t list = 0; list < room.size(); ++list) {
      places_[list].first = first;
      first += room[list];
    }
    values_.resize(first);
  }

  [[nodiscard]] bool empty() const { return places_.empty(); }
  /// The number of lists.
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  /// The number of values in all lists.
  [[nodiscard]] std::size_t values() const { return values_.size(); }
  /// The values of all lists, as they were added.
  [[nodiscard]] std::span<const T> all() const { return values_; }
  [[nodiscard]] std::span<const T> operator[](std::size_t list) const {
    if (places_.empty()) return {};
    return {values_.data() + places_[list].first, places_[list].count};
  }
  [[nodiscard]] std::span<T> operator[](std::size_t list) {
    if (places_.empty()) return {};
    return {values_.data() + places_[list].first, places_[list].count};
  }

  void reserve(std::size_t lists, std::size_t values) {
    places_.reserve(lists);
    values_.reserve(values);
  }
  /// Gives values to a list that has none. Lists may get theirs in any order. @pre `values` are of no list here
  void set(std::size_t list, std::span<const T> values) {
    places_[list] = {static_cast<std::uint32_t>(values_.size()), static_cast<std::uint32_t>(values.size())};
    values_.insert(values_.end(), values.begin(), values.end());
  }
  /// Adds an empty list.
  void add() { places_.push_back({static_cast<std::uint32_t>(values_.size()), 0}); }
  /// Adds a list. @pre `values` are of no list here
  void add(std::span<const T> values) {
    places_.emplace_back();
    set(places_.size() - 1, values);
  }
  /// Adds all lists of `other`.
  void append(const Lists& other) {
    const auto before = static_cast<std::uint32_t>(values_.size());
    for (const Place& place : other.places_) places_.push_back({before + place.first, place.count});
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  }
  /// Adds a value to the list that was added last. @pre no list has got values since
  void push(const T& value) {
    values_.push_back(value);
    ++places_.back().count;
  }
  /// Adds a value to a list that was made with room for it.
  void push(std::size_t list, const T& value) { values_[places_[list].first + places_[list].count++] = value; }

  /// Tells `numbers` everything; `each` tells it a value. See planned_part.
  template <class Numbers, class Each>
  void fields(Numbers& numbers, Each each) {
    numbers.each(places_, [&](Place& place) { numbers(place.first, place.count); });
    numbers.each(values_, each);
  }

  friend bool operator==(const Lists&, const Lists&) = default;

 private:
  struct Place {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  std::vector<Place> places_;
  std::vector<T> values_;
};

/// For each number below `items`, the lists that name it, in their order.
[[nodiscard]] inline Lists<std::uint32_t> inverted(const Lists<std::uint32_t>& lists, std::size_t items) {
  std::vector<std::uint32_t> room(items, 0);
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (const std::uint32_t item : lists[list]) ++room[item];
  Lists<std::uint32_t> result{std::span<const std::uint32_t>(room)};
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (const std::uint32_t item : lists[list]) result.push(item, static_cast<std::uint32_t>(list));
  return result;
}

}  // namespace sluice::detail
