# libbitsift: the objects of core, corpus, indexer and query once more, as what is installed. Both kinds are built; only
# what the public headers declare leaves the shared one (the rest is hidden, by CMAKE_C_VISIBILITY_PRESET and by the script).
option(BITSIFT_SHARED "Build the shared library" ON)
option(BITSIFT_STATIC "Build the static library" ON)

# Of other projects, what the objects need: also for bitsift.pc.in and bitsiftConfig.cmake.in. C++ stands in one file
# (corpus/read/record_simdjson.cpp); its runtime library is named, so that a program in C can link to the static library.
set(BITSIFT_LINK_LIBRARIES PkgConfig::PCRE2 PkgConfig::XXHASH ${BITSIFT_LATE_LIBRARIES}
    Threads::Threads m ${CMAKE_DL_LIBS} stdc++)

function(bitsift_add_library kind type)
    add_library(bitsift_${kind} ${type})
    add_library(bitsift::bitsift_${kind} ALIAS bitsift_${kind})
    foreach(room IN ITEMS core corpus indexer query)
        target_sources(bitsift_${kind} PRIVATE $<TARGET_OBJECTS:bs_${room}>)
    endforeach()
    target_link_libraries(bitsift_${kind} PRIVATE ${BITSIFT_LINK_LIBRARIES})
    target_include_directories(bitsift_${kind} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/core> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(bitsift_${kind} PROPERTIES
        OUTPUT_NAME bitsift
        LINKER_LANGUAGE CXX
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

if(BITSIFT_SHARED)
    bitsift_add_library(shared SHARED)
    # Before 1.0 a change of the minor number may change the interface.
    set_target_properties(bitsift_shared PROPERTIES
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/bitsift.map)
    target_link_options(bitsift_shared PRIVATE
        "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/bitsift.map" LINKER:--as-needed ${BITSIFT_CXX_RUNTIME_OPTIONS})
    if(BITSIFT_SANITIZE)
        target_link_options(bitsift_shared PRIVATE -fsanitize=${BITSIFT_SANITIZE})
    else()
        target_link_options(bitsift_shared PRIVATE LINKER:--no-undefined)
    endif()
    add_library(bitsift::bitsift ALIAS bitsift_shared)
endif()
if(BITSIFT_STATIC)
    bitsift_add_library(static STATIC)
    if(NOT BITSIFT_SHARED)
        add_library(bitsift::bitsift ALIAS bitsift_static)
    endif()
endif()
