/*
 * status.h: how everything in bitsift reports failure.
 *
 * A function that can fail returns an enum bs_status and takes, last, a nullable struct bs_error that receives one line
 * of text naming the thing that failed ("mail.jsonl:812: not valid JSON: unterminated string"). There is no global
 * state; the caller owns the struct. Thread-safe as long as two threads do not share one struct bs_error. The codes,
 * the struct and bs_status_name are part of the public interface: see bitsift.h.
 */
#ifndef BS_CORE_BASE_STATUS_H
#define BS_CORE_BASE_STATUS_H

#include "core/bitsift.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BS_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#else
#define BS_PRINTF(format_index, args_index)
#endif

/* Writes the message into err (nothing if err is NULL) and returns status, so that a failing function can end with
 * `return bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));`. What a terminal might obey (a file name may hold a
 * line feed, an escape, a mark of direction: visible.h) is written as \xNN, so that an error stays one line. */
enum bs_status bs_fail(struct bs_error *err, enum bs_status status, const char *format, ...) BS_PRINTF(3, 4);

/* bs_fail with BS_NO_MEMORY, naming what was being allocated and how many bytes. */
enum bs_status bs_fail_memory(struct bs_error *err, const char *what, unsigned long long wanted_bytes);

/* BS_UNSUPPORTED, naming the struct, if one of a request's reserved fields is not zero: it is not initialised, or made
 * for a later library. */
enum bs_status bs_check_reserved(const char *name, const uint64_t *reserved, size_t n, struct bs_error *err)
	BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
