# What every target of the project shares: warnings (never passed on to users) and sanitizers.

function(sluice_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # A failed assertion names src/graph/x.cpp, wherever the sources were when it was compiled.
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(SLUICE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SLUICE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${SLUICE_SANITIZE})
  endif()
endfunction()
