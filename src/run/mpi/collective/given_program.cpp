#include "run/mpi/collective/given_program.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void check_given(const Program& program, const Program& shape, const BesideProgram& beside) {
  const auto refuse = [](const std::string& found, const std::string& expected) {
    throw InputError("program", found, expected);
  };
  if (beside.platform) refuse("cannot be used with a platform to plan over", "one of the two");
  if (beside.plan) refuse("cannot be used with an algorithm or segments", "one of the two");
  if (program.problem != shape.problem)
    refuse(std::string(to_string(program.problem)), std::string(to_string(shape.problem)));
  const auto compare = [&](const char* what, std::int64_t found, std::int64_t expected) {
    if (found != expected) refuse(fmt::format("{} {}", what, found), fmt::format("{}", expected));
  };
  compare("ranks", program.ranks, shape.ranks);
  compare("size_bytes", program.size_bytes, shape.size_bytes);
  if (program.block_offsets != shape.block_offsets) refuse("blocks of other sizes", "those of the job");
  compare("root", program.root, shape.root);
  if (!combines(shape.problem)) return;
  compare("element_bytes", program.element_bytes, shape.element_bytes);
  if (program.commutative && !shape.commutative) refuse("an operation that commutes", "one in the order of the ranks");
}

void check_sound(const Program& program) {
  const std::vector<Violation> violations = validate(program);
  if (violations.empty()) return;
  throw InputError(
      "program", to_string(violations.front()),
      violations.size() == 1 ? "a sound one" : fmt::format("a sound one ({} more)", violations.size() - 1));
}

}  // namespace sluice::mpi::detail
