#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/strict_json.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// The `input` of a redistribution's schedule as JSON.
namespace sluice::detail {

/// Appends a line ` "input": {...},`. Throws InputError for text that is not UTF-8.
void append_input(std::string& out, const RedistributionInput& input);

inline constexpr const char* kInputExpected = "\"from\" and \"to\", or \"arrays\" with \"roles\" alone beside them";

/// What a reader finds, put together.
class WrittenInput {
 public:
  /// `array`: the number of the shape that array_fields() are of.
  [[nodiscard]] std::vector<JsonField> fields(int array);
  [[nodiscard]] std::vector<JsonField> array_fields();
  /// Notes that an array has been read.
  void add_array();
  /// How many arrays have been read.
  [[nodiscard]] std::size_t arrays() const { return input_.arrays.size(); }
  /// Says what does not go together or is missing; "" if nothing.
  [[nodiscard]] std::string fault() const;
  [[nodiscard]] RedistributionInput take();

 private:
  RedistributionInput input_;  ///< without its layouts
  std::optional<std::string> from_;
  std::optional<std::string> to_;
  ArrayInput array_;
};

}  // namespace sluice::detail
