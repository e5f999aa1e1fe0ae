/* sqlite_base.c: see sqlite_base.h. */
#include "bindings/sqlite/base/sqlite_base.h"

#include "core/bitsift/host.h"
#include <stdlib.h>

SQLITE_EXTENSION_INIT3

int bsql_code_of(enum bs_status status)
{
	switch (status) {
	case BS_OK:
		return SQLITE_OK;
	case BS_NO_MEMORY:
		return SQLITE_NOMEM;
	case BS_CORRUPT:
		return SQLITE_CORRUPT_VTAB;
	case BS_IO:
		return SQLITE_IOERR;
	case BS_BUSY:
		return SQLITE_BUSY;
	case BS_STOPPED:
		return SQLITE_INTERRUPT;
	default:
		return SQLITE_ERROR;
	}
}

void bsql_reword(struct bs_error *err)
{
	/* clang-format off */
	static const char *const pairs[] = {
		"use the one that made it, or rebuild it with `bitsift index --rebuild`",
		"use the version that made it, or INSERT INTO t(t) VALUES('rebuild')",
		"rebuild it with `bitsift index --rebuild`",
		"INSERT INTO t(t) VALUES('rebuild') restores it",
		"`bitsift index --rebuild`", "INSERT INTO t(t) VALUES('rebuild')",
		"the next `bitsift index` that finds a change rebuilds this file",
		"INSERT INTO t(t) VALUES('rebuild') restores it",
		"run `bitsift index` first, which indexes everything again",
		"INSERT INTO t(t) VALUES('rebuild') restores it",
		"^--weight ", "weight: ",
		"; use less --memory$", "",
		NULL};
	/* clang-format on */
	bs_reword(err->text, sizeof(err->text), pairs);
}

int bsql_grow(void *array, size_t n, size_t *capacity, size_t element_bytes)
{
	void **elements = array;
	if (n < *capacity)
		return SQLITE_OK;
	size_t wanted = n * 2 + 16;
	void *grown = realloc(*elements, wanted * element_bytes);
	if (!grown)
		return SQLITE_NOMEM;
	*elements = grown;
	*capacity = wanted;
	return SQLITE_OK;
}
