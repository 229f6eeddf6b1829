#pragma once

#include <cstddef>
#include <iterator>

#include "input/strict_json.hpp"

namespace sluice::detail {

/// A pair of iterators, as the parser wants it.
class JsonBytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonBytes() = default;
  explicit JsonBytes(JsonSource* source) : source_(source) {}

  char operator*() const { return source_->peek(); }
  JsonBytes& operator++() {
    source_->take();
    return *this;
  }
  JsonBytes operator++(int) {
    const JsonBytes before = *this;
    source_->take();
    return before;
  }
  friend bool operator==(const JsonBytes& a, const JsonBytes& b) { return a.at_end() == b.at_end(); }

 private:
  [[nodiscard]] bool at_end() const { return source_ == nullptr || source_->at_end(); }

  JsonSource* source_ = nullptr;
};

}  // namespace sluice::detail
