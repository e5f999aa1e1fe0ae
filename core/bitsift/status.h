/*
 * status.h: what functions of libbitsift return, and error messages. Part of the public interface;
 * the rules are those of bitsift.h.
 */
#ifndef BITSIFT_STATUS_H
#define BITSIFT_STATUS_H

#include "api.h"

BS_BEGIN_DECLS

enum bs_status {
	BS_OK = 0,
	/* invalid input of the caller: an option out of range, a query that does not parse */
	BS_INVALID,
	BS_NO_MEMORY,
	BS_IO,          /* the operating system refused: open, read, write, disk full */
	BS_NOT_FOUND,   /* the named thing does not exist */
	BS_CORRUPT,     /* a file does not match its checksums or its format */
	BS_UNSUPPORTED, /* a newer format, a nonzero reserved field, an unknown kernel, no ICU */
	BS_BUSY,        /* another writer holds the lock */
	BS_STOPPED,     /* a callback or bs_limits.cancel ended the call */
	/* a file of another user, or at a place that the caller did not consent to: struct
	 * bs_consent */
	BS_UNTRUSTED,
	BS_DEADLINE, /* bs_limits.deadline_ns ended the call */
};

/* An error message: one line, without a line feed, that names the thing that failed:
 * "mail.jsonl:812: not valid JSON: unterminated string". Cut at 511 bytes, on a boundary of UTF-8.
 * The message is meaningful only after a failure. */
struct bs_error {
	char text[512];
};

/* The status as a short lower-case phrase ("corrupt"), for logs. Never NULL. */
BS_API const char *bs_status_name(enum bs_status status);

/* Writes the message to err (nullable) and returns status: `return bs_fail(err, BS_IO, "%s: %s",
 * path, reason);`. Characters that a terminal might interpret (a file name may have line feeds,
 * escapes, direction marks) are written as \xNN. */
BS_API enum bs_status bs_fail(struct bs_error *err, enum bs_status status, const char *format, ...)
	BS_PRINTF(3, 4);
/* Returns BS_NO_MEMORY, with a message that names what was allocated, and how many bytes. */
BS_API enum bs_status bs_fail_memory(struct bs_error *err, const char *what,
                                     unsigned long long wanted_bytes);

BS_END_DECLS
#endif
