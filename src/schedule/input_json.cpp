#include "schedule/input_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "input/json_text.hpp"

namespace sluice::detail {
namespace {

/// What a single array, and one of a batch, have in common besides their layouts.
template <class Input>
std::vector<JsonField> fields_of_array(Input& input) {
  return {{.name = "shape", .required = false, .text = &input.shape},
          {.name = "part",
           .required = false,
           .text = &input.part,
           .choices = {"upper", "lower", "strictly upper", "strictly lower"}},
          {.name = "transpose", .required = false, .flag = &input.transpose}};
}

template <class Input>
void append_array(std::string& out, const Input& input) {
  out += fmt::format(R"("from": {}, "to": {})", json_string(input.from, "from"), json_string(input.to, "to"));
  if (!input.shape.empty()) out += fmt::format(R"(, "shape": {})", json_string(input.shape, "shape"));
  if (!input.part.empty()) out += fmt::format(R"(, "part": {})", json_string(input.part, "part"));
  if (input.transpose) out += R"(, "transpose": true)";
}

}  // namespace

void append_input(std::string& out, const RedistributionInput& input) {
  out += R"( "input": {)";
  if (input.arrays.empty()) {
    append_array(out, input);
  } else {
    out += R"("arrays": [)";
    const char* between = "\n  {";
    for (const ArrayInput& array : input.arrays) {
      out += std::exchange(between, ",\n  {");
      append_array(out, array);
      out += fmt::format(R"(, "element_bytes": {}}})", array.element_bytes);
    }
    out += ']';
  }
  if (input.has_replicas())
    out += fmt::format(R"(, "from_replicas": {}, "to_replicas": {})", input.from_replicas, input.to_replicas);
  if (!input.roles.empty()) out += fmt::format(R"(, "roles": [{}])", fmt::join(input.roles, ", "));
  out += "},\n";
}

std::vector<JsonField> WrittenInput::fields(int array) {
  std::vector<JsonField> result = fields_of_array(input_);
  result.insert(result.end(), {{.name = "from", .required = false, .optional_text = &from_},
                               {.name = "to", .required = false, .optional_text = &to_},
                               {.name = "from_replicas", .required = false, .integer = &input_.from_replicas},
                               {.name = "to_replicas", .required = false, .integer = &input_.to_replicas},
                               {.name = "roles", .required = false, .integers = &input_.roles},
                               {.name = "arrays", .required = false, .objects = array}});
  return result;
}

std::vector<JsonField> WrittenInput::array_fields() {
  std::vector<JsonField> result = fields_of_array(array_);
  result.insert(result.end(), {{.name = "from", .text = &array_.from},
                               {.name = "to", .text = &array_.to},
                               {.name = "element_bytes", .required = false, .integer = &array_.element_bytes}});
  return result;
}

void WrittenInput::add_array() { input_.arrays.push_back(std::exchange(array_, ArrayInput{})); }

std::string WrittenInput::fault() const {
  RedistributionInput others = input_;
  others.arrays.clear();
  others.roles.clear();
  if (!input_.arrays.empty())
    return others == RedistributionInput{} && !from_ && !to_ ? ""
                                                             : "an input with \"arrays\" and a field of a single one";
  if (!from_) return "an input without \"from\"";
  return to_ ? "" : "an input without \"to\"";
}

RedistributionInput WrittenInput::take() {
  input_.from = from_.value_or("");
  input_.to = to_.value_or("");
  return std::move(input_);
}

}  // namespace sluice::detail
