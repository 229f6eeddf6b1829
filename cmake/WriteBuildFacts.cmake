# cmake -D SOURCE=DIR -D OUTPUT=FILE -P WriteBuildFacts.cmake: writes the commit of the checkout SOURCE into the header OUTPUT;
# empty where it is none, or there is no git. The file changes only if the commit does, so that nothing is built for nothing.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  file(REAL_PATH ${SOURCE} source)
  if(NOT failed AND top STREQUAL source)  # not a checkout that Sluice merely lies in
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=9 HEAD
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
    if(commit AND changed)
      string(APPEND commit "-changed")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"#pragma once

namespace sluice::command {
inline constexpr const char* kBuiltFromCommit = \"@commit@\";
}  // namespace sluice::command
" @ONLY)
