# All libraries come from the system's packages; nothing is downloaded.
find_package(Threads REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlidec)
find_path(BZIP2_INCLUDE_DIR bzlib.h REQUIRED)
find_library(BZIP2_FILE bz2 REQUIRED)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
find_path(SIMDE_INCLUDE_DIR simde/x86/avx512.h REQUIRED)
find_path(STEMMER_INCLUDE_DIR libstemmer.h REQUIRED)
find_library(STEMMER_LIBRARY stemmer REQUIRED)
add_library(Stemmer::stemmer UNKNOWN IMPORTED GLOBAL)
set_target_properties(Stemmer::stemmer PROPERTIES
    IMPORTED_LOCATION ${STEMMER_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${STEMMER_INCLUDE_DIR})
# Hyperscan is only loaded at run time, never linked to. Without it grep works, but searches
# patterns without a literal more slowly.
pkg_check_modules(HYPERSCAN libhs)
# Without RE2, grep stops searching a file in which a match takes PCRE2 too long, and reports the
# file.
pkg_check_modules(RE2 IMPORTED_TARGET re2)
