# Compile settings that every target of the project links privately, and no other.
add_library(nightshift_settings INTERFACE)
target_include_directories(nightshift_settings INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(nightshift_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  # the same sums on every machine, so that a seed means the same everywhere
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: false positives from std::string at -O3
  target_compile_options(nightshift_settings INTERFACE -Wno-restrict)
endif()
if(NIGHTSHIFT_WERROR)
  target_compile_options(nightshift_settings INTERFACE -Werror)
endif()
if(NIGHTSHIFT_SANITIZE)
  target_compile_options(nightshift_settings INTERFACE
    -fsanitize=${NIGHTSHIFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nightshift_settings INTERFACE -fsanitize=${NIGHTSHIFT_SANITIZE})
endif()

# nightshift_room(NAME [FOLDERS folder...] [EXCEPT file...] [LINKS...] [PRIVATE_LINKS...]): the static
# library of one top-level folder: every .cc file directly in it and in the folders named.
function(nightshift_room name)
  cmake_parse_arguments(ROOM "" "" "FOLDERS;EXCEPT;LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(folder ${ROOM_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
    list(APPEND sources ${more})
  endforeach()
  foreach(file ${ROOM_EXCEPT})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  add_library(nightshift_${name} STATIC ${sources})
  target_include_directories(nightshift_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(nightshift_${name} PUBLIC ${ROOM_LINKS}
                        PRIVATE ${ROOM_PRIVATE_LINKS} nightshift_settings)
endfunction()

# nightshift_test(FOLDER LABEL label [FOLDERS folder...] [LINKS...]): the GoogleTest program of
# tests/FOLDER and of the folders named in it, one ctest entry a case.
function(nightshift_test folder)
  cmake_parse_arguments(T "" "LABEL" "FOLDERS;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  foreach(inner ${T_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${inner}/*.cc)
    list(APPEND sources ${more})
  endforeach()
  if(NOT sources)
    return()
  endif()
  set(name ${folder}_test)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${T_LINKS} GTest::gmock_main nightshift_settings)
  target_compile_definitions(${name} PRIVATE
    NIGHTSHIFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}" NIGHTSHIFT_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${T_LABEL} TIMEOUT 120)
endfunction()
