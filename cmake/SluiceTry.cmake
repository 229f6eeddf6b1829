# What is found is tried before it is relied on: a header without its library, or a compiler wrapper without its compiler, is
# found as well. What does not work counts as not found, and is left out with one line (scripts/build.sh shows these lines).

include(CheckSourceCompiles)

# sluice_try(RESULT LANGUAGE SOURCE [INCLUDES ...] [LIBRARIES ...] [COMPILE_ONLY]): sets RESULT to whether SOURCE compiles, and
# links with LIBRARIES. A failure is tried again when CMake runs again, as what was missing may have been installed.
function(sluice_try result language source)
  cmake_parse_arguments(arg "COMPILE_ONLY" "" "INCLUDES;LIBRARIES" ${ARGN})
  set(CMAKE_REQUIRED_INCLUDES ${arg_INCLUDES})
  set(CMAKE_REQUIRED_LIBRARIES ${arg_LIBRARIES})
  set(CMAKE_REQUIRED_QUIET ON)
  if(arg_COMPILE_ONLY)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  endif()
  check_source_compiles(${language} "${source}" ${result})
  if(NOT ${result})
    unset(${result} CACHE)
  endif()
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()

# sluice_try_command(RESULT COMMAND...): sets RESULT to whether COMMAND ends with status 0.
function(sluice_try_command result)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET TIMEOUT 60
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set(${result} OFF PARENT_SCOPE)
  if(status STREQUAL "0")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# sluice_left_out(WHAT WHY): the one line.
function(sluice_left_out what why)
  message(NOTICE "left out: ${what}, as ${why}")
endfunction()

# sluice_stop(LINE): ends with that line, which message(FATAL_ERROR) alone would wrap.
function(sluice_stop line)
  message(NOTICE "error: ${line}")
  message(FATAL_ERROR "Nothing is built: see the line above")
endfunction()

# sluice_need(RESULT WHAT PACKAGE): ends with one line where RESULT is false.
function(sluice_need result what package)
  if(NOT ${result})
    sluice_stop("${what}: missing or broken, expected what Debian's package ${package} holds (scripts/install-deps.sh)")
  endif()
endfunction()
