/*
 * library.h: libraries that are loaded when first needed. Finding, mapping and relocating a library
 * takes longer than a small search of an index, and most patterns of grep need none of ICU,
 * Snowball, simdjson and zstd. For each library there is a table of the functions used, in the file
 * that calls them or in a header (icu.h). The compiler checks the table against the library's
 * headers.
 *
 * Some of these libraries are of third parties. Others are shared objects of this project that wrap
 * an expensive dependency, such as a C interface to a C++ library (corpus/read/json.h).
 *
 * Without BITSIFT_LOAD_LATE the libraries are linked normally: the tables are constant, and loading
 * always succeeds.
 */
#pragma once

#include "core/base/error.h"

struct bs_library_symbol {
	const char *name;
	void *into; /* address of the pointer (to a function or an object) to set */
};

/* Loads a third-party library and sets its symbols; it is never unloaded. The library is found by
 * its soname, like a linked library, or else in `folder`, where it was when bitsift was built.
 * what: its name, for messages. After BS_UNSUPPORTED some symbols may be set. Thread-safe, except
 * that two threads must not set the same symbols at once. */
enum bs_status bs_library_load(const char *what, const char *soname, const char *folder,
                               const struct bs_library_symbol *symbols, size_t n_symbols,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Loads a shared object of this project; it is never unloaded. `file` is looked for in the folder
 * of the program or shared object that contains this code, in that folder's subfolder bitsift, and
 * in the place where `cmake --install` puts it (relative to that folder, or absolute). No other
 * folder is searched; the environment, the current directory and the program's name do not matter.
 * The file must belong to root, to the user, or to the owner of the file that contains this code,
 * because anybody can put a file into a folder such as /tmp. version_name is a function of the
 * object that returns the version of its interface, which must be equal to `version`.
 * BS_UNSUPPORTED; if the file is not found, the message names the folders. */
enum bs_status bs_library_load_own(const char *what, const char *file, const char *version_name,
                                   uint32_t version, const struct bs_library_symbol *symbols,
                                   size_t n_symbols, struct bs_error *err) BS_WARN_UNUSED;

/* A library and its table. */
struct bs_library {
	/* the name for messages; the soname or, for a shared object of this project, the file
	 * name */
	const char *what, *soname;
	const char *folder;       /* NULL: a shared object of this project */
	const char *version_name; /* see bs_library_load_own; NULL for a third-party library */
	uint32_t version;         /* see bs_library_load_own */
	const char *const *names; /* names of the functions of the table */
	size_t n_names;
	void *table;            /* pointers to the functions, in the order of `names` */
	bool is_tried;          /* the library was loaded, or loading has failed */
	enum bs_status outcome; /* the result of loading */
	struct bs_error why;    /* the error text if loading has failed */
};

/* Loads the library at the first call; later calls return the result of the first one.
 * Thread-safe. */
enum bs_status bs_library_load_once(struct bs_library *library,
                                    struct bs_error *err) BS_WARN_UNUSED;

/*
 * BS_LIBRARY_TABLE(table, functions), in a header or a source file, declares `struct table`, an
 * object `table` of this type, and the function table_load(err). table_load must succeed before a
 * function of the table is called. It may be called repeatedly, by any thread; once loading has
 * failed, each call fails with BS_UNSUPPORTED.
 *
 * BS_LIBRARY_DEFINE, in one source file, defines the object and table_load. BS_LIBRARY_DEFINE_OWN
 * does so for a shared object of this project, whose function <table>_version returns its version.
 * functions(each) is a macro that expands to each(name) for at most BS_LIBRARY_MOST functions. A
 * member of the table has the name of its function, after macro expansion by the library's headers.
 */
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
