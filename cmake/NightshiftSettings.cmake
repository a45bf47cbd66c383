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
# Half of the compile time at -O3 is optimisation that only the sources under HOT below repay. Not an
# option of nightshift_settings: it would follow those of a target, and the last one counts.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
if(NIGHTSHIFT_WERROR)
  target_compile_options(nightshift_settings INTERFACE -Werror)
endif()
if(NIGHTSHIFT_SANITIZE)
  target_compile_options(nightshift_settings INTERFACE
    -fsanitize=${NIGHTSHIFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nightshift_settings INTERFACE -fsanitize=${NIGHTSHIFT_SANITIZE})
endif()

# nightshift_room(NAME [WITHOUT folder-or-file...] [HOT folder-or-file...] [LINKS...]
# [PRIVATE_LINKS...]): the static library of one top-level folder: every .cc file in it and in its
# sub-folders, but for what WITHOUT names. HOT names what has -O3 in every build type.
function(nightshift_room name)
  cmake_parse_arguments(ROOM "" "" "WITHOUT;HOT;LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(entry ${ROOM_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${entry}(/|$)")
  endforeach()
  set(hot "")
  foreach(entry ${ROOM_HOT})
    set(found ${sources})
    list(FILTER found INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${entry}(/|$)")
    list(APPEND hot ${found})
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${entry}(/|$)")
  endforeach()
  nightshift_unity(compiled ${name} ${sources})
  nightshift_unity(hot_compiled ${name}_hot ${hot})
  if(hot_compiled)
    set_property(SOURCE ${hot_compiled} APPEND PROPERTY COMPILE_OPTIONS -O3)
  endif()
  add_library(nightshift_${name} STATIC ${compiled} ${hot_compiled})
  target_include_directories(nightshift_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(nightshift_${name} PUBLIC ${ROOM_LINKS}
                        PRIVATE ${ROOM_PRIVATE_LINKS} nightshift_settings)
endfunction()

# nightshift_test(FOLDER LABEL label [LINKS...]): the GoogleTest program of tests/FOLDER and its
# sub-folders, one ctest entry a case.
function(nightshift_test folder)
  cmake_parse_arguments(T "" "LABEL" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  if(NOT sources)
    return()
  endif()
  set(name ${folder}_test)
  nightshift_unity(compiled ${name} ${sources})
  add_executable(${name} ${compiled})
  target_link_libraries(${name} PRIVATE ${T_LINKS} test_paths GTest::gmock_main nightshift_settings)
  # The tests' own code needs no optimisation, and compiles in two thirds of the time without much.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${T_LABEL} TIMEOUT 120)
endfunction()
