/*
 * pg_error.h: between the library, which returns, and PostgreSQL, which jumps. No jump may pass
 * through a frame of the library: what a callback calls of PostgreSQL it calls in a PG_TRY, keeps
 * the failure, and returns nonzero; bsp_check throws it after.
 */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_ERROR_H
#define BINDINGS_POSTGRESQL_BASE_PG_ERROR_H

#include "postgres.h"

#include "utils/rel.h"

#include "core/bitsift/status.h"

struct bs_limits;

/* A message of the library, with PostgreSQL's remedies in place of options of the command
 * `bitsift`; palloc'ed. */
const char *bsp_message(const struct bs_error *err);

/* Nothing, if status is BS_OK. Else what a callback kept is thrown, or a cancelled query's error,
 * or one with the library's message. index, nullable: whose name the message gets, where it is
 * about its contents. */
void bsp_check(enum bs_status status, const struct bs_error *err, Relation index);

/* Whoever keeps what is made of an index is told of it when bsp_check throws that it is damaged
 * (BS_CORRUPT). Set once, when the module is loaded. */
void bsp_on_damage(void (*forget)(Relation index));

/* By which a call of the library ends, with BS_STOPPED, once the query is cancelled. For the life
 * of the backend. */
const struct bs_limits *bsp_limits(void);

/* In a callback's PG_CATCH, with the memory context of the caller restored: the error is kept for
 * bsp_check. The callback then returns nonzero. An error that comes while one is kept is
 * forgotten. */
void bsp_keep_error(MemoryContext context);
/* For a callback of the library: calls work, and keeps an error that it throws for bsp_check.
 * Returns what the callback returns: 0, or 1. */
int bsp_call(void (*work)(void *context, const void *what), void *context, const void *what);

#endif
