#!/usr/bin/env bash
# other_icu.sh LIBRARY FOLDER: makes FOLDER with a libicuuc that reports version 1.2 and denies the
# property Extended_Pictographic, but otherwise behaves like LIBRARY. A program with
# LD_LIBRARY_PATH=FOLDER has other tokenizer rules than one without. Exit status 77: there is no
# compiler, or LIBRARY contains no soname of libicuuc.
set -euo pipefail
library=$(realpath -- "$1")
soname=$(LC_ALL=C grep -aom 1 'libicuuc\.so\.[0-9]*' "$library" | sed -n 1p) || exit 77
version=${soname##*.}
other=libicuux.so.$version
command -v cc >/dev/null || exit 77
mkdir -p -- "$2"
folder=$(cd -- "$2" && pwd -P)
# A different soname of the same length, so that both libraries can be loaded.
LC_ALL=C sed "s/$soname/$other/g" "$library" >"$folder/$other"
cat >"$folder/version.c" <<SOURCE
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#define EXTENDED_PICTOGRAPHIC 64
void u_getVersion_$version(uint8_t version[4]);
int8_t u_hasBinaryProperty_$version(int32_t c, int which);

void u_getVersion_$version(uint8_t version[4])
{
	version[0] = 1;
	version[1] = 2;
	version[2] = version[3] = 0;
}

int8_t u_hasBinaryProperty_$version(int32_t c, int which)
{
	static int8_t (*original)(int32_t, int);
	if (!original)
		*(void **)&original = dlsym(RTLD_NEXT, "u_hasBinaryProperty_$version");
	return which != EXTENDED_PICTOGRAPHIC && original(c, which);
}
SOURCE
cc -O1 -shared -fPIC -o "$folder/$soname" -Wl,-soname,"$soname" -Wl,--no-as-needed -Wl,-rpath,"$folder" "$folder/version.c" \
    "$folder/$other" -ldl
chmod 755 "$folder" "$folder"/*
