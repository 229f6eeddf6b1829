# Finds CBC, COIN-OR's solver of integer programs, with the libraries beneath it (Cgl, Osi, Clp, CoinUtils).
#
# Result: CBC_FOUND, CBC_VERSION, CBC_INCLUDE_DIR, CBC_LIBRARIES and the target CBC::CBC.

find_path(CBC_INCLUDE_DIR NAMES CbcSolver.hpp PATH_SUFFIXES coin coin-or)
set(CBC_LIBRARIES)
set(_cbc_required)
foreach(_cbc_library CbcSolver Cbc Cgl OsiClp Osi Clp CoinUtils)
  find_library(CBC_${_cbc_library}_LIBRARY NAMES ${_cbc_library})
  mark_as_advanced(CBC_${_cbc_library}_LIBRARY)
  list(APPEND _cbc_required CBC_${_cbc_library}_LIBRARY)
  list(APPEND CBC_LIBRARIES ${CBC_${_cbc_library}_LIBRARY})
endforeach()

if(CBC_INCLUDE_DIR AND EXISTS ${CBC_INCLUDE_DIR}/CbcConfig.h)
  file(STRINGS ${CBC_INCLUDE_DIR}/CbcConfig.h CBC_VERSION REGEX "define CBC_VERSION \"")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" CBC_VERSION "${CBC_VERSION}")
endif()
if(CBC_INCLUDE_DIR AND NOT CBC_VERSION)
  set(CBC_VERSION "of unknown version")
endif()

# Headers of one of these libraries without another's, or a library of another version, do not link.
set(_cbc_all ${CBC_INCLUDE_DIR})
foreach(_cbc_library IN LISTS _cbc_required)
  list(APPEND _cbc_all ${${_cbc_library}})
endforeach()
get_property(_cbc_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "CXX" IN_LIST _cbc_languages)
  set(CBC_LINKS ON)  # a project in C alone, which takes it with the library that was built with it
elseif(CBC_INCLUDE_DIR AND NOT _cbc_all MATCHES "NOTFOUND")
  include(SluiceTry)
  sluice_try(CBC_LINKS CXX "
    #include <CbcEventHandler.hpp>
    #include <CbcModel.hpp>
    #include <CbcSolver.hpp>
    #include <OsiClpSolverInterface.hpp>
    int main() {
      OsiClpSolverInterface solver;
      CbcModel model(solver);
      CbcSolverUsefulData data;
      CbcMain0(model, data);
      return model.status();
    }" INCLUDES ${CBC_INCLUDE_DIR} LIBRARIES ${CBC_LIBRARIES})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBC REQUIRED_VARS ${_cbc_required} CBC_INCLUDE_DIR CBC_LINKS VERSION_VAR CBC_VERSION)
mark_as_advanced(CBC_INCLUDE_DIR)

if(CBC_FOUND AND NOT TARGET CBC::CBC)
  add_library(CBC::CBC INTERFACE IMPORTED)
  set_target_properties(CBC::CBC PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CBC_INCLUDE_DIR}"
    INTERFACE_INCLUDE_DIRECTORIES "${CBC_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CBC_LIBRARIES}")
endif()
if(NOT CBC_FOUND)
  unset(CBC_VERSION)
endif()
unset(_cbc_library)
unset(_cbc_required)
unset(_cbc_all)
unset(_cbc_languages)
