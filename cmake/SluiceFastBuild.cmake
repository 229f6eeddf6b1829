# What makes a build from nothing fast: most of a compiler's time goes to headers that many files include.
#
# A compiler cache can do nothing with a precompiled header, or only with options of its own, and after a change of one
# file it saves more than either does: where one is set as CMAKE_CXX_COMPILER_LAUNCHER, both are OFF unless asked for.
# Files still include what they use, and no two files of a library define one name in an unnamed namespace: builds with
# both OFF have to pass too, and the preset tidy is one.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(_sluice_fast_build OFF)
else()
  set(_sluice_fast_build ON)
endif()
option(SLUICE_PCH "Precompile headers of the standard library (default: unless a compiler launcher is set)" ${_sluice_fast_build})
option(SLUICE_TOGETHER "Compile many files of a library at once (default: unless a compiler launcher is set)" ${_sluice_fast_build})
unset(_sluice_fast_build)

# sluice_precompile_headers(TARGET [HEADERS ...]): for a target of many files; HEADERS beside those that all have.
function(sluice_precompile_headers target)
  if(SLUICE_PCH)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <memory> <numeric> <optional> <span> <string>
      <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# sluice_compile_together(TARGET FILES): FILES of a target at once; those with the source property
# SKIP_UNITY_BUILD_INCLUSION stay alone. The more at once, the less is compiled twice; the fewer, the more evenly two
# compilers share the work, and the less is compiled again after a change. A name in a function may be one of another
# file then, which hides nothing: scripts/tidy.sh looks for names that are hidden within a file.
function(sluice_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SLUICE_TOGETHER} UNITY_BUILD_BATCH_SIZE ${files})
  if(SLUICE_TOGETHER)
    # Up to so many kilobytes g++ frees no memory, which takes it a twentieth of its time.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
    # g++ takes names without linkage in a file that another one includes for those of a header.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
