/* pg_error.c: see pg_error.h. */
#include "bindings/postgresql/base/pg_error.h"

#include "core/bitsift/host.h"
#include "core/bitsift/limits.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* The error that a callback saved; NULL: none. bsp_check throws it after the library has
 * returned. */
static ErrorData *kept_error;
static MemoryContext kept_context; /* holds kept_error and its strings */

static void (*forget_damaged)(Relation index);

void bsp_on_damage(void (*forget)(Relation index))
{
	forget_damaged = forget;
}

void bsp_save_error(MemoryContext context)
{
	if (!kept_context)
		kept_context = AllocSetContextCreate(TopMemoryContext, "bitsift error",
		                                     ALLOCSET_SMALL_SIZES);
	MemoryContextSwitchTo(kept_context);
	if (!kept_error) {
		MemoryContextReset(kept_context);
		kept_error = CopyErrorData();
	}
	FlushErrorState();
	MemoryContextSwitchTo(context);
}

int bsp_call(void (*work)(void *context, const void *what), void *context, const void *what)
{
	MemoryContext before = CurrentMemoryContext;
	volatile int is_failed = 0;
	PG_TRY();
	{
		work(context, what);
	}
	PG_CATCH();
	{
		bsp_save_error(before);
		is_failed = 1;
	}
	PG_END_TRY();
	return is_failed;
}

static void throw_kept(void)
{
	if (!kept_error)
		return;
	ErrorData error = *kept_error;
	kept_error = NULL;
	/* Strings that the copy points to live in kept_context until the next error is saved. */
	ReThrowError(&error);
}

static int is_cancelled(void *context)
{
	return InterruptPending && InterruptHoldoffCount == 0 && CritSectionCount == 0 &&
	       (QueryCancelPending || ProcDiePending);
}

const struct bs_limits *bsp_limits(void)
{
	static const struct bs_limits limits = {.stop = is_cancelled};
	return &limits;
}

static int code_of(enum bs_status status)
{
	switch (status) {
	case BS_INVALID:
		return ERRCODE_INVALID_PARAMETER_VALUE;
	case BS_NO_MEMORY:
		return ERRCODE_OUT_OF_MEMORY;
	case BS_IO:
		return ERRCODE_IO_ERROR;
	case BS_CORRUPT:
		return ERRCODE_INDEX_CORRUPTED;
	case BS_UNSUPPORTED:
		return ERRCODE_FEATURE_NOT_SUPPORTED;
	case BS_STOPPED:
	case BS_DEADLINE:
		return ERRCODE_QUERY_CANCELED;
	default:
		return ERRCODE_INTERNAL_ERROR;
	}
}

const char *bsp_message(const struct bs_error *err)
{
	/* clang-format off */
	static const char *const pairs[] = {
		"use the one that made it, or rebuild it with `bitsift index --rebuild`",
		"use the version that made it, or REINDEX",
		"rebuild it with `bitsift index --rebuild`", "REINDEX makes it anew",
		"`bitsift index --rebuild`", "REINDEX",
		"the next `bitsift index` that finds a change rebuilds this file",
		"REINDEX makes it anew",
		"run `bitsift index` first, which indexes everything again",
		"REINDEX makes it anew",
		"use less --memory", "set maintenance_work_mem lower",
		"^--weight ", "weight: ",
		NULL};
	/* clang-format on */
	struct bs_error worded;
	strlcpy(worded.text, err->text, sizeof(worded.text));
	bs_reword(worded.text, sizeof(worded.text), pairs);
	return pstrdup(worded.text);
}

void bsp_check(enum bs_status status, const struct bs_error *err, Relation index)
{
	if (status == BS_OK && !kept_error)
		return;
	throw_kept();
	CHECK_FOR_INTERRUPTS();
	/* Perhaps only a cached file (pg_cache.h) is damaged. The next reader creates it again. */
	if (index && status == BS_CORRUPT)
		forget_damaged(index);
	const char *why = err && err->text[0] ? bsp_message(err) : bs_status_name(status);
	if (index && status != BS_INVALID)
		ereport(ERROR, (errcode(code_of(status)),
		                errmsg("index \"%s\": %s", RelationGetRelationName(index), why),
		                status == BS_CORRUPT ? errhint("What the cache had of it is made "
		                                               "anew. If it fails again, REINDEX.")
		                                     : 0));
	ereport(ERROR, (errcode(code_of(status)), errmsg("%s", why)));
}
