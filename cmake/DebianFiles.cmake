# Run by cpack on the trees of the packages before they are packed: a copyright and a changelog each, manual pages
# compressed, and what lintian need not complain of.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  set(folder ${share}/doc/${name})
  file(MAKE_DIRECTORY ${folder})
  file(COPY_FILE ${CPACK_RESOURCE_FILE_LICENSE} ${folder}/copyright)
  set(overrides ${CMAKE_CURRENT_LIST_DIR}/../packaging/debian/${component}/lintian-overrides)
  if(EXISTS ${overrides})
    file(MAKE_DIRECTORY ${share}/lintian/overrides)
    file(COPY_FILE ${overrides} ${share}/lintian/overrides/${name})
    file(CHMOD ${share}/lintian/overrides/${name} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
  file(WRITE ${folder}/changelog
    "sluice (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * What has changed stands in CHANGELOG.md of the sources.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(CHMOD ${folder}/copyright ${folder}/changelog PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(GLOB pages ${share}/man/man1/*.1)
  execute_process(COMMAND gzip -9 -n ${folder}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
