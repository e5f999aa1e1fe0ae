# `cpack` makes three Debian packages: bitsift (the program), libbitsift0.1 (the library) and libbitsift-dev. The preset `package`
# builds for the folders that they install to: cmake --workflow --preset package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bitsift)
set(CPACK_PACKAGE_VENDOR "the bitsift authors")
set(CPACK_PACKAGE_CONTACT "the bitsift authors <bitsift@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_COMPONENTS_ALL program shared shared_dev static headers)
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_SHARED_GROUP library)
foreach(component IN ITEMS SHARED_DEV STATIC HEADERS)
    set(CPACK_COMPONENT_${component}_GROUP dev)
endforeach()

# dpkg-shlibdeps finds the packages of the libraries that are linked to. Those that are loaded late it cannot see: the
# packages here that own their files are named beside.
set(late_packages)
if(BITSIFT_LOAD_LATE)
    foreach(name IN ITEMS BS_ICU BS_STEMMER BS_SIMDJSON BS_ZSTD BS_ZLIB BS_BZIP2 BS_LZMA BS_LZ4 BS_BROTLI)
        # Where /lib is a link to /usr/lib, packages may still name their files by either.
        string(REGEX REPLACE "^/usr/lib" "/lib" short_folder ${${name}_FOLDER})
        execute_process(COMMAND dpkg-query -S ${${name}_FOLDER}/${${name}_SONAME} ${short_folder}/${${name}_SONAME}
            OUTPUT_VARIABLE owner ERROR_QUIET)
        if(NOT owner MATCHES "^([^:]+):")
            message(STATUS "No package owns ${${name}_SONAME}: cpack is left out")
            return()
        endif()
        list(APPEND late_packages ${CMAKE_MATCH_1})
    endforeach()
endif()
list(JOIN late_packages ", " late_packages)

set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(library_package libbitsift${soversion})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact full-text search and indexed grep")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "bitsift indexes folders and record files once. It then finds documents by
their words, and lines by a regular expression, in milliseconds. Its answers
are those of reading every file.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "This is the library: what the program bitsift does, for programs in C.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "This is what one builds with: the header, the static library, and the files
by which CMake and pkg-config find them.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bitsift)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbitsift-dev)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
foreach(group IN ITEMS PROGRAM LIBRARY)
    set(CPACK_DEBIAN_${group}_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_${group}_PACKAGE_DEPENDS "${late_packages}")
endforeach()
# The static library is linked to these.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), libpcre2-dev, libxxhash-dev")

# Policy wants the licence with each package, and the loader's cache renewed.
foreach(pair IN ITEMS program:bitsift shared:${library_package} headers:libbitsift-dev)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 component)
    list(GET pair 1 package)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
        COMPONENT ${component})
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)

include(CPack)
cpack_add_component_group(program)
cpack_add_component_group(library)
cpack_add_component_group(dev)
