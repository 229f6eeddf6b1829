#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <istream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "input/json_text.hpp"
#include "input/strict_json.hpp"
#include "schedule/schedule_schema.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice {
namespace {

using detail::append_json_number;
using detail::json_string;
using Kind = ProgramOperation::Kind;

constexpr std::string_view kSend = "send";
constexpr std::string_view kReceive = "receive";
constexpr std::string_view kCombine = "combine";

std::string_view to_string(Kind kind) {
  return kind == Kind::kSend ? kSend : kind == Kind::kReceive ? kReceive : kCombine;
}

/// `pace`: null if the program has none.
void append_operation(std::string& out, const ProgramOperation& op, const SendPace* pace) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, FMT_COMPILE(R"({{"rank": {}, "kind": "{}", "peer": {}, "offset": {}, "bytes": {})"), op.rank,
                 to_string(op.kind), op.peer, op.offset, op.bytes);
  const char* between = R"(, "more": [)";
  for (const ByteRange& range : op.more) {
    fmt::format_to(end, FMT_COMPILE("{}{}, {}"), between, range.offset, range.bytes);
    between = ", ";
  }
  if (!op.more.empty()) out += ']';
  out += R"(, "after": [)";
  between = "";
  for (const std::int64_t position : op.after) {
    fmt::format_to(end, FMT_COMPILE("{}{}"), between, position);
    between = ", ";
  }
  out += ']';
  if (pace != nullptr && op.kind == Kind::kSend) {
    out += R"(, "port_s": )";
    append_json_number(out, pace->port_s, "port_s");
    out += R"(, "connection_s": )";
    append_json_number(out, pace->connection_s, "connection_s");
  }
  out += '}';
}

void append_combining(std::string& out, const CombiningCosts& costs) {
  if (costs.by_rank().empty()) {
    if (costs.are_free()) return;
    out += R"(, "combine_s_per_byte": )";
    append_json_number(out, costs.of(0), "combine_s_per_byte");
    return;
  }
  const char* between = ",\n \"combine_costs\": [";
  for (const double each : costs.by_rank()) {
    out += between;
    append_json_number(out, each, "combine_costs");
    between = ", ";
  }
  out += ']';
}

class ProgramHandler : public detail::StrictJsonHandler {
 public:
  ProgramHandler(const detail::JsonSource& source, std::string file) : StrictJsonHandler(source, std::move(file)) {
    shapes() = {{"a program",
                 {{.name = "schema", .text = &schema_, .choices = {detail::kProgramSchema}},
                  {.name = "problem",
                   .text = &problem_,
                   .choices = {"broadcast", "reduce", "scatter", "gather", "allgather", "reduce-scatter", "allreduce",
                               "alltoall"}},
                  {.name = "algorithm", .text = &result_.algorithm},
                  {.name = "ranks", .integer = &result_.ranks},
                  {.name = "size_bytes", .integer = &result_.size_bytes},
                  {.name = "root", .integer = &result_.root},
                  {.name = "element_bytes", .required = false, .integer = &result_.element_bytes},
                  {.name = "commutative", .required = false, .flag = &result_.commutative},
                  {.name = "combine_s_per_byte", .required = false, .number = &combine_s_per_byte_},
                  {.name = "combine_costs", .required = false, .numbers = &combine_costs_},
                  {.name = "block_bytes", .required = false, .integers = &blocks_},
                  {.name = "operations", .objects = kOperation},
                  {.name = "length_s", .number = &result_.length_s},
                  {.name = "bound_s", .number = &result_.bound_s},
                  {.name = "bound", .text = &result_.bound}}},
                {"an operation",
                 {{.name = "rank", .integer = &operation_.rank},
                  {.name = "kind", .text = &kind_, .choices = {kSend, kReceive, kCombine}},
                  {.name = "peer", .integer = &operation_.peer},
                  {.name = "offset", .integer = &operation_.offset},
                  {.name = "bytes", .integer = &operation_.bytes},
                  {.name = "more", .required = false, .integers = &more_},
                  {.name = "after", .integers = &operation_.after},
                  {.name = "port_s", .required = false, .number = &pace_.port_s},
                  {.name = "connection_s", .required = false, .number = &pace_.connection_s}}}};
  }

  Program take() { return std::move(result_); }

 private:
  enum : int { kProgram, kOperation };

  void opened(int shape) override {
    if (shape != kOperation) return;
    operation_ = {};
    pace_ = {kNone, kNone};
    more_.clear();
  }
  void closed(int shape) override {
    if (shape == kProgram) {
      result_.problem = *parse_collective(problem_);
      take_blocks();
      take_combining();
      return;
    }
    operation_.kind = kind_ == kSend ? Kind::kSend : kind_ == kReceive ? Kind::kReceive : Kind::kCombine;
    if (more_.size() % 2 != 0)
      fail_object(fmt::format("\"more\": {}", count_text(more_.size(), "number")),
                  "an offset and bytes for each range");
    operation_.more.reserve(more_.size() / 2);
    for (std::size_t i = 0; i < more_.size(); i += 2) operation_.more.push_back({more_[i], more_[i + 1]});
    operation_.after.shrink_to_fit();
    take_pace();
    result_.operations.push_back(std::move(operation_));
  }

  void take_pace() {
    const bool port = !std::isnan(pace_.port_s), connection = !std::isnan(pace_.connection_s);
    if (port != connection)
      fail_object(port ? "\"port_s\" alone" : "\"connection_s\" alone", "both of a send, or none of them");
    if (port) result_.pace.resize(result_.operations.size());
    if (port || !result_.pace.empty()) result_.pace.push_back(port ? pace_ : SendPace{});
  }

  void take_combining() {
    if (!object_has(kProgram, "combine_costs")) {
      result_.combine_s_per_byte = combine_s_per_byte_;
      return;
    }
    if (object_has(kProgram, "combine_s_per_byte"))
      fail_object("\"combine_s_per_byte\" beside \"combine_costs\"", "one of the two");
    if (combine_costs_.empty()) fail_object("\"combine_costs\": []", "a cost for each rank");
    result_.combine_s_per_byte = CombiningCosts(std::move(combine_costs_));
  }

  void take_blocks() {
    if (blocks_.empty()) return;
    result_.block_offsets.reserve(blocks_.size() + 1);
    result_.block_offsets.push_back(0);
    for (const std::int64_t bytes : blocks_) {
      std::int64_t end = 0;
      if (__builtin_add_overflow(result_.block_offsets.back(), bytes, &end))
        fail_object("\"block_bytes\": a sum beyond 2^63 - 1", "one that fits a 64-bit integer");
      result_.block_offsets.push_back(end);
    }
  }

  Program result_;
  ProgramOperation operation_;
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  SendPace pace_;  ///< kNone where it is not given
  double combine_s_per_byte_ = 0;
  std::vector<double> combine_costs_;
  std::vector<std::int64_t> more_;
  std::vector<std::int64_t> blocks_;
  std::string schema_;
  std::string problem_;
  std::string kind_;
};

}  // namespace

std::string to_json(const Program& program) {
  std::string out = fmt::format(
      R"({{"schema": "{}", "problem": "{}", "algorithm": {},
 "ranks": {}, "size_bytes": {}, "root": {})",
      detail::kProgramSchema, to_string(program.problem), json_string(program.algorithm, "algorithm"), program.ranks,
      program.size_bytes, program.root);
  if (program.element_bytes != 1) out += fmt::format(R"(, "element_bytes": {})", program.element_bytes);
  if (!program.commutative) out += R"(, "commutative": false)";
  append_combining(out, program.combine_s_per_byte);
  if (const std::vector<std::int64_t> blocks = block_bytes(program); !blocks.empty())
    out += fmt::format(",\n \"block_bytes\": [{}]", fmt::join(blocks, ", "));
  out += ",\n \"operations\": [";
  const char* between = "\n  ";
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    out += between;
    append_operation(out, program.operations[i], program.pace.empty() ? nullptr : &program.pace[i]);
    between = ",\n  ";
  }
  out += "],\n \"length_s\": ";
  append_json_number(out, program.length_s, "length_s");
  out += R"(, "bound_s": )";
  append_json_number(out, program.bound_s, "bound_s");
  out += fmt::format(R"(, "bound": {}}})", json_string(program.bound, "bound"));
  out += '\n';
  return out;
}

Program read_program(std::istream& in, const std::string& file) {
  detail::JsonSource source(in.rdbuf());
  ProgramHandler handler(source, file);
  detail::read_strict_json(in, file, source, handler);
  return handler.take();
}

Program read_program(const std::string& path) {
  Program program;
  with_stream(path, "a program", [&](std::istream& in, const std::string& name) { program = read_program(in, name); });
  return program;
}

}  // namespace sluice
