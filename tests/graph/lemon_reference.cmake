# LEMON's answers for tests and benches; C++17, as LEMON 1.3.1 does not compile as C++20.
include_guard(GLOBAL)
find_path(LEMON_INCLUDE_DIR lemon/matching.h REQUIRED)
find_library(LEMON_LIBRARY NAMES lemon emon REQUIRED)
add_library(sluice_lemon_reference STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/lemon_reference.cpp)
set_target_properties(sluice_lemon_reference PROPERTIES CXX_STANDARD 17)
target_include_directories(sluice_lemon_reference SYSTEM PRIVATE ${LEMON_INCLUDE_DIR})
target_link_libraries(sluice_lemon_reference PRIVATE ${LEMON_LIBRARY})
target_compile_options(sluice_lemon_reference PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)  # benchmarks compare times with it
