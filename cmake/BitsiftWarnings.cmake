# Flags of this project's targets. Private: programs that link to bitsift do not inherit them.
add_library(bitsift_flags INTERFACE)
target_compile_definitions(bitsift_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_include_directories(bitsift_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(bitsift_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wcast-align -Wpointer-arith -Wwrite-strings -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wold-style-definition>
    # Most test functions ignore their state argument. Clang requires this option after -Wextra.
    $<$<PATH:IS_PREFIX,${PROJECT_SOURCE_DIR}/tests,$<TARGET_PROPERTY:SOURCE_DIR>>:-Wno-unused-parameter>
    $<$<BOOL:${BITSIFT_WERROR}>:-Werror>)
if(BITSIFT_SANITIZE)
    target_compile_options(bitsift_flags INTERFACE
        -fsanitize=${BITSIFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(bitsift_flags INTERFACE -fsanitize=${BITSIFT_SANITIZE})
    # An empty vector has a null pointer, to which callers add 0. C23 leaves that undefined; C2y and
    # all compilers define it.
    target_compile_options(bitsift_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
    # With clang, a C program that links to the shared library lacks the C++ runtime of these two
    # checks.
    target_compile_options(bitsift_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=vptr,function>)
endif()
# The fuzzer needs coverage of our own code.
option(BITSIFT_FUZZ "Build the fuzz targets for libFuzzer (clang; best with BITSIFT_SANITIZE=address,undefined)" OFF)
if(BITSIFT_FUZZ)
    target_compile_options(bitsift_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(bitsift_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Assertions detect programming errors; Release and RelWithDebInfo would compile them out.
option(BITSIFT_ASSERTS "Keep assert() in optimised builds" OFF)
if(BITSIFT_ASSERTS)
    target_compile_options(bitsift_flags INTERFACE -UNDEBUG)
endif()
