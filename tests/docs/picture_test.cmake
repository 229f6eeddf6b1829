# Draws docs/picture.svg again in OUTPUT, with COMMAND, and compares it with the one of SOURCE.
execute_process(COMMAND ${PYTHON} ${SOURCE}/scripts/pictures.py --command ${COMMAND} --output ${OUTPUT}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUTPUT}/picture.svg ${SOURCE}/docs/picture.svg
  RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "docs/picture.svg is not what scripts/pictures.py draws")
endif()
