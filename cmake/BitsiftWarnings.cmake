# Flags that our own targets share. Private: nobody who links to bitsift inherits them.
add_library(bitsift_flags INTERFACE)
target_compile_definitions(bitsift_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_include_directories(bitsift_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(bitsift_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wcast-align -Wpointer-arith -Wwrite-strings -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wold-style-definition>
    # Test functions take a state that most of them do not use. Clang heeds only what follows -Wextra.
    $<$<PATH:IS_PREFIX,${PROJECT_SOURCE_DIR}/tests,$<TARGET_PROPERTY:SOURCE_DIR>>:-Wno-unused-parameter>
    $<$<BOOL:${BITSIFT_WERROR}>:-Werror>)
if(BITSIFT_SANITIZE)
    target_compile_options(bitsift_flags INTERFACE
        -fsanitize=${BITSIFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(bitsift_flags INTERFACE -fsanitize=${BITSIFT_SANITIZE})
    # An empty vector has the null pointer, to which its users add 0: C23 does not define it, C2y and every compiler do.
    target_compile_options(bitsift_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
    # Of clang, a program in C that links to the shared library lacks what these two need of C++.
    target_compile_options(bitsift_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=vptr,function>)
endif()
# Without the coverage of our own code a fuzzer has nothing to go by.
option(BITSIFT_FUZZ "Build the fuzz targets for libFuzzer (clang; best with BITSIFT_SANITIZE=address,undefined)" OFF)
if(BITSIFT_FUZZ)
    target_compile_options(bitsift_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(bitsift_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Assertions guard against our own mistakes; RelWithDebInfo would compile them out.
option(BITSIFT_ASSERTS "Keep assert() in optimised builds" OFF)
if(BITSIFT_ASSERTS)
    target_compile_options(bitsift_flags INTERFACE -UNDEBUG)
endif()
