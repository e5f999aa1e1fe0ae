# Libraries that are loaded when they are first needed: see core/system/library.h. The build records
# the soname of each library, which a program linked to the library would use, and the folder that
# the library has on the build machine.
option(BITSIFT_LOAD_LATE "Load ICU, Snowball, the JSON parser and what unpacks files when they are first needed, not whenever a program starts" ON)

# bitsift_find_soname(NAME FILE): sets NAME_SONAME and NAME_FOLDER if the file has a soname.
function(bitsift_find_soname name file)
    execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
        set(${name}_SONAME ${CMAKE_MATCH_1} PARENT_SCOPE)
        get_filename_component(folder ${file} DIRECTORY)
        set(${name}_FOLDER ${folder} PARENT_SCOPE)
    endif()
endfunction()

# bitsift_late_library(NAME FILE): bitsift_find_soname for a library that is needed. Switches
# BITSIFT_LOAD_LATE off if the file has no soname.
macro(bitsift_late_library name file)
    bitsift_find_soname(${name} ${file})
    if(NOT ${name}_SONAME)
        message(STATUS "${file} has no soname: all libraries are linked to, and loaded at each start")
        set(BITSIFT_LOAD_LATE OFF)
    endif()
endmacro()

if(BITSIFT_LOAD_LATE)
    get_target_property(icu_file ICU::uc IMPORTED_LOCATION_RELEASE)
    if(NOT icu_file)
        get_target_property(icu_file ICU::uc IMPORTED_LOCATION)
    endif()
    bitsift_late_library(BS_ICU ${icu_file})
    bitsift_late_library(BS_STEMMER ${STEMMER_LIBRARY})
    list(GET ZSTD_LINK_LIBRARIES 0 zstd_file)
    bitsift_late_library(BS_ZSTD ${zstd_file})
    bitsift_late_library(BS_BZIP2 ${BZIP2_FILE})
    foreach(name IN ITEMS ZLIB LZMA LZ4 BROTLI)
        list(GET ${name}_LINK_LIBRARIES 0 file)
        bitsift_late_library(BS_${name} ${file})
    endforeach()
    if(HYPERSCAN_FOUND)
        list(GET HYPERSCAN_LINK_LIBRARIES 0 file)
        bitsift_find_soname(BS_HYPERSCAN ${file})
        if(NOT BS_HYPERSCAN_SONAME)
            set(HYPERSCAN_FOUND FALSE)
        endif()
    endif()
endif()

# bitsift_names_late_library(SOURCE NAME): defines the library's names in the source file that loads
# it.
function(bitsift_names_late_library source name)
    if(BITSIFT_LOAD_LATE)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
            "${name}_SONAME=\"${${name}_SONAME}\";${name}_FOLDER=\"${${name}_FOLDER}\"")
    endif()
endfunction()

# Libraries to link to; with late loading only their headers are used.
set(BITSIFT_LATE_LIBRARIES)
set(BITSIFT_LATE_INCLUDES)
if(BITSIFT_LOAD_LATE)
    set(BITSIFT_LATE_INCLUDES ${ICU_INCLUDE_DIRS} ${STEMMER_INCLUDE_DIR} ${ZSTD_INCLUDE_DIRS}
        ${ZLIB_INCLUDE_DIRS} ${BZIP2_INCLUDE_DIR} ${LZMA_INCLUDE_DIRS} ${LZ4_INCLUDE_DIRS} ${BROTLI_INCLUDE_DIRS})
else()
    set(BITSIFT_LATE_LIBRARIES ICU::uc Stemmer::stemmer PkgConfig::SIMDJSON PkgConfig::ZSTD PkgConfig::ZLIB ${BZIP2_FILE}
        PkgConfig::LZMA PkgConfig::LZ4 PkgConfig::BROTLI)
endif()

# Only libbitsift-json.so (corpus/read/json.h) and libbitsift-re2.so (query/grep/match/re2.h) are
# C++. Without late loading, the former is linked in, and RE2 is not used.
set(BITSIFT_LINKER_LANGUAGE C)
set(BITSIFT_CXX_RUNTIME)
if(NOT BITSIFT_LOAD_LATE)
    set(BITSIFT_LINKER_LANGUAGE CXX)
    set(BITSIFT_CXX_RUNTIME stdc++)
endif()

# bitsift_cxx_library(NAME SOURCE LIBRARY): builds libbitsift-NAME.so, a C interface to the C++
# library LIBRARY, and links it to LIBRARY.
function(bitsift_cxx_library name source library)
    set(map ${PROJECT_SOURCE_DIR}/cmake/cxx-libraries.map)
    add_library(bitsift_${name} MODULE ${source})
    target_link_libraries(bitsift_${name} PRIVATE bitsift_flags ${library})
    target_compile_definitions(bitsift_${name} PRIVATE BITSIFT_LOAD_LATE=1)
    target_link_options(bitsift_${name} PRIVATE LINKER:--version-script=${map} LINKER:--as-needed)
    set_target_properties(bitsift_${name} PROPERTIES
        PREFIX "" OUTPUT_NAME libbitsift-${name} LINK_DEPENDS ${map} INSTALL_RPATH_USE_LINK_PATH ON
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# bitsift_link_cxx_libraries(FOLDER...): makes symlinks to the libraries of bitsift_cxx_library in
# other folders of the build tree, so that programs and modules in these folders find them.
function(bitsift_link_cxx_libraries)
    if(NOT BITSIFT_LOAD_LATE)
        return()
    endif()
    foreach(folder IN LISTS ARGN)
        file(MAKE_DIRECTORY ${folder})
        file(CREATE_LINK ${PROJECT_BINARY_DIR}/libbitsift-json.so ${folder}/libbitsift-json.so SYMBOLIC)
        if(RE2_FOUND)
            file(CREATE_LINK ${PROJECT_BINARY_DIR}/libbitsift-re2.so ${folder}/libbitsift-re2.so SYMBOLIC)
        endif()
    endforeach()
endfunction()
