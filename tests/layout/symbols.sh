#!/usr/bin/env bash
# symbols.sh SOURCE_DIR LIBRARY...: checks the symbols that the static libraries define and use.
#
# Defined: every global symbol begins with bs_. Objects made from C++, if JSON is linked in, may
# have weak copies of inline functions of the standard library and of simdjson. Used: libraries do
# not print, end the process or read the environment. The commands do (cmd_*.c, main.c), which are
# not in a library. The exceptions are below: git's global excludes, the environment of a
# preprocessor, and abort in C++.
set -euo pipefail
shift

failed=0
complain() {
    echo "$1"
    failed=1
}

for library in "$@"; do
    [ -s "$library" ] || complain "$library: not there"
    while read -r name type; do
        case $name in
            bs_*) continue ;;
            __odr_asan*) continue ;; # builds with sanitizers
            # added by C++ compilers
            DW.ref.__gxx_personality_v0 | __clang_call_terminate) continue ;;
        esac
        # Mangled names begin with _Z and contain simdjson or std (St, and Ss, Sa ... for its
        # frequent types).
        [[ $type == [WVu] && $name == _Z*@(simdjson|St|S[absiod]|9__gnu_cxx)* ]] && continue
        complain "${library##*/}: global symbol $name ($type) does not start with bs_"
    done < <(nm --defined-only -g -P -- "$library" | awk 'NF >= 2 && !/:$/ {print $1, $2}')

    object=
    while read -r name rest; do
        case $name in
            *\[*\]:) object=${name#*\[} && object=${object%\]:} && continue ;;
        esac
        name=${name%%@*}
        case $name in
            printf | __printf_chk | vprintf | __vprintf_chk | dprintf | __dprintf_chk | puts | putchar | perror | \
                stdout | stderr | exit | _exit | _Exit | quick_exit | abort | getenv | secure_getenv | environ | system | setlocale)
                [ "$object $name" = "ignore.c.o getenv" ] && continue
                # grep passes the environment to the command of --pre without reading it.
                [ "$object $name" = "grep_command.c.o environ" ] && continue
                # Compilers and sanitizers add calls of abort to C++ functions.
                [[ $object == *.cpp.o && $name == abort ]] && continue
                complain "${library##*/}($object): uses $name"
                ;;
        esac
    done < <(nm -u -P -- "$library")
done
exit $failed
