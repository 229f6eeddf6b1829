# Finds the modules of d3 that the report's page uses (Debian: node-d3-zoom, node-d3-scale, node-d3-axis and what they
# need), as they are served to browsers.
#
# Result: D3_FOUND, D3_FILES (in the order in which a page has to load them) and D3_LICENCES (a file each); where it is
# not found, D3_MISSING: a file that is not there.

set(D3_FOLDER /usr/share/nodejs CACHE PATH "Folder with d3-zoom/dist/d3-zoom.min.js and the other modules of d3")
set(D3_FILES)
set(D3_LICENCES)
set(_d3_missing)
foreach(_d3_module array collection color dispatch ease timer format time interpolate time-format selection transition drag
                   scale axis zoom)
  set(_d3_file ${D3_FOLDER}/d3-${_d3_module}/dist/d3-${_d3_module}.min.js)
  set(_d3_licence ${D3_FOLDER}/d3-${_d3_module}/LICENSE)  # as upstream has it
  if(NOT EXISTS ${_d3_licence})
    set(_d3_licence /usr/share/doc/node-d3-${_d3_module}/copyright)  # as Debian has it
  endif()
  foreach(_d3_each ${_d3_file} ${_d3_licence})
    if(NOT EXISTS ${_d3_each})
      list(APPEND _d3_missing ${_d3_each})
    endif()
  endforeach()
  list(APPEND D3_FILES ${_d3_file})
  list(APPEND D3_LICENCES ${_d3_licence})
endforeach()
set(D3_MISSING)
if(_d3_missing)
  list(GET _d3_missing 0 D3_MISSING)
  set(D3_FILES)
  set(D3_LICENCES)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(D3 REQUIRED_VARS D3_FOLDER D3_FILES D3_LICENCES REASON_FAILURE_MESSAGE "${D3_MISSING}")
foreach(_d3_each module file licence each missing)
  unset(_d3_${_d3_each})
endforeach()
