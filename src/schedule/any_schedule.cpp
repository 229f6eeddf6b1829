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
#include "sluice/read_file.hpp"
#include "sluice/schedule/tree_json.hpp"

namespace sluice {

AnySchedule read_any_schedule(std::istream& in, const std::string& file) {
  detail::RewindBuffer buffer(in ? in.rdbuf() : nullptr);
  std::string type;
  bool is_program = false;
  std::string foreign;  // the schema of a file that holds neither
  std::int64_t line = 0;
  const auto again = detail::after_texts(
      in, buffer,
      [&](std::string_view name, std::string_view text) {
        if (name == "type") type = text;
        // A schema of any version: the readers say which versions they know.
        if (name == "schema") {
          is_program = text.starts_with(detail::kProgramFamily);
          if (!is_program && !text.starts_with(detail::kScheduleFamily)) foreign = text;
        }
        return type.empty() && !is_program && foreign.empty();
      },
      &line);
  if (!foreign.empty())
    throw InputError(fmt::format("{}:{}", file, line), fmt::format("\"schema\": \"{}\"", detail::shown(foreign)),
                     fmt::format("\"{}\" or \"{}\"", detail::kScheduleSchema, detail::kProgramSchema));
  if (is_program) return read_program(*again, file);
  if (type == "tree") return read_tree_schedule(*again, file);
  if (!type.empty() && type != "steps")
    throw InputError(fmt::format("{}:{}", file, line), fmt::format("\"type\": \"{}\"", detail::shown(type)),
                     R"("steps" or "tree")");
  return read_schedule(*again, file);
}

AnySchedule read_any_schedule(const std::string& path) {
  AnySchedule schedule;
  with_stream(path, "a schedule",
              [&](std::istream& in, const std::string& name) { schedule = read_any_schedule(in, name); });
  return schedule;
}

}  // namespace sluice
