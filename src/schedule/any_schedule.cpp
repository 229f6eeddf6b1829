#include "sluice/schedule/any_schedule.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "input/outermost_texts.hpp"
#include "input/shown_text.hpp"
#include "schedule/schedule_schema.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/tree_json.hpp"

namespace sluice {

AnySchedule read_any_schedule(std::istream& in, const std::string& file) {
  detail::RewindBuffer buffer(in ? in.rdbuf() : nullptr);
  std::string type;
  bool is_program = false;
  std::int64_t line = 0;
  const auto again = detail::after_texts(
      in, buffer,
      [&](std::string_view name, std::string_view text) {
        if (name == "type") type = text;
        // Of any version: the reader of programs says which ones it knows.
        is_program = is_program || (name == "schema" && text.starts_with(detail::kProgramFamily));
        return type.empty() && !is_program;
      },
      &line);
  if (is_program) return read_program(*again, file);
  if (type == "tree") return read_tree_schedule(*again, file);
  if (!type.empty() && type != "steps")
    throw InputError(fmt::format("{}:{}", file, line), fmt::format("\"type\": \"{}\"", detail::shown(type)),
                     R"("steps" or "tree")");
  return read_schedule(*again, file);
}

}  // namespace sluice
