# C and Fortran, for the faces of the library in them, their tests and examples; and MPI for them, that of C++.

function(_sluice_find_mpi_for language names)
  if(SLUICE_MPI AND NOT MPI_${language}_COMPILER AND MPI_CXX_COMPILER)
    cmake_path(GET MPI_CXX_COMPILER FILENAME wrapper)
    foreach(name IN LISTS names)
      string(REGEX REPLACE "^mpi(cxx|c\\+\\+|CC)" "${name}" own "${wrapper}")
      find_program(MPI_${language}_COMPILER NAMES ${own} DOC "MPI compiler of ${language}")
    endforeach()
  endif()
endfunction()

enable_language(C)
if(SLUICE_MPI)
  _sluice_find_mpi_for(C mpicc)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
