# Finds SimGrid, which simulates machines, with its interface S4U.
#
# Result: SimGrid_FOUND, SimGrid_VERSION, SimGrid_INCLUDE_DIR, SimGrid_LIBRARY and the target SimGrid::SimGrid.

find_path(SimGrid_INCLUDE_DIR NAMES simgrid/s4u.hpp)
find_library(SimGrid_LIBRARY NAMES simgrid)
if(SimGrid_INCLUDE_DIR AND EXISTS ${SimGrid_INCLUDE_DIR}/simgrid/version.h)
  set(SimGrid_VERSION "")
  foreach(_simgrid_part MAJOR MINOR PATCH)
    file(STRINGS ${SimGrid_INCLUDE_DIR}/simgrid/version.h _simgrid_line REGEX "define SIMGRID_VERSION_${_simgrid_part} ")
    if(_simgrid_line MATCHES "([0-9]+)$")
      string(APPEND SimGrid_VERSION ".${CMAKE_MATCH_1}")
    endif()
  endforeach()
  string(REGEX REPLACE "^\\." "" SimGrid_VERSION "${SimGrid_VERSION}")
endif()

# Its headers need others, of Boost, and the library others still.
if(SimGrid_INCLUDE_DIR AND SimGrid_LIBRARY)
  include(SluiceTry)
  sluice_try(SimGrid_LINKS CXX "
    #include <simgrid/kernel/Timer.hpp>
    #include <simgrid/s4u.hpp>
    int main(int argc, char** argv) { simgrid::s4u::Engine engine(&argc, argv); return int(engine.get_host_count()); }"
    INCLUDES ${SimGrid_INCLUDE_DIR} LIBRARIES ${SimGrid_LIBRARY})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid REQUIRED_VARS SimGrid_LIBRARY SimGrid_INCLUDE_DIR SimGrid_LINKS VERSION_VAR SimGrid_VERSION)
mark_as_advanced(SimGrid_INCLUDE_DIR SimGrid_LIBRARY)

if(SimGrid_FOUND AND NOT TARGET SimGrid::SimGrid)
  add_library(SimGrid::SimGrid INTERFACE IMPORTED)
  set_target_properties(SimGrid::SimGrid PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${SimGrid_INCLUDE_DIR}"
    INTERFACE_INCLUDE_DIRECTORIES "${SimGrid_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${SimGrid_LIBRARY}")
endif()
unset(_simgrid_part)
unset(_simgrid_line)
