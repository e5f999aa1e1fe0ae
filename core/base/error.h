/*
 * error.h: how functions report failure.
 *
 * A function that can fail returns an enum bs_status and takes, as its last argument, a nullable
 * struct bs_error. On failure, the function writes one line of text to the struct. The line names
 * the thing that failed ("mail.jsonl:812: not valid JSON: unterminated string"). There is no global
 * state; the caller owns the struct. Two threads must not share one struct bs_error. The codes, the
 * struct, bs_fail and bs_status_name are public: core/bitsift/status.h.
 */
#pragma once

#include <stdbool.h>

#include "core/bitsift/status.h"

BS_BEGIN_DECLS

/* The reserved fields of a request, or of a struct inside it. */
struct bs_reserved {
	const char *struct_name; /* for messages */
	const uint64_t *fields;
	size_t n_fields;
};
/* Initialises a struct bs_reserved with the member `reserved` of `part` (a struct `name`). */
#define BS_RESERVED(name, part)                                            \
	{                                                                  \
		"struct " #name, (part).reserved,                          \
			sizeof((part).reserved) / sizeof(*(part).reserved) \
	}

/* Checks that the reserved fields are zero. BS_UNSUPPORTED, with the name of the struct, if one is
 * not: the request was not initialised or was made for a later library. */
enum bs_status bs_check_reserved(const struct bs_reserved *parts, size_t n_parts,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Calls bs_check_reserved with a list of BS_RESERVED. */
#define BS_CHECK_RESERVED(err, ...)                                           \
	bs_check_reserved((const struct bs_reserved[]){__VA_ARGS__},          \
	                  sizeof((const struct bs_reserved[]){__VA_ARGS__}) / \
	                          sizeof(struct bs_reserved),                 \
	                  err)

/* For a failure to read a document or source. True if the whole call must end, because the cause
 * (no memory, a missing library) is not in the document or source. */
static inline bool bs_is_fatal(enum bs_status status)
{
	return status == BS_NO_MEMORY || status == BS_UNSUPPORTED;
}

BS_END_DECLS
