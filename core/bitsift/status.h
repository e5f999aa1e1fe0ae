/*
 * status.h: what a call of libbitsift returns, and the text of its error. Part of the public interface; every other public header
 * includes it. The rules are those of bitsift.h.
 */
#ifndef BITSIFT_STATUS_H
#define BITSIFT_STATUS_H

#include "api.h"

BS_BEGIN_DECLS

enum bs_status {
	BS_OK = 0,
	BS_INVALID,     /* the caller's input makes no sense: a bad option, a query that does not parse */
	BS_NO_MEMORY,
	BS_IO,          /* the operating system said no: open, read, write, disk full */
	BS_NOT_FOUND,   /* the thing named is not there */
	BS_CORRUPT,     /* a file is not what its checksums or its format say it must be */
	BS_UNSUPPORTED, /* a file of a newer format, an unknown kernel, a missing ICU service */
	BS_BUSY,        /* another writer holds the lock */
	BS_STOPPED,     /* a callback asked to stop */
	BS_UNTRUSTED,   /* another user's, or where nobody has consented that it be read: struct bs_consent */
	BS_DEADLINE,    /* the call took as long as it may: struct bs_limits */
};

/* One line of text without a line feed, cut at 511 bytes, at a UTF-8 boundary if it was UTF-8, that names the thing
 * that failed: "mail.jsonl:812: not valid JSON: unterminated string". It means something only after a failure. */
struct bs_error {
	char text[512];
};

/* The status as a short lower-case phrase ("corrupt"), for logs. Never NULL. */
BS_API const char *bs_status_name(enum bs_status status);

/* Writes the message into err (nothing if err is NULL) and returns status: `return bs_fail(err, BS_IO, "%s: %s", path,
 * why);`. What a terminal might obey (a file name may hold a line feed, an escape, a mark of direction) is written as
 * \xNN. bs_fail_memory: BS_NO_MEMORY, naming what was being allocated and how many bytes. */
BS_API enum bs_status bs_fail(struct bs_error *err, enum bs_status status, const char *format, ...) BS_PRINTF(3, 4);
BS_API enum bs_status bs_fail_memory(struct bs_error *err, const char *what, unsigned long long wanted_bytes);

BS_END_DECLS
#endif
