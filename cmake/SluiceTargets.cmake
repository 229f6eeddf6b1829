# What every target of the project shares: sanitizers, and warnings, which are never passed on to users.

# For the whole directory tree: one object compiled without them is enough for false reports.
if(SLUICE_SANITIZE)
  add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLUICE_SANITIZE})
  if(SLUICE_SANITIZE MATCHES "address.*undefined")
    # What these checks of every pointer would find the address sanitizer finds where it is used; compiling takes half as
    # long without them.
    add_compile_options(-fno-sanitize=null,object-size,vptr,pointer-overflow)
    if(NOT SLUICE_MPI)
      # Nothing but sluice::mpi reads memory as of another type.
      add_compile_options(-fno-sanitize=alignment)
    endif()
  endif()
endif()

function(sluice_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # A product and a sum are rounded one by one, also where the processor could fuse them: plans that depend on floating
  # point are the same everywhere (tests/plan/stored_plans_test.cpp).
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # A failed assertion names src/graph/x.cpp, wherever the sources were when it was compiled.
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(SLUICE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
