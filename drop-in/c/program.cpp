#include "sluice/schedule/program.hpp"

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "failure.hpp"
#include "options.hpp"

namespace sluice::c {

void put(Program program, sluice_program** into) {
  std::string problem(to_string(program.problem));
  *into = std::make_unique<sluice_program>(sluice_program{std::move(program), std::move(problem)}).release();
}

}  // namespace sluice::c

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face

namespace {

/// Reads into a new handle.
template <class Read>
int read_program_into(sluice_program** program, Read&& read) {
  return guarded([&] {
    check_given(program, "program");
    *program = nullptr;
    put(read(), program);
  });
}

}  // namespace

int sluice_program_read(const char* path, sluice_program** program) {
  return read_program_into(program, [&] {
    check_given(path, "path");
    return sluice::read_program(std::string(path));
  });
}

int sluice_program_parse(const char* text, sluice_program** program) {
  return read_program_into(program, [&] {
    check_given(text, "text");
    std::istringstream in(text);
    return sluice::read_program(in, "text");
  });
}

int sluice_program_problem(const sluice_program* program, const char** text) {
  return guarded([&] {
    check_given(program, "program");
    check_given(text, "text");
    *text = program->problem.c_str();
  });
}

int sluice_program_size(const sluice_program* program, std::int64_t* ranks, std::int64_t* bytes) {
  return guarded([&] {
    check_given(program, "program");
    if (ranks != nullptr) *ranks = program->program.ranks;
    if (bytes != nullptr) *bytes = program->program.size_bytes;
  });
}

int sluice_program_free(sluice_program* program) {
  delete program;
  return SLUICE_OK;
}
