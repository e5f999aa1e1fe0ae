# Destinations of `cmake --install`. Components: program (with manual pages and completions),
# shared, shared_dev (for linking to it), static, headers, json and re2 (loaded by the program and
# the libraries).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bitsift)

install(TARGETS bitsift RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
foreach(name IN ITEMS json re2)
    if(TARGET bitsift_${name})
        install(TARGETS bitsift_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/bitsift COMPONENT ${name})
    endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/core/bitsift.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core/bitsift DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers
    FILES_MATCHING PATTERN "*.h")

# Each kind has its own export, so that one kind can be installed alone.
foreach(kind IN ITEMS shared static)
    if(NOT TARGET bitsift_${kind})
        continue()
    endif()
    set(dev_component ${kind})
    if(kind STREQUAL "shared")
        set(dev_component shared_dev)
    endif()
    install(TARGETS bitsift_${kind} bloom_${kind} EXPORT bitsift_${kind}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${kind} NAMELINK_COMPONENT ${dev_component}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${kind})
    install(EXPORT bitsift_${kind} NAMESPACE bitsift:: FILE bitsift-${kind}.cmake DESTINATION ${package_dir}
        COMPONENT ${dev_component})
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/bitsiftConfig.cmake.in
    ${PROJECT_BINARY_DIR}/bitsiftConfig.cmake INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# As in cmake/BitsiftLibrary.cmake: before 1.0, only the same minor version is compatible.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bitsiftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bitsiftConfig.cmake ${PROJECT_BINARY_DIR}/bitsiftConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT headers)

# The .pc files derive the prefix from their own location, so that an installed tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH up /prefix/${pkgconfig_dir} /prefix)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(pc_late_requires)
set(pc_late_libs)
if(NOT BITSIFT_LOAD_LATE)
    set(pc_late_requires " icu-uc libzstd simdjson zlib liblzma liblz4 libbrotlidec")
    set(pc_late_libs " -lstemmer -lbz2 -lstdc++")
endif()
foreach(name IN ITEMS bitsift bitsift-bloom)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir} COMPONENT headers)
endforeach()

if(BITSIFT_DOCS_DIR)
    install(DIRECTORY ${BITSIFT_DOCS_DIR}/man1 ${BITSIFT_DOCS_DIR}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
    install(FILES ${BITSIFT_DOCS_DIR}/bitsift.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME bitsift COMPONENT program)
    install(FILES ${BITSIFT_DOCS_DIR}/_bitsift DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT program)
    install(FILES ${BITSIFT_DOCS_DIR}/bitsift.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)
endif()
