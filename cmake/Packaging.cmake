# What an installed folder has besides programs, libraries and kernels: completions of shells and
# manual pages, which the program itself prints from its tables of options. And `cpack`, which makes
# a folder in an archive and a Debian package of it (packaging/README.md).

# Writes packaging/README.md to `file` as it stands in an installed folder: a link leads to what is
# there, and to the sources where that is not.
function(write_installed_readme file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${CMAKE_SOURCE_DIR}/packaging/README.md)
  file(READ ${CMAKE_SOURCE_DIR}/packaging/README.md text)
  string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./[^)]*\\)" "\\1 of the sources" text "${text}")
  string(REPLACE "](example/" "](../../nightshift/example/" text "${text}")
  string(REPLACE "](include/" "](../../../include/" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

# Call behind the install rule of the program and its libraries: rules run in the order they are
# written.
function(install_documentation)
  write_installed_readme(${CMAKE_BINARY_DIR}/installed/README.md)
  install(FILES ${CMAKE_BINARY_DIR}/installed/README.md ${CMAKE_SOURCE_DIR}/packaging/Containerfile
          DESTINATION share/doc/nightshift)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/packaging/include/nightshift DESTINATION include)
  install(CODE [[
    set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
    function(printed variable)
      execute_process(COMMAND "${root}/bin/nightshift" ${ARGN} OUTPUT_VARIABLE text
                      COMMAND_ERROR_IS_FATAL ANY)
      set(${variable} "${text}" PARENT_SCOPE)
    endfunction()
    printed(bash help --completion bash)
    file(WRITE "${root}/share/bash-completion/completions/nightshift" "${bash}")
    printed(zsh help --completion zsh)
    file(WRITE "${root}/share/zsh/site-functions/_nightshift" "${zsh}")
    printed(page help --man)
    file(WRITE "${root}/share/man/man1/nightshift.1" "${page}")
    printed(commands commands)
    string(REGEX MATCHALL "[^\n]+" commands "${commands}")
    foreach(command IN LISTS commands)
      printed(page help --man ${command})
      file(WRITE "${root}/share/man/man1/nightshift-${command}.1" "${page}")
    endforeach()
  ]])
endfunction()

# The package has a folder of its own: the libraries in it are copies, which must not stand in
# /usr/lib. Links into it are made once it is there.
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME nightshift)
set(CPACK_PACKAGE_VENDOR "Nightshift")
set(CPACK_PACKAGE_CONTACT "Nightshift <nightshift@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Batch tuner for GPU kernels, C++ kernels and programs")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/nightshift)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libstdc++6 (>= 12), libgcc-s1")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, binutils, python3")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/postinst
    ${CMAKE_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
