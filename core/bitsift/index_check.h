/*
 * index_check.h: checking an index. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_CHECK_H
#define BITSIFT_INDEX_CHECK_H

#include "host.h"
#include "limits.h"

BS_BEGIN_DECLS

struct bs_check_request {
	const char *dir;
	/* an in-memory index instead of a directory; dir is then NULL */
	struct bs_memory_index *memory;
	/* called often; NULL: not called */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
	/* only consent.all and consent.trusts are used */
	struct bs_host host;
	const struct bs_limits *limits; /* NULL: none */
	uint64_t reserved[4];
};

struct bs_check_report {
	uint64_t n_docs; /* searchable documents */
	uint64_t n_segments;
	uint64_t n_bytes; /* bytes of all files */
	uint64_t reserved[5];
};

/* Reads every byte of the last commit and checks it against the format. Does not read sources.
 * BS_CORRUPT: the index is damaged, and the message names the file and the error. BS_NOT_FOUND,
 * BS_IO, BS_UNSUPPORTED, BS_UNTRUSTED, BS_NO_MEMORY as bs_index_open. report_out may be NULL. */
BS_API enum bs_status bs_index_check(const struct bs_check_request *request,
                                     struct bs_check_report *report_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
