/*
 * shared_options.h: rows for the tables of options that several commands share, so that an option
 * has one name and one meaning. type: the command's struct of arguments; field: the field that the
 * option sets; help: the help text, where it depends on the command.
 */
#pragma once

#include "core/bitsift/limits.h"
#include "query/options/command_line.h"

/* clang-format off */

/* The catalog's file; "" is the user's catalog. */
#define BS_SHARED_CATALOG(type, field, help) \
	{0, "catalog", "FILE", help, BS_OPTION_SETS(STRING, type, field), .is_optional = true}

/* The error of --partial without --catalog. */
#define BS_SHARED_PARTIAL_ALONE "--partial is about the indexes of a --catalog"

/* An index that must exist. */
#define BS_SHARED_INDEX(type, field) \
	{0, "index", "DIR", "the index [the nearest .bitsift upward]", \
	 BS_OPTION_SETS(ONCE, type, field)}

/* For commands that write an index; --jobs also for queries. */
#define BS_SHARED_MEMORY(type, field) \
	{0, "memory", "SIZE", "memory to use [1G]", BS_OPTION_SETS(SIZE, type, field)}
#define BS_SHARED_JOBS(type, field, help) \
	{'j', "jobs", "N", help, \
	 BS_OPTION_SETS(NUMBER, type, field), .least = 1, .most = BS_MAX_THREADS}
#define BS_SHARED_WAIT(type, field) \
	{0, "wait", NULL, "wait for another bitsift that is writing the index", \
	 BS_OPTION_SETS(FLAG, type, field)}
#define BS_SHARED_QUIET(type, field) \
	{'q', "quiet", NULL, "print no totals at the end", BS_OPTION_SETS(FLAG, type, field)}

/* For commands that choose files. */
#define BS_SHARED_GLOB(type, field) \
	{'g', "glob", "GLOB", "only files that match; !GLOB excludes; repeatable", \
	 BS_OPTION_SETS(LIST, type, field)}
#define BS_SHARED_TYPE(type, field) \
	{'t', "type", "TYPE", "only files of the type; repeatable", \
	 BS_OPTION_SETS(LIST, type, field)}
#define BS_SHARED_TYPE_NOT(type, field) \
	{'T', "type-not", "TYPE", "no files of the type; repeatable", \
	 BS_OPTION_SETS(LIST, type, field)}

/* For commands that search. */
#define BS_SHARED_KERNEL(type, field) \
	{0, "kernel", "NAME", "the SIMD code to use; `list` prints the choices", \
	 BS_OPTION_SETS(STRING, type, field)}
#define BS_SHARED_STATS(type, field) \
	{0, "stats", NULL, "print statistics as a line of JSON on stderr", \
	 BS_OPTION_SETS(FLAG, type, field)}

/* clang-format on */
