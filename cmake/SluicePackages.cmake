# cpack -G DEB: the Debian packages sluice, libsluice-dev and python3-sluice. scripts/packages.sh configures a build for them,
# below /usr.

set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VENDOR "The Sluice authors")
set(CPACK_PACKAGE_CONTACT "The Sluice authors <sluice@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
if(TARGET _core)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # libraries by dpkg-shlibdeps, the rest below
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME sluice)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS gnuplot-nox)  # draws what studies write
if(SLUICE_MPI_FAMILY STREQUAL openmpi)
  string(APPEND CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS ", openmpi-bin")  # starts ranks
endif()
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command plans block-cyclic redistributions, exchanges, reductions and
collectives, checks and simulates the plans, measures networks, and runs
plans over MPI. With it come the libraries that carry out ScaLAPACK's
redistributions and MPI's collectives by plans in programs as they are, and
the library that programs in C and Fortran run with.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsluice-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What sluiceConfig.cmake looks for.
set(_sluice_needs "sluice (= ${PROJECT_VERSION})" libfmt-dev)
if(CBC_FOUND)
  list(APPEND _sluice_needs coinor-libcbc-dev)
endif()
if(SLUICE_MPI_FAMILY STREQUAL openmpi)
  list(APPEND _sluice_needs libopenmpi-dev)
elseif(SLUICE_MPI_FAMILY STREQUAL mpich)
  list(APPEND _sluice_needs libmpich-dev)
endif()
list(JOIN _sluice_needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "For programs in C++, C and Fortran: headers, static libraries, what
find_package(sluice) and pkg-config read, and the Fortran module.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sluice)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
if(TARGET _core)
  # Its modules are for one version.
  string(REGEX REPLACE "^3\\.([0-9]+).*" "\\1" _sluice_python ${sluice_PYTHON_VERSION})
  math(EXPR _sluice_next_python "${_sluice_python} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${_sluice_python}), python3 (<< 3.${_sluice_next_python}), python3-numpy")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-mpi4py)  # the jobs of sluice.mpi
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "For programs in Python: plans, checks and exports of NumPy's and SciPy's
matrices; jobs over MPI beside mpi4py.")

# What Debian asks of every package.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianTriggers.cmake)
include(CPack)
