# Finds the ScaLAPACK that was built with the MPI in use. Call after find_package(MPI).
#
# Debian names the library after the MPI, scalapack-openmpi and scalapack-mpich; both may be installed, and the wrong one
# links but crashes in MPI_Init. SLUICE_MPI_FAMILY picks; elsewhere the plain name scalapack is taken.
#
# Result: ScaLAPACK_FOUND, ScaLAPACK_VERSION (empty if nothing tells it), ScaLAPACK_LIBRARY and the target ScaLAPACK::ScaLAPACK (it has BLACS and pdgemr2d in it).

find_library(ScaLAPACK_LIBRARY NAMES scalapack-${SLUICE_MPI_FAMILY} scalapack
             DOC "ScaLAPACK of the MPI in use")

# BLACS and LAPACK sit in libraries of their own on some systems: what does not link counts as not found.
if(ScaLAPACK_LIBRARY)
  include(SluiceTry)
  sluice_try(ScaLAPACK_LINKS CXX "
    extern \"C\" void Cpdgemr2d(...);
    extern \"C\" int Csys2blacs_handle(...);
    int main() { Cpdgemr2d(); return Csys2blacs_handle(); }" LIBRARIES ${ScaLAPACK_LIBRARY} MPI::MPI_CXX)
endif()

# It has no header; the file of pkg-config that it installs beside itself tells its version.
set(ScaLAPACK_VERSION "")
if(ScaLAPACK_LIBRARY)
  cmake_path(GET ScaLAPACK_LIBRARY PARENT_PATH _scalapack_folder)
  cmake_path(GET ScaLAPACK_LIBRARY STEM _scalapack_name)
  string(REGEX REPLACE "^lib" "" _scalapack_name ${_scalapack_name})
  set(_scalapack_file ${_scalapack_folder}/pkgconfig/${_scalapack_name}.pc)
  if(EXISTS ${_scalapack_file})
    file(STRINGS ${_scalapack_file} ScaLAPACK_VERSION REGEX "^Version:" LIMIT_COUNT 1)
    string(REGEX REPLACE "^Version: *" "" ScaLAPACK_VERSION "${ScaLAPACK_VERSION}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS ScaLAPACK_LIBRARY ScaLAPACK_LINKS VERSION_VAR ScaLAPACK_VERSION)
mark_as_advanced(ScaLAPACK_LIBRARY)

if(ScaLAPACK_FOUND AND NOT TARGET ScaLAPACK::ScaLAPACK)
  add_library(ScaLAPACK::ScaLAPACK UNKNOWN IMPORTED)
  set_target_properties(ScaLAPACK::ScaLAPACK PROPERTIES
    IMPORTED_LOCATION ${ScaLAPACK_LIBRARY}
    INTERFACE_LINK_LIBRARIES MPI::MPI_CXX)
endif()
