# The MPI to build against.
#
# MPI_CXX_COMPILER (mpicxx.openmpi, mpicxx.mpich; the presets set it) chooses; without it MPICXX of the environment, which
# modules of clusters set, the C++ compiler, if that is such a wrapper, and last the system's default.
# Sets SLUICE_MPI_FAMILY to openmpi, mpich, smpi (SimGrid: simulated machines) or other, and SLUICE_MPI_ENVIRONMENT to what
# a test that starts ranks needs set. sluice_mpi_program(target) is for every program that ranks run.

if(NOT MPI_CXX_COMPILER AND NOT "$ENV{MPICXX}" STREQUAL "")
  set(MPI_CXX_COMPILER $ENV{MPICXX} CACHE STRING "MPI compiler for CXX")
endif()
# FindMPI looks up a bare name of a compiler but takes the launcher as it stands.
if(MPIEXEC_EXECUTABLE AND NOT IS_ABSOLUTE "${MPIEXEC_EXECUTABLE}")
  set(_sluice_launcher ${MPIEXEC_EXECUTABLE})
  unset(MPIEXEC_EXECUTABLE CACHE)
  find_program(MPIEXEC_EXECUTABLE NAMES ${_sluice_launcher} REQUIRED DOC "Starts MPI programs")
endif()
# Of several MPIs it takes the launcher that is first in PATH, which may be another's than the wrapper: that beside the
# wrapper, of the same ending, belongs to it.
set(_sluice_wrapper ${MPI_CXX_COMPILER})
if(NOT _sluice_wrapper)
  cmake_path(GET CMAKE_CXX_COMPILER FILENAME _sluice_wrapper)
  if(_sluice_wrapper MATCHES "^mpi")
    set(_sluice_wrapper ${CMAKE_CXX_COMPILER})
  else()
    set(_sluice_wrapper "")
  endif()
endif()
if(NOT MPIEXEC_EXECUTABLE AND NOT MPI_HOME AND _sluice_wrapper)
  find_program(_sluice_wrapper_path NAMES ${_sluice_wrapper} NO_CACHE)
  cmake_path(GET _sluice_wrapper_path PARENT_PATH _sluice_folder)
  string(REGEX MATCH "\\.[a-z0-9]+$" _sluice_ending "${_sluice_wrapper_path}")
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec${_sluice_ending} mpirun${_sluice_ending} PATHS ${_sluice_folder}
    NO_DEFAULT_PATH DOC "Starts MPI programs")
endif()
# Not the bindings that MPI 2 had for C++, whose library every program would load.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)

include(CheckCXXSymbolExists)
block()
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  check_cxx_symbol_exists(OPEN_MPI mpi.h SLUICE_MPI_IS_OPENMPI)
  check_cxx_symbol_exists(MPICH_VERSION mpi.h SLUICE_MPI_IS_MPICH)
  check_cxx_symbol_exists(smpi_execute_benched mpi.h SLUICE_MPI_IS_SMPI)
endblock()
if(SLUICE_MPI_IS_OPENMPI)
  set(SLUICE_MPI_FAMILY openmpi)
elseif(SLUICE_MPI_IS_MPICH)
  set(SLUICE_MPI_FAMILY mpich)
elseif(SLUICE_MPI_IS_SMPI)
  set(SLUICE_MPI_FAMILY smpi)
else()
  set(SLUICE_MPI_FAMILY other)
endif()
message(STATUS "MPI family: ${SLUICE_MPI_FAMILY}, started by ${MPIEXEC_EXECUTABLE}")

# SMPI runs every rank in one process and gives each a copy of the program, which it loads as a library: programs are
# linked as such (sluice_mpi_program), and no variable may be one for all copies, as those of templates would be.
if(SLUICE_MPI_FAMILY STREQUAL smpi)
  if(SLUICE_WITHOUT_MPI_FROM)
    message(FATAL_ERROR "SLUICE_WITHOUT_MPI_FROM is set: expected none with SMPI, whose programs are libraries, which all of their code is compiled for")
  endif()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fno-gnu-unique)
endif()
function(sluice_mpi_program target)
  if(SLUICE_MPI_FAMILY STREQUAL smpi)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # it would be -fPIE
    target_compile_options(${target} PRIVATE -fPIC)
    target_link_options(${target} PRIVATE -shared -Wl,-z,defs)
  endif()
endfunction()

# What it takes to start more ranks than there are cores, also as root: for tests, which CMake starts without
# scripts/mpirun.sh. NAME=VALUE lines.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/mpirun.env)
file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/mpirun.env SLUICE_MPI_ENVIRONMENT REGEX "^[A-Z][A-Za-z0-9_]*=")
