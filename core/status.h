/*
 * status.h: how everything in bitsift reports failure.
 *
 * A function that can fail returns an enum bs_status and takes, last, a nullable struct bs_error that receives one
 * line of text naming the thing that failed ("mail.jsonl:812: not valid JSON: unterminated string"). There is no
 * global state; the caller owns the struct. Thread-safe as long as two threads do not share one struct bs_error.
 */
#ifndef BS_CORE_STATUS_H
#define BS_CORE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BS_WARN_UNUSED __attribute__((warn_unused_result))
#define BS_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#else
#define BS_WARN_UNUSED
#define BS_PRINTF(format_index, args_index)
#endif

enum bs_status {
	BS_OK = 0,
	BS_INVALID,     /* the caller's input makes no sense: a bad option, a query that does not parse */
	BS_NO_MEMORY,   /* an allocation failed */
	BS_IO,          /* the operating system said no: open, read, write, disk full */
	BS_NOT_FOUND,   /* the thing named is not there */
	BS_CORRUPT,     /* a file is not what its checksums or its format say it must be */
	BS_UNSUPPORTED, /* a file of a newer format, an unknown kernel, a missing ICU service */
	BS_BUSY,        /* another writer holds the lock */
	BS_STOPPED,     /* a callback asked to stop */
};

/* One line of text, NUL-ended, without a line feed; cut at 511 bytes, at a UTF-8 boundary if it was UTF-8. */
struct bs_error {
	char text[512];
};

/*
 * Writes the message into err (nothing if err is NULL) and returns status, so that a failing function can end with
 * `return bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));`. Control characters in the text (a file name may
 * hold a line feed) are written as \xNN, so that an error stays one line.
 */
enum bs_status bs_fail(struct bs_error *err, enum bs_status status, const char *format, ...) BS_PRINTF(3, 4);

/* bs_fail with BS_NO_MEMORY, naming what was being allocated and how many bytes. */
enum bs_status bs_fail_memory(struct bs_error *err, const char *what, unsigned long long wanted_bytes);

/* The status as a short lower-case phrase ("corrupt"), for tests and logs. Never NULL. */
const char *bs_status_name(enum bs_status status);

#ifdef __cplusplus
}
#endif
#endif
