/*
 * library.h: libraries of others that are loaded when they are first needed. To find, map and relocate one costs a
 * process more than a small search by an index does, and grep needs none of ICU, Snowball, simdjson and zstd for most
 * patterns. Each has a file of its own (icu.h, stemmer.h, corpus/read/zstd.h) with a table of its functions that the
 * compiler checks against its headers.
 *
 * Without BITSIFT_LOAD_LATE they are linked to as any other; the tables are constant then, and loading always succeeds.
 */
#ifndef BS_CORE_BASE_LIBRARY_H
#define BS_CORE_BASE_LIBRARY_H

#include <stddef.h>

#include "core/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bs_library_symbol {
	const char *name;
	void *into; /* a pointer to a function or an object, which is set */
};

/* Loads a library for good and finds its symbols: by its soname, which goes by what the system would load for a program
 * linked to it; failing that, in the folder where it was when bitsift was built. what: its name, for a message.
 * BS_UNSUPPORTED; then some of the symbols may be set. Any number of threads, but each table by one. */
enum bs_status bs_library_load(const char *what, const char *soname, const char *folder,
                               const struct bs_library_symbol *symbols, size_t n_symbols, struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
