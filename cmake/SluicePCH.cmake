# Precompiled headers: those of the standard library and of {fmt} that most files include.
#
# Files still include what they use: a build with SLUICE_PCH=OFF has to pass too, and the preset tidy is one. A compiler cache can do nothing with a
# precompiled header, or only with options of its own, and saves more than this does: where one is set as
# CMAKE_CXX_COMPILER_LAUNCHER, the default is OFF.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(_sluice_pch OFF)
else()
  set(_sluice_pch ON)
endif()
option(SLUICE_PCH "Precompile headers of the standard library (default: unless a compiler launcher is set)" ${_sluice_pch})
unset(_sluice_pch)

# sluice_precompile_headers(TARGET [HEADERS ...]): for a target of many files; HEADERS beside those that all have.
function(sluice_precompile_headers target)
  if(SLUICE_PCH)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <memory> <numeric> <optional> <span> <string>
      <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()
