# Manual pages and completions. The program prints them from the tables of its parser and --help,
# and from the texts in docs/man and docs/completions.
set(BITSIFT_COMMANDS index query grep delete compact stats check trust catalog)
set(BITSIFT_TOPICS bloom)

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
endif()
set(BITSIFT_DOCS_DIR ${PROJECT_BINARY_DIR}/docs)
file(MAKE_DIRECTORY ${BITSIFT_DOCS_DIR}/man1 ${BITSIFT_DOCS_DIR}/man7)
set(docs)

function(bitsift_generate file)
    add_custom_command(OUTPUT ${BITSIFT_DOCS_DIR}/${file}
        COMMAND bitsift --generate ${ARGN} > ${BITSIFT_DOCS_DIR}/${file}
        DEPENDS bitsift VERBATIM COMMENT "")
    list(APPEND docs ${BITSIFT_DOCS_DIR}/${file})
    set(docs ${docs} PARENT_SCOPE)
endfunction()

bitsift_generate(man1/bitsift.1 man)
foreach(command IN LISTS BITSIFT_COMMANDS)
    bitsift_generate(man1/bitsift-${command}.1 man ${command})
endforeach()
foreach(topic IN LISTS BITSIFT_TOPICS)
    bitsift_generate(man7/bitsift-${topic}.7 man ${topic})
endforeach()
bitsift_generate(bitsift.bash bash)
bitsift_generate(_bitsift zsh)
bitsift_generate(bitsift.fish fish)
bitsift_generate(bitsift.ps1 powershell)
add_custom_target(bitsift_docs ALL DEPENDS ${docs})
