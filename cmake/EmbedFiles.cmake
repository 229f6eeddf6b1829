# cmake -D OUTPUT=FILE.cpp -D HEADER=HEADER -D PARTS="FUNCTION=FILE,FILE|FUNCTION=..." -P EmbedFiles.cmake: writes the
# functions of sluice::detail that HEADER declares, each of which returns its files as one text.
cmake_minimum_required(VERSION 3.25)
set(code "#include \"${HEADER}\"\n\nnamespace sluice::detail {\n")
string(REPLACE "|" ";" parts "${PARTS}")
foreach(part IN LISTS parts)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${part}")
  set(function ${CMAKE_MATCH_1})
  string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
  set(bytes "")
  set(size 0)
  foreach(file IN LISTS files)
    file(SIZE "${file}" length)
    file(READ "${file}" hex HEX)
    math(EXPR size "${size} + ${length} + 1")
    string(APPEND bytes "${hex}0a")
  endforeach()
  # As numbers: a text of this length is more than compilers have to take.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  if(size EQUAL 0)
    string(APPEND code "\nstd::string_view ${function}() { return {}; }\n")
  else()
    string(APPEND code "\nstd::string_view ${function}() {\n"
      "  static constexpr unsigned char kBytes[] = {${bytes}};\n"
      "  return {reinterpret_cast<const char*>(kBytes), ${size}};\n}\n")
  endif()
endforeach()
string(APPEND code "\n}  // namespace sluice::detail\n")
file(WRITE ${OUTPUT} "${code}")
