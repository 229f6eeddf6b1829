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

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBC REQUIRED_VARS ${_cbc_required} CBC_INCLUDE_DIR VERSION_VAR CBC_VERSION)
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
