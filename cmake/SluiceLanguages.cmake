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
if(SLUICE_MPI AND NOT SLUICE_MPI_FAMILY STREQUAL smpi)
  _sluice_find_mpi_for(C mpicc)
  find_package(MPI REQUIRED COMPONENTS C)
endif()

# Sets SLUICE_HAS_FORTRAN: a compiler, the module mpi_f08 of the same MPI, and C's view of Fortran's arrays.
option(SLUICE_FORTRAN "Build the Fortran module, where its parts are there" ON)
set(SLUICE_HAS_FORTRAN OFF)
if(SLUICE_FORTRAN AND SLUICE_MPI AND NOT SLUICE_MPI_FAMILY STREQUAL smpi)
  include(CheckLanguage)
  if(NOT CMAKE_Fortran_COMPILER)
    unset(CMAKE_Fortran_COMPILER CACHE)  # it may have been installed since CMake ran
  endif()
  check_language(Fortran)
  sluice_try(SLUICE_HAS_ISO_FORTRAN_BINDING C "
    #include <ISO_Fortran_binding.h>
    int main(void) { return CFI_VERSION == 0; }")
  if(CMAKE_Fortran_COMPILER AND SLUICE_HAS_ISO_FORTRAN_BINDING)
    enable_language(Fortran)
    _sluice_find_mpi_for(Fortran mpif90)
    find_package(MPI COMPONENTS Fortran QUIET)
    if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
      sluice_try(SLUICE_HAS_MPI_F08 Fortran "
        program tried
        use mpi_f08
        call MPI_Init()
        call MPI_Finalize()
        end program" LIBRARIES MPI::MPI_Fortran)
    endif()
    if(SLUICE_HAS_MPI_F08)
      # Those of MPICH are for Fortran alone, and C would refuse them.
      get_target_property(_sluice_fortran_options MPI::MPI_Fortran INTERFACE_COMPILE_OPTIONS)
      if(_sluice_fortran_options)
        set_target_properties(MPI::MPI_Fortran PROPERTIES
          INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:Fortran>:${_sluice_fortran_options}>")
      endif()
      set(SLUICE_HAS_FORTRAN ON)
    endif()
  endif()
  if(NOT SLUICE_HAS_FORTRAN)
    sluice_left_out("the Fortran module" "a Fortran compiler or the module mpi_f08 is missing or broken")
  endif()
endif()
