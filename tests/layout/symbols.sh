#!/usr/bin/env bash
# symbols.sh SOURCE_DIR LIBRARY...: what the static libraries give to the world, and what they take from it.
#
# Given: every global symbol starts with bs_. In objects made from C++, if JSON is linked in, the weak copies of inline functions of the
# standard library and of simdjson are none of ours, and allowed.
# Taken: libraries do not print, end the process or read the environment; the commands (cmd_*.c, main.c) do, and stand
# in no library. The one exception: corpus/walk/ignore.c looks up git's global excludes as git does.
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
            __odr_asan*) continue ;; # a build with sanitizers
            DW.ref.__gxx_personality_v0 | __clang_call_terminate) continue ;; # what C++ compilers add
        esac
        # Mangled: _Z, of any kind, and simdjson or std (St, and Ss, Sa ... for its frequent types) among its names.
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
                # It goes to the command that --pre names, unread.
                [ "$object $name" = "grep_command.c.o environ" ] && continue
                # Compilers and sanitizers end C++ functions with abort.
                [[ $object == *.cpp.o && $name == abort ]] && continue
                complain "${library##*/}($object): uses $name"
                ;;
        esac
    done < <(nm -u -P -- "$library")
done
exit $failed
