/*
 * library.h: libraries that are loaded when they are first needed. To find, map and relocate one
 * costs a process more than a small search by an index does, and grep needs none of ICU, Snowball,
 * simdjson and zstd for most patterns. Each has a table of its functions, where they are called or
 * in a file of its own (icu.h), that the compiler checks against its headers.
 *
 * They are libraries of others, and shared objects of our own that keep what those cost away from
 * the start: a C interface to a library of C++ (corpus/read/json.h).
 *
 * Without BITSIFT_LOAD_LATE they are linked to as any other; the tables are constant then, and
 * loading always succeeds.
 */
#pragma once

#include "core/base/error.h"

struct bs_library_symbol {
	const char *name;
	void *into; /* a pointer to a function or an object, which is set */
};

/* Loads a library for good and finds its symbols: by its soname, which goes by what the system
 * would load for a program linked to it; failing that, in the folder where it was when bitsift was
 * built. what: its name, for a message. BS_UNSUPPORTED; then some of the symbols may be set. Any
 * number of threads, but each table by one. */
enum bs_status bs_library_load(const char *what, const char *soname, const char *folder,
                               const struct bs_library_symbol *symbols, size_t n_symbols,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Loads a shared object of our own for good: file, in the folder of the program or shared object
 * that this code is part of, in that folder's subfolder bitsift, or where `cmake --install` puts
 * it, seen from there or by its absolute path. No other folder is searched, whatever the
 * environment, the current directory and the program's name are. The file must belong to root, to
 * the user or to the owner of our own file: anybody can put a file into a folder such as /tmp.
 * version_name is its function that returns the version of its interface, which must be version.
 * BS_UNSUPPORTED, naming what was looked for and where. */
enum bs_status bs_library_load_own(const char *what, const char *file, const char *version_name,
                                   uint32_t version, const struct bs_library_symbol *symbols,
                                   size_t n_symbols, struct bs_error *err) BS_WARN_UNUSED;

/* A library and its table, in which nothing but pointers to functions stands, in the order of their
 * names. */
struct bs_library {
	const char *what, *soname; /* of an object of our own its file name */
	const char *folder;        /* NULL: an object of our own */
	const char *version_name;
	uint32_t version;
	const char *const *names;
	size_t n_names;
	void *table;
	bool is_tried;
	enum bs_status outcome;
	struct bs_error why;
};

/* Loads it if that was not tried before; says again how it went if it was. Any number of
 * threads. */
enum bs_status bs_library_load_once(struct bs_library *library,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* BS_LIBRARY_TABLE(table, functions) in a header or a source file declares struct table, one object
 * of that name, and table_load(err), which is to succeed before a function is called: once is
 * enough, more do no harm; BS_UNSUPPORTED, each time; any number of threads. BS_LIBRARY_DEFINE in a
 * file defines them, or BS_LIBRARY_DEFINE_OWN for an object of our own, whose version is returned
 * by its function <table>_version. functions(each) is each(name) for each of BS_LIBRARY_MOST
 * functions at the most; members have their names, with what the library's headers make of them. */
#define BS_LIBRARY_MOST          64
#define BS_LIBRARY_MEMBER(name)  __typeof__(name) *name;
#define BS_LIBRARY_ADDRESS(name) name,
#define BS_LIBRARY_TEXT_OF(name) #name,
#define BS_LIBRARY_TEXT(name)    BS_LIBRARY_TEXT_OF(name)

#ifdef BITSIFT_LOAD_LATE
#define BS_LIBRARY_TABLE(table, functions)   \
	extern struct table {                \
		functions(BS_LIBRARY_MEMBER) \
	} table;                             \
	enum bs_status table##_load(struct bs_error *err) BS_WARN_UNUSED
#define BS_LIBRARY_DEFINE(table, what, soname, folder, functions) \
	BS_LIBRARY_DEFINE_ANY(table, what, soname, folder, NULL, 0, functions)
#define BS_LIBRARY_DEFINE_OWN(table, what, file, version, functions) \
	BS_LIBRARY_DEFINE_ANY(table, what, file, NULL, #table "_version", version, functions)
#define BS_LIBRARY_DEFINE_ANY(table, what, soname, folder, version_name, version, functions) \
	struct table table;                                                                  \
	enum bs_status table##_load(struct bs_error *err)                                    \
	{                                                                                    \
		static const char *const names[] = {functions(BS_LIBRARY_TEXT)};             \
		_Static_assert(sizeof(names) / sizeof(*names) <= BS_LIBRARY_MOST,            \
		               "more than a load has room for");                             \
		static struct bs_library library = {what,                                    \
		                                    soname,                                  \
		                                    folder,                                  \
		                                    version_name,                            \
		                                    version,                                 \
		                                    names,                                   \
		                                    sizeof(names) / sizeof(*names),          \
		                                    &table,                                  \
		                                    false,                                   \
		                                    BS_OK,                                   \
		                                    {""}};                                   \
		return bs_library_load_once(&library, err);                                  \
	}
#else
#define BS_LIBRARY_TABLE(table, functions)   \
	extern const struct table {          \
		functions(BS_LIBRARY_MEMBER) \
	} table;                             \
	enum bs_status table##_load(struct bs_error *err) BS_WARN_UNUSED
#define BS_LIBRARY_DEFINE(table, what, soname, folder, functions)   \
	const struct table table = {functions(BS_LIBRARY_ADDRESS)}; \
	enum bs_status table##_load(struct bs_error *err)           \
	{                                                           \
		(void)err;                                          \
		return BS_OK;                                       \
	}
#define BS_LIBRARY_DEFINE_OWN(table, what, file, version, functions) \
	BS_LIBRARY_DEFINE(table, what, file, NULL, functions)
#endif
