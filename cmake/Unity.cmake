# A unity build compiles headers once for many sources: a fifth of the files, a third of the time. The
# dev preset goes without, so that each source is also compiled alone.
option(NIGHTSHIFT_UNITY "Compile sources a dozen at a time" OFF)
find_package(Python3 COMPONENTS Interpreter)
if(NIGHTSHIFT_UNITY AND NOT Python3_FOUND)
  message(STATUS "no python3 found: sources are compiled one by one")
  set(NIGHTSHIFT_UNITY OFF)
endif()

# nightshift_unity(RESULT NAME SOURCE...): sets RESULT to what is to be compiled for the sources, which
# are absolute paths.
function(nightshift_unity result name)
  if(NOT NIGHTSHIFT_UNITY OR NOT ARGN)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(listing ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}.txt)
  list(TRANSFORM ARGN REPLACE "^${CMAKE_SOURCE_DIR}/" "" OUTPUT_VARIABLE sources)
  list(JOIN sources "\n" text)
  file(CONFIGURE OUTPUT ${listing} CONTENT "${text}\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${listing})
  set(write ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/unity.py ${CMAKE_SOURCE_DIR} ${listing})
  execute_process(COMMAND ${write} OUTPUT_VARIABLE count COMMAND_ERROR_IS_FATAL ANY)
  set(outputs "")
  # One more than needed: a new private name seldom asks for more.
  foreach(number RANGE ${count})
    list(APPEND outputs ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}_${number}.cc)
  endforeach()
  add_custom_command(OUTPUT ${outputs} COMMAND ${write} ${outputs}
                     DEPENDS ${ARGN} ${listing} ${CMAKE_SOURCE_DIR}/cmake/unity.py VERBATIM
                     COMMENT "Dividing the sources of ${name}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Warns of private types in a source that is included, which it does not where it is compiled itself.
    set_property(SOURCE ${outputs} APPEND PROPERTY COMPILE_OPTIONS -Wno-subobject-linkage)
  endif()
  set(${result} ${outputs} PARENT_SCOPE)
endfunction()
