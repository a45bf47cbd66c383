# `cmake --install BUILD --prefix FOLDER` makes a folder that runs wherever it is put, also on a
# machine without our packages:
#   bin/                 nightshift and nightshift-evaluator, which find each other there
#   lib/                 the shared libraries that they need; libnightshift.so and its CMake package
#   include/nightshift/  headers for programs of others
#   share/nightshift/    the kernels with their problem files, licence
# Libraries are found through the programs' DT_RPATH, which, unlike DT_RUNPATH, also serves the
# libraries that those need.
#
# Not copied: the C library, and the compiler's runtime (libstdc++, libgcc_s). Every system has
# those; ours are the oldest we run with, newer ones are compatible, and a copy of ours would stand in the
# way of kernels that a newer compiler built there, which are loaded into the same process.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
add_link_options(-Wl,--disable-new-dtags)

# Call once, after every target has its install rule: rules run in the order they are written.
function(install_shared_libraries)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/nightshift)
  install(CODE [[
    set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
    file(GET_RUNTIME_DEPENDENCIES
      EXECUTABLES "${root}/bin/nightshift" "${root}/bin/nightshift-evaluator"
      LIBRARIES "${root}/lib/libnightshift.so"
      RESOLVED_DEPENDENCIES_VAR libraries
      UNRESOLVED_DEPENDENCIES_VAR missing
      PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|stdc\\+\\+|gcc_s)\\.so")
    if(missing)
      message(FATAL_ERROR "shared libraries that are needed but not found: ${missing}")
    endif()
    foreach(library IN LISTS libraries)
      file(INSTALL DESTINATION "${root}/lib" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN
           FILES "${library}")
    endforeach()
  ]])
endfunction()
