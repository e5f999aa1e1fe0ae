/*
 * pg_error.h: the boundary between the library, which returns statuses, and PostgreSQL, which uses
 * longjmp. No longjmp may cross a frame of the library. Therefore a callback calls PostgreSQL
 * inside PG_TRY, saves the error and returns nonzero; bsp_check throws the saved error after the
 * library has returned.
 */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_ERROR_H
#define BINDINGS_POSTGRESQL_BASE_PG_ERROR_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/bitsift/status.h"

struct bs_limits;

/* Returns the library's message, palloc'ed and reworded: advice to run the command `bitsift`
 * becomes advice for PostgreSQL, such as REINDEX. */
const char *bsp_message(const struct bs_error *err);

/* Does nothing if status is BS_OK and no callback saved an error. Otherwise throws: the error that
 * a callback saved, or the cancellation of the query, or an error with the library's message. If
 * `index` (nullable) is given, its name is part of the message unless status is BS_INVALID. */
void bsp_check(enum bs_status status, const struct bs_error *err, Relation index);

/* Sets the function that bsp_check calls before it throws BS_CORRUPT for an index. The function
 * drops all cached data of the index. Called once, when the module is loaded. */
void bsp_on_damage(void (*forget)(Relation index));

/* Limits that stop a call of the library with BS_STOPPED once the query is cancelled. Valid for the
 * life of the backend. */
const struct bs_limits *bsp_limits(void);

/* Saves the current error for bsp_check. Called in the PG_CATCH of a callback, which then returns
 * nonzero; `context` is the memory context to restore. If an error is already saved, the new one is
 * dropped. */
void bsp_save_error(MemoryContext context);
/* For callbacks of the library: calls `work`. If it throws an error, saves the error for bsp_check.
 * Returns the callback's result: 0, or 1 after an error. */
int bsp_call(void (*work)(void *context, const void *what), void *context, const void *what);

#endif
