# The MPI to build against, and ScaLAPACK where it fits that MPI.
#
# MPI_CXX_COMPILER (mpicxx.openmpi, mpicxx.mpich; the presets set it) chooses; without it CMake takes the system's default.
# Sets SLUICE_MPI_FAMILY to openmpi, mpich or other, and SLUICE_MPI_ENVIRONMENT to what a test that starts ranks needs set.

# FindMPI looks up a bare name of a compiler but takes the launcher as it stands.
if(MPIEXEC_EXECUTABLE AND NOT IS_ABSOLUTE "${MPIEXEC_EXECUTABLE}")
  set(_sluice_launcher ${MPIEXEC_EXECUTABLE})
  unset(MPIEXEC_EXECUTABLE CACHE)
  find_program(MPIEXEC_EXECUTABLE NAMES ${_sluice_launcher} REQUIRED DOC "Starts MPI programs")
endif()
find_package(MPI REQUIRED COMPONENTS CXX)

include(CheckCXXSymbolExists)
block()
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  check_cxx_symbol_exists(OPEN_MPI mpi.h SLUICE_MPI_IS_OPENMPI)
  check_cxx_symbol_exists(MPICH_VERSION mpi.h SLUICE_MPI_IS_MPICH)
endblock()
if(SLUICE_MPI_IS_OPENMPI)
  set(SLUICE_MPI_FAMILY openmpi)
elseif(SLUICE_MPI_IS_MPICH)
  set(SLUICE_MPI_FAMILY mpich)
else()
  set(SLUICE_MPI_FAMILY other)
endif()
message(STATUS "MPI family: ${SLUICE_MPI_FAMILY}, started by ${MPIEXEC_EXECUTABLE}")

# What it takes to start more ranks than there are cores, also as root: for tests, which CMake starts without
# scripts/mpirun.sh. NAME=VALUE lines.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/mpirun.env)
file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/mpirun.env SLUICE_MPI_ENVIRONMENT REGEX "^[A-Z][A-Za-z0-9_]*=")

find_package(ScaLAPACK)
if(NOT ScaLAPACK_FOUND)
  message(STATUS "ScaLAPACK not found: no comparison with pdgemr2d")
endif()
