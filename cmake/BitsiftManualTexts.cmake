# Run by the build: cmake -DFROM=docs -DTO=manual_texts.c -P BitsiftManualTexts.cmake. Writes the
# texts of manual pages and completions as a C table: query/manual/manual.h.
file(GLOB pages ${FROM}/man/*.[17] ${FROM}/completions/*)
if(NOT pages)
    message(FATAL_ERROR "no texts in ${FROM}")
endif()
set(texts "")
set(rows "")
foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME)
    string(MAKE_C_IDENTIFIER ${name} variable)
    file(READ ${page} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND texts "static const char ${variable}[] = {${bytes} 0};\n")
    string(APPEND rows "\t{\"${name}\", ${variable}},\n")
endforeach()
file(WRITE ${TO} "#include \"query/manual/manual.h\"\n\n${texts}
const struct bs_manual_text bs_manual_texts[] = {\n${rows}\t{0},\n};\n")
