# How tests are built and registered.

include(GoogleTest)

# sluice_test_defaults(TARGET LIBRARY): what all test programs of sluice::core or sluice::mpi have, with a seed for
# RapidCheck. The headers that they all include are precompiled once for all folders with the same options, and those
# that a folder lists in SLUICE_TEST_HEADERS for it.
function(sluice_test_defaults target library)
  sluice_target_defaults(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${library} GTest::gtest rapidcheck)
  get_directory_property(options COMPILE_OPTIONS)
  string(MD5 key "${library} ${options} ${SLUICE_TEST_HEADERS}")
  string(SUBSTRING ${key} 0 6 key)
  set(common sluice_test_common_${key})
  if(NOT TARGET ${common})
    add_library(${common} OBJECT ${PROJECT_SOURCE_DIR}/tests/fixed_seed.cpp)
    sluice_target_defaults(${common})
    target_link_libraries(${common} PRIVATE ${library} GTest::gtest rapidcheck)
    sluice_precompile_headers(${common} <gtest/gtest.h> <rapidcheck.h> ${SLUICE_TEST_HEADERS})
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${common}>)
  if(SLUICE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${common})
  endif()
endfunction()

# sluice_add_test(NAME SOURCES ... [LIBRARIES ...] [DEFINITIONS ...] [TIMEOUT SECONDS]): a GoogleTest program; every TEST
# becomes one ctest, labelled with its folder. Its files are compiled together: most of their time goes to templates that
# all of them use. So no two of them define one name in an unnamed namespace.
function(sluice_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  sluice_test_defaults(${name} sluice::core)
  list(LENGTH arg_SOURCES files)
  if(files GREATER 1)
    sluice_compile_together(${name} 8)
  endif()
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${folder} TIMEOUT ${arg_TIMEOUT})
endfunction()

# The processors kept for a test that starts ranks, one or many times. Open MPI's ranks give way where they wait, and a
# start of them is idle half of the time: two such tests at once take a fifth less than one after the other. Ranks of
# MPICH wait busily.
set(SLUICE_JOBS_PROCESSORS 2)
if(SLUICE_MPI AND SLUICE_MPI_FAMILY STREQUAL openmpi)
  set(SLUICE_JOBS_PROCESSORS 1)
endif()

# sluice_add_mpi_command(NAME RANKS N COMMAND TARGET ARGUMENTS ...): a ctest that runs a program of ours on N ranks.
function(sluice_add_mpi_command name)
  cmake_parse_arguments(arg "" "RANKS" "COMMAND" ${ARGN})
  list(POP_FRONT arg_COMMAND program)
  add_test(NAME ${name}
    COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS} ${MPIEXEC_PREFLAGS}
            $<TARGET_FILE:${program}> ${MPIEXEC_POSTFLAGS} ${arg_COMMAND})
  set(processors ${SLUICE_JOBS_PROCESSORS})
  if(arg_RANKS EQUAL 1)
    set(processors 1)
  endif()
  if(TARGET yield_when_idle)
    add_dependencies(${program} yield_when_idle)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS ${processors}
    ENVIRONMENT "${SLUICE_MPI_ENVIRONMENT}")
endfunction()

# _sluice_add_mpi_program(NAME SOURCES LIBRARIES): a GoogleTest program of which every rank runs every TEST
# (tests/run/mpi_main.cpp).
function(_sluice_add_mpi_program name sources libraries)
  if(NOT TARGET sluice_mpi_test_main)
    add_library(sluice_mpi_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/run/mpi_main.cpp)
    sluice_test_defaults(sluice_mpi_test_main sluice::mpi)
  endif()
  add_executable(${name} ${sources} $<TARGET_OBJECTS:sluice_mpi_test_main>)
  sluice_test_defaults(${name} sluice::mpi)
  target_link_libraries(${name} PRIVATE ${libraries})
endfunction()

# sluice_add_mpi_test(NAME SOURCES ... [RANKS 1 2 4 7] [LIBRARIES ...]): such a program, registered as one ctest for each
# number of ranks: starting a job costs more than a test.
function(sluice_add_mpi_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;RANKS;LIBRARIES" ${ARGN})
  if(NOT arg_RANKS)
    set(arg_RANKS 1 2 4 7)
  endif()
  _sluice_add_mpi_program(${name} "${arg_SOURCES}" "${arg_LIBRARIES}")
  foreach(ranks IN LISTS arg_RANKS)
    sluice_add_mpi_command(${name}.${ranks} RANKS ${ranks} COMMAND ${name})
  endforeach()
endfunction()

# sluice_add_mpi_tests(NAME TESTS ... [SOURCES ...]): one such program of the files TEST.cpp, compiled together, and of
# SOURCES; each file is registered as sluice_add_mpi_test does it, and its ctests run the tests of that file. Not for a
# file that takes the place of functions of MPI, as it would for all of them.
function(sluice_add_mpi_tests name)
  cmake_parse_arguments(arg "" "" "TESTS;SOURCES" ${ARGN})
  list(TRANSFORM arg_TESTS APPEND .cpp OUTPUT_VARIABLE files)
  _sluice_add_mpi_program(${name} "${files};${arg_SOURCES}" "")
  sluice_compile_together(${name} 8)
  foreach(test IN LISTS arg_TESTS)
    foreach(ranks 1 2 4 7)
      sluice_add_mpi_command(${test}.${ranks} RANKS ${ranks} COMMAND ${name} --file=${test}.cpp)
    endforeach()
  endforeach()
endfunction()

# sluice_check_headers(TARGET LIBRARY HEADERS ...): compiles each header, given relative to include/, as a file of its own.
function(sluice_check_headers target library)
  cmake_parse_arguments(arg "" "" "HEADERS" ${ARGN})
  set(sources)
  foreach(header IN LISTS arg_HEADERS)
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name}.cpp)
    # Twice: the header also has to stand being included again.
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(${target} OBJECT ${sources})
  sluice_target_defaults(${target})
  target_link_libraries(${target} PRIVATE ${library})
endfunction()

# _sluice_sources_below(FOLDER RESULT): the absolute paths of the sources of all targets of FOLDER and of folders below it.
function(_sluice_sources_below folder result)
  set(found)
  get_directory_property(targets DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
      list(APPEND found ${source})
    endforeach()
  endforeach()
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    _sluice_sources_below(${inner} sources)
    list(APPEND found ${sources})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# sluice_leave_out_tests(FILES...): these of this folder need what is not there.
function(sluice_leave_out_tests)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY SLUICE_TESTS_LEFT_OUT ${ARGN})
endfunction()

# sluice_expect_every_test_built(): an error for each *_test.cpp below this folder that no test program has and nobody left
# out. After all targets.
function(sluice_expect_every_test_built)
  _sluice_sources_below(${CMAKE_CURRENT_SOURCE_DIR} built)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  get_property(left_out GLOBAL PROPERTY SLUICE_TESTS_LEFT_OUT)
  list(REMOVE_ITEM files ${built} ${left_out})
  foreach(file IN LISTS files)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    message(SEND_ERROR "${file}: in no test program, expected in one of the CMakeLists.txt of its folder")
  endforeach()
endfunction()
