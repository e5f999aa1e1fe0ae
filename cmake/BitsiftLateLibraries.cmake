# Libraries that are loaded when first needed: see core/base/library.h. What a build must know of them is the soname, by which a
# program linked to them would ask for them, and the folder where they are here.
option(BITSIFT_LOAD_LATE "Load ICU, Snowball, simdjson and what unpacks files when they are first needed, not whenever a program starts" ON)

# bitsift_late_library(NAME FILE): sets NAME_SONAME and NAME_FOLDER; switches BITSIFT_LOAD_LATE off if there is none.
function(bitsift_late_library name file)
    execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
        message(STATUS "${file} has no soname: all libraries are linked to, and loaded at each start")
        set(BITSIFT_LOAD_LATE OFF PARENT_SCOPE)
        return()
    endif()
    set(${name}_SONAME ${CMAKE_MATCH_1} PARENT_SCOPE)
    get_filename_component(folder ${file} DIRECTORY)
    set(${name}_FOLDER ${folder} PARENT_SCOPE)
endfunction()

if(BITSIFT_LOAD_LATE)
    get_target_property(icu_file ICU::uc IMPORTED_LOCATION_RELEASE)
    if(NOT icu_file)
        get_target_property(icu_file ICU::uc IMPORTED_LOCATION)
    endif()
    list(GET SIMDJSON_LINK_LIBRARIES 0 simdjson_file)
    bitsift_late_library(BS_ICU ${icu_file})
    bitsift_late_library(BS_STEMMER ${STEMMER_LIBRARY})
    bitsift_late_library(BS_SIMDJSON ${simdjson_file})
    list(GET ZSTD_LINK_LIBRARIES 0 zstd_file)
    bitsift_late_library(BS_ZSTD ${zstd_file})
    bitsift_late_library(BS_BZIP2 ${BZIP2_FILE})
    foreach(name IN ITEMS ZLIB LZMA LZ4 BROTLI)
        list(GET ${name}_LINK_LIBRARIES 0 file)
        bitsift_late_library(BS_${name} ${file})
    endforeach()
    # The name of a function in C++, as corpus/read/record_simdjson.cpp asks for it.
    include(CheckLibraryExists)
    get_filename_component(folder ${simdjson_file} DIRECTORY)
    check_library_exists(simdjson _ZN8simdjson25get_active_implementationEv ${folder} BITSIFT_HAS_SIMDJSON_SYMBOL)
    if(NOT BITSIFT_HAS_SIMDJSON_SYMBOL)
        message(STATUS "simdjson has another get_active_implementation: all libraries are loaded at each start")
        set(BITSIFT_LOAD_LATE OFF)
    endif()
endif()

# Names of a library, in the file that loads it.
function(bitsift_names_late_library source name)
    if(BITSIFT_LOAD_LATE)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
            "${name}_SONAME=\"${${name}_SONAME}\";${name}_FOLDER=\"${${name}_FOLDER}\"")
    endif()
endfunction()

# What is linked to: with late loading, of these only the headers.
set(BITSIFT_LATE_LIBRARIES)
set(BITSIFT_LATE_INCLUDES)
if(BITSIFT_LOAD_LATE)
    set(BITSIFT_LATE_INCLUDES ${ICU_INCLUDE_DIRS} ${STEMMER_INCLUDE_DIR} ${SIMDJSON_INCLUDE_DIRS} ${ZSTD_INCLUDE_DIRS}
        ${ZLIB_INCLUDE_DIRS} ${BZIP2_INCLUDE_DIR} ${LZMA_INCLUDE_DIRS} ${LZ4_INCLUDE_DIRS} ${BROTLI_INCLUDE_DIRS})
else()
    set(BITSIFT_LATE_LIBRARIES ICU::uc Stemmer::stemmer PkgConfig::SIMDJSON PkgConfig::ZSTD PkgConfig::ZLIB ${BZIP2_FILE}
        PkgConfig::LZMA PkgConfig::LZ4 PkgConfig::BROTLI)
endif()

# Of the C++ runtime, one file (corpus/read/record_simdjson.cpp) needs little: linked statically, where that can be, it is nothing
# to load either. Sanitizers bring a runtime of their own.
set(BITSIFT_CXX_RUNTIME_OPTIONS)
if(BITSIFT_LOAD_LATE AND NOT BITSIFT_SANITIZE)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
    check_cxx_source_compiles("#include <string>\nint main() { try { return (int)std::string(\"a\").size(); } catch (...) { return 0; } }"
        BITSIFT_HAS_STATIC_CXX_RUNTIME)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(BITSIFT_HAS_STATIC_CXX_RUNTIME)
        set(BITSIFT_CXX_RUNTIME_OPTIONS -static-libstdc++ -static-libgcc)
    endif()
endif()
