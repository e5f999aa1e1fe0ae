#!/usr/bin/env bash
# other_icu.sh LIBRARY FOLDER: makes FOLDER, with a libicuuc in it that says to be of another version and is LIBRARY for all else.
# With LD_LIBRARY_PATH=FOLDER, indexes that were made before are ones whose words were cut by other rules. Exit status 77: there is
# no compiler, or LIBRARY is none that this works for.
set -euo pipefail
library=$(realpath -- "$1")
soname=$(LC_ALL=C grep -aom 1 'libicuuc\.so\.[0-9]*' "$library" | head -n 1) || exit 77
version=${soname##*.}
other=libicuux.so.$version
command -v cc >/dev/null || exit 77
mkdir -p -- "$2"
folder=$(cd -- "$2" && pwd -P)
# Its own name, which is as long, so that both can be loaded.
LC_ALL=C sed "s/$soname/$other/g" "$library" >"$folder/$other"
printf 'void u_getVersion_%s(unsigned char *v);\nvoid u_getVersion_%s(unsigned char *v) { v[0] = 1, v[1] = 2, v[2] = v[3] = 0; }\n' \
    "$version" "$version" >"$folder/version.c"
cc -shared -fPIC -o "$folder/$soname" -Wl,-soname,"$soname" -Wl,--no-as-needed -Wl,-rpath,"$folder" "$folder/version.c" \
    "$folder/$other"
chmod 755 "$folder" "$folder"/*
