# LEMON's answers for tests and benches; C++17, as LEMON 1.3.1 does not compile as C++20.
include_guard(GLOBAL)
find_path(LEMON_INCLUDE_DIR lemon/matching.h)
find_library(LEMON_LIBRARY NAMES lemon emon)
if(LEMON_INCLUDE_DIR AND LEMON_LIBRARY)
  block(PROPAGATE SLUICE_HAS_LEMON)
    set(CMAKE_CXX_STANDARD 17)
    sluice_try(SLUICE_HAS_LEMON CXX "
      #include <lemon/matching.h>
      #include <lemon/network_simplex.h>
      #include <lemon/random.h>
      #include <lemon/smart_graph.h>
      int main() {
        lemon::SmartGraph graph;
        lemon::MaxMatching<lemon::SmartGraph> matching(graph);
        matching.run();
        return matching.matchingSize() + lemon::rnd.integer(1);  // of its library
      }"
      INCLUDES ${LEMON_INCLUDE_DIR} LIBRARIES ${LEMON_LIBRARY})
  endblock()
endif()
if(NOT SLUICE_HAS_LEMON)
  sluice_left_out("what compares matchings with LEMON's" "LEMON (liblemon-dev) is missing or broken")
  return()
endif()
add_library(sluice_lemon_reference STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/lemon_reference.cpp)
set_target_properties(sluice_lemon_reference PROPERTIES CXX_STANDARD 17)
target_include_directories(sluice_lemon_reference SYSTEM PRIVATE ${LEMON_INCLUDE_DIR})
target_link_libraries(sluice_lemon_reference PRIVATE ${LEMON_LIBRARY})
target_compile_options(sluice_lemon_reference PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)  # benchmarks compare times with it
