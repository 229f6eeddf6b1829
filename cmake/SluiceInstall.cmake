# Install rules: the libraries with their headers, the command, and the package that find_package(sluice) reads.

include(CMakePackageConfigHelpers)
set(_sluice_package ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)

# Two export sets, so that who asks for sluice::core alone needs no MPI.
install(TARGETS sluice_core EXPORT sluiceCoreTargets)
install(EXPORT sluiceCoreTargets NAMESPACE sluice:: DESTINATION ${_sluice_package})
set(_sluice_left_out PATTERN run/mpi EXCLUDE)
set(SLUICE_HAS_MPI OFF)
if(TARGET sluice_mpi)
  set_target_properties(sluice_mpi PROPERTIES EXPORT_NAME mpi)
  install(TARGETS sluice_mpi EXPORT sluiceMPITargets)
  install(EXPORT sluiceMPITargets NAMESPACE sluice:: DESTINATION ${_sluice_package})
  set(_sluice_left_out)
  set(SLUICE_HAS_MPI ON)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sluice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" ${_sluice_left_out})

if(TARGET sluice)
  install(TARGETS sluice COMPONENT command)
  if(TARGET sluice-simgrid)
    install(TARGETS sluice-simgrid DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/sluice COMPONENT command)
  endif()
  # The network that `sluice study exchange-lab` builds.
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/lab/up.sh ${PROJECT_SOURCE_DIR}/lab/down.sh ${PROJECT_SOURCE_DIR}/lab/run.sh
          DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/lab COMPONENT command)
  install(FILES ${PROJECT_SOURCE_DIR}/lab/common.sh ${PROJECT_SOURCE_DIR}/lab/mpich.cpp ${PROJECT_SOURCE_DIR}/lab/yield_when_idle.cpp
          DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/lab COMPONENT command)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sluiceConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sluiceConfig.cmake INSTALL_DESTINATION ${_sluice_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluiceConfig.cmake ${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindCBC.cmake ${PROJECT_SOURCE_DIR}/cmake/SluiceTry.cmake
        DESTINATION ${_sluice_package})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
# What the examples of the manual pages read.
foreach(_sluice_folder grid5000 four-levels traffic)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/studies/${_sluice_folder}
          DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/studies COMPONENT command
          FILES_MATCHING PATTERN "*.json" PATTERN "*.mtx")
endforeach()
# The licences of what reports hold.
foreach(_sluice_licence IN LISTS D3_LICENCES)
  string(REGEX MATCH "d3-[a-z-]+" _sluice_module ${_sluice_licence})
  install(FILES ${_sluice_licence} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${_sluice_module}
          COMPONENT command)
endforeach()
