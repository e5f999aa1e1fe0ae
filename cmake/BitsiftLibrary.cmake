# The installed libraries: libbitsift, made of the objects of core, corpus, indexer and query; and
# libbitsift-bloom, the Bloom family, which is independent of it. Each is built as a shared and a
# static library unless an option below is off. A shared library exports what its public headers
# declare; CMAKE_C_VISIBILITY_PRESET and its version script hide everything else.
option(BITSIFT_SHARED "Build the shared libraries" ON)
option(BITSIFT_STATIC "Build the static libraries" ON)

# Other projects' libraries that the objects need; also used in bitsift.pc.in and
# bitsiftConfig.cmake.in. If C++ is linked in (corpus/read/json.h), its runtime library is listed,
# so that a C program can link to the static library.
set(BITSIFT_LINK_LIBRARIES PkgConfig::PCRE2 PkgConfig::XXHASH ${BITSIFT_LATE_LIBRARIES}
    Threads::Threads m ${CMAKE_DL_LIBS} ${BITSIFT_CXX_RUNTIME})

# bitsift_add_library(TARGET OUTPUT KIND OBJECTS...): the library libOUTPUT, made of the objects of
# these targets. KIND is shared or static.
function(bitsift_add_library target output kind)
    string(TOUPPER ${kind} type)
    add_library(${target} ${type})
    add_library(bitsift::${target} ALIAS ${target})
    foreach(objects IN LISTS ARGN)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/core> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${output}
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    if(kind STREQUAL "static")
        return()
    endif()
    # Before 1.0 a new minor version may change the interface.
    set_target_properties(${target} PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/${output}.map)
    target_link_options(${target} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/${output}.map" LINKER:--as-needed)
    if(BITSIFT_SANITIZE)
        target_link_options(${target} PRIVATE -fsanitize=${BITSIFT_SANITIZE})
    else()
        target_link_options(${target} PRIVATE LINKER:--no-undefined)
    endif()
endfunction()

foreach(kind IN ITEMS shared static)
    string(TOUPPER ${kind} option)
    if(NOT BITSIFT_${option})
        continue()
    endif()
    bitsift_add_library(bitsift_${kind} bitsift ${kind} bs_core bs_corpus bs_indexer bs_query)
    target_link_libraries(bitsift_${kind} PRIVATE ${BITSIFT_LINK_LIBRARIES})
    set_target_properties(bitsift_${kind} PROPERTIES LINKER_LANGUAGE ${BITSIFT_LINKER_LANGUAGE})
    bitsift_add_library(bloom_${kind} bitsift-bloom ${kind} bs_bloom)
    target_link_libraries(bloom_${kind} PRIVATE PkgConfig::XXHASH m)
    set_target_properties(bloom_${kind} PROPERTIES LINKER_LANGUAGE C)
    # bitsift::bitsift and bitsift::bloom are the shared libraries if these are built.
    if(NOT TARGET bitsift::bitsift)
        add_library(bitsift::bitsift ALIAS bitsift_${kind})
        add_library(bitsift::bloom ALIAS bloom_${kind})
    endif()
endforeach()
